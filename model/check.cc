#include "model/check.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lifecycle/api/timing.h"
#include "model/admission_memo.h"
#include "model/engine/explorer.h"
#include "model/engine/lasso.h"
#include "model/releases.h"
#include "model/rules.h"
#include "model/scenario.pb.h"
#include "model/setup.h"
#include "model/timeline.h"
#include "sim/administrator.h"

namespace model {
namespace {

constexpr uint64_t kDefaultStatesMax = 2'000'000;

std::vector<std::string> AskedGoals(const Scenario& scenario) {
  return {scenario.reaches().begin(), scenario.reaches().end()};
}

std::string OutcomeText(const Probe& probe) {
  std::vector<std::string> parts;
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    if (probe.verdicts.Has(static_cast<Verdict>(verdict))) {
      parts.emplace_back(VerdictName(static_cast<Verdict>(verdict)));
    }
  }
  if (!parts.empty()) return absl::StrJoin(parts, " + ");
  if (probe.writes.empty()) return "waits";
  return absl::StrCat("goes on (", WriteNames(probe.writes), ")");
}

// From a number that is the scenario's own, the same on every run.
Deal DealOf(const LoadedScenario& loaded) {
  Deal deal{.from = 0, .every = loaded.scenario->every_variation()};
  for (const char digit : loaded.sha256.substr(0, 6)) {
    deal.from = deal.from * 31 + static_cast<unsigned char>(digit);
  }
  return deal;
}

}  // namespace

struct Workbench::Parts {
  Parts(const LoadedScenario& loaded, const CheckOptions& options)
      : scenario(loaded.scenario),
        design(options.design),
        digest{.exact = options.exact},
        webhook(sim::Releases()),
        remembered(webhook),
        server(interner, {options.memo ? &remembered
                                       : static_cast<const lifecycle::api::Admission*>(&webhook)}),
        runner(server, design, timing, digest),
        varied(server, design, timing, digest),
        comparer(interner, webhook, varied, digest, DealOf(loaded)),
        actors(server, RulesOf(*scenario)),
        goals(AskedGoals(*scenario)) {}

  const std::shared_ptr<const Scenario> scenario;
  const lifecycle::dispatch::Design design;
  const lifecycle::api::Timing timing;
  const sim::DigestOptions digest;
  sim::Interner interner;
  const ReleaseAdmission webhook;
  const AdmissionMemo remembered;
  const sim::ApiServer server;
  PassRunner runner;
  const PassRunner varied;  // Runs passes in worlds that are never reached, and remembers none.
  Comparer comparer;
  const sim::Actors actors;
  const Goals goals;
  sim::World initial;
  std::optional<OperatorSystem> system;
};

