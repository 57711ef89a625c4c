#include "lifecycle/dispatch/hold.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/job_claim.h"

namespace lifecycle::dispatch {
namespace {

rules::PlanIdentity PlanOf(const api::PlanRecord& plan) {
  return {.name = plan.name(),
          .uid = plan.uid(),
          .fingerprint = plan.fingerprint(),
          .content_digest = plan.content_digest(),
          .epoch = plan.execution_binding_id(),
          .controller_state_version = plan.controller_state_version(),
          .ptah_version = plan.ptah_version()};
}

absl::Status Ask(const ClaimContext& context, const api::Job& job, rules::MatchMode mode,
                 const api::Job* built) {
  const api::ActiveOperation& claim = context.claim;
  const std::optional<rules::PlanIdentity> plan =
      context.plan == nullptr ? std::nullopt : std::make_optional(PlanOf(*context.plan));
  const rules::ClaimIdentity identity{
      .family = context.family,
      .owner_namespace = context.owner.namespace_(),
      .owner_name = context.owner.name(),
      .owner_uid = context.owner.uid(),
      .operation_type = claim.type(),
      .operation_id = claim.id(),
      .job_name = claim.job_name(),
      .recorded_uid = claim.job_uid(),
      .epoch = claim.execution_binding_id(),
      .input_fingerprint = claim.input_fingerprint(),
      .snapshot = claim.has_admission_snapshot() ? &claim.admission_snapshot() : nullptr,
      .started_at_ms = claim.started_at_ms(),
      .plan = plan ? &*plan : nullptr};
  const std::optional<rules::Mismatch> mismatch = rules::Match(
      {.claim = identity, .job = job, .mode = mode, .built = built, .binding = &context.binding});
  if (!mismatch) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the Job is not the claim's: ", mismatch->why));
}

}  // namespace

absl::Status HoldReadBack(const ClaimContext& context, const api::Job& stored,
                          const api::Job& expected) {
  return Ask(context, stored, rules::MatchMode::kBuiltStored, &expected);
}

absl::Status HoldToRebuild(const ClaimContext& context, const api::Job& live,
                           absl::StatusOr<api::Job> rebuilt) {
  if (!rebuilt.ok()) return rebuilt.status();
  TakeManagerIdentity(live.spec().template_(), *rebuilt);
  return Ask(context, live, rules::MatchMode::kBuiltStored, &*rebuilt);
}

absl::Status HoldToEnvelope(const ClaimContext& context, const api::Job& live) {
  return Ask(context, live, rules::MatchMode::kEnvelope, nullptr);
}

absl::Status HoldSubmitted(const ClaimContext& context, const api::Job& submitted,
                           const api::Job& expected) {
  return Ask(context, submitted, rules::MatchMode::kBuiltSubmitted, &expected);
}

}  // namespace lifecycle::dispatch
