#include "model/system.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "model/engine/retake.h"
#include "model/findings.h"
#include "model/releases.h"
#include "sim/administrator.h"
#include "sim/executor_rules.h"
#include "sim/parts.h"
#include "sim/step_names.h"
#include "sim/world_reader.h"

namespace model {

namespace api = lifecycle::api;

namespace {

// A process has one worker a family: while a pass of it stands, its other resources wait.
bool WaitsForWorker(const sim::Process& process, const sim::Work& work) {
  return std::any_of(process.work.begin(), process.work.end(), [&](const sim::Work& other) {
    return other.paused != nullptr && other.resource.kind == work.resource.kind &&
           other.resource != work.resource;
  });
}

}  // namespace

OperatorSystem::OperatorSystem(sim::World initial, PassRunner& runner, const sim::Actors& actors,
                               const Goals& goals, Options options)
    : initial_(std::move(initial)),
      runner_(runner),
      actors_(actors),
      goals_(goals),
      options_(options) {
  runner_.tag_of = [this](const api::Key& resource, WriteSet writes, bool after) {
    const auto [entry, fresh] = observations_.boundary_numbers.emplace(
        Boundary{FamilyOf(resource), writes, after},
        static_cast<uint32_t>(observations_.boundaries.size()));
    if (fresh) observations_.boundaries.push_back(entry->first);
    return entry->second;
  };
}

Key128 OperatorSystem::Key(const State& state) {
  const sim::Hash128 hash = sim::StateKey(state, options_.digest);
  return {hash.hi, hash.lo};
}

PartDigests OperatorSystem::Parts(const State& state) const {
  PartDigests parts;
  for (const auto& [name, digest] : sim::PartDigests(state, options_.digest)) {
    parts.push_back({name, absl::StrCat(absl::Hex(digest.hi >> 32, absl::kZeroPad8))});
  }
  return parts;
}

void OperatorSystem::Steps(const State& state, std::vector<Step>& steps) {
  if (HasEnded(state, options_.operations, options_.readings)) return;
  for (size_t process = 0; process < state.processes.size(); ++process) {
    const sim::Process& one = state.processes[process];
    if (!one.running) continue;
    for (size_t work = 0; work < one.work.size(); ++work) {
      if (WaitsForWorker(one, one.work[work])) continue;
      const bool due = sim::IsDue(state, one, one.work[work]);
      if (!due && !options_.resync) continue;
      Step step;
      step.pass = true;
      step.id = {process, work};
      step.traits = {.faults = 0,
                     .recovers = due,
                     .pass = true,
                     .due_now = due && one.work[work].due.when == sim::Due::When::kNow};
      steps.push_back(std::move(step));
    }
  }
  for (sim::WorldStep& offered : actors_.Offer(state)) {
    const auto release = sim::ReleaseStarted(offered);
    if (release && !MayStart(*release, sim::WorldReader(state)).ok()) sim::RefuseRelease(offered);
    Step step;
    step.traits = {.faults = static_cast<uint32_t>(offered.cost), .recovers = offered.cost == 0};
    step.world = std::make_shared<const sim::WorldStep>(std::move(offered));
    steps.push_back(std::move(step));
  }
}

std::string OperatorSystem::Label(const State& state, const Step& step) {
  if (!step.pass) return step.world->label;
  const sim::Process& process = state.processes[step.id.process];
  const sim::Work& work = process.work[step.id.work];
  return absl::StrCat(work.paused != nullptr ? "take up the pass " : "pass ",
                      api::ShortName(work.resource), " of ", process.name,
                      sim::IsDue(state, process, work) ? "" : " (not due)");
}

std::optional<sim::World> OperatorSystem::Execute(const State& state, const Step& step,
                                                  StepRun<State>& run) {
  if (step.pass) return RunPass(state, step.id, run);
  STOPGAP_CHECK(step.world->what.empty() || sim::IsStepName(step.world->what),
                absl::StrCat("a scenario cannot ask for \"act ", step.world->what, "\""));
  sim::World next = state;
  actors_.Take(next, *step.world);
  if (step.world->kind == sim::StepKind::kStartPod) {
    Findings findings(run);
    JudgePods(state, next, findings);
  }
  if (run.Fresh()) {
    // An executor keeps no journal: what it followed is seen from outside.
    for (const sim::ExecutorRule& followed : sim::ExecutorRulesOf(state, next, *step.world)) {
      observations_.coverage.Follow(followed.family, followed.rule);
    }
  }
  sim::EndStep(next, options_.digest);
  run.Wrote();
  run.Reach(goals_.OfStep(step.world->kind));
  if (const auto goal = goals_.OfText("act", step.world->what)) run.Reach(*goal);
  return next;
}

sim::World OperatorSystem::RunPass(const State& state, PassId id, StepRun<State>& run) {
  Findings findings(run);
  if (options_.comparer != nullptr) options_.comparer->CompareAll(run.Describing());
  PassJudge judge(findings, options_.comparer);
  judge.on_verdict = [&](Verdict verdict) { run.Reach(goals_.OfVerdict(verdict)); };
  CountingObserver counting(judge, run, observations_.coverage);
  const sim::Family family = FamilyOf(state.processes[id.process].work[id.work].resource);
  // No pass can know that its census was old: it is seen from outside.
  judge.on_old_census = [&] {
    if (run.Fresh()) observations_.coverage.Follow(family, "Q-6");
  };
  WriteSet last;
  judge.on_write = [&](WriteSet writes, WriteSet previous) {
    for (int number = 1; number <= kWriteCount; ++number) {
      if (previous.Has(number) && run.Fresh())
        ++observations_.followed_by[{family, number}][writes];
    }
    last = writes;
  };
  sim::World end = runner_.Run(state, id, false, &run, &counting);
  // A pass that was left standing has not ended.
  if (run.Fresh() && end.processes[id.process].work[id.work].paused == nullptr) {
    for (int number = 1; number <= kWriteCount; ++number) {
      if (last.Has(number)) ++observations_.followed_by[{family, number}][WriteSet()];
    }
  }
  return end;
}

Standing OperatorSystem::Check(const State& state, Visit& visit) {
  Findings findings(visit);
  JudgeState(state, findings);
  ReachPhases(state, visit);
  const bool ended = HasEnded(state, options_.operations, options_.readings);
  if (options_.probe) {
    const Probe probe = ProbeState(state, visit);
    if (options_.comparer != nullptr) {
      options_.comparer->CompareAll(visit.node() == kNoNode);
      options_.comparer->OfState(state, findings);
    }
    if (visit.node() != kNoNode) {
      if (observations_.probes.size() <= visit.node())
        observations_.probes.resize(visit.node() + 1);
      observations_.probes[visit.node()] = probe;
    }
  }
  if (ended) return Standing::kSettled;
  if (state.truth.apply_claims > 0 && !AccountOpen(state)) return Standing::kSettled;
  return WaitsForPeople(state, actors_) ? Standing::kWaiting : Standing::kOpen;
}

Probe OperatorSystem::ProbeState(const State& state, Visit& visit) {
  Probe probe;
  Findings findings(visit);
  for (size_t process = 0; process < state.processes.size(); ++process) {
    if (!state.processes[process].running) continue;
    const sim::World fresh = Stopped(state, process, options_.digest);
    for (size_t work = 0; work < state.processes[process].work.size(); ++work) {
      PassJudge judge(findings);
      runner_.Run(fresh, {process, work}, true, nullptr, &judge);
      probe.verdicts |= judge.verdicts();
      probe.writes |= judge.writes();
    }
  }
  return probe;
}

std::vector<std::string> OperatorSystem::DescribeProbe(const State& state) {
  std::vector<std::string> lines;
  for (size_t process = 0; process < state.processes.size(); ++process) {
    if (!state.processes[process].running) continue;
    const sim::World fresh = Stopped(state, process, options_.digest);
    for (size_t work = 0; work < state.processes[process].work.size(); ++work) {
      Step step;
      step.pass = true;
      step.id = {process, work};
      const Retaken<State> retaken = Retake(*this, fresh, step, {}, 0, 0);
      lines.push_back(Label(fresh, step));
      for (const std::string& note : retaken.notes) lines.push_back(absl::StrCat("  ", note));
      for (const uint32_t goal : retaken.goals) {
        if (absl::StartsWith(goals_.NameOf(goal), "verdict ")) {
          lines.push_back(absl::StrCat("  ", goals_.NameOf(goal)));
        }
      }
    }
  }
  return lines;
}

void OperatorSystem::ReachPhases(const State& state, Visit& visit) {
  for (const sim::Entry& entry : state.objects) {
    if (entry.object->key.kind == lifecycle::api::Kind::kPod) ReachLogLoss(state, entry, visit);
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    if (const auto goal = goals_.OfText("phase", *view.phase)) visit.Reach(*goal);
    if (view.proof != nullptr) {
      if (const auto goal = goals_.OfText("outcome", view.proof->outcome())) visit.Reach(*goal);
    }
    if (view.migration != nullptr) {
      const std::string& outcome = view.migration->status().last_run().outcome();
      if (const auto goal = goals_.OfText("outcome", outcome)) visit.Reach(*goal);
    }
  }
}

void OperatorSystem::ReachLogLoss(const State& state, const sim::Entry& entry, Visit& visit) {
  const auto& pod = entry.object->As<lifecycle::api::Pod>();
  const auto log = state.logs.find(pod.metadata().uid());
  if (log == state.logs.end() || !log->second.lost) return;
  bool summarized = false;
  for (const auto& container : pod.status().container_statuses()) {
    summarized |= !container.state().terminated().message().empty();
  }
  const auto goal = goals_.OfName(summarized ? kLogLostSummarized : kLogLostUnsummarized);
  if (goal) visit.Reach(*goal);
}

}  // namespace model