Workbench::Workbench(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Workbench::~Workbench() = default;

OperatorSystem& Workbench::system() { return *parts_->system; }
const sim::World& Workbench::initial() const { return parts_->initial; }
PassRunner& Workbench::runner() { return parts_->runner; }
const sim::Actors& Workbench::actors() const { return parts_->actors; }
const sim::ApiServer& Workbench::server() const { return parts_->server; }
const Comparer& Workbench::comparer() const { return parts_->comparer; }
const Goals& Workbench::goals() const { return parts_->goals; }

absl::StatusOr<std::unique_ptr<Workbench>> Workbench::Make(const LoadedScenario& scenario,
                                                           const CheckOptions& options) {
  auto parts = std::make_unique<Parts>(scenario, options);
  // The setting is laid down by the current design: what is under test begins with the run.
  const lifecycle::dispatch::Design current = lifecycle::dispatch::CurrentDesign();
  const PassRunner quiet(parts->server, current, parts->timing, parts->digest);
  absl::StatusOr<sim::World> initial =
      InitialWorld(*parts->scenario, parts->server, quiet, parts->actors, parts->digest);
  if (!initial.ok()) {
    return absl::Status(initial.status().code(),
                        absl::StrCat(scenario.path, ": ", initial.status().message()));
  }
  parts->initial = *std::move(initial);
  if (options.memo) parts->runner.UseMemo();
  if (!options.journal) parts->runner.SilenceJournal();
  if (parts->scenario->world().failing_reads()) parts->runner.OfferFailingReads();
  parts->system.emplace(parts->initial, parts->runner, parts->actors, parts->goals,
                        OperatorSystem::Options{.operations = OperationsOf(*parts->scenario),
                                                .readings = parts->scenario->from_start(),
                                                .digest = parts->digest,
                                                .resync = options.resync,
                                                .comparer = &parts->comparer});
  return std::unique_ptr<Workbench>(new Workbench(std::move(parts)));
}

namespace {

// A replay in words, and the properties it breaks.
struct Told {
  std::vector<std::string> lines;
  std::vector<Property> broken;  // In order of appearance, none twice.
};

bool Has(const std::vector<Property>& broken, Property property) {
  return std::find(broken.begin(), broken.end(), property) != broken.end();
}

void AddBroken(Property property, std::vector<Property>& broken) {
  if (!Has(broken, property)) broken.push_back(property);
}

// The property that stands first in what a schedule says it violates, "S-49: ...".
std::optional<Property> ViolatedBy(absl::string_view violates) {
  return PropertyByName(violates.substr(0, violates.find(':')));
}

// What the state at the end is stuck in, when that is what the schedule shows.
void TellLasso(OperatorSystem& system, const sim::World& last, bool spin, Told& told) {
  const std::optional<Lasso> lasso =
      FindLasso(system, last, spin ? LassoKind::kSpin : LassoKind::kStuck);
  if (!lasso) return;
  const Property property = spin ? Property::kL12 : RecoveryPropertyOf(last);
  const PropertyInfo& info = InfoOf(property);
  told.lines.push_back(
      absl::StrCat("     VIOLATED ", info.name, " (", info.promise,
                   "): from here on nothing but this can happen without a fault:"));
  for (const PathEntry& entry : lasso->way)
    told.lines.push_back(absl::StrCat("       then ", entry.step));
  if (lasso->round.empty()) told.lines.push_back("       nothing is due, and an account is open");
  for (const PathEntry& entry : lasso->round) {
    told.lines.push_back(absl::StrCat("       round and round: ", entry.step));
  }
  AddBroken(property, told.broken);
}

// The gate and `replay` both tell a path here, so both print the same bytes.
Told TellReplay(OperatorSystem& system, const Replayed<sim::World>& replayed,
                absl::string_view violates) {
  Told told;
  told.lines = TimelineOf(replayed);
  const auto add = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      AddBroken(static_cast<Property>(finding.property), told.broken);
    }
  };
  add(replayed.start_findings);
  for (const auto& step : replayed.steps) {
    add(step.findings);
    add(step.state_findings);
  }
  const bool in_last_state =
      !replayed.steps.empty() && !replayed.steps.back().state_findings.empty();
  if (in_last_state && replayed.last() != nullptr) {
    told.lines.push_back("     what a fresh process does there:");
    for (const std::string& line : system.DescribeProbe(*replayed.last())) {
      told.lines.push_back(absl::StrCat("       ", line));
    }
  }
  const std::optional<Property> claimed = ViolatedBy(violates);
  if (claimed && InfoOf(*claimed).kind == PropertyKind::kRecovery && !Has(told.broken, *claimed) &&
      replayed.last() != nullptr) {
    TellLasso(system, *replayed.last(), *claimed == Property::kL12, told);
  }
  return told;
}

// Turns an exploration into a result.
class Collector {
 public:
  Collector(const LoadedScenario& scenario, const CheckOptions& options, Workbench& bench)
      : scenario_(scenario), options_(options), bench_(bench) {}

