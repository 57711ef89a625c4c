// `stopgap gate`: explores every scenario and fails when some window is unreadable.

#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exploring.h"
#include "cli/files.h"
#include "cli/gate_verdict.h"
#include "cli/observing.h"
#include "reports/coverage.h"
#include "reports/durable_writes.h"
#include "reports/properties.h"
#include "reports/safety_state.h"
#include "reports/summarize.h"
#include "reports/terminal.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap gate [OPTIONS]: explore every scenario; fails when a window is unreadable\n"
    "\n"
    "  --scenario GLOB     only scenarios whose names match (* and ?)\n"
    "  --exchange A,B      run the design with two steps exchanged, such as mark,create\n"
    "  --json FILE         write the whole report as JSON too\n"
    "  --save FOLDER       where schedules of violations are saved (default: schedules)\n"
    "  --exact             absolute times and no renumbering: closes for small scenarios only, "
    "and\n"
    "                      with --faults-max 1\n"
    "  --no-memo           run every pass on real code, also one that had the same answers before\n"
    "  --no-journal        do not hear which rules passes follow; everything else is the same\n"
    "  --quick             one fault in every scenario, and nothing has to be reached: a first "
    "look\n"
    "  --faults-max N      the last layer of faults, instead of the scenario's\n"
    "  --states-max N      give up beyond so many states, instead of the scenario's limit\n"
    "  --seconds-max N     give up after so long\n"
    "  --jobs N            explore so many scenarios at once (default: 2)\n"
    "  --quiet             no progress on standard error\n"
    "\n"
    "The steps are authorize, lease, stage, snapshot, consume, mark, create, confirm, record.\n"
    "Exit codes: 0 every window is readable over the whole space asked for; 1 one is not; 2 the\n"
    "input was wrong; 3 a limit came first, so nothing is claimed about the rest.\n";

// The planted mutant that every gate run must catch, where it is planted, and what must catch it.
constexpr char kCanaryExchange[] = "mark,create";
constexpr char kCanaryScenario[] = "schema-always";
constexpr char kCanaryProperty[] = "S-49";
// Many times what it has; a lifecycle that never comes to rest has no end either.
constexpr uint64_t kCanaryStatesMax = 20'000;

// How many faults a quick gate looks at. What most changes break shows with the first one.
constexpr uint32_t kQuickFaults = 1;
// And how many states of a scenario at most, nearest first, so that all take less than 20 seconds.
constexpr uint64_t kQuickStates = 700;

struct Request {
  ExploreRequest explore;
  std::string folder = "schedules";
  std::optional<std::string> json;
  bool whole = true;  // Every scenario in full under the current design.
  bool quick = false;
  reports::Exemptions exemptions;
};

absl::StatusOr<Request> Read(const Arguments& arguments) {
  Request request;
  if (!arguments.rest().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected \"", arguments.rest()[0], "\"; try stopgap gate --help"));
  }
  absl::StatusOr<std::vector<model::LoadedScenario>> scenarios =
      ScenariosNamed(arguments.Get("--scenario").value_or(""));
  if (!scenarios.ok()) return scenarios.status();
  request.explore.scenarios = *std::move(scenarios);
  model::CheckOptions& options = request.explore.options;
  if (const auto names = arguments.Get("--exchange")) {
    auto design = model::DesignWithExchange(*names);
    if (!design.ok()) return design.status();
    options.design = *std::move(design);
  }
  options.exact = arguments.Has("--exact");
  options.memo = !arguments.Has("--no-memo");
  options.journal = !arguments.Has("--no-journal");
  request.quick = arguments.Has("--quick");
  if (request.quick && arguments.Has("--faults-max")) {
    return absl::InvalidArgumentError("--quick says how many faults, so --faults-max cannot");
  }
  struct {
    const char* name;
    uint64_t max;
    std::optional<uint64_t> value;
  } numbers[] = {{"--faults-max", 1000, {}},
                 {"--states-max", 1'000'000'000, {}},
                 {"--seconds-max", 1'000'000, {}},
                 {"--jobs", 64, {}}};
  for (auto& number : numbers) {
    const auto value = arguments.Number(number.name, number.max);
    if (!value.ok()) return value.status();
    number.value = *value;
  }
  if (numbers[0].value) options.faults_max = static_cast<uint32_t>(*numbers[0].value);
  options.states_max = numbers[1].value;
  if (request.quick) {
    options.faults_max = kQuickFaults;
    options.states_max = numbers[1].value.value_or(kQuickStates);
    options.hold_to_goals = false;
  }
  request.explore.seconds_max = numbers[2].value;
  if (numbers[3].value == uint64_t{0}) {
    return absl::InvalidArgumentError("expected --jobs to be at least 1");
  }
  request.explore.at_once = static_cast<int>(numbers[3].value.value_or(2));
  request.explore.quiet = arguments.Has("--quiet");
  request.folder = arguments.Get("--save").value_or(request.folder);
  request.json = arguments.Get("--json");
  if (request.json) {
    if (*request.json == "-") {
      return absl::InvalidArgumentError(
          "expected a file after --json; the report goes to it alone");
    }
    if (absl::Status may = MayWriteFile(*request.json); !may.ok()) return may;
  }
  request.whole = !arguments.Has("--scenario") && !arguments.Has("--exchange") &&
                  !arguments.Has("--exact") && !arguments.Has("--faults-max") && !request.quick;
  absl::StatusOr<reports::Exemptions> exemptions = ReadExemptions();
  if (!exemptions.ok()) return exemptions.status();
  request.exemptions = *std::move(exemptions);
  return request;
}

