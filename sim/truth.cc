#include "sim/truth.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/identity.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/lease_watch.h"
#include "sim/names.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr char kApply[] = "Apply";

// The operation names in a resource's status: its claim, and the record of a run that left one.
struct Accounts {
  const api::ActiveOperation* claim = nullptr;
  std::string record;

  bool Name(absl::string_view id) const {
    return (claim != nullptr && claim->id() == id) || (!record.empty() && record == id);
  }
};

Accounts AccountsOf(Handle object) {
  Accounts accounts;
  if (object == nullptr) return accounts;
  if (object->key.kind == api::Kind::kPtahSchema) {
    const api::PtahSchemaStatus& status = object->As<api::PtahSchema>().status();
    if (status.has_active_operation()) accounts.claim = &status.active_operation();
    accounts.record = status.pending_observation().apply_operation_id();
  } else {
    const api::PtahMigrationStatus& status = object->As<api::PtahMigration>().status();
    if (status.has_active_operation()) accounts.claim = &status.active_operation();
    accounts.record = status.unresolved_run().operation_id();
  }
  return accounts;
}

// The number its nonce was drawn with: found by drawing again. A claim that somebody laid down by
// hand was drawn by nobody, and takes the smallest number that is free.
uint32_t NonceOf(const World& world, const std::string& resource_uid,
                 const api::ActiveOperation& claim) {
  std::vector<uint32_t> taken;
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.resource_uid == resource_uid) taken.push_back(operation.nonce);
  }
  const uint32_t tries = static_cast<uint32_t>(taken.size()) + 4;
  for (uint32_t k = 0; k < tries; ++k) {
    for (const Process& process : world.processes) {
      const std::string nonce = MakeToken(process.name, resource_uid, api::kOperationPurpose, k);
      if (api::OperationId(claim.input_fingerprint(), nonce) == claim.id()) return k;
    }
  }
  uint32_t k = 0;
  while (std::find(taken.begin(), taken.end(), k) != taken.end()) ++k;
  return k;
}

void BindPlanAndApproval(const StoredObject& object, const api::ActiveOperation& claim,
                         OperationTruth* operation) {
  if (object.key.kind == api::Kind::kPtahSchema) {
    const api::PlanRecord& plan = object.As<api::PtahSchema>().status().plan();
    operation->plan_uid = plan.uid();
    operation->approval_uid = plan.approval().uid();
  } else {
    operation->plan_uid = claim.plan_ref().uid();
    operation->approval_uid = claim.approval_ref().uid();
  }
}

OperationTruth NewOperation(const StoredObject& object, const std::string& id) {
  OperationTruth operation;
  operation.id = id;
  operation.family =
      object.key.kind == api::Kind::kPtahSchema ? Family::kSchema : Family::kMigration;
  operation.resource = object.key;
  operation.resource_uid = api::MetaOf(*object.message).uid();
  operation.holder = api::HolderIdentity(operation.resource_uid, id);
  return operation;
}

void LearnClaim(World& world, const StoredObject& object, const api::ActiveOperation& claim) {
  OperationTruth operation = NewOperation(object, claim.id());
  operation.type = claim.type();
  operation.mutating = claim.type() == kApply;
  operation.nonce = NonceOf(world, operation.resource_uid, claim);
  operation.coordination_digest = claim.coordination_digest();
  operation.dispatch_not_after_ms = claim.dispatch_not_after_ms();
  operation.execution_not_after_ms = claim.execution_not_after_ms();
  operation.grace_ms = claim.termination_grace_period_seconds() * 1000;
  if (operation.mutating) {
    BindPlanAndApproval(object, claim, &operation);
    world.truth.apply_claims = std::min(world.truth.apply_claims + 1, world.truth.apply_claims_max);
  }
  world.truth.operations.Edit(claim.id()) = std::move(operation);
}

// What a claim adds to its operation after it was first written.
void FollowClaim(World& world, const api::ActiveOperation& claim) {
  const OperationTruth& known = *world.truth.operations.Get(claim.id());
  const bool new_name =
      !claim.job_name().empty() && std::find(known.job_names.begin(), known.job_names.end(),
                                             claim.job_name()) == known.job_names.end();
  const bool new_mark = claim.dispatch_started() && !known.marked;
  if (!new_name && !new_mark) return;
  OperationTruth& operation = world.truth.operations.Edit(claim.id());
  if (new_name) operation.job_names.push_back(claim.job_name());
  if (new_mark) operation.marked = true;
}

