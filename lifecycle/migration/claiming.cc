#include "lifecycle/migration/claiming.h"

#include <string>
#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/status.h"

namespace lifecycle::migration {
namespace {

using api::ActiveOperation;
using api::PassResult;

ActiveOperation NewClaim(const char* type, const std::optional<VerificationPolicy>& policy,
                         Pass& pass) {
  pass.client().Journal("D-1");
  pass.client().Journal("D-2");
  const std::string fingerprint = InputFingerprint(type, policy, pass);
  return dispatch::MakeClaim(pass.client(), {.family = rules::Family::kMigration,
                                             .resource = pass.metadata(),
                                             .type = type,
                                             .epoch = pass.binding().epoch(),
                                             .input_fingerprint = fingerprint,
                                             .started_at_ms = pass.NowMs()});
}

void BindTarget(Pass& pass, ActiveOperation& claim) {
  claim.mutable_target()->set_engine(pass.spec().target().engine());
  *claim.mutable_target()->mutable_url_from() = pass.spec().target().url_from();
  *claim.mutable_source() = pass.status().artifact();
}

// D-3.
PassResult Write(ActiveOperation claim, Pass& pass) {
  pass.client().Journal("D-3");
  if (pass.has_claim()) {
    pass.client().Journal("A-2");
    return PassResult::Now();
  }
  if (!pass.HasFinalizer()) {
    if (absl::Status added = pass.AddFinalizer(); !added.ok()) return PassResult::Error(added);
  }
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const char* phase = rules::MigrationOperation(claim.type()).phase;
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    *status.mutable_active_operation() = std::move(claim);
    status.set_observed_generation(moment.generation);
    status.clear_next_reconciliation_time_ms();
    ShowProgress(phase, moment, status);
  });
  return written.ok() ? PassResult::Now() : PassResult::Error(written);
}

// P-1. The History verdict and D-6 hold this too, but the guard does not depend on them.
PassResult RefuseUnresolved(Pass& pass) {
  pass.client().Journal("P-1");
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    ShowBlocked(api::reason::kApplyOutcomeUnknown, "a run is still unresolved", moment, status);
    status.set_next_reconciliation_time_ms(moment.now_ms + pass.IntervalMs());
  });
  return written.ok() ? PassResult::After(pass.IntervalMs()) : PassResult::Error(written);
}

// W-28 without a claim: the policy to verify against cannot be read.
PassResult FailUnreadablePolicy(Pass& pass) {
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    status.set_observed_generation(moment.generation);
    ShowFailed("the verification policy cannot be read", moment.now_ms + pass.FailureRetryMs(),
               moment, status);
  });
  return written.ok() ? PassResult::After(pass.FailureRetryMs()) : PassResult::Error(written);
}

}  // namespace

PassResult ClaimResolve(Pass& pass) {
  return Write(NewClaim(api::operation::kResolve, std::nullopt, pass), pass);
}

PassResult ClaimVerify(Pass& pass) {
  if (!pass.status().has_artifact()) return ClaimResolve(pass);
  absl::StatusOr<std::optional<VerificationPolicy>> policy = ReadVerificationPolicy(pass);
  if (!policy.ok()) return PassResult::Error(policy.status());
  if (!*policy) return FailUnreadablePolicy(pass);
  ActiveOperation claim = NewClaim(api::operation::kVerify, *policy, pass);
  *claim.mutable_source() = pass.status().artifact();
  claim.set_verification_policy_uid((*policy)->uid);
  claim.set_verification_policy_digest((*policy)->digest);
  return Write(std::move(claim), pass);
}

PassResult ClaimHistory(Pass& pass) {
  if (!pass.status().has_artifact()) return ClaimResolve(pass);
  pass.client().Journal("K-1");  // A reading authorizes no write, so it takes no Lease.
  ActiveOperation claim = NewClaim(api::operation::kHistory, std::nullopt, pass);
  BindTarget(pass, claim);
  claim.set_coordination_digest(CoordinationDigestOf(pass));
  return Write(std::move(claim), pass);
}

PassResult ClaimApply(const api::PtahMigrationPlan& plan,
                      const api::PtahMigrationApproval* approval, Pass& pass) {
  if (pass.status().has_unresolved_run()) return RefuseUnresolved(pass);
  ActiveOperation claim = NewClaim(api::operation::kApply, std::nullopt, pass);
  BindTarget(pass, claim);
  claim.set_coordination_digest(plan.spec().coordination_digest());
  claim.set_target_identity_digest(plan.spec().target_identity_digest());
  claim.mutable_plan_ref()->set_name(plan.metadata().name());
  claim.mutable_plan_ref()->set_uid(plan.metadata().uid());
  if (approval != nullptr) {
    claim.mutable_approval_ref()->set_name(approval->metadata().name());
    claim.mutable_approval_ref()->set_uid(approval->metadata().uid());
  }
  pass.client().Journal("D-7");
  const int64_t window_ms = pass.ApplyWindowMs();
  dispatch::SetApplyDeadlines(window_ms, pass.timing().termination_grace_seconds, claim);
  pass.client().Journal("D-4");
  dispatch::ExpectLease(
      (window_ms + pass.timing().migration_job_grace_ms + pass.timing().lease_grace_ms) / 1000,
      claim);
  return Write(std::move(claim), pass);
}

}  // namespace lifecycle::migration