// Saves each violation's schedule. One that cannot be written is said, and ends nothing; the report
// names no file of it then.
void SaveSchedules(const std::string& folder, reports::ScenarioReport& report) {
  for (reports::ViolationReport& violation : *report.mutable_violations()) {
    const absl::Status saved =
        WriteFile(absl::StrCat(folder, "/", violation.schedule_file()), violation.schedule());
    if (saved.ok()) continue;
    std::fprintf(stderr, "stopgap: %s\n", std::string(saved.message()).c_str());
    violation.clear_schedule_file();
  }
}

// Plants the mutant and says whether it was caught.
reports::CanaryReport RunCanary(const Request& request) {
  reports::CanaryReport canary;
  canary.set_scenario(kCanaryScenario);
  canary.set_mutant(absl::StrCat("exchange ", kCanaryExchange));
  canary.set_property(kCanaryProperty);
  const auto scenarios = ScenariosNamed(kCanaryScenario);
  const auto design = model::DesignWithExchange(kCanaryExchange);
  if (!scenarios.ok() || !design.ok()) {
    canary.set_absent(true);
    return canary;
  }
  ExploreRequest explore;
  explore.scenarios = *scenarios;
  explore.options.design = *design;
  explore.options.faults_max = 1;
  explore.options.states_max = kCanaryStatesMax;
  explore.at_once = request.explore.at_once;
  explore.quiet = true;
  for (const reports::ScenarioReport& report : ExploreAll(explore)) {
    for (const reports::ViolationReport& violation : report.violations()) {
      if (violation.property() == kCanaryProperty) canary.set_caught(true);
    }
  }
  return canary;
}

// Holds a whole gate to the checked-in tables, and to what has to be reached and written.
void HoldToTheWhole(reports::GateReport& report) {
  report.set_table_drift(
      DriftFrom("durable-writes.md", reports::DurableWriteTable(report), "table"));
  for (std::string& problem : reports::SafetyStateProblems(report)) {
    report.add_record_problems(std::move(problem));
  }
  std::string drift = DriftFrom("safety-state.md", reports::SafetyStateTable(), "safety-state");
  if (!drift.empty()) report.add_record_problems(std::move(drift));
  // A property whose test is gone has nothing that checks it any more.
  for (std::string& property : reports::UnprovedProperties(SourceOf)) {
    report.add_vacuous(std::move(property));
  }
}

// What was reached; only a whole gate has to reach everything. Nothing is known without a journal.
void Cover(const Request& request, reports::GateReport& report) {
  if (!request.explore.options.journal) return;
  *report.mutable_coverage() = reports::CoverageOf(report, request.exemptions);
  if (!request.whole) report.mutable_coverage()->clear_problems();
}

}  // namespace

int Gate(const std::vector<std::string>& words) {
  const absl::StatusOr<Arguments> arguments = Arguments::Parse(
      words,
      {.with_value = {"--scenario", "--exchange", "--json", "--save", "--faults-max",
                      "--states-max", "--seconds-max", "--jobs"},
       .without_value = {"--exact", "--no-memo", "--no-journal", "--quick", "--quiet", "--help"}});
  if (!arguments.ok()) return Refuse(std::string(arguments.status().message()));
  if (arguments->Has("--help")) {
    std::fputs(kUsage, stdout);
    return kAllReadable;
  }
  absl::StatusOr<Request> request = Read(*arguments);
  if (!request.ok()) return Refuse(std::string(request.status().message()));

  std::fputs(reports::TerminalHeading().c_str(), stdout);
  std::string violations;
  request->explore.on_report = [&](reports::ScenarioReport& report) {
    std::fputs(reports::TerminalLine(report).c_str(), stdout);
    std::fflush(stdout);
    SaveSchedules(request->folder, report);
    violations += reports::TerminalViolations(report, request->folder);
  };
  reports::GateReport report;
  for (reports::ScenarioReport& scenario : ExploreAll(request->explore)) {
    *report.add_scenarios() = std::move(scenario);
  }
  reports::Total(report);
  // Part of a gate cannot be held to what the whole must have checked and seen.
  if (request->whole) {
    HoldToTheWhole(report);
  } else {
    report.clear_vacuous();
  }
  Cover(*request, report);
  report.set_quick(request->quick);
  *report.mutable_canary() = RunCanary(*request);
  const int code = Conclude(report);
  if (!violations.empty()) std::fprintf(stdout, "\n%s", violations.c_str());
  std::fputs(reports::TerminalSummary(report).c_str(), stdout);
  if (request->json) {
    const absl::Status written = WriteFile(*request->json, reports::ToJson(report));
    if (!written.ok()) return Refuse(std::string(written.message()));
  }
  return code;
}

}  // namespace cli
