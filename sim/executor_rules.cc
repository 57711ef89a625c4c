#include "sim/executor_rules.h"

#include <string>
#include <utility>

#include "lifecycle/api/names.h"
#include "sim/actor.h"
#include "sim/refusal.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

bool IsOver(const Run* run) { return run == nullptr || run->state == RunState::kEnded; }

// The kubelet asks the child to stop and gives it its grace.
bool IsStopSignal(const WorldStep& step) {
  return (step.kind == StepKind::kKillPod && step.what == "grace") ||
         (step.kind == StepKind::kFinishJob && step.what == "deadline");
}

// The executor comes to the point where it starts its child or does not.
bool Decides(const WorldStep& step) {
  return step.kind == StepKind::kRun && step.what != "mismatch";
}

bool WroteItsLog(const World& before, const World& after, const std::string& uid) {
  const PodLog* was = before.logs.Get(uid);
  const PodLog* is = after.logs.Get(uid);
  return is != nullptr && is->text != nullptr && (was == nullptr || was->text == nullptr);
}

class Listing {
 public:
  Listing(const World& before, const World& after, const WorldStep& step)
      : before_(before), after_(after), step_(step) {}

  std::vector<ExecutorRule> List() {
    for (const Cow<Run>& run : before_.runs) {
      if (run->state != RunState::kEnded) AddOf(*run);
    }
    return std::move(rules_);
  }

 private:
  void AddOf(const Run& run) {
    const RunView view = ViewOf(before_, run);
    if (!view.told.mutating) return;
    const Run* after = RunOf(after_, run.pod_uid);
    const bool ended = IsOver(after);
    const bool schema = view.told.operation == api::runner_operation::kApply;
    family_ = schema ? Family::kSchema : Family::kMigration;
    const bool was_waiting = run.state == RunState::kWaiting;
    if (was_waiting && Decides(step_) && (ended || after->state == RunState::kRunning)) {
      const Refusal refusal = RefusalOf(view);
      Add("U-1");
      if (refusal == Refusal::kTooLate) Add("U-2");
      if (schema ? refusal == Refusal::kNone : refusal == Refusal::kMoved) Add("U-4");
    }
    if (!ended) return;
    if (!was_waiting && step_.kind == StepKind::kAdvanceClock) Add("U-3");
    if (WroteItsLog(before_, after_, run.pod_uid)) Add("U-5");
    if (IsStopSignal(step_)) Add("U-6");
  }

  void Add(absl::string_view rule) { rules_.push_back({family_, rule}); }

  const World& before_;
  const World& after_;
  const WorldStep& step_;
  Family family_ = Family::kSchema;
  std::vector<ExecutorRule> rules_;
};

}  // namespace

std::vector<ExecutorRule> ExecutorRulesOf(const World& before, const World& after,
                                          const WorldStep& step) {
  return Listing(before, after, step).List();
}

}  // namespace sim