  CheckResult Run() {
    Explorer<OperatorSystem> explorer(bench_.system(), EngineOptions());
    const Exploration exploration = explorer.Explore();
    result_.scenario = scenario_.name;
    result_.path = scenario_.path;
    result_.family = scenario_.scenario->family() == Scenario::SCHEMA ? "schema" : "migration";
    result_.design = options_.design.name;
    result_.exact = options_.exact;
    result_.ended = exploration.ended;
    result_.statistics = exploration.statistics;
    result_.longest_recovery_steps = exploration.recovery.longest_steps;
    result_.longest_recovery_passes = exploration.recovery.longest_passes;
    AddProperties(explorer, exploration);
    AddGoals(exploration);
    AddTable();
    AddWhatItIsFor();
    return std::move(result_);
  }

 private:
  ExploreOptions EngineOptions() {
    ExploreOptions engine;
    const Scenario& scenario = *scenario_.scenario;
    if (scenario.faults_max() > 0) result_.faults_max = scenario.faults_max();
    if (options_.faults_max) result_.faults_max = options_.faults_max;
    if (result_.faults_max) engine.faults_max = *result_.faults_max;
    engine.states_max = options_.states_max.value_or(
        scenario.states_max() > 0 ? static_cast<uint64_t>(scenario.states_max())
                                  : kDefaultStatesMax);
    engine.stop_at_first = options_.stop_at_first;
    engine.recovery_property = static_cast<uint32_t>(Property::kRecovery);
    engine.spin_property = static_cast<uint32_t>(Property::kL12);
    engine.ask_every_states = options_.ask_every_states;
    engine.keep_going = options_.keep_going;
    engine.on_cut = [this](uint32_t tag, uint32_t node) { cuts_.emplace_back(tag, node); };
    return engine;
  }

  void AddProperties(Explorer<OperatorSystem>& explorer, const Exploration& exploration) {
    result_.properties.resize(kPropertyCount);
    for (uint32_t number = 0; number < kPropertyCount; ++number) {
      const PropertyRecord& record = exploration.properties[number];
      result_.properties[number].premises += record.premises;
      if (!record.first) continue;
      Property property = static_cast<Property>(number);
      const Path path = explorer.PathTo(*record.first);
      Violation violation;
      violation.text = record.first->text;
      violation.faults = record.first->rank.faults;
      if (property == Property::kRecovery) property = Refine(path, violation.text);
      result_.properties[static_cast<uint32_t>(property)].violations += record.violations;
      violation.property = property;
      Tell(path, violation);
      result_.violations.push_back(std::move(violation));
    }
    std::stable_sort(result_.violations.begin(), result_.violations.end(),
                     [](const Violation& a, const Violation& b) { return Rank(a) < Rank(b); });
  }

  // A promise by its name says more than that some verdict is not sound; then the shortest first.
  static std::tuple<bool, uint32_t, size_t> Rank(const Violation& violation) {
    return {violation.property >= Property::kSoundVerdict, violation.faults,
            violation.schedule.path.entries.size()};
  }

  // Which promise of recovery the stuck state breaks.
  Property Refine(const Path& path, std::string& text) {
    const Replayed<sim::World> replayed = Replay(bench_.system(), path);
    if (replayed.last() == nullptr) return Property::kRecovery;
    const Property property = RecoveryPropertyOf(*replayed.last());
    text = absl::StrCat("recovery never ends from here: ", text);
    return property;
  }

  // Every reported schedule is run again on real code, and told from that run.
  void Tell(const Path& path, Violation& violation) {
    const std::string violates =
        absl::StrCat(InfoOf(violation.property).name, ": ", violation.text);
    const Replayed<sim::World> replayed = Replay(bench_.system(), path);
    violation.timeline = TellReplay(bench_.system(), replayed, violates).lines;
    violation.schedule.scenario = scenario_.path;
    violation.schedule.scenario_sha256 = scenario_.sha256;
    violation.schedule.design = options_.design.name;
    if (options_.exact) violation.schedule.options.emplace_back("exact", "true");
    violation.schedule.violates = violates;
    violation.schedule.path = path;
    for (const auto& step : replayed.steps) violation.schedule.parts.push_back(step.parts);
  }

