// A recorded run of the operator replays to the same run, through a schedule's text, on another
// workbench that remembers nothing.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/engine/replay.h"
#include "model/engine/retake.h"
#include "model/engine/schedule.h"
#include "model/scenario.h"
#include "model/timeline.h"

namespace model {
namespace {

using Step = OperatorSystem::Step;
using State = OperatorSystem::State;

constexpr const char* kScenarios[] = {"schema-always", "schema-approved", "migration-always",
                                      "migration-pod-killed"};
constexpr int kEntriesMax = 25;

CheckOptions RememberingPasses(bool memo) {
  CheckOptions options;
  options.memo = memo;
  return options;
}

OperatorSystem::Options LookingAtNoState() {
  OperatorSystem::Options options;
  options.probe = false;
  return options;
}

// A workbench and a system on it that looks at no state: what is asked here is where a run goes.
struct Bench {
  Bench(const LoadedScenario& scenario, bool memo)
      : workbench(std::move(*Workbench::Make(scenario, RememberingPasses(memo)))),
        system(workbench->initial(), workbench->runner(), workbench->actors(), workbench->goals(),
               LookingAtNoState()) {}

  std::unique_ptr<Workbench> workbench;
  OperatorSystem system;
};

// Both are made once for each scenario: a run leaves nothing behind but what was remembered.
struct Pair {
  explicit Pair(const LoadedScenario& scenario)
      : scenario(scenario), recording(scenario, true), replaying(scenario, false) {}
  const LoadedScenario scenario;
  Bench recording;
  Bench replaying;
};

Pair& PairOf(size_t index) {
  static std::vector<std::unique_ptr<Pair>> pairs(std::size(kScenarios));
  if (pairs[index] == nullptr) {
    pairs[index] = std::make_unique<Pair>(
        *LoadScenario(absl::StrCat("scenarios/", kScenarios[index], ".textproto")));
  }
  return *pairs[index];
}

// Takes a step at random, its choices and its cut too.
Retaken<State> TakeAny(OperatorSystem& system, const State& state, const Step& step,
                       uint32_t faults, PathEntry& entry) {
  const Retaken<State> quiet = Retake(system, state, step, {}, 0, faults);
  Picks picks;
  if (!quiet.options.empty() && *rc::gen::inRange(0, 3) == 0) {
    const auto point = *rc::gen::inRange<uint32_t>(0, quiet.options.size());
    picks = {{point, *rc::gen::inRange<uint32_t>(1, quiet.options[point])}};
  }
  const auto cut = *rc::gen::weightedOneOf<uint32_t>(
      {{3, rc::gen::just(uint32_t{0})}, {1, rc::gen::inRange<uint32_t>(1, 9)}});
  Retaken<State> retaken = Retake(system, state, step, picks, cut, faults);
  if (cut != 0 && retaken.cut_taken) {
    entry.cut = {cut, retaken.cut_label};
  } else if (cut != 0) {
    retaken = Retake(system, state, step, picks, 0, faults);
  }
  entry.choices = retaken.choices;
  return retaken;
}

// One run of at most kEntriesMax entries, and every line it told.
struct Recorded {
  Path path;
  std::vector<PartDigests> parts;
  std::vector<std::string> notes;
  std::vector<Finding> findings;
};

Recorded AnyRun(OperatorSystem& system) {
  Recorded run;
  State state = system.Initial()[0];
  uint32_t faults = 0;
  const int entries = *rc::gen::inRange(1, kEntriesMax + 1);
  for (int i = 0; i < entries; ++i) {
    std::vector<Step> steps;
    system.Steps(state, steps);
    if (steps.empty()) break;
    const Step& step = steps[*rc::gen::inRange<size_t>(0, steps.size())];
    PathEntry entry;
    entry.step = system.Label(state, step);
    Retaken<State> taken = TakeAny(system, state, step, faults, entry);
    if (!taken.state) break;
    state = *std::move(taken.state);
    faults = taken.faults;
    entry.key = system.Key(state);
    run.parts.push_back(system.Parts(state));
    run.path.entries.push_back(std::move(entry));
    run.notes.insert(run.notes.end(), taken.notes.begin(), taken.notes.end());
    run.findings.insert(run.findings.end(), taken.findings.begin(), taken.findings.end());
  }
  return run;
}

RC_GTEST_PROP(OperatorReplayTest, ARecordedRunReplaysToTheSameRun, ()) {
  Pair& pair = PairOf(*rc::gen::inRange<size_t>(0, std::size(kScenarios)));
  const Recorded run = AnyRun(pair.recording.system);
  RC_CLASSIFY(run.path.entries.size() >= kEntriesMax / 2, "at least half as long as can be");
  const std::string text = FormatSchedule({.scenario = pair.scenario.path,
                                           .scenario_sha256 = pair.scenario.sha256,
                                           .design = "current",
                                           .options = {},
                                           .violates = "",
                                           .path = run.path,
                                           .parts = run.parts});
  const auto read = ParseSchedule(text, "recorded");
  RC_ASSERT(read.ok());

  const Replayed<State> replayed = Replay(pair.replaying.system, read->schedule.path);
  RC_ASSERT(!replayed.divergence);
  RC_ASSERT(!replayed.first_other_key);
  RC_ASSERT(replayed.path() == run.path);
  std::vector<PartDigests> parts;
  std::vector<std::string> notes;
  std::vector<Finding> findings;
  for (const auto& step : replayed.steps) {
    parts.push_back(step.parts);
    notes.insert(notes.end(), step.notes.begin(), step.notes.end());
    findings.insert(findings.end(), step.findings.begin(), step.findings.end());
  }
  RC_ASSERT(parts == run.parts);
  RC_ASSERT(notes == run.notes);
  RC_ASSERT(findings == run.findings);
}

}  // namespace
}  // namespace model
