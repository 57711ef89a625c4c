#include "model/writes.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "model/objects.h"

namespace model {
namespace {

using namespace lifecycle::api;  // The registry is of nothing else. NOLINT(using-namespace)

// A change of the claim while it stays.
template <class Status>
WriteSet OfKeptClaim(const Status& before, const Status& after, const WriteContext& context) {
  const ActiveOperation& old = before.active_operation();
  const ActiveOperation& now = after.active_operation();
  if (now.attempt() > old.attempt()) return 25;
  WriteSet writes;
  if (now.lease_continuity_lost() && !old.lease_continuity_lost()) {
    writes |= 7;
  } else if (now.lease_epoch() != old.lease_epoch()) {
    writes |= 6;
  }
  if (now.has_admission_snapshot() && !old.has_admission_snapshot()) writes |= 9;
  if (!now.has_admission_snapshot() && old.has_admission_snapshot()) writes |= 10;
  if (old.dispatch_started() && !now.dispatch_started()) writes |= 14;
  if (old.job_uid().empty() && !now.job_uid().empty()) {
    writes |= context.created_in_this_pass ? 15 : 16;
  } else if (!old.dispatch_started() && now.dispatch_started()) {
    writes |= 12;
  }
  return writes;
}

bool SameClaim(const ActiveOperation& a, const ActiveOperation& b) { return a.id() == b.id(); }

// Phase, conditions and deadlines alone.
template <class Status>
WriteSet OfGates(const Status& before, const Status& after) {
  if (after.phase() == phase::kFailed && before.phase() != phase::kFailed) return 28;
  return 29;
}

bool SameEpoch(const ExecutionBinding& a, const ExecutionBinding& b) {
  return a.epoch() == b.epoch();
}

// What is worked off of the retirement record while the claim stays, or there is none.
WriteSet OfRetirement(const PtahSchemaStatus& before, const PtahSchemaStatus& after) {
  if (!before.has_pending_binding_retirement()) return {};
  const PendingBindingRetirement& old = before.pending_binding_retirement();
  const PendingBindingRetirement& now = after.pending_binding_retirement();
  WriteSet writes;
  if (old.has_plan() && !now.has_plan()) writes |= 40;
  if (old.has_job() && !now.has_job()) {
    const bool carried = before.has_pending_observation() &&
                         before.pending_observation().apply_job_name() == old.job().name();
    writes |= carried ? 44 : 45;
  }
  if (old.job().uid().empty() && !now.job().uid().empty()) {
    writes |= before.has_active_operation() ? 41 : 43;
  }
  return writes;
}

// The epoch moved. The first binding has no evidence beside it and leaves nothing.
WriteSet OfSchemaBinding(const PtahSchemaStatus& before, const PtahSchemaStatus& after) {
  if (!before.has_execution_binding() || before.phase().empty()) return 38;
  WriteSet writes = 39;
  if (!before.has_pending_observation() && after.has_pending_observation()) writes |= 19;
  return writes;
}

WriteSet OfRetiredSchemaClaim(const PtahSchemaStatus& before, const PtahSchemaStatus& after,
                              bool deleting) {
  const std::string& type = before.active_operation().type();
  if (!before.has_pending_observation() && after.has_pending_observation()) {
    return after.pending_observation().outcome() == proof_outcome::kApplySucceeded ? 18 : 19;
  }
  if (before.pending_binding_retirement().has_job() &&
      !after.pending_binding_retirement().has_job()) {
    return 42;
  }
  if (before.has_pending_observation() && !after.has_pending_observation()) return 36;
  if (deleting) return 57;
  if (type == operation::kApply) return 24;
  if (before.has_pending_observation()) {
    return after.pending_observation().plan_required() &&
                   !before.pending_observation().plan_required()
               ? 26
               : 24;
  }
  if (type == operation::kPlan) {
    return after.phase() == phase::kPending || after.phase() == phase::kObserving ||
                   after.phase() == phase::kVerifying
               ? 24
               : 37;
  }
  const bool result = !SameMessage(before.source(), after.source()) ||
                      !SameMessage(before.target(), after.target());
  return result && after.phase() != phase::kPending ? 26 : 24;
}

// A claim that goes without a result; at deletion, or because something failed, under its own entry
// too.
WriteSet OfDroppedMigrationClaim(const PtahMigrationStatus& after, bool deleting) {
  if (deleting) return 58;
  return after.phase() == phase::kFailed ? WriteSet(24) | 28 : WriteSet(24);
}

WriteSet OfRetiredMigrationClaim(const PtahMigrationStatus& before,
                                 const PtahMigrationStatus& after, bool deleting) {
  const std::string& type = before.active_operation().type();
  if (type == operation::kApply) {
    const bool ran = before.has_last_run() != after.has_last_run() ||
                     !SameMessage(before.last_run(), after.last_run());
    if (!ran) return OfDroppedMigrationClaim(after, deleting);
    return deleting ? WriteSet(21) | 58 : WriteSet(21);
  }
  if (deleting) return 58;
  if (type == operation::kHistory && !SameMessage(before.history(), after.history())) return 49;
  if (after.phase() == phase::kPending || after.phase() == phase::kFailed) {
    return OfDroppedMigrationClaim(after, deleting);
  }
  return 27;
}

WriteSet OfSchemaStatus(const PtahSchemaStatus& before, const PtahSchemaStatus& after,
                        bool deleting, const WriteContext& context) {
  if (!SameEpoch(before.execution_binding(), after.execution_binding())) {
    return OfSchemaBinding(before, after);
  }
  if (!before.has_active_operation() && after.has_active_operation()) return 2;
  if (before.has_active_operation() && !after.has_active_operation()) {
    return OfRetiredSchemaClaim(before, after, deleting);
  }
  WriteSet writes = OfRetirement(before, after);
  if (!writes.Has(41) && before.has_active_operation() &&
      SameClaim(before.active_operation(), after.active_operation())) {
    writes |= OfKeptClaim(before, after, context);
  }
  if (before.has_pending_lock_release() && !after.has_pending_lock_release()) writes |= 23;
  if (before.has_pending_observation() && after.has_pending_observation()) {
    const PendingObservation& old = before.pending_observation();
    const PendingObservation& now = after.pending_observation();
    if (old.lease_epoch() != now.lease_epoch() && !writes.Has(7)) writes |= 32;
    if (old.apply_pod_count() != now.apply_pod_count() ||
        old.apply_pod_uids_size() != now.apply_pod_uids_size()) {
      writes |= 31;
    }
  }
  if (before.has_pending_observation() && !after.has_pending_observation()) writes |= 56;
  if (!writes.empty()) return writes;
  if (!before.plan().has_approval() && after.plan().has_approval()) return 3;
  if (before.plan().has_approval() != after.plan().has_approval()) return 24;
  if (before.has_plan() && !after.has_plan()) return 24;
  return OfGates(before, after);
}

WriteSet OfMigrationStatus(const PtahMigrationStatus& before, const PtahMigrationStatus& after,
                           bool deleting, const WriteContext& context) {
  if (!SameEpoch(before.execution_binding(), after.execution_binding())) {
    return before.has_execution_binding() ? 46 : 38;
  }
  if (!before.has_active_operation() && after.has_active_operation()) return 2;
  if (before.has_active_operation() && !after.has_active_operation()) {
    return OfRetiredMigrationClaim(before, after, deleting);
  }
  WriteSet writes;
  if (before.has_active_operation() &&
      SameClaim(before.active_operation(), after.active_operation())) {
    writes |= OfKeptClaim(before, after, context);
  }
  if (before.has_pending_lock_release() && !after.has_pending_lock_release()) writes |= 23;
  if (!before.has_unresolved_run() && after.has_unresolved_run()) writes |= 48;
  if (before.has_unresolved_run() && !after.has_unresolved_run()) writes |= 54;
  if (!writes.empty()) return writes;
  if (after.has_plan() && !SameMessage(before.plan(), after.plan())) return 52;
  if (before.has_plan() && !after.has_plan()) return 53;
  return OfGates(before, after);
}

bool IsDeleting(const ObjectMeta& meta) { return meta.deletion_timestamp_ms() != 0; }

bool HasFinalizer(const ObjectMeta& meta, absl::string_view finalizer) {
  for (const std::string& one : meta.finalizers()) {
    if (one == finalizer) return true;
  }
  return false;
}

WriteSet OfFinalizer(const ObjectMeta& before, const ObjectMeta& after,
                     absl::string_view finalizer) {
  const bool was = HasFinalizer(before, finalizer);
  const bool is = HasFinalizer(after, finalizer);
  if (is && !was) return 1;
  if (was && !is) return 30;
  return {};
}

WriteSet OfCopy(const PtahMigration& before, const PtahMigration& after) {
  const auto old = before.metadata().annotations().find(annotation::kUnresolvedRun);
  const auto now = after.metadata().annotations().find(annotation::kUnresolvedRun);
  const bool was = old != before.metadata().annotations().end();
  const bool is = now != after.metadata().annotations().end();
  if (was && !is) return 50;
  if (!is || (was && old->second == now->second)) return {};
  return before.status().has_unresolved_run() ? 47 : 20;
}

WriteSet OfLease(const Lease* before, const Lease& after) {
  const bool released = before != nullptr && !before->spec().holder_identity().empty() &&
                        after.spec().holder_identity().empty();
  return released ? 22 : 5;
}

WriteSet OfDecision(const DecisionStatus& before, const DecisionStatus& after) {
  if (IsTrue(after.conditions(), condition::kConsumed) &&
      !IsTrue(before.conditions(), condition::kConsumed)) {
    return 11;
  }
  if (IsTrue(after.conditions(), condition::kStale) &&
      !IsTrue(before.conditions(), condition::kStale)) {
    return 4;
  }
  return {};
}

WriteSet OfJob(const Job& before, const Job& after) {
  const bool ttl = after.spec().has_ttl_seconds_after_finished() &&
                   !before.spec().has_ttl_seconds_after_finished();
  return ttl ? WriteSet(17) : WriteSet();
}

}  // namespace

std::string WriteName(int number) { return absl::StrCat("W-", number < 10 ? "0" : "", number); }

std::string WriteNames(WriteSet writes) {
  std::string names;
  for (int number = 1; number <= kWriteCount; ++number) {
    if (!writes.Has(number)) continue;
    absl::StrAppend(&names, names.empty() ? "" : "+", WriteName(number));
  }
  return names.empty() ? "unlisted" : names;
}

WriteSet WritesOf(const Request& request, sim::Handle before, sim::Handle after,
                  const WriteContext& context) {
  const bool status = request.subresource == Subresource::kStatus;
  switch (request.key.kind) {
    case Kind::kPtahSchema: {
      if (before == nullptr) return {};
      const PtahSchema& old = before->As<PtahSchema>();
      // The write that takes the last finalizer off a deleted object leaves nothing behind.
      if (after == nullptr) return 30;
      const PtahSchema& now = after->As<PtahSchema>();
      return status
                 ? OfSchemaStatus(old.status(), now.status(), IsDeleting(old.metadata()), context)
                 : OfFinalizer(old.metadata(), now.metadata(), kSchemaFinalizer);
    }
    case Kind::kPtahMigration: {
      if (before == nullptr) return {};
      const PtahMigration& old = before->As<PtahMigration>();
      if (after == nullptr) return 30;
      const PtahMigration& now = after->As<PtahMigration>();
      return status ? OfMigrationStatus(old.status(), now.status(), IsDeleting(old.metadata()),
                                        context)
                    : OfFinalizer(old.metadata(), now.metadata(), kMigrationFinalizer) |
                          OfCopy(old, now);
    }
    case Kind::kLease:
      if (after == nullptr) return {};
      return OfLease(before == nullptr ? nullptr : &before->As<Lease>(), after->As<Lease>());
    case Kind::kConfigMap:
      return before == nullptr ? WriteSet(8) : WriteSet();
    case Kind::kPtahSchemaApproval:
      if (before == nullptr || after == nullptr || !status) return {};
      return OfDecision(before->As<PtahSchemaApproval>().status(),
                        after->As<PtahSchemaApproval>().status());
    case Kind::kPtahMigrationApproval:
      if (before == nullptr || after == nullptr || !status) return {};
      return OfDecision(before->As<PtahMigrationApproval>().status(),
                        after->As<PtahMigrationApproval>().status());
    case Kind::kPtahMigrationRunAcknowledgment:
      return before != nullptr && after != nullptr && status ? WriteSet(55) : WriteSet();
    case Kind::kJob:
      if (before == nullptr) return 13;
      return after == nullptr ? WriteSet() : OfJob(before->As<Job>(), after->As<Job>());
    case Kind::kPtahSchemaPlan:
      if (before == nullptr) return 33;
      return status && after != nullptr ? WriteSet(35) : WriteSet();
    case Kind::kPtahSchemaPlanChunk:
      return before == nullptr ? WriteSet(34) : WriteSet();
    case Kind::kPtahMigrationPlan:
      return before == nullptr ? WriteSet(51) : WriteSet();
    case Kind::kPtahRealm:
    case Kind::kPod:
    case Kind::kServiceAccount:
    case Kind::kLimitRange:
    case Kind::kRuntimeClass:
    case Kind::kPriorityClass:
      return {};
  }
  return {};
}

int PageRowOf(int number) {
  switch (number) {
    case 1:
      return 1;
    case 2:
      return 2;
    case 6:
      return 3;
    case 9:
      return 4;
    case 8:
      return 5;
    case 11:
      return 6;
    case 12:
      return 7;
    case 15:
    case 16:
      return 8;
    case 17:
      return 9;
    case 18:
    case 19:
    case 21:
      return 10;
    case 22:
    case 23:
      return 11;
    case 39:
      return 12;
    default:
      return 0;
  }
}

}  // namespace model
