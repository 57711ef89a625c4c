#include "lifecycle/schema/claim_work.h"

#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/envelope.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/dispatch_failure.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/outcome.h"
#include "lifecycle/schema/projection.h"
#include "lifecycle/schema/rotation.h"
#include "lifecycle/schema/suspension.h"

namespace lifecycle::schema {

using dispatch::StepResult;

absl::Status ClaimWork::WriteClaim(dispatch::ClaimEdit edit) {
  return pass_.WriteStatus(
      [&](api::PtahSchemaStatus& next) { edit(*next.mutable_active_operation()); });
}

absl::Status ClaimWork::WriteLeaseEpoch(const std::string& epoch, const rules::LeaseUse& use) {
  const bool proving = ServesProof();
  return pass_.WriteStatus([&](api::PtahSchemaStatus& next) {
    api::ActiveOperation& claim = *next.mutable_active_operation();
    claim.set_lease_epoch(epoch);
    if (use.latch) claim.set_lease_continuity_lost(true);
    if (!proving) return;
    api::PendingObservation& proof = *next.mutable_pending_observation();
    proof.set_lease_epoch(epoch);
    if (!use.demote_proof) return;
    proof.set_outcome(api::proof_outcome::kOutcomeUnknown);
    proof.clear_plan_required();
  });
}

absl::Status ClaimWork::ReadPlanOnce() {
  if (plan_read_ || pass_.plan() == nullptr) return absl::OkStatus();
  absl::StatusOr<std::optional<StoredPlan>> plan = ReadPlan(pass_);
  if (!plan.ok()) return plan.status();
  plan_ = *std::move(plan);
  plan_read_ = true;
  return absl::OkStatus();
}

absl::Status ClaimWork::ReadChunksOnce() {
  if (chunks_read_) return absl::OkStatus();
  const absl::Status read = ReadPlanOnce();
  if (!read.ok()) return read;
  if (plan_) {
    absl::StatusOr<std::optional<std::vector<StoredChunk>>> chunks =
        ReadVerifiedChunks(pass_, **plan_);
    if (!chunks.ok()) return chunks.status();
    chunks_ = *std::move(chunks);
  }
  chunks_read_ = true;
  return absl::OkStatus();
}

// E-1. Comes before the realm, so that a claim whose authorization moved goes without it.
StepResult ClaimWork::Authorize() {
  const bool apply = operation().mutating;
  if (apply && pass_.NowMs() >= claim().dispatch_not_after_ms()) return DropLateApply(pass_);
  if (pass_.spec().suspend()) return SuspendClaim(pass_);
  if (!InputsHold(pass_.schema(), claim())) {
    constexpr char kWhy[] = "the inputs of the claim moved";
    return apply ? DropStalePlan(pass_, kWhy) : DiscardReading(pass_, kWhy);
  }
  if (apply) return AuthorizeApply();
  return claim().type() == api::operation::kVerify ? AuthorizeVerify() : std::nullopt;
}

StepResult ClaimWork::AuthorizeVerify() {
  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass_);
  if (!policy.ok()) return PassResult::Error(policy.status());
  const PolicyIdentity claimed = {claim().verification_policy_uid(),
                                  claim().verification_policy_digest()};
  if (*policy && **policy == claimed) return std::nullopt;
  return DropChangedPolicy(pass_);
}

StepResult ClaimWork::AuthorizeApply() {
  const absl::Status read = ReadPlanOnce();
  if (!read.ok()) return PassResult::Error(read);
  if (!plan_ || !PlanIsCurrent(pass_.schema(), **plan_)) {
    return DropStalePlan(pass_, "the plan is gone, replaced or no longer what status says");
  }
  if (!PlanIsInForce(pass_)) return RotateBinding(pass_);
  const absl::Status bytes = ReadChunksOnce();
  if (!bytes.ok()) return PassResult::Error(bytes);
  if (!chunks_) return DropStalePlan(pass_, "the plan's bytes do not reconstruct");
  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass_);
  if (!policy.ok()) return PassResult::Error(policy.status());
  if (!PolicyBinds(*policy, *pass_.plan())) return DropChangedPolicy(pass_);
  if (!ApprovalIsRequired(pass_)) return std::nullopt;
  const absl::StatusOr<std::optional<StoredApproval>> approval =
      ReadRecordedApproval(pass_, ApprovalAsker::kHoldingClaim);
  if (!approval.ok()) return PassResult::Error(approval.status());
  if (!*approval) return DropInvalidApproval(pass_);
  return std::nullopt;
}

