#include "lifecycle/schema/settlement.h"

#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/decide.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/publication.h"
#include "lifecycle/schema/results.h"

namespace lifecycle::schema {
namespace {

using StoredJob = api::Stored<api::Job>;
using api::PendingObservation;

bool IsTheRecordsDatabase(const PendingObservation& proof, const api::FramePayload& frame) {
  return frame.coordination_digest() == proof.coordination_digest() &&
         frame.coordination_digest() == proof.plan().coordination_digest() &&
         frame.target_identity_digest() == proof.plan().target_identity_digest();
}

// What the frame says of artifact and policy, where it says anything, is the record's.
bool IsTheRecordsSource(const PendingObservation& proof, const api::FramePayload& frame) {
  const bool policy =
      frame.verification_policy_digest().empty() ||
      frame.verification_policy_digest() == proof.plan().verification_policy_digest();
  const bool source =
      frame.resolved_digest().empty() || frame.resolved_digest() == proof.source().digest();
  return policy && source && proof.source().digest() == proof.plan().artifact_digest();
}

// What the proof was made under, against what holds now.
struct Currency {
  bool generation = false;
  bool policy = false;
  bool epoch = false;
  bool all() const { return generation && policy && epoch; }
};

absl::StatusOr<Currency> CurrencyOf(Pass& pass) {
  const PendingObservation& proof = *pass.proof();
  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass);
  if (!policy.ok()) return policy.status();
  return Currency{
      .generation = proof.apply_generation() == pass.metadata().generation(),
      .policy = PolicyBinds(*policy, proof.plan()),
      .epoch = proof.plan().execution_binding_id() == pass.status().execution_binding().epoch()};
}

api::RetiredPlan AppliedPlan(const PendingObservation& proof) {
  api::RetiredPlan plan;
  plan.set_name(proof.plan().name());
  plan.set_uid(proof.plan().uid());
  plan.set_fingerprint(proof.plan().fingerprint());
  return plan;
}

api::AppliedRecord AppliedRecordOf(const PendingObservation& proof, int64_t now_ms) {
  const api::PlanRecord& plan = proof.plan();
  api::AppliedRecord applied;
  applied.set_artifact_digest(plan.artifact_digest());
  applied.mutable_plan_ref()->set_name(plan.name());
  applied.mutable_plan_ref()->set_uid(plan.uid());
  applied.set_plan_fingerprint(plan.fingerprint());
  applied.set_coordination_digest(proof.coordination_digest());
  applied.set_target_identity_digest(plan.target_identity_digest());
  applied.set_execution_binding_id(plan.execution_binding_id());
  applied.set_controller_image(plan.controller_image());
  applied.set_controller_revision(plan.controller_revision());
  applied.set_controller_state_version(plan.controller_state_version());
  applied.set_ptah_version(plan.ptah_version());
  applied.set_executor_image(plan.executor_image());
  applied.set_runner_image(plan.runner_image());
  applied.set_runner_protocol_version(plan.runner_protocol_version());
  if (proof.has_dispatched_by()) *applied.mutable_dispatched_by() = proof.dispatched_by();
  applied.set_completed_at_ms(now_ms);
  return applied;
}

// J-6.
PassResult AcceptObserve(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  pass.client().Journal("J-6");
  if (!IsTheRecordsDatabase(*pass.proof(), frame)) {
    return RetryReading(pass, &job, "another database was read");
  }
  const absl::Status cleaned = SetCleanupTtl(pass, job);
  if (!cleaned.ok()) return PassResult::Error(cleaned);
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  return NowOr(pass.RetireClaim(rules::Disposition::kAccounted, [&](api::PtahSchemaStatus& next) {
    *next.mutable_target() = TargetRecordOf(pass, frame, pass.NowMs());
    next.clear_plan();
    next.mutable_pending_observation()->set_plan_required(true);
    next.set_phase(api::phase::kVerifyingConvergence);
    pass.SetCondition(api::condition::kDriftDetected, frame.observed_drift(), "Observed", "", next);
  }));
}

PassResult ObserveAgain(Pass& pass, StoredJob& job) {
  const absl::Status cleaned = SetCleanupTtl(pass, job);
  if (!cleaned.ok()) return PassResult::Error(cleaned);
  return NowOr(pass.RetireClaim(rules::Disposition::kDiscard, [](api::PtahSchemaStatus& next) {
    next.mutable_pending_observation()->clear_plan_required();
    next.set_phase(api::phase::kVerifyingConvergence);
  }));
}

// What the proof's Plan found: nothing to change, a plan, changes that are out of date, or changes
// that no plan may hold.
struct Found {
  bool changes = false;
  std::optional<api::PlanRecord> plan;
  const api::FrameError* refusal = nullptr;  // A protected table is in the way (G-12).
};

// W-36: the record goes, and with it the realm, in the patch that keeps what the Plan found.
PassResult Settle(Pass& pass, const Currency& current, Found found) {
  const PendingObservation proof = *pass.proof();
  const bool attributed = !found.changes &&
                          proof.outcome() == api::proof_outcome::kApplySucceeded &&
                          !proof.plan().fingerprint().empty();
  const absl::Status settled =
      pass.RetireClaim(rules::Disposition::kAccounted, [&](api::PtahSchemaStatus& next) {
        next.clear_pending_observation();
        if (attributed) *next.mutable_applied() = AppliedRecordOf(proof, pass.NowMs());
        next.set_next_reconciliation_time_ms(pass.NowMs() + pass.IntervalMs());
        next.set_last_successful_reconciliation_ms(pass.NowMs());
        if (current.all() && found.refusal != nullptr) {
          ShowRefusedPlan(pass, *found.refusal, next);
        } else if (current.all()) {
          ShowPlanResult(pass, std::move(found.plan),
                         attributed ? "ApplyConverged" : "ConvergedUnattributed", next);
        } else {
          next.clear_plan();
          next.set_phase(api::phase::kPending);
        }
        if (!current.policy) next.mutable_source()->clear_verified();
        pass.SetCondition(api::condition::kReconciliationFailed, false, "ProofSettled", "", next);
      });
  return settled.ok() ? NowOr(pass.HandBack()) : PassResult::Error(settled);
}

// J-7. A Plan with changes ends the record too, without attribution, or the resource could never
// plan again; and so does one that refuses what it would have to change, or the realm would be held
// for as long as somebody protects the table.
PassResult AcceptPlan(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  pass.client().Journal("J-7");
  if (!IsTheRecordsDatabase(*pass.proof(), frame)) return ObserveAgain(pass, job);
  if (!IsTheRecordsSource(*pass.proof(), frame)) {
    return RetryReading(pass, &job, "the plan is of another artifact or policy");
  }
  Found found;
  if (frame.has_error()) found.refusal = &frame.error();
  found.changes = frame.has_error() || frame.plan_outcome() == api::plan_outcome::kChanges;
  if (!found.changes && frame.plan_outcome() != api::plan_outcome::kNoChanges) {
    return RetryReading(pass, &job, "the plan does not say whether anything changes");
  }
  const absl::StatusOr<Currency> current = CurrencyOf(pass);
  if (!current.ok()) return PassResult::Error(current.status());
  const absl::Status cleaned = SetCleanupTtl(pass, job);
  if (!cleaned.ok()) return PassResult::Error(cleaned);
  if (found.changes && found.refusal == nullptr && current->all()) {
    absl::StatusOr<Published> published = PublishPlan(pass, frame);
    if (!published.ok()) return PassResult::Error(published.status());
    if (!published->plan) return RetryReading(pass, &job, published->why_not);
    found.plan = RecordOf(**published->plan);
  }
  if (!current->epoch) {
    pass.client().Journal("M-9");
    const absl::Status swept = SweepApprovals(pass, AppliedPlan(*pass.proof()));
    if (!swept.ok()) return PassResult::Error(swept);
  }
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  return Settle(pass, *current, std::move(found));
}

}  // namespace

