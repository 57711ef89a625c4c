#include "model/whole_writes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "model/objects.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// What the fields of one write are asked; the first that is missing stays.
class Fields {
 public:
  explicit Fields(int number) : number_(number) {}

  void Need(absl::string_view what, bool there) {
    if (!there && lack_.empty()) lack_ = absl::StrCat(WriteName(number_), " without ", what);
  }
  const std::string& lack() const { return lack_; }

 private:
  int number_;
  std::string lack_;
};

bool IsKnown(const api::ActiveOperation& claim) {
  namespace operation = api::operation;
  for (const absl::string_view type : {operation::kResolve, operation::kVerify, operation::kObserve,
                                       operation::kPlan, operation::kHistory, operation::kApply}) {
    if (claim.type() == type) return true;
  }
  return false;
}

// Whether a release is staged for the acquisition that `claim` depended on.
bool Releases(const ResourceView& now, const api::ActiveOperation& claim) {
  return now.release != nullptr && now.release->lease_epoch() == claim.lease_epoch() &&
         now.release->operation_id() == claim.id();
}

void Attempt(const ResourceView& old, const ResourceView& now, Fields& fields) {
  const api::ActiveOperation& claim = *now.claim;
  fields.Need("a new jobName", claim.job_name() != old.claim->job_name());
  fields.Need("jobUID cleared", claim.job_uid().empty());
  fields.Need("dispatchStarted cleared", !claim.dispatch_started());
  fields.Need("admissionSnapshot cleared", !claim.has_admission_snapshot());
  if (now.migration != nullptr) {
    fields.Need("retryNotBefore", claim.retry_not_before_ms() != 0);
  } else {
    // A proof keeps the realm (F-8).
    const bool keeps = now.proof != nullptr || old.claim->lease_epoch().empty();
    fields.Need("leaseEpoch cleared", keeps || claim.lease_epoch() != old.claim->lease_epoch());
    fields.Need("its release", keeps || Releases(now, *old.claim));
  }
}

// Spec 03, 16.2.
void Rotation(const api::PtahSchemaStatus& before, const ResourceView& old, const ResourceView& now,
              Fields& fields) {
  const api::PtahSchemaStatus& after = now.schema->status();
  const api::PendingBindingRetirement& record = after.pending_binding_retirement();
  fields.Need("plan removed", !after.has_plan());
  if (before.has_plan() && !before.plan().fingerprint().empty()) {
    fields.Need("pendingBindingRetirement.plan",
                record.plan().fingerprint() == before.plan().fingerprint());
  }
  const api::ActiveOperation* claim = old.claim;
  const bool is_apply = claim != nullptr && IsApply(*claim);
  const bool dispatched = is_apply && MayHaveDispatched(*claim);
  fields.Need("planRequired false", now.proof == nullptr || !now.proof->plan_required());
  // A dispatched Apply's account says what the phase is (M-5).
  fields.Need("phase Pending", dispatched || after.phase() == api::phase::kPending);
  if (claim == nullptr) return;
  if (dispatched) {
    fields.Need("pendingObservation",
                now.proof != nullptr && now.proof->apply_operation_id() == claim->id());
    fields.Need("pendingBindingRetirement.job", record.job().name() == claim->job_name());
    fields.Need("the claim moved", now.claim == nullptr);
  } else if (is_apply) {
    fields.Need("the claim dropped", now.claim == nullptr);
    fields.Need("its release", claim->lease_epoch().empty() || Releases(now, *claim));
  } else if (IsKnown(*claim)) {
    fields.Need("pendingBindingRetirement.job", record.job().name() == claim->job_name());
    fields.Need("the claim kept", now.claim != nullptr && now.claim->id() == claim->id());
  } else {
    fields.Need("the claim dropped", now.claim == nullptr);
  }
}

// What R-1 and the fence of a later manager read.
void Applied(const ResourceView& old, const ResourceView& now, Fields& fields) {
  const api::AppliedRecord& applied = now.schema->status().applied();
  if (SameMessage(old.schema->status().applied(), applied)) return;
  fields.Need("applied.controllerStateVersion", applied.controller_state_version() != 0);
  fields.Need("applied.executionBindingID", !applied.execution_binding_id().empty());
  fields.Need("applied.dispatchedBy",
              SameMessage(applied.dispatched_by(), old.proof->dispatched_by()));
}

void Settlement(const ResourceView& old, const ResourceView& now, Fields& fields) {
  fields.Need("the claim cleared", now.claim == nullptr);
  fields.Need("its release", old.proof == nullptr || old.proof->lease_epoch().empty() ||
                                 (now.release != nullptr &&
                                  now.release->lease_epoch() == old.proof->lease_epoch()));
}

// What a proof is made from is what the claim had, whatever is wanted by then.
void Proof(const ResourceView& old, const ResourceView& now, Fields& fields) {
  const api::ActiveOperation& claim = *old.claim;
  fields.Need("the claim cleared", now.claim == nullptr);
  if (now.proof == nullptr) return fields.Need("pendingObservation", false);
  const api::PendingObservation& proof = *now.proof;
  const auto same = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  fields.Need("its operation", proof.apply_operation_id() == claim.id());
  fields.Need("its Job", proof.apply_job_name() == claim.job_name() &&
                             proof.apply_job_uid() == claim.job_uid());
  fields.Need("its snapshot", SameMessage(proof.admission_snapshot(), claim.admission_snapshot()));
  fields.Need("its target", SameMessage(proof.target(), claim.target()));
  fields.Need("its source", SameMessage(proof.source(), claim.source()));
  fields.Need("its dev database", SameMessage(proof.dev(), claim.observation_dev()));
  fields.Need("its realm", proof.coordination_digest() == claim.coordination_digest() &&
                               proof.lease_duration_seconds() == claim.lease_duration_seconds());
  fields.Need("its exclude", same(proof.exclude(), claim.observation_exclude()));
  fields.Need("its protectedTables",
              same(proof.protected_tables(), claim.observation_protected_tables()));
  fields.Need("its severity", proof.drift_severity() == claim.observation_severity());
  fields.Need("its timeouts",
              proof.connect_timeout_seconds() == claim.observation_connect_timeout_seconds() &&
                  proof.lock_timeout_seconds() == claim.observation_lock_timeout_seconds());
}