  void AddGoals(const Exploration& exploration) {
    if (!options_.hold_to_goals) return;
    for (const uint32_t goal : bench_.goals().asked()) {
      if (exploration.goals[goal].times == 0) {
        result_.unreached.push_back(bench_.goals().NameOf(goal));
      }
    }
  }

  // The writes and rules that the scenario is for, by passes of whichever family. Without a
  // journal nobody knows which rules were followed.
  void AddWhatItIsFor() {
    if (!options_.hold_to_goals) return;
    for (const std::string& name : scenario_.scenario->writes()) {
      const bool reached =
          std::any_of(result_.writes.begin(), result_.writes.end(),
                      [&](const auto& row) { return WriteName(row.first.number) == name; });
      if (!reached) result_.unreached.push_back(name);
    }
    if (!options_.journal) return;
    for (const std::string& name : scenario_.scenario->rules()) {
      const bool reached =
          std::any_of(result_.rules.begin(), result_.rules.end(), [&](const auto& rule) {
            return rule.first.second == name || IsPartOf(rule.first.second, name);
          });
      if (!reached) result_.unreached.push_back(name);
    }
  }

  void AddTable() {
    const Observations& seen = bench_.system().observations();
    if (options_.journal) result_.rules = seen.coverage.rules();
    result_.records = seen.coverage.records();
    result_.held_to_every = bench_.comparer().held_to_every();
    for (const auto& [write, stored] : seen.coverage.writes())
      result_.writes[write].stored = stored;
    for (const auto& [write, next] : seen.followed_by) {
      for (const auto& [writes, times] : next) {
        const std::string text = writes.empty() ? "the pass ends" : WriteNames(writes);
        result_.writes[write].followed_by[text] += times;
      }
    }
    std::set<std::pair<uint32_t, uint32_t>> counted;
    for (const auto& [tag, node] : cuts_) {
      const Boundary& boundary = seen.boundaries[tag];
      const bool once = counted.insert({tag, node}).second;
      for (int number = 1; number <= kWriteCount; ++number) {
        if (!boundary.writes.Has(number)) continue;
        WriteRow& row = result_.writes[{boundary.family, number}];
        ++(boundary.after ? row.stops_after : row.stops_before);
        if (!boundary.after || !once || node >= seen.probes.size()) continue;
        ++row.next_pass[OutcomeText(seen.probes[node])];
      }
    }
    for (const Probe& probe : seen.probes) {
      for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
        if (probe.verdicts.Has(static_cast<Verdict>(verdict))) {
          ++result_.verdicts[std::string(VerdictName(static_cast<Verdict>(verdict)))];
        }
      }
    }
  }

  const LoadedScenario& scenario_;
  const CheckOptions& options_;
  Workbench& bench_;
  CheckResult result_;
  std::vector<std::pair<uint32_t, uint32_t>> cuts_;
};

}  // namespace

absl::StatusOr<CheckResult> Check(const LoadedScenario& scenario, const CheckOptions& options) {
  absl::StatusOr<std::unique_ptr<Workbench>> bench = Workbench::Make(scenario, options);
  if (!bench.ok()) return bench.status();
  CheckResult result = Collector(scenario, options, **bench).Run();
  if (options.process_ends) static_cast<void>(bench->release());
  return result;
}

absl::StatusOr<lifecycle::dispatch::Design> DesignWithExchange(absl::string_view names) {
  return lifecycle::dispatch::Exchanged(lifecycle::dispatch::CurrentDesign(), names);
}

