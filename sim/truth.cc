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

void ObserveLease(World& world, Handle before, Handle after) {
  if (before == nullptr) return;
  const api::Lease& was = before->As<api::Lease>();
  const std::string& holder = was.spec().holder_identity();
  if (holder.empty()) return;
  if (after != nullptr && after->As<api::Lease>().spec().holder_identity() == holder &&
      EpochOf(after->As<api::Lease>()) == EpochOf(was)) {
    return;
  }
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.holder != holder || operation.type == kRivalType) continue;
    const bool dispatched = operation.created != Count::kNone || operation.flying != Count::kNone;
    if (operation.open && dispatched && !operation.realm_moved) {
      world.truth.operations.Edit(id).realm_moved = true;
    }
    return;
  }
}

bool Contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
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

void ObserveStore(World& world, Handle before, Handle after) {
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
    case api::Kind::kServiceAccount:
    case api::Kind::kLimitRange:
    case api::Kind::kRuntimeClass:
    case api::Kind::kPriorityClass:
      return;
    case api::Kind::kLease:
      ObserveLease(world, before, after);
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

}  // namespace sim