void Account(const ResourceView& old, const ResourceView& now, Fields& fields) {
  const api::PtahMigrationStatus& after = now.migration->status();
  fields.Need("the claim cleared", now.claim == nullptr);
  fields.Need("plan removed", !after.has_plan());
  const std::string& outcome = after.last_run().outcome();
  if (outcome == api::run_outcome::kPartial || outcome == api::run_outcome::kUnknown) {
    fields.Need("unresolvedRun",
                now.unresolved != nullptr && now.unresolved->operation_id() == old.claim->id());
    if (now.unresolved == nullptr) return;
    fields.Need("its Job's UID",
                old.claim->job_uid().empty() || now.unresolved->job_uid() == old.claim->job_uid());
    fields.Need("its plan", now.unresolved->plan_ref().uid() == old.claim->plan_ref().uid());
  }
}

void History(const ResourceView& old, const ResourceView& now, Fields& fields) {
  fields.Need("the claim cleared", now.claim == nullptr);
  if (old.unresolved != nullptr && now.unresolved == nullptr) {
    fields.Need("resolvedRun", now.migration->status().resolved_run().operation_id() ==
                                   old.unresolved->operation_id());
  }
}

void Acknowledged(const ResourceView& old, const ResourceView& now, Fields& fields) {
  const api::ResolvedRun& run = now.migration->status().resolved_run();
  fields.Need("resolvedRun", run.operation_id() == old.unresolved->operation_id());
  fields.Need("its reference", !run.acknowledgment_ref().uid().empty());
  fields.Need("its identity", run.has_acknowledged_by());
  fields.Need("the next reading due",
              now.migration->status().next_reconciliation_time_ms() == run.resolved_at_ms());
}

void OfResource(int number, const ResourceView& old, const ResourceView& now, Fields& fields) {
  const api::PendingBindingRetirement* record =
      now.schema != nullptr && now.schema->status().has_pending_binding_retirement()
          ? &now.schema->status().pending_binding_retirement()
          : nullptr;
  switch (number) {
    case 10:
      return fields.Need("admissionSnapshotRefreshed", now.claim->admission_snapshot_refreshed());
    case 15:
    case 16: {
      const bool retires = record != nullptr && record->job().name() == now.claim->job_name();
      fields.Need("retirement.job.uid", !retires || record->job().uid() == now.claim->job_uid());
      return fields.Need("dispatchStarted", !IsApply(*now.claim) || now.claim->dispatch_started());
    }
    case 18:
    case 19:
      return Proof(old, now, fields);
    case 26:
    case 27:
    case 37:
    case 57:
    case 58:
      return fields.Need("the claim cleared", now.claim == nullptr);
    case 21:
      return Account(old, now, fields);
    case 25:
      return Attempt(old, now, fields);
    case 32:
      fields.Need("outcome OutcomeUnknown",
                  now.proof->outcome() == api::proof_outcome::kOutcomeUnknown);
      return fields.Need("planRequired false", !now.proof->plan_required());
    case 36:
      Applied(old, now, fields);
      return Settlement(old, now, fields);
    case 39:
      return Rotation(old.schema->status(), old, now, fields);
    case 41:
      return fields.Need("activeOperation.jobUID",
                         now.claim != nullptr && now.claim->job_uid() == record->job().uid());
    case 42:
      return fields.Need("the claim cleared", now.claim == nullptr);
    case 43:
      return fields.Need("pendingObservation.applyJobUID",
                         now.proof != nullptr && now.proof->apply_job_uid() == record->job().uid());
    case 46:
      fields.Need("plan removed", !now.migration->status().has_plan());
      return fields.Need("the claim dropped", now.claim == nullptr);
    case 48:
      fields.Need("plan removed", !now.migration->status().has_plan());
      return fields.Need("phase Blocked", *now.phase == api::phase::kBlocked);
    case 49:
      return History(old, now, fields);
    case 54:
      return Acknowledged(old, now, fields);
    default:
      return;
  }
}

void OfApproval(const api::DecisionStatus& after, bool schema, Fields& fields) {
  if (!schema) return;
  fields.Need("Accepted True", IsTrue(after.conditions(), api::condition::kAccepted));
  fields.Need("Stale False", !IsTrue(after.conditions(), api::condition::kStale));
}

}  // namespace

std::string LackOf(WriteSet writes, sim::Handle before, sim::Handle after) {
  if (before == nullptr || after == nullptr) return {};
  const ResourceView old = ViewOf(before);
  const ResourceView now = ViewOf(after);
  for (int number = 1; number <= kWriteCount; ++number) {
    if (!writes.Has(number)) continue;
    Fields fields(number);
    if (old.key != nullptr && now.key != nullptr) {
      OfResource(number, old, now, fields);
    } else if (number == 11) {
      const bool schema = after->key.kind == api::Kind::kPtahSchemaApproval;
      const api::DecisionStatus& status = schema ? after->As<api::PtahSchemaApproval>().status()
                                                 : after->As<api::PtahMigrationApproval>().status();
      OfApproval(status, schema, fields);
    }
    if (!fields.lack().empty()) return fields.lack();
  }
  return {};
}

}  // namespace model
