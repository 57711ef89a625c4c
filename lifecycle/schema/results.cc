#include "lifecycle/schema/results.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/decide.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/publication.h"
#include "lifecycle/schema/settlement.h"

namespace lifecycle::schema {
namespace {

using StoredJob = api::Stored<api::Job>;

constexpr int kDriftFindingsMax = 64;

// H-3: TTL, then one patch with the result and without the claim, then what is owed goes back.
PassResult Retire(Pass& pass, StoredJob& job, StatusEdit edit, api::Site site = api::Site::Here()) {
  pass.client().Journal("H-3");
  const absl::Status cleaned = SetCleanupTtl(pass, job);
  if (!cleaned.ok()) return PassResult::Error(cleaned);
  const absl::Status retired = pass.RetireClaim(rules::Disposition::kAccounted, edit, site);
  return retired.ok() ? NowOr(pass.HandBack()) : PassResult::Error(retired);
}

// The approval goes stale before the write that drops the plan it names.
absl::Status MarkStaleIf(Pass& pass, bool drops_plan) {
  return drops_plan ? MarkRecordedApprovalStale(pass) : absl::OkStatus();
}

PassResult AcceptResolve(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  const api::SourceRecord& before = pass.status().source();
  const bool moved = before.digest() != frame.resolved_digest() ||
                     before.resolved_reference() != frame.resolved_reference();
  const absl::Status marked = MarkStaleIf(pass, moved);
  if (!marked.ok()) return PassResult::Error(marked);
  return Retire(pass, job, [&](api::PtahSchemaStatus& next) {
    api::SourceRecord source;
    source.set_requested_reference(pass.spec().desired().oci_ref());
    source.set_resolved_reference(frame.resolved_reference());
    source.set_digest(frame.resolved_digest());
    source.set_media_type(frame.resolved_media_type());
    source.set_size(frame.resolved_size());
    source.set_resolved_at_ms(pass.NowMs());
    *next.mutable_source() = std::move(source);
    if (moved) {
      next.clear_plan();
      next.clear_applied();
    }
    next.set_phase(api::phase::kVerifying);
    pass.SetCondition(api::condition::kArtifactResolved, true, "Resolved", "", next);
  });
}

// G-12: the policy has to be the claim's in the frame and live, or its verdict is of another one.
PassResult AcceptVerify(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  const PolicyIdentity claimed = {pass.claim()->verification_policy_uid(),
                                  pass.claim()->verification_policy_digest()};
  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass);
  if (!policy.ok()) return PassResult::Error(policy.status());
  if (!*policy || **policy != claimed || frame.verification_policy_digest() != claimed.digest) {
    const absl::Status cleaned = SetCleanupTtl(pass, job);
    return cleaned.ok() ? DropChangedPolicy(pass) : PassResult::Error(cleaned);
  }
  if (frame.resolved_digest() != pass.status().source().digest()) {
    return RetryReading(pass, &job, "another artifact was verified");
  }
  const bool refused = frame.has_error();
  if (refused) pass.client().Journal("G-12 refused");
  return Retire(pass, job, [&](api::PtahSchemaStatus& next) {
    api::SourceRecord& source = *next.mutable_source();
    source.set_verification_policy_uid(claimed.uid);
    source.set_verification_policy_digest(claimed.digest);
    source.set_artifact_type(frame.observed_artifact_type());
    source.set_verified(!refused);
    if (!refused) source.set_verified_at_ms(pass.NowMs());
    next.set_phase(refused ? api::phase::kBlocked : api::phase::kObserving);
    if (refused) next.set_next_reconciliation_time_ms(pass.NowMs() + pass.IntervalMs());
    pass.SetCondition(api::condition::kArtifactVerified, !refused,
                      refused ? api::error_code::kVerificationRefused : "Verified",
                      frame.error().message(), next);
    if (refused) CloseApproval(pass, api::error_code::kVerificationRefused, next);
  });
}

PassResult AcceptObserve(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  if (frame.coordination_digest() != pass.claim()->coordination_digest()) {
    return RetryReading(pass, &job, "another database was read");
  }
  const absl::Status marked = MarkStaleIf(pass, pass.plan() != nullptr);
  if (!marked.ok()) return PassResult::Error(marked);
  return Retire(pass, job, [&](api::PtahSchemaStatus& next) {
    *next.mutable_target() = TargetRecordOf(pass, frame, pass.NowMs());
    next.clear_plan();
    next.set_phase(api::phase::kPlanning);
    pass.SetCondition(api::condition::kDatabaseReachable, true, "Observed", "", next);
    pass.SetCondition(api::condition::kDriftDetected, frame.observed_drift(), "Observed", "", next);
  });
}

PassResult BlockOnProtectedTable(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  const absl::Status marked = MarkStaleIf(pass, pass.plan() != nullptr);
  if (!marked.ok()) return PassResult::Error(marked);
  return Retire(pass, job, [&](api::PtahSchemaStatus& next) {
    next.set_next_reconciliation_time_ms(pass.NowMs() + pass.IntervalMs());
    ShowRefusedPlan(pass, frame.error(), next);
  });
}

// W-37: an ordinary Plan.
PassResult AcceptPlan(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  if (frame.coordination_digest() != pass.claim()->coordination_digest() ||
      frame.target_identity_digest() != pass.claim()->target_identity_digest()) {
    return RetryReading(pass, &job, "another database was planned for");
  }
  if (frame.has_error()) return BlockOnProtectedTable(pass, job, frame);
  std::optional<api::PlanRecord> plan;
  if (frame.plan_outcome() == api::plan_outcome::kChanges) {
    const absl::Status cleaned = SetCleanupTtl(pass, job);
    if (!cleaned.ok()) return PassResult::Error(cleaned);
    absl::StatusOr<Published> published = PublishPlan(pass, frame);
    if (!published.ok()) return PassResult::Error(published.status());
    if (!published->plan) return RetryReading(pass, &job, published->why_not);
    plan = RecordOf(**published->plan);
  }
  const absl::Status marked = MarkStaleIf(pass, pass.plan() != nullptr);
  if (!marked.ok()) return PassResult::Error(marked);
  return Retire(pass, job, [&](api::PtahSchemaStatus& next) {
    next.set_next_reconciliation_time_ms(pass.NowMs() + pass.IntervalMs());
    next.set_last_successful_reconciliation_ms(pass.NowMs());
    ShowPlanResult(pass, std::move(plan), "PlannedWithoutChanges", next);
  });
}

}  // namespace

