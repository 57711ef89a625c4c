#include "sim/clock.h"

#include <algorithm>
#include <optional>
#include <string>

#include "lifecycle/api/check.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/timing.h"
#include "sim/job_controller.h"
#include "sim/kubelet.h"
#include "sim/rival.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

// Keeps the earliest future time it is shown.
class Earliest {
 public:
  explicit Earliest(int64_t now_ms) : now_ms_(now_ms) {}
  void Consider(int64_t at_ms) {
    if (at_ms <= now_ms_) return;
    if (!at_ms_.has_value() || at_ms < *at_ms_) at_ms_ = at_ms;
  }
  std::optional<int64_t> at_ms() const { return at_ms_; }

 private:
  int64_t now_ms_;
  std::optional<int64_t> at_ms_;
};

class Targets {
 public:
  explicit Targets(const World& world) : world_(world), earliest_(world.now_ms) {}

  std::optional<int64_t> Find() {
    for (const Entry& entry : world_.objects) AddObject(entry);
    for (const Cow<Run>& run : world_.runs) AddRun(*run);
    for (const Process& process : world_.processes) {
      if (process.running) AddProcess(process);
    }
    for (const Rival& rival : world_.rivals) {
      earliest_.Consider(RivalTimeOf(world_, rival));
    }
    return earliest_.at_ms();
  }

 private:
  void AddObject(const Entry& entry) {
    switch (entry.object->key.kind) {
      case api::Kind::kPtahSchema:
      case api::Kind::kPtahMigration:
        return AddResource(entry);
      case api::Kind::kJob:
        return AddJob(entry.object->As<api::Job>());
      default:
        // A Pod's window is its Job's, and what its environment names counts while it runs.
        return;
    }
  }

  // Deadlines are compared with the wall clocks of the processes.
  void AddResource(const Entry& entry) {
    for (const TimeValue& time : entry.object->times) {
      if (time.role != TimeRole::kDeadline) continue;
      earliest_.Consider(time.at_ms);
      for (const Process& process : world_.processes) {
        earliest_.Consider(time.at_ms - process.wall_offset_ms);
      }
    }
    // A run that nobody saw end is over by its own clock when its grace is.
    const api::ActiveOperation& claim = ClaimOf(entry);
    if (claim.dispatch_started() && claim.execution_not_after_ms() != 0) {
      AddWallTime(claim.execution_not_after_ms() + 1000 * claim.termination_grace_period_seconds());
    }
  }

  void AddJob(const api::Job& job) {
    if (const auto deadline = DeadlineOf(job)) earliest_.Consider(*deadline);
    if (const auto removal = RemovalTimeOf(job)) earliest_.Consider(*removal);
    int64_t finished_ms = 0;
    if (!IsFinished(job, &finished_ms)) return;
    const std::optional<int64_t> claimed_ms = ClaimedSince(job);
    if (!claimed_ms.has_value()) return;
    // A frame may still arrive, or a Pod still become visible.
    const bool has_pod = !PodsOf(world_, job).empty();
    if (!has_pod) AddWallTime(*claimed_ms + timing_.pod_visible_window_ms);
    AddWallTime(finished_ms + timing_.frame_window_ms);
  }

  void AddWallTime(int64_t at_ms) {
    earliest_.Consider(at_ms);
    for (const Process& process : world_.processes) {
      earliest_.Consider(at_ms - process.wall_offset_ms);
    }
  }

  // When the claim that names the Job was made, or nullopt when none does.
  std::optional<int64_t> ClaimedSince(const api::Job& job) const {
    std::optional<int64_t> since;
    const auto visit = [&](const Entry& entry) {
      if (entry.object->key.namespace_ == job.metadata().namespace_() &&
          ClaimOf(entry).job_name() == job.metadata().name()) {
        since = ClaimOf(entry).started_at_ms();
      }
      return !since.has_value();
    };
    ForEachOfKind(world_, api::Kind::kPtahSchema, visit);
    ForEachOfKind(world_, api::Kind::kPtahMigration, visit);
    return since;
  }

  // A child is started before the first deadline or not at all, asked to stop at the second, and
  // killed when its share of the grace is over.
  void AddRun(const Run& run) {
    if (run.lost_at_ms != 0 && PodOf(world_, run) != nullptr) {
      earliest_.Consider(NodeForgottenAtMs(run));
    }
    if (run.state == RunState::kEnded || run.pod == nullptr) return;
    const Instructions told = ViewOf(world_, run).told;
    if (!told.mutating) return;
    if (run.state == RunState::kWaiting) return earliest_.Consider(told.dispatch_not_after_ms);
    earliest_.Consider(told.execution_not_after_ms);
    earliest_.Consider(KillTimeOf(told));
  }

  void AddProcess(const Process& process) {
    for (const Work& work : process.work) {
      if (work.due.when == Due::When::kAt) earliest_.Consider(work.due.at_ms);
      if (work.due.when == Due::When::kParked && work.due.at_ms > world_.now_ms &&
          Content() != work.due.seen) {
        earliest_.Consider(work.due.at_ms);
      }
    }
    for (const auto& [name, lease] : process.memory->leases) {
      earliest_.Consider(process.started_ms + lease.first_seen_ms + lease.duration_seconds * 1000);
    }
    for (const auto& [pod, failure] : process.memory->log_failures) {
      earliest_.Consider(process.started_ms + failure.first_failed_ms + timing_.log_loss_window_ms);
    }
  }

  const Hash128& Content() {
    if (!content_.has_value()) content_ = ContentDigest(world_);
    return *content_;
  }

  const World& world_;
  const api::Timing timing_;
  Earliest earliest_;
  std::optional<Hash128> content_;
};

bool SomethingIsDue(const World& world) {
  for (const Process& process : world.processes) {
    if (!process.running) continue;
    for (const Work& work : process.work) {
      if (IsDue(world, process, work)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<int64_t> NextClockTarget(const World& world) { return Targets(world).Find(); }

bool IsDue(const World& world, const Process& process, const Work& work) {
  if (!process.running) return false;
  if (work.paused != nullptr) return true;  // Whoever stands in the middle of a pass goes on.
  switch (work.due.when) {
    case Due::When::kNever:
      return false;
    case Due::When::kNow:
      return true;
    case Due::When::kAt:
    case Due::When::kParked:
      // Whoever parks a poll does so for a later time than now, so reaching it means that the
      // clock found another target: something the poll compares with may have passed.
      return world.now_ms >= work.due.at_ms;
  }
  return false;
}

void OfferClock(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  const bool busy =
      SomethingIsDue(world) || std::any_of(steps.begin(), steps.end(), [](const WorldStep& step) {
        return step.cost == 0 && !step.patient;
      });
  if (busy && !context.rules.late_clock) return;
  if (!NextClockTarget(world).has_value()) return;
  OfferStep(steps, {.kind = StepKind::kAdvanceClock, .cost = busy ? 1 : 0},
            busy ? "advance the clock early" : "advance the clock");
}

void TakeClockStep(const ActorContext& context, World& world) {
  const std::optional<int64_t> target = NextClockTarget(world);
  STOPGAP_CHECK(target.has_value(), "the clock moves where it was offered to");
  world.now_ms = *target;
  EndOverdueRuns(context.server, world);
  EndOverdueRivals(world);
}

}  // namespace sim