// A record whose claim the world never saw: a scenario laid it down, or it was restored.
void LearnRecord(World& world, const StoredObject& object, const std::string& id) {
  OperationTruth operation = NewOperation(object, id);
  operation.type = kApply;
  operation.mutating = true;
  operation.marked = true;
  world.truth.operations.Edit(id) = std::move(operation);
}

void ObserveResource(World& world, Handle before, Handle after) {
  const Accounts was = AccountsOf(before);
  const Accounts is = AccountsOf(after);
  if (is.claim != nullptr) {
    if (!world.truth.operations.contains(is.claim->id())) LearnClaim(world, *after, *is.claim);
    FollowClaim(world, *is.claim);
  }
  if (!is.record.empty() && !world.truth.operations.contains(is.record)) {
    LearnRecord(world, *after, is.record);
  }
  const StoredObject& object = after != nullptr ? *after : *before;
  const std::string& uid = api::MetaOf(*object.message).uid();
  std::vector<std::string> moved;
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.resource_uid != uid || operation.type == kRivalType) continue;
    // With the resource goes whatever it still owed; that was said aloud before.
    const bool settled = after == nullptr || (was.Name(id) && !is.Name(id));
    if (operation.open ? settled : is.Name(id)) moved.push_back(id);
  }
  for (const std::string& id : moved) {
    OperationTruth& operation = world.truth.operations.Edit(id);
    operation.open = !operation.open;
  }
}

void AddSorted(const std::string& value, size_t max, std::vector<std::string>* list) {
  const auto at = std::lower_bound(list->begin(), list->end(), value);
  if ((at != list->end() && *at == value) || list->size() >= max) return;
  list->insert(at, value);
}

void ObserveNewJob(World& world, const StoredObject& job) {
  const OperationTruth* reserved = OperationOfJobName(world, job.key.namespace_, job.key.name);
  if (reserved == nullptr) return;
  OperationTruth& operation = world.truth.operations.Edit(reserved->id);
  operation.created = Increment(operation.created);
  AddSorted(api::MetaOf(*job.message).uid(), 2, &operation.job_uids);
  if (operation.approval_uid.empty()) return;
  AddSorted(operation.id, 2, &world.truth.approvals.Edit(operation.approval_uid).spent_by);
}

bool IsConsumed(const api::DecisionStatus& status) {
  return std::any_of(status.conditions().begin(), status.conditions().end(),
                     [](const api::Condition& condition) {
                       return condition.type() == api::condition::kConsumed &&
                              condition.status() == api::condition_status::kTrue;
                     });
}

template <class Approval>
void ObserveApproval(World& world, Handle before, Handle after) {
  if (after == nullptr || !IsConsumed(after->As<Approval>().status())) return;
  if (before != nullptr && IsConsumed(before->As<Approval>().status())) return;
  const std::string& uid = after->As<Approval>().metadata().uid();
  ApprovalTruth& approval = world.truth.approvals.Edit(uid);
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.open && operation.approval_uid == uid) approval.consumed_by = id;
  }
}

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

