#include "lifecycle/dispatch/hold.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/names.h"
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

absl::Status AnswerOf(const std::optional<rules::Mismatch>& mismatch) {
  if (!mismatch) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the Job is not the claim's: ", mismatch->why));
}

rules::ClaimIdentity IdentityOf(rules::Family family, const api::ObjectMeta& owner,
                                const api::ActiveOperation& claim) {
  return {.family = family,
          .owner_namespace = owner.namespace_(),
          .owner_name = owner.name(),
          .owner_uid = owner.uid(),
          .operation_type = claim.type(),
          .operation_id = claim.id(),
          .job_name = claim.job_name(),
          .recorded_uid = claim.job_uid(),
          .epoch = claim.execution_binding_id(),
          .input_fingerprint = claim.input_fingerprint(),
          .snapshot = claim.has_admission_snapshot() ? &claim.admission_snapshot() : nullptr,
          .started_at_ms = claim.started_at_ms()};
}

absl::Status Ask(const rules::JobHolding& holding, const ClaimContext& context, const api::Job& job,
                 const api::Job* built) {
  const std::optional<rules::PlanIdentity> plan =
      context.plan == nullptr ? std::nullopt : std::make_optional(PlanOf(*context.plan));
  rules::ClaimIdentity identity = IdentityOf(context.family, context.owner, context.claim);
  if (plan) identity.plan = &*plan;
  return AnswerOf(rules::Match({.claim = identity,
                                .job = job,
                                .mode = holding.mode,
                                .built = built,
                                .binding = holding.in_force ? &context.binding : nullptr}));
}

bool HasSucceededWithTtl(const api::Job& job) {
  return EndOf(job).succeeded &&
         job.spec().ttl_seconds_after_finished() == rules::kCleanupTtlSeconds;
}

// No binding is in force for a retired Job, which Match is told by the lack of one.
absl::Status AskRetired(rules::JobAsker asker, const rules::ClaimIdentity& identity,
                        const api::Job& live) {
  const rules::JobHolding holding = rules::HoldingOf(asker);
  STOPGAP_CHECK(holding.held_to_record && !holding.in_force, "no retired Job is asked about so");
  return AnswerOf(rules::Match({.claim = identity, .job = live, .mode = holding.mode}));
}

// What the record says of the Job, which the matcher is not told.
absl::Status HoldToRecord(const api::PendingBindingRetirement& record, absl::string_view operation,
                          absl::string_view name, absl::string_view epoch, const api::Job& job) {
  const bool named = record.has_job() && record.job().operation() == operation &&
                     record.job().name() == name && record.retired_epoch() == epoch;
  if (!named) return absl::FailedPreconditionError("no retirement record names the Job");
  if (!record.job().uid().empty() && record.job().uid() != job.metadata().uid()) {
    return absl::FailedPreconditionError("the retirement record names another Job");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status HoldToBuilt(rules::JobAsker asker, const ClaimContext& context, const api::Job& job,
                         absl::StatusOr<api::Job> built) {
  const rules::JobHolding holding = rules::HoldingOf(asker);
  STOPGAP_CHECK(rules::IsHeldToBuilt(asker), "nothing is built for one who holds to the envelope");
  if (holding.succeeded_with_ttl && !HasSucceededWithTtl(job)) {
    return absl::FailedPreconditionError("the Job has not succeeded, or has no cleanup TTL");
  }
  if (!built.ok()) return built.status();
  if (holding.takes_manager_identity) TakeManagerIdentity(job.spec().template_(), *built);
  return Ask(holding, context, job, &*built);
}

absl::Status HoldToEnvelope(rules::JobAsker asker, const ClaimContext& context,
                            const api::Job& job) {
  const rules::JobHolding holding = rules::HoldingOf(asker);
  STOPGAP_CHECK(!rules::IsHeldToBuilt(asker), "the envelope is too little for one who can build");
  return Ask(holding, context, job, nullptr);
}

absl::Status HoldRetiredReading(rules::JobAsker asker, const api::PtahSchema& schema,
                                const api::Job& live) {
  const api::ActiveOperation& claim = schema.status().active_operation();
  if (!rules::SchemaOperation(claim.type()).read_only) {
    return absl::FailedPreconditionError("no reading of a retired epoch is kept");
  }
  absl::Status named = HoldToRecord(schema.status().pending_binding_retirement(), claim.type(),
                                    claim.job_name(), claim.execution_binding_id(), live);
  if (!named.ok()) return named;
  const rules::ClaimIdentity identity =
      IdentityOf(rules::Family::kSchema, schema.metadata(), claim);
  return AskRetired(asker, identity, live);
}

absl::Status HoldRetiredApply(rules::JobAsker asker, const api::PtahSchema& schema,
                              const api::Job& live) {
  const api::PendingObservation& proof = schema.status().pending_observation();
  if (schema.status().has_active_operation() ||
      proof.outcome() != api::proof_outcome::kOutcomeUnknown) {
    return absl::FailedPreconditionError("no Apply of a retired epoch is unaccounted");
  }
  absl::Status named =
      HoldToRecord(schema.status().pending_binding_retirement(), api::operation::kApply,
                   proof.apply_job_name(), proof.plan().execution_binding_id(), live);
  if (!named.ok()) return named;
  const rules::PlanIdentity plan = PlanOf(proof.plan());
  const rules::ClaimIdentity identity = {
      .family = rules::Family::kSchema,
      .owner_namespace = schema.metadata().namespace_(),
      .owner_name = schema.metadata().name(),
      .owner_uid = schema.metadata().uid(),
      .operation_type = api::operation::kApply,
      .operation_id = proof.apply_operation_id(),
      .job_name = proof.apply_job_name(),
      .recorded_uid = proof.apply_job_uid(),
      .epoch = proof.plan().execution_binding_id(),
      .snapshot = proof.has_admission_snapshot() ? &proof.admission_snapshot() : nullptr,
      .plan = &plan};
  return AskRetired(asker, identity, live);
}

}  // namespace lifecycle::dispatch