PassResult AcceptProofReading(Pass& pass, StoredJob& job, const api::FramePayload& frame) {
  return pass.claim()->type() == api::operation::kObserve ? AcceptObserve(pass, job, frame)
                                                          : AcceptPlan(pass, job, frame);
}

void CloseApproval(Pass& pass, absl::string_view reason, api::PtahSchemaStatus& next) {
  pass.SetCondition(api::condition::kApprovalRequired, false, reason, "", next);
  pass.SetCondition(api::condition::kReady, false, reason, "", next);
}

void ShowRefusedPlan(Pass& pass, const api::FrameError& refusal, api::PtahSchemaStatus& next) {
  pass.client().Journal("G-12 protected");
  next.clear_plan();
  next.set_phase(api::phase::kBlocked);
  pass.SetCondition(api::condition::kPlanReady, false, refusal.code(), refusal.message(), next);
  CloseApproval(pass, refusal.code(), next);
}

void ShowPlanResult(Pass& pass, std::optional<api::PlanRecord> plan,
                    absl::string_view in_sync_reason, api::PtahSchemaStatus& next) {
  const bool changes = plan.has_value();
  const char* phase = changes ? PhaseOfPlan(pass, *plan) : api::phase::kInSync;
  const bool held_back = absl::string_view(phase) == api::phase::kBlocked;
  if (held_back) pass.client().Journal("D-5.5");
  const absl::string_view reason = changes ? "PlanPublished" : in_sync_reason;
  const absl::string_view not_ready = held_back ? "PlanHeldBack" : reason;
  next.clear_plan();
  if (changes) *next.mutable_plan() = *std::move(plan);
  next.set_phase(phase);
  const bool approval = absl::string_view(phase) == api::phase::kAwaitingApproval;
  pass.SetCondition(api::condition::kPlanReady, changes, reason, "", next);
  pass.SetCondition(api::condition::kApprovalRequired, approval, not_ready, "", next);
  pass.SetCondition(api::condition::kInSync, !changes, reason, "", next);
  pass.SetCondition(api::condition::kReady, !changes, not_ready, "", next);
}

}  // namespace lifecycle::schema
