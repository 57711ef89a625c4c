#include "lifecycle/schema/claims.h"

#include <string>
#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/conditions.h"

namespace lifecycle::schema {
namespace {

using api::ActiveOperation;

int64_t LeaseSeconds(const Pass& pass) {
  return (pass.WindowMs() + pass.timing().lease_grace_ms) / 1000;
}

// D-2 for every type: identity, name and start.
ActiveOperation NewClaim(Pass& pass, const char* type, const PolicyIdentity& policy = {}) {
  pass.client().Journal("D-1");
  pass.client().Journal("D-2");
  const std::string fingerprint = InputFingerprint(pass.schema(), type, policy);
  return dispatch::MakeClaim(pass.client(), {.family = rules::Family::kSchema,
                                             .resource = pass.metadata(),
                                             .type = type,
                                             .epoch = pass.status().execution_binding().epoch(),
                                             .input_fingerprint = fingerprint,
                                             .started_at_ms = pass.NowMs()});
}

// The database, the artifact and the scope of a reading, from the spec as it stands.
void BindReading(const Pass& pass, ActiveOperation& claim) {
  const api::PtahSchemaSpec& spec = pass.spec();
  claim.set_coordination_digest(CoordinationDigest(pass.schema()));
  *claim.mutable_target() = TargetOf(pass.schema());
  *claim.mutable_source() = SourceAccess(pass.schema());
  *claim.mutable_observation_exclude() = spec.policy().exclude();
  claim.set_observation_severity(spec.policy().drift_severity());
  claim.set_observation_connect_timeout_seconds(spec.execution().connect_timeout_seconds());
  claim.set_observation_lock_timeout_seconds(spec.policy().lock_timeout_seconds());
}

void BindPlanning(const Pass& pass, ActiveOperation& claim) {
  BindReading(pass, claim);
  *claim.mutable_observation_protected_tables() = pass.spec().policy().protected_tables();
  if (pass.spec().has_dev()) *claim.mutable_observation_dev() = pass.spec().dev();
}

// The same from the proof's record, which no edit of the spec reaches.
void BindProof(const api::PendingObservation& proof, ActiveOperation& claim) {
  claim.set_coordination_digest(proof.coordination_digest());
  claim.set_target_identity_digest(proof.plan().target_identity_digest());
  *claim.mutable_target() = proof.target();
  *claim.mutable_source() = proof.source();
  *claim.mutable_observation_exclude() = proof.exclude();
  *claim.mutable_observation_protected_tables() = proof.protected_tables();
  claim.set_observation_severity(proof.drift_severity());
  if (proof.has_dev()) *claim.mutable_observation_dev() = proof.dev();
  claim.set_observation_connect_timeout_seconds(proof.connect_timeout_seconds());
  claim.set_observation_lock_timeout_seconds(proof.lock_timeout_seconds());
  claim.set_lease_duration_seconds(proof.lease_duration_seconds());
  claim.set_lease_epoch(proof.lease_epoch());
}

void SetConditionsOfClaim(Pass& pass, const ActiveOperation& claim, api::PtahSchemaStatus& next) {
  if (dispatch::IsTrue(next.conditions(), api::condition::kSuspended)) {
    pass.SetCondition(api::condition::kSuspended, false, "Resumed", "", next);
  }
  // B-9: said with the first claim the engine lets through, not in a write of its own.
  if (pass.proof() == nullptr &&
      !dispatch::IsTrue(next.conditions(), api::condition::kEngineSupported)) {
    pass.SetCondition(api::condition::kEngineSupported, true, "Supported", "", next);
  }
  if (claim.type() != api::operation::kApply) return;
  constexpr char kReason[] = "ApplyClaimed";
  pass.SetCondition(api::condition::kApplying, true, kReason, "", next);
  pass.SetCondition(api::condition::kApprovalRequired, false, kReason, "", next);
}

// D-3: the finalizer first, so that a deletion between the two writes finds nothing to lose.
PassResult WriteClaim(Pass& pass, ActiveOperation claim) {
  if (pass.claim() != nullptr) {
    pass.client().Journal("A-2");
    return PassResult::Now();
  }
  if (!pass.HasFinalizer()) {
    const absl::Status held = pass.WriteMetadata(
        [](api::ObjectMeta& next) { next.add_finalizers(api::kSchemaFinalizer); });
    if (!held.ok()) return PassResult::Error(held);
  }
  const bool proving = pass.proof() != nullptr;
  const int64_t generation =
      proving ? pass.proof()->apply_generation() : pass.metadata().generation();
  return NowOr(pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    next.set_observed_generation(generation);
    next.set_phase(rules::ClaimPhase(rules::SchemaOperation(claim.type()), proving));
    next.clear_next_reconciliation_time_ms();
    next.set_last_attempt_time_ms(claim.started_at_ms());
    SetConditionsOfClaim(pass, claim, next);
    *next.mutable_active_operation() = std::move(claim);
  }));
}

}  // namespace

PassResult ClaimResolve(Pass& pass) {
  pass.client().Journal("D-3");
  return WriteClaim(pass, NewClaim(pass, api::operation::kResolve));
}

PassResult ClaimVerify(Pass& pass, const PolicyIdentity& policy) {
  pass.client().Journal("D-3");
  ActiveOperation claim = NewClaim(pass, api::operation::kVerify, policy);
  *claim.mutable_source() = SourceAccess(pass.schema());
  claim.set_verification_policy_uid(policy.uid);
  claim.set_verification_policy_digest(policy.digest);
  return WriteClaim(pass, std::move(claim));
}

PassResult ClaimObserve(Pass& pass) {
  pass.client().Journal("D-3");
  ActiveOperation claim = NewClaim(pass, api::operation::kObserve);
  BindReading(pass, claim);
  return WriteClaim(pass, std::move(claim));
}

PassResult ClaimPlan(Pass& pass) {
  pass.client().Journal("D-3");
  ActiveOperation claim = NewClaim(pass, api::operation::kPlan);
  BindPlanning(pass, claim);
  claim.set_target_identity_digest(pass.status().target().identity_digest());
  pass.client().Journal("D-4");
  dispatch::ExpectLease(LeaseSeconds(pass), claim);
  return WriteClaim(pass, std::move(claim));
}

PassResult ClaimApply(Pass& pass) {
  pass.client().Journal("D-7");
  ActiveOperation claim = NewClaim(pass, api::operation::kApply);
  BindPlanning(pass, claim);
  claim.set_coordination_digest(pass.plan()->coordination_digest());
  claim.set_target_identity_digest(pass.plan()->target_identity_digest());
  dispatch::SetApplyDeadlines(pass.WindowMs(), pass.timing().termination_grace_seconds, claim);
  pass.client().Journal("D-4");
  dispatch::ExpectLease(LeaseSeconds(pass), claim);
  return WriteClaim(pass, std::move(claim));
}

PassResult ClaimProof(Pass& pass) {
  pass.client().Journal("J-5");
  const bool plan = pass.proof()->plan_required();
  ActiveOperation claim = NewClaim(pass, plan ? api::operation::kPlan : api::operation::kObserve);
  BindProof(*pass.proof(), claim);
  return WriteClaim(pass, std::move(claim));
}

}  // namespace lifecycle::schema