// A stored Job of the operation has made no Pod yet and still may: not finished, not going away.
bool AJobMayStart(const World& world, const OperationTruth& operation) {
  return std::any_of(world.objects.begin(), world.objects.end(), [&](const Entry& entry) {
    if (entry.object->key.kind != api::Kind::kJob) return false;
    const api::Job& job = entry.object->As<api::Job>();
    const api::JobStatus& status = job.status();
    return Contains(operation.job_uids, job.metadata().uid()) && !IsFinished(job) &&
           job.metadata().deletion_timestamp_ms() == 0 && status.active() == 0 &&
           status.succeeded() == 0 && status.failed() == 0;
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

bool ARunIsLeft(const World& world, const OperationTruth& operation) {
  return std::any_of(world.runs.begin(), world.runs.end(),
                     [&](const Run& run) { return run.operation_id == operation.id; });
}

bool IsWanted(const World& world, const OperationTruth& operation) {
  return operation.open || CanRun(world, operation) || ARunIsLeft(world, operation) ||
         IsNamedOutsideTruth(world, operation.id) || IsNamedOutsideTruth(world, operation.holder) ||
         std::any_of(operation.job_uids.begin(), operation.job_uids.end(),
                     [&](const std::string& uid) {
                       return std::any_of(
                           world.objects.begin(), world.objects.end(), [&](const Entry& entry) {
                             return entry.object->key.kind == api::Kind::kJob &&
                                    entry.object->As<api::Job>().metadata().uid() == uid;
                           });
                     });
}

bool IsNamedByApproval(const World& world, const std::string& id) {
  return std::any_of(world.truth.approvals.begin(), world.truth.approvals.end(),
                     [&](const auto& one) {
                       return one.second.consumed_by == id || Contains(one.second.spent_by, id);
                     });
}

// All that keeps the name of a forgotten operation taken.
OperationTruth NameAlone(const OperationTruth& operation) {
  OperationTruth name;
  name.id = operation.id;
  name.family = operation.family;
  name.resource = operation.resource;
  name.resource_uid = operation.resource_uid;
  name.type = operation.type;
  name.mutating = operation.mutating;
  name.nonce = operation.nonce;
  name.open = false;
  return name;
}

void ForgetOperations(World& world) {
  std::vector<std::string> settled;
  for (const auto& [id, operation] : world.truth.operations) {
    if (!IsWanted(world, operation)) settled.push_back(id);
  }
  for (const std::string& id : settled) {
    const OperationTruth& operation = *world.truth.operations.Get(id);
    OperationTruth name = NameAlone(operation);
    if (!IsNamedByApproval(world, id)) {
      world.truth.operations.Erase(id);
    } else if (!(name == operation)) {
      world.truth.operations.Edit(id) = std::move(name);
    }
  }
}

// Returns whether there was one to forget.
bool ForgetApprovals(World& world) {
  std::vector<std::string> unnamed;
  for (const auto& [uid, approval] : world.truth.approvals) {
    const bool grounds_one =
        std::any_of(world.truth.operations.begin(), world.truth.operations.end(),
                    [&uid = uid](const auto& one) { return one.second.approval_uid == uid; });
    if (!grounds_one && !IsNamedOutsideTruth(world, uid)) unnamed.push_back(uid);
  }
  for (const std::string& uid : unnamed) world.truth.approvals.Erase(uid);
  return !unnamed.empty();
}

}  // namespace

Count Increment(Count count) { return count == Count::kNone ? Count::kOne : Count::kMore; }

const OperationTruth* OperationOfJobName(const World& world, absl::string_view namespace_,
                                         absl::string_view name) {
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.resource.namespace_ != namespace_) continue;
    for (const std::string& reserved : operation.job_names) {
      if (reserved == name) return &operation;
    }
  }
  return nullptr;
}

void ObserveStore(World& world, Handle before, Handle after, const api::Request* request) {
  (void)request;
  switch ((after != nullptr ? after : before)->key.kind) {
    case api::Kind::kPtahSchema:
    case api::Kind::kPtahMigration:
      return ObserveResource(world, before, after);
    case api::Kind::kJob:
      if (before == nullptr) ObserveNewJob(world, *after);
      return;
    case api::Kind::kPtahSchemaApproval:
      return ObserveApproval<api::PtahSchemaApproval>(world, before, after);
    case api::Kind::kPtahMigrationApproval:
      return ObserveApproval<api::PtahMigrationApproval>(world, before, after);
    case api::Kind::kPtahSchemaPlan:
    case api::Kind::kPtahSchemaPlanChunk:
    case api::Kind::kPtahMigrationPlan:
    case api::Kind::kPtahRealm:
    case api::Kind::kPtahMigrationRunAcknowledgment:
    case api::Kind::kConfigMap:
    case api::Kind::kPod:
      return;
    case api::Kind::kLease:
      return WatchLease(world, after);
  }
}

void ObserveJobRead(World& world, const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kJob) return;
  const std::string& uid = entry.object->As<api::Job>().metadata().uid();
  for (const auto& [id, operation] : world.truth.operations) {
    if (!Contains(operation.job_uids, uid)) continue;
    if (!Contains(operation.read_back, uid)) {
      AddSorted(uid, 2, &world.truth.operations.Edit(id).read_back);
    }
    return;
  }
}

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

void ForgetSettled(World& world) {
  ForgetOperations(world);
  // An approval that goes lets go of the names it kept.
  if (ForgetApprovals(world)) ForgetOperations(world);
}

}  // namespace sim