namespace {

std::string At(const ScheduleFile& file, size_t line, absl::string_view text) {
  return absl::StrCat(file.file, ":", line, ": ", text);
}

// Reads what only this system can judge of a schedule.
absl::StatusOr<CheckOptions> OptionsOf(const ScheduleFile& file) {
  CheckOptions options;
  const Schedule& schedule = file.schedule;
  absl::StatusOr<lifecycle::dispatch::Design> design =
      lifecycle::dispatch::DesignByName(schedule.design);
  if (!design.ok()) {
    return absl::InvalidArgumentError(At(file, file.design_line, design.status().message()));
  }
  options.design = *std::move(design);
  for (size_t i = 0; i < schedule.options.size(); ++i) {
    const auto& [name, value] = schedule.options[i];
    if (name != "exact" || (value != "true" && value != "false")) {
      return file.Expected(file.option_lines[i],
                           absl::StrCat("option exact=true, got ", name, "=", value));
    }
    options.exact = value == "true";
  }
  if (!schedule.violates.empty() && !ViolatedBy(schedule.violates)) {
    return file.Expected(file.violates_line,
                         absl::StrCat("a property and what broke, such as \"violates S-49: ...\", "
                                      "got \"",
                                      schedule.violates, "\""));
  }
  return options;
}

// What to say when the property that the schedule is about held all the way.
std::optional<std::string> NotShown(const ScheduleFile& file, const std::vector<Property>& broken) {
  const std::optional<Property> claimed = ViolatedBy(file.schedule.violates);
  if (!claimed || Has(broken, *claimed)) return std::nullopt;
  std::vector<std::string> instead;
  for (const Property property : broken) instead.emplace_back(InfoOf(property).name);
  return At(file, file.violates_line,
            absl::StrCat("expected ", InfoOf(*claimed).name,
                         " to break, as this line says, and it holds: the code, the design or the "
                         "steps are not those that were recorded",
                         instead.empty() ? "" : "; what breaks is ", absl::StrJoin(instead, ", ")));
}

}  // namespace

absl::StatusOr<ReplayResult> ReplaySchedule(const LoadedScenario& scenario,
                                            const ScheduleFile& file,
                                            const ReplayRequest& request) {
  const Schedule& schedule = file.schedule;
  const absl::StatusOr<CheckOptions> options = OptionsOf(file);
  if (!options.ok()) return options.status();
  absl::StatusOr<std::unique_ptr<Workbench>> bench = Workbench::Make(scenario, *options);
  if (!bench.ok()) return bench.status();
  OperatorSystem& system = (*bench)->system();
  if (const size_t count = system.Initial().size(); schedule.path.initial >= count) {
    return file.Expected(file.initial_line, absl::StrCat("initial from 0 to ", count - 1, ", got ",
                                                         schedule.path.initial));
  }

  ReplayResult result;
  if (auto change = ScenarioChange(schedule, scenario.sha256)) {
    result.warnings.push_back(At(file, file.scenario_line, *change));
  }
  ReplayOptions engine;
  if (request.step) engine.entries_max = *request.step;
  const Replayed<sim::World> replayed = Replay(system, schedule.path, engine);
  const bool whole = !replayed.divergence && replayed.steps.size() == schedule.path.entries.size();
  Told told = TellReplay(system, replayed, whole ? schedule.violates : "");
  result.timeline = std::move(told.lines);
  result.broken = std::move(told.broken);
  if (whole) result.not_shown = NotShown(file, result.broken);
  if (const std::optional<size_t> other = replayed.first_other_key) {
    result.warnings.push_back(
        At(file, file.entry_lines[*other],
           absl::StrCat("entry ", *other, " leads to another state than it was recorded with: ",
                        words::PartsDiffer(schedule.parts[*other], replayed.steps[*other].parts))));
  }
  if (const auto& divergence = replayed.divergence) {
    result.divergence =
        At(file, file.entry_lines[divergence->entry],
           absl::StrCat("diverged at entry ", divergence->entry, ": ", divergence->text));
  }
  if (request.step && replayed.last() != nullptr) {
    result.view = DescribeView(*replayed.last());
    result.truth = DescribeTruth(*replayed.last());
    result.next_pass = system.DescribeProbe(*replayed.last());
  }
  return result;
}

}  // namespace model
