// Whether an operation can still change a database, and which creates of it are under way.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/truth.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

bool IsJobCreateFor(const InFlight& one, const OperationTruth& operation) {
  const api::Request& request = one.request;
  return request.verb == api::Verb::kCreate && request.key.kind == api::Kind::kJob &&
         request.key.namespace_ == operation.resource.namespace_ &&
         std::find(operation.job_names.begin(), operation.job_names.end(), request.key.name) !=
             operation.job_names.end();
}

Count FlyingOf(const World& world, const OperationTruth& operation) {
  Count count = Count::kNone;
  for (const InFlight& one : world.in_flight) {
    if (IsJobCreateFor(one, operation)) count = Increment(count);
  }
  return count;
}

bool IsFinished(const api::Job& job) {
  return std::any_of(job.status().conditions().begin(), job.status().conditions().end(),
                     [](const api::JobCondition& condition) {
                       return condition.status() == api::condition_status::kTrue &&
                              (condition.type() == api::condition::kJobComplete ||
                               condition.type() == api::condition::kJobFailed);
                     });
}

bool Contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// A child of the operation sends SQL, or its container waits to start one.
bool ARunCan(const World& world, const OperationTruth& operation, bool may_start) {
  return std::any_of(world.runs.begin(), world.runs.end(), [&](const Run& run) {
    return run.operation_id == operation.id &&
           (run.state == RunState::kRunning || (run.state == RunState::kWaiting && may_start));
  });
}

// A stored Job of the operation has made no Pod yet, or not its second where there may be two, and
// still may: not finished, not going away.
bool AJobMayStart(const World& world, const OperationTruth& operation) {
  return std::any_of(world.objects.begin(), world.objects.end(), [&](const Entry& entry) {
    if (entry.object->key.kind != api::Kind::kJob) return false;
    const api::Job& job = entry.object->As<api::Job>();
    const api::JobStatus& status = job.status();
    return Contains(operation.job_uids, job.metadata().uid()) && !IsFinished(job) &&
           job.metadata().deletion_timestamp_ms() == 0 &&
           status.active() <= (world.truth.second_pods ? 1 : 0) && status.succeeded() == 0 &&
           status.failed() == 0;
  });
}

// A Pod of the operation's waits for its containers to start, whatever became of its Job.
bool APodMayStart(const World& world, const OperationTruth& operation) {
  return std::any_of(world.objects.begin(), world.objects.end(), [&](const Entry& entry) {
    if (entry.object->key.kind != api::Kind::kPod) return false;
    const api::Pod& pod = entry.object->As<api::Pod>();
    const auto& owners = pod.metadata().owner_references();
    return pod.status().phase() == api::pod_phase::kPending &&
           pod.metadata().deletion_timestamp_ms() == 0 &&
           std::any_of(owners.begin(), owners.end(),
                       [&](const api::OwnerReference& owner) {
                         return Contains(operation.job_uids, owner.uid());
                       }) &&
           std::none_of(world.runs.begin(), world.runs.end(),
                        [&](const Run& run) { return run.pod_uid == pod.metadata().uid(); });
  });
}

bool ARivalCan(const World& world, const OperationTruth& operation) {
  return std::any_of(world.rivals.begin(), world.rivals.end(), [&](const Rival& rival) {
    if (rival.holder != operation.holder || !operation.open) return false;
    return rival.state == Rival::State::kRunning ||
           (rival.state == Rival::State::kHolding &&
            world.now_ms < operation.dispatch_not_after_ms);
  });
}

}  // namespace

void CountFlying(World& world) {
  std::vector<std::pair<std::string, Count>> changed;
  for (const auto& [id, operation] : world.truth.operations) {
    const Count count = FlyingOf(world, operation);
    if (count != operation.flying) changed.push_back({id, count});
  }
  for (const auto& [id, count] : changed) world.truth.operations.Edit(id).flying = count;
}

int64_t ExecutionHorizonMs(const OperationTruth& operation) {
  return operation.execution_not_after_ms +
         operation.grace_ms * api::kStopShareNumerator / api::kStopShareDenominator;
}

bool CanRun(const World& world, const OperationTruth& operation) {
  if (!operation.mutating) return false;
  if (operation.type == kRivalType) return ARivalCan(world, operation);
  if (operation.execution_not_after_ms != 0 && world.now_ms >= ExecutionHorizonMs(operation)) {
    return false;
  }
  const bool may_start =
      operation.dispatch_not_after_ms == 0 || world.now_ms < operation.dispatch_not_after_ms;
  if (ARunCan(world, operation, may_start)) return true;
  return may_start && (FlyingOf(world, operation) != Count::kNone ||
                       AJobMayStart(world, operation) || APodMayStart(world, operation));
}

}  // namespace sim