StepResult ClaimWork::Stage() {
  if (!operation().mutating) return std::nullopt;
  pass_.client().Journal("E-3");
  const absl::Status bytes = ReadChunksOnce();
  if (!bytes.ok()) return PassResult::Error(bytes);
  if (!chunks_) return DropStalePlan(pass_, "the plan's bytes do not reconstruct");
  const absl::StatusOr<Staged> staged = StageProjections(pass_, **plan_, *chunks_);
  if (!staged.ok()) return PassResult::Error(staged.status());
  if (*staged == Staged::kConflict) {
    return DropPlanWithOccupiedName(pass_);
  }
  return std::nullopt;
}

StepResult ClaimWork::Rebuild(absl::StatusOr<api::Job>& rebuilt) {
  if (operation().mutating) {
    const absl::Status read = ReadPlanOnce();
    if (!read.ok()) return PassResult::Error(read);
    // A plan republished under the same name is another plan.
    if (plan_ && (pass_.plan() == nullptr || (*plan_)->metadata().uid() != pass_.plan()->uid())) {
      plan_.reset();
    }
  }
  rebuilt = dispatch::BuildSchemaJob(pass_.schema(), claim(), plan_ ? &**plan_ : nullptr,
                                     pass_.context().configuration);
  return std::nullopt;
}

StepResult ClaimWork::Build(api::Job& job) {
  if (operation().read_only && !claim().job_uid().empty()) {
    if (StepResult waiting = WaitForPodsOfLostJob()) return waiting;
  }
  absl::StatusOr<api::Job> built;
  if (StepResult ended = Rebuild(built)) return ended;
  if (built.ok()) {
    job = *std::move(built);
    return std::nullopt;
  }
  return operation().mutating ? DropStalePlan(pass_, built.status().message())
                              : FailAndKeepClaim(pass_, built.status().message());
}

// E-4.2: a read-only claim that records a UID whose Job is gone is not dispatched beside the Pods
// that Job may still have; once they have all stopped, it runs again under a new attempt.
StepResult ClaimWork::WaitForPodsOfLostJob() {
  const absl::StatusOr<std::vector<api::Stored<api::Pod>>> pods = dispatch::PodsOf(
      pass_.client(), {metadata().namespace_(), claim().job_name(), claim().job_uid()});
  if (!pods.ok()) return PassResult::Error(pods.status());
  for (const api::Stored<api::Pod>& pod : *pods) {
    if (!dispatch::HasStopped(*pod)) {
      return PassResult::After(pass_.timing().supervision_poll_ms);
    }
  }
  pass_.client().Journal("F-8 gone");
  return RetryReading(pass_, nullptr, "the Job of the claim is gone");
}

absl::StatusOr<api::AdmissionSnapshot> ClaimWork::ResolveSnapshot(const api::Job& job) {
  return dispatch::ResolveSnapshot(job, claim(), pass_.client());
}

api::PassResult ClaimWork::Refuse(rules::JobRefusal refusal, const absl::Status& why) {
  switch (rules::RefusalOf(
      {.refusal = refusal, .family = rules::Family::kSchema, .mutating = operation().mutating})) {
    case rules::RefusalDisposition::kFailureClaimKept:
      break;
    case rules::RefusalDisposition::kDiscard:
    case rules::RefusalDisposition::kDiscardPhaseFailed:
      return DiscardReading(pass_, why.message());
  }
  return FailAndKeepClaim(pass_, why.message());
}

StepResult ClaimWork::Consume() {
  if (!ApprovalIsRequired(pass_)) return std::nullopt;
  pass_.client().Journal("E-5");
  const absl::StatusOr<std::optional<StoredApproval>> approval =
      ReadRecordedApproval(pass_, ApprovalAsker::kHoldingClaim);
  if (!approval.ok()) return PassResult::Error(approval.status());
  if (!*approval) return DropInvalidApproval(pass_);
  const absl::Status spent = SpendApproval(pass_, **approval);
  if (!spent.ok()) return PassResult::Error(spent);
  return std::nullopt;
}

// A schema passes no Job on: its UID was never recorded, so its TTL would be refused.
api::PassResult ClaimWork::Unaccounted(const api::Stored<api::Job>*, absl::string_view why) {
  return RecordUnknownOutcome(pass_, {.why = why});
}

api::PassResult ClaimWork::RetryReadOnly(const api::Stored<api::Job>* job, absl::string_view why) {
  return RetryReading(pass_, job, why);
}

}  // namespace lifecycle::schema
