#include "lifecycle/schema/proof.h"

#include <algorithm>
#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/lease/target_lock.h"
#include "lifecycle/rules/lease_rule.h"
#include "lifecycle/schema/claims.h"
#include "lifecycle/schema/retired.h"
#include "lifecycle/schema/suspension.h"

namespace lifecycle::schema {

using dispatch::StepResult;

// J-1. The realm is held under the Apply's operation ID; under another epoch somebody else may have
// written in between, so the outcome is unknown and the reading starts over (W-32).
StepResult RenewProof(Pass& pass) {
  pass.client().Journal("J-1");
  const api::PendingObservation& proof = *pass.proof();
  const absl::StatusOr<lease::Acquisition> acquisition = lease::Acquire(
      pass.client(), pass.context().memory, pass.context().configuration.coordination_namespace,
      {.coordination_digest = proof.coordination_digest(),
       .resource_uid = pass.metadata().uid(),
       .operation_id = proof.apply_operation_id(),
       .duration_seconds = proof.lease_duration_seconds(),
       .expected_epoch = proof.lease_epoch()});
  if (!acquisition.ok()) return PassResult::Error(acquisition.status());
  const rules::LeaseUse use =
      rules::UseOfProofLease({.contended = !acquisition->acquired,
                              .epoch_equal = acquisition->epoch == proof.lease_epoch(),
                              .continuity_lost = acquisition->continuity_lost});
  if (use.pass == rules::LeasePass::kProceeds) return std::nullopt;
  if (use.pass == rules::LeasePass::kEndsRequeueLater) {
    return PassResult::After(dispatch::ContentionWaitMs(acquisition->wait_ms, pass.timing()));
  }
  return NowOr(pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    api::PendingObservation& record = *next.mutable_pending_observation();
    record.set_lease_epoch(acquisition->epoch);
    record.set_outcome(api::proof_outcome::kOutcomeUnknown);
    record.clear_plan_required();
  }));
}

absl::StatusOr<bool> ApplyPodMayRun(Pass& pass) {
  pass.client().Journal("J-3");
  const api::PendingObservation& proof = *pass.proof();
  const bool retired = RetirementNamesApply(pass);
  if (proof.apply_job_uid().empty()) {
    // No Pod can be attributed without a UID; only the horizon protects then.
    if (!retired) return false;
    const absl::Status looked_for = WorkOffRetiredApply(pass, /*pods_running=*/false);
    if (!looked_for.ok()) return looked_for;
    return true;
  }
  const absl::StatusOr<dispatch::PodEvidence> evidence = dispatch::CollectPodEvidence(
      pass.client(), {pass.metadata().namespace_(), proof.apply_job_name(), proof.apply_job_uid()},
      proof.admission_snapshot(), nullptr);
  if (!evidence.ok()) return evidence.status();
  const bool active = !evidence->all_stopped;
  api::PendingObservation merged = proof;
  if (dispatch::MergePodEvidence(*evidence, merged)) {
    const absl::Status written = pass.WriteStatus([&](api::PtahSchemaStatus& next) {
      *next.mutable_pending_observation() = std::move(merged);
    });
    if (!written.ok()) return written;
  }
  if (!retired) return active;
  const absl::Status worked_off = WorkOffRetiredApply(pass, active);
  if (!worked_off.ok()) return worked_off;
  return true;
}

PassResult WorkOnProof(Pass& pass) {
  if (StepResult ended = RenewProof(pass)) return *std::move(ended);
  const absl::StatusOr<bool> active = ApplyPodMayRun(pass);
  if (!active.ok()) return PassResult::Error(active.status());
  if (StepResult suspended = SuspendProof(pass)) return *std::move(suspended);
  const int64_t poll_ms = pass.timing().supervision_poll_ms;
  const int64_t left_ms = pass.proof()->observe_after_ms() - pass.NowMs();
  if (!*active && left_ms <= 0) return ClaimProof(pass);
  pass.client().Journal("J-4");
  return PassResult::After(*active ? poll_ms : std::min(left_ms, poll_ms));
}

}  // namespace lifecycle::schema
