#include "lifecycle/migration/dispatch.h"

#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/envelope.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/migration/approvals.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/migration/status.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;

// Where a plan waits once a claim of it went while the plan itself still holds (D-7, D-10).
PassResult DiscardAndWaitForDecision(Pass& pass) {
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const bool approval_required =
      rules::ApprovalRequired(
          {.family = rules::Family::kMigration, .policy = pass.spec().policy().apply()}) ==
      rules::ApplyPermission::kApprovalRequired;
  return Discard(
      [&](api::PtahMigrationStatus& status) {
        ShowPlan(approval_required, moment, status);
        status.set_next_reconciliation_time_ms(moment.now_ms + pass.IntervalMs());
      },
      pass);
}

// The plan moved: it goes with the claim, and its unspent approvals go stale before (D-12).
PassResult DiscardWithPlan(Pass& pass) {
  if (absl::Status marked = MarkPlanApprovalsStale(pass.claim().plan_ref().uid(),
                                                   api::reason::kPlanNoLongerCurrent, pass);
      !marked.ok()) {
    return PassResult::Error(marked);
  }
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  return Discard(
      [&](api::PtahMigrationStatus& status) {
        status.clear_plan();
        ShowPhase(api::phase::kPending, moment, status);
      },
      pass);
}

}  // namespace

StepResult MigrationDispatch::Authorize() {
  const bool applies = operation().mutating;
  if (applies && pass_.NowMs() >= claim().dispatch_not_after_ms()) {
    pass_.client().Journal("D-7 late");
    return DiscardAndWaitForDecision(pass_);
  }
  if (pass_.spec().suspend()) {
    pass_.client().Journal("O-2");
    return DiscardToPending(pass_);
  }
  if (StepResult ended = AuthorizeInputs()) return ended;
  if (!applies) return std::nullopt;
  if (StepResult ended = AuthorizePlan()) return ended;
  return AuthorizeApproval();
}

// A claim that waits for its retry delay keeps waiting while its inputs hold; the delay is enforced
// here and not only by the requeue, because a watch may wake the resource earlier (L-06).
StepResult MigrationDispatch::AuthorizeInputs() {
  const absl::StatusOr<Inputs> inputs = InputsOf(pass_);
  if (!inputs.ok()) return PassResult::Error(inputs.status());
  if (*inputs == Inputs::kMoved) return DiscardToPending(pass_);
  const int64_t not_before_ms = claim().retry_not_before_ms();
  if (not_before_ms > 0 && pass_.NowMs() < not_before_ms) {
    return PassResult::After(not_before_ms - pass_.NowMs());
  }
  if (*inputs == Inputs::kUnreadable) return DiscardToPending(pass_);
  return std::nullopt;
}

StepResult MigrationDispatch::AuthorizePlan() {
  absl::StatusOr<PlanReading> reading = ReadCurrentPlan(claim().plan_ref(), pass_);
  if (!reading.ok()) return PassResult::Error(reading.status());
  if (!reading->plan) return DiscardWithPlan(pass_);
  plan_ = *std::move(reading->plan);
  return std::nullopt;
}

StepResult MigrationDispatch::AuthorizeApproval() {
  const HeldApprovalRead held = ReadHeldApproval(pass_);
  switch (rules::AuthorizeMigrationApproval(held.facts)) {
    case rules::ConsumeStep::kProceed:
    case rules::ConsumeStep::kWriteConsumed:
      return std::nullopt;
    case rules::ConsumeStep::kRetire:
      return DiscardAndWaitForDecision(pass_);
    case rules::ConsumeStep::kError:
      break;
  }
  return PassResult::Error(held.error);
}

StepResult MigrationDispatch::Build(api::Job& job) {
  if (operation().read_only && !claim().job_uid().empty()) return WaitForPods();
  absl::StatusOr<api::Job> built =
      plan_ ? dispatch::BuildMigrationJob(pass_.resource(), claim(), &**plan_,
                                          pass_.context().configuration)
            : RebuildJob(pass_);
  if (built.ok()) {
    job = *std::move(built);
    return std::nullopt;
  }
  if (api::ApiErrorOf(built.status())) return PassResult::Error(built.status());
  return DiscardAsFailed(built.status().message(), pass_);
}

// E-4.2: the claim's recorded Job is gone, but a Pod of it may still be at work.
StepResult MigrationDispatch::WaitForPods() {
  const auto pods = dispatch::PodsOf(
      pass_.client(), {metadata().namespace_(), claim().job_name(), claim().job_uid()});
  if (!pods.ok()) return PassResult::Error(pods.status());
  for (const auto& pod : *pods) {
    if (!dispatch::HasStopped(*pod)) return PassResult::After(pass_.timing().supervision_poll_ms);
  }
  pass_.client().Journal("F-8 gone");
  return RetryReadOnly(nullptr, "the Job of the operation is gone");
}

absl::StatusOr<api::AdmissionSnapshot> MigrationDispatch::ResolveSnapshot(const api::Job& job) {
  return dispatch::ResolveSnapshot(job, claim(), pass_.client());
}

PassResult MigrationDispatch::Refuse(rules::JobRefusal refusal, const absl::Status& why) {
  switch (rules::RefusalOf({.refusal = refusal,
                            .family = rules::Family::kMigration,
                            .mutating = operation().mutating})) {
    case rules::RefusalDisposition::kDiscard:
    case rules::RefusalDisposition::kDiscardPhaseFailed:
      return DiscardAsFailed(why.message(), pass_);
    case rules::RefusalDisposition::kFailureClaimKept:
      break;
  }
  return PassResult::Error(why);
}

StepResult MigrationDispatch::Consume() {
  const HeldApprovalRead held = ReadHeldApproval(pass_);
  if (held.facts.ref_set) pass_.client().Journal("E-5");
  switch (rules::ConsumeMigrationApproval(held.facts)) {
    case rules::ConsumeStep::kProceed:
      return std::nullopt;
    case rules::ConsumeStep::kRetire:
      return DiscardAndWaitForDecision(pass_);
    case rules::ConsumeStep::kWriteConsumed:
      if (absl::Status spent = MarkConsumed(*held.approval, pass_); !spent.ok()) {
        return PassResult::Error(spent);
      }
      return std::nullopt;
    case rules::ConsumeStep::kError:
      break;
  }
  return PassResult::Error(held.error);
}

PassResult MigrationDispatch::Unaccounted(const api::Stored<api::Job>* job, absl::string_view why) {
  return RecordUncertainRun(job, why, "", pass_);
}

PassResult MigrationDispatch::RetryReadOnly(const api::Stored<api::Job>* job,
                                            absl::string_view why) {
  return migration::RetryReadOnly(job, why, pass_);
}

absl::StatusOr<api::Job> RebuildJob(Pass& pass) {
  const api::ActiveOperation& claim = pass.claim();
  const api::Configuration& configuration = pass.context().configuration;
  if (!pass.operation().mutating) {
    return dispatch::BuildMigrationJob(pass.resource(), claim, nullptr, configuration);
  }
  auto plan = pass.client().Get<api::PtahMigrationPlan>(pass.metadata().namespace_(),
                                                        claim.plan_ref().name());
  if (!plan.ok() && !api::IsNotFound(plan.status())) return plan.status();
  if (!plan.ok() || (*plan)->metadata().uid() != claim.plan_ref().uid()) {
    return absl::FailedPreconditionError("the plan of the claim is gone or was replaced");
  }
  return dispatch::BuildMigrationJob(pass.resource(), claim, &**plan, configuration);
}

}  // namespace lifecycle::migration