bool IsAccountedRefusal(const Pass& pass, const api::FramePayload& frame) {
  const std::string& type = pass.claim()->type();
  const std::string& code = frame.error().code();
  return (type == api::operation::kVerify && code == api::error_code::kVerificationRefused) ||
         (type == api::operation::kPlan && code == api::error_code::kProtectedTable);
}

PassResult AcceptReading(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  pass.client().Journal("G-12");
  if ((frame.has_error() && !IsAccountedRefusal(pass, frame)) || frame.uncertain()) {
    return RetryReading(pass, &job, frame.error().message());
  }
  if (pass.ClaimServesProof()) return AcceptProofReading(pass, job, frame);
  const std::string& type = pass.claim()->type();
  if (type == api::operation::kResolve) return AcceptResolve(pass, job, frame);
  if (type == api::operation::kVerify) return AcceptVerify(pass, job, frame);
  if (type == api::operation::kObserve) return AcceptObserve(pass, job, frame);
  return AcceptPlan(pass, job, frame);
}

api::TargetRecord TargetRecordOf(const Pass& pass, const api::FramePayload& frame, int64_t now_ms) {
  api::TargetRecord target;
  target.set_engine(pass.claim()->target().engine());
  target.set_coordination_digest(frame.coordination_digest());
  target.set_identity_digest(frame.target_identity_digest());
  target.set_drift_report_digest(frame.drift_report_digest());
  target.set_last_observed_at_ms(now_ms);
  target.set_highest_drift_severity(frame.highest_drift_severity());
  target.set_drift_finding_count(frame.drift_finding_count());
  const int shown = std::min(frame.drift_findings_size(), kDriftFindingsMax);
  for (int i = 0; i < shown; ++i) *target.add_drift_findings() = frame.drift_findings(i);
  target.set_drift_findings_truncated(frame.truncation().drift_findings() ||
                                      frame.drift_findings_size() > kDriftFindingsMax);
  return target;
}

}  // namespace lifecycle::schema
