#include "lifecycle/schema/rotation.h"

#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/binding.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/rules/binding_rule.h"
#include "lifecycle/schema/outcome.h"
#include "lifecycle/schema/retired.h"

namespace lifecycle::schema {
namespace {

using dispatch::StepResult;

constexpr const char* kReason = api::reason::kExecutionBindingChanged;

bool HasEvidence(const api::PtahSchemaStatus& status) {
  return status.has_active_operation() || status.has_pending_observation() || status.has_plan() ||
         status.has_applied() || status.observed_generation() != 0 || !status.phase().empty() ||
         status.conditions_size() > 0 || status.has_source() || status.has_target();
}

bool MayHaveDispatchedApply(const Pass& pass) {
  return pass.claim() != nullptr && pass.operation().mutating &&
         dispatch::MayHaveDispatched(*pass.claim());
}

rules::ClaimEpoch EpochOfClaim(const Pass& pass) {
  if (pass.claim() == nullptr) return rules::ClaimEpoch::kNoClaim;
  return pass.claim()->execution_binding_id() == pass.status().execution_binding().epoch()
             ? rules::ClaimEpoch::kSame
             : rules::ClaimEpoch::kOther;
}

// The epoch that goes. A claim of another epoch than the one in force is what is to be retired; a
// stored binding without an epoch is older than its evidence.
std::string RetiredEpoch(const api::PtahSchemaStatus& status) {
  if (status.has_active_operation()) return status.active_operation().execution_binding_id();
  const std::string& stored = status.execution_binding().epoch();
  return stored.empty() ? status.plan().execution_binding_id() : stored;
}

rules::RotatedClaim ClaimFacts(const Pass& pass) {
  if (pass.claim() == nullptr) return rules::RotatedClaim::kNone;
  if (!pass.operation().known) return rules::RotatedClaim::kUnknownType;
  if (pass.operation().read_only) return rules::RotatedClaim::kReadOnly;
  return MayHaveDispatchedApply(pass) ? rules::RotatedClaim::kDispatchedApply
                                      : rules::RotatedClaim::kUndispatchedApply;
}

rules::RotatedProof ProofFacts(const Pass& pass, const std::string& retired_epoch) {
  if (pass.proof() == nullptr) return rules::RotatedProof::kNone;
  const api::PendingObservation& proof = *pass.proof();
  const bool unknown = proof.outcome() == api::proof_outcome::kOutcomeUnknown &&
                       proof.plan().execution_binding_id() == retired_epoch &&
                       !proof.apply_job_name().empty();
  return unknown ? rules::RotatedProof::kUnknownOfRetiredEpoch : rules::RotatedProof::kOther;
}

api::RetiredJob JobOf(rules::RetirementJob job, const api::PtahSchemaStatus& before) {
  api::RetiredJob retired;
  if (job == rules::RetirementJob::kTheClaims || before.has_active_operation()) {
    const api::ActiveOperation& claim = before.active_operation();
    retired.set_operation(claim.type());
    retired.set_name(claim.job_name());
    retired.set_uid(claim.job_uid());
    return retired;
  }
  const api::PendingObservation& proof = before.pending_observation();
  retired.set_operation(api::operation::kApply);
  retired.set_name(proof.apply_job_name());
  retired.set_uid(proof.apply_job_uid());
  return retired;
}

// What the retired epoch leaves; the record is written only with something in it.
void RecordWhatIsLeft(const api::PtahSchemaStatus& before, const std::string& retired_epoch,
                      rules::RetirementJob job, api::PtahSchemaStatus& next) {
  api::PendingBindingRetirement record;
  record.set_retired_epoch(retired_epoch);
  if (before.has_plan()) {
    record.mutable_plan()->set_name(before.plan().name());
    record.mutable_plan()->set_uid(before.plan().uid());
    record.mutable_plan()->set_fingerprint(before.plan().fingerprint());
  }
  if (job != rules::RetirementJob::kNone) *record.mutable_job() = JobOf(job, before);
  if (record.has_plan() || record.has_job()) {
    *next.mutable_pending_binding_retirement() = std::move(record);
  }
}

// Everything read under the old components has to be read again. Without a plan in status and with
// no approval required, admission takes no approval from this write on.
void MarkForRefresh(Pass& pass, api::PtahSchemaStatus& next) {
  next.clear_plan();
  if (next.has_source()) next.mutable_source()->clear_verified();
  if (next.has_pending_observation()) {
    next.mutable_pending_observation()->clear_plan_required();
  }
  for (const char* condition :
       {api::condition::kArtifactVerified, api::condition::kPlanReady,
        api::condition::kApprovalRequired, api::condition::kApplying, api::condition::kReady}) {
    pass.SetCondition(condition, false, kReason, "", next);
  }
}

// W-38
PassResult Install(Pass& pass, const api::ExecutionBinding& binding) {
  pass.client().Journal("M-2");
  return NowOr(pass.WriteStatus(
      [&](api::PtahSchemaStatus& next) { *next.mutable_execution_binding() = binding; }));
}

// M-5: the account, the new epoch and what is left of the old one in one patch.
PassResult RotateDispatchedApply(Pass& pass) {
  pass.client().Journal("M-3");
  pass.client().Journal("M-5");
  pass.client().Journal("I-3 rotated");
  const api::ExecutionBinding binding =
      dispatch::NewBinding(pass.client(), pass.metadata().uid(), pass.context().configuration);
  const api::PtahSchemaStatus before = pass.status();
  return RecordUnknownOutcome(pass, {.why = "the execution binding was rotated under the run"},
                              [&](api::PtahSchemaStatus& next) {
                                *next.mutable_execution_binding() = binding;
                                RecordWhatIsLeft(before,
                                                 before.active_operation().execution_binding_id(),
                                                 rules::RetirementJob::kTheApplys, next);
                                MarkForRefresh(pass, next);
                              });
}

}  // namespace

bool PlanIsInForce(const Pass& pass) {
  if (pass.plan() == nullptr) return true;
  const api::PlanRecord& plan = *pass.plan();
  const api::ExecutionBinding& binding = pass.status().execution_binding();
  return plan.execution_binding_id() == binding.epoch() &&
         plan.controller_state_version() == binding.controller_state_version() &&
         plan.ptah_version() == binding.ptah_version() &&
         plan.executor_image() == binding.executor_image() &&
         plan.runner_protocol_version() == binding.runner_protocol_version();
}

PassResult RotateBinding(Pass& pass) {
  pass.client().Journal("M-4");
  if (pass.status().has_pending_binding_retirement()) {
    return PassResult::Error(
        absl::FailedPreconditionError("an earlier execution binding is not worked off yet"));
  }
  const api::ExecutionBinding binding =
      dispatch::NewBinding(pass.client(), pass.metadata().uid(), pass.context().configuration);
  const api::PtahSchemaStatus before = pass.status();
  const std::string retired_epoch = RetiredEpoch(before);
  const rules::RotationRecord left =
      rules::RecordRotation(ClaimFacts(pass), ProofFacts(pass, retired_epoch));
  const auto edit = [&](api::PtahSchemaStatus& next) {
    *next.mutable_execution_binding() = binding;
    RecordWhatIsLeft(before, retired_epoch, left.job, next);
    MarkForRefresh(pass, next);
    next.set_phase(api::phase::kPending);
  };
  const bool drops_claim = left.claim == rules::ClaimAfterRotation::kDropped;
  const absl::Status written =
      drops_claim ? pass.RetireClaim(rules::Disposition::kDiscard, edit) : pass.WriteStatus(edit);
  if (!written.ok()) return PassResult::Error(written);
  return drops_claim ? NowOr(pass.HandBack()) : PassResult::Now();
}

StepResult HoldBinding(Pass& pass) {
  const bool current =
      dispatch::IsInForce(pass.status().execution_binding(), pass.context().configuration);
  const rules::SchemaBindingAction action = rules::DecideSchemaBinding(
      {.pending_retirement = pass.status().has_pending_binding_retirement(),
       .binding_current = current,
       .claim = EpochOfClaim(pass),
       .mutating_and_dispatched = MayHaveDispatchedApply(pass),
       .evidence = HasEvidence(pass.status())});
  switch (action) {
    case rules::SchemaBindingAction::kWorkOffRetirement:
      pass.client().Journal("M-1");
      return WorkOffRetirement(pass);
    case rules::SchemaBindingAction::kNothing:
      pass.client().Journal("M-0");
      return std::nullopt;
    case rules::SchemaBindingAction::kInstall:
      return Install(pass, dispatch::NewBinding(pass.client(), pass.metadata().uid(),
                                                pass.context().configuration));
    case rules::SchemaBindingAction::kRotateDispatchedApply:
      return RotateDispatchedApply(pass);
    case rules::SchemaBindingAction::kRotate:
      break;
  }
  return RotateBinding(pass);
}

}  // namespace lifecycle::schema
