#include "lifecycle/admission/job_writes.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/admission/reading.h"
#include "lifecycle/admission/schema_plan.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::admission {
namespace {

using api::ActiveOperation;
using api::Job;
using rules::Family;

// The claim reserves this name and records no Job yet: every Job ever stored under a claim's name
// was stored in that state (spec 01, 15.8).
absl::Status HoldsReservation(const api::ObjectMeta& owner, bool has_claim,
                              const ActiveOperation& claim, const Job& job) {
  if (IsDeleting(owner)) return Refused("the owner of the Job is being deleted");
  if (!has_claim || claim.job_name() != job.metadata().name()) {
    return Refused("no claim of the owner reserves the Job's name");
  }
  if (!claim.job_uid().empty()) return Refused("the claim records a Job already");
  return absl::OkStatus();
}

absl::Status ReviewMigrationJob(const Job& job, const api::PtahMigration& migration,
                                const api::DirectReader& reader,
                                const api::Configuration& configuration) {
  const ActiveOperation& claim = migration.status().active_operation();
  absl::Status reserved =
      HoldsReservation(migration.metadata(), migration.status().has_active_operation(), claim, job);
  if (!reserved.ok()) return reserved;
  std::shared_ptr<const api::PtahMigrationPlan> plan;
  if (rules::MigrationOperation(claim.type()).mutating) {
    plan = Read<api::PtahMigrationPlan>(reader, migration.metadata().namespace_(),
                                        claim.plan_ref().name());
    if (!plan || plan->metadata().uid() != claim.plan_ref().uid()) {
      return Refused("the plan of the claim is gone or was replaced");
    }
  }
  const absl::StatusOr<Job> built =
      dispatch::BuildMigrationJob(migration, claim, plan.get(), configuration);
  if (!built.ok()) return Refused(built.status().message());
  return dispatch::HoldToBuilt(rules::JobAsker::kWebhookCreate,
                               {.family = Family::kMigration,
                                .owner = migration.metadata(),
                                .claim = claim,
                                .binding = migration.status().execution_binding()},
                               job, *built);
}

absl::Status ReviewSchemaJob(const Job& job, const api::PtahSchema& schema,
                             const api::DirectReader& reader,
                             const api::Configuration& configuration) {
  const ActiveOperation& claim = schema.status().active_operation();
  absl::Status reserved =
      HoldsReservation(schema.metadata(), schema.status().has_active_operation(), claim, job);
  if (!reserved.ok()) return reserved;
  std::shared_ptr<const api::PtahSchemaPlan> plan;
  if (rules::SchemaOperation(claim.type()).mutating) {
    absl::StatusOr<std::shared_ptr<const api::PtahSchemaPlan>> valid =
        ReadProjectedPlan(schema, reader);
    if (!valid.ok()) return valid.status();
    plan = *std::move(valid);
  }
  const absl::StatusOr<Job> built =
      dispatch::BuildSchemaJob(schema, claim, plan.get(), configuration);
  if (!built.ok()) return Refused(built.status().message());
  return dispatch::HoldToBuilt(
      rules::JobAsker::kWebhookCreate,
      {.family = Family::kSchema,
       .owner = schema.metadata(),
       .claim = claim,
       .binding = schema.status().execution_binding(),
       .plan = schema.status().has_plan() ? &schema.status().plan() : nullptr},
      job, *built);
}

bool IsTerminal(const Job& job) { return dispatch::EndOf(job).terminal; }

// Row 2 (a): the active claim names the Job by name and UID.
absl::Status ReviewClaimedTtl(const Job& job, const dispatch::ClaimContext& context,
                              bool has_claim) {
  const ActiveOperation& claim = context.claim;
  if (!has_claim || claim.job_name() != job.metadata().name() ||
      claim.job_uid() != job.metadata().uid()) {
    return Refused("no claim of the owner names the Job");
  }
  const bool may_run =
      context.family == Family::kSchema && rules::SchemaOperation(claim.type()).mutating;
  if (!may_run && !IsTerminal(job)) return Refused("the Job has not ended");
  return dispatch::HoldToEnvelope(rules::JobAsker::kWebhookTtl, context, job);
}

// The retirement record names this very Job, by name and UID.
bool IsRetired(const Job& job, const api::PendingBindingRetirement& record) {
  return record.has_job() && record.job().name() == job.metadata().name() &&
         !record.job().uid().empty() && record.job().uid() == job.metadata().uid();
}

// Row 2 (b) and (c): the Job a rotation left, which only the retirement record and what it names
// still speak for. Nobody is waiting for it to be cleaned while it runs.
absl::Status ReviewRetiredTtl(const Job& job, const api::PtahSchema& schema) {
  if (!IsTerminal(job)) return Refused("the retired Job has not ended");
  return schema.status().has_active_operation()
             ? dispatch::HoldRetiredReading(rules::JobAsker::kWebhookTtlRetiredReading, schema, job)
             : dispatch::HoldRetiredApply(rules::JobAsker::kWebhookTtlRetiredApply, schema, job);
}

absl::Status ReviewSchemaTtl(const Job& job, const api::PtahSchema& schema) {
  const api::PtahSchemaStatus& status = schema.status();
  if (IsRetired(job, status.pending_binding_retirement())) return ReviewRetiredTtl(job, schema);
  return ReviewClaimedTtl(job,
                          {.family = Family::kSchema,
                           .owner = schema.metadata(),
                           .claim = status.active_operation(),
                           .binding = status.execution_binding(),
                           .plan = status.has_plan() ? &status.plan() : nullptr},
                          status.has_active_operation());
}

bool IsTtlTransition(const Job& before, const Job& after) {
  if (before.spec().has_ttl_seconds_after_finished()) return false;
  Job expected = before;
  expected.mutable_spec()->set_ttl_seconds_after_finished(rules::kCleanupTtlSeconds);
  // The server's own: it counts the change of the spec.
  expected.mutable_metadata()->set_generation(after.metadata().generation());
  return api::Equal(expected, after);
}

}  // namespace

absl::Status ReviewJobCreate(const Job& job, const api::DirectReader& reader,
                             const api::Configuration& configuration) {
  const std::string& namespace_ = job.metadata().namespace_();
  if (const api::OwnerReference* owner = SoleOwner(job.metadata(), api::Kind::kPtahSchema)) {
    const auto schema = Read<api::PtahSchema>(reader, namespace_, owner->name());
    if (!schema || schema->metadata().uid() != owner->uid()) {
      return Refused("the owner of the Job is gone");
    }
    return ReviewSchemaJob(job, *schema, reader, configuration);
  }
  if (const api::OwnerReference* owner = SoleOwner(job.metadata(), api::Kind::kPtahMigration)) {
    const auto migration = Read<api::PtahMigration>(reader, namespace_, owner->name());
    if (!migration || migration->metadata().uid() != owner->uid()) {
      return Refused("the owner of the Job is gone");
    }
    return ReviewMigrationJob(job, *migration, reader, configuration);
  }
  return Refused("the Job has no resource as its one owner");
}

absl::Status ReviewJobUpdate(const Job& before, const Job& after, const api::DirectReader& reader) {
  if (!IsTtlTransition(before, after)) {
    return Refused(absl::StrCat("the one change of a Job is its cleanup TTL, from absent to ",
                                rules::kCleanupTtlSeconds));
  }
  const std::string& namespace_ = before.metadata().namespace_();
  if (const api::OwnerReference* owner = SoleOwner(before.metadata(), api::Kind::kPtahSchema)) {
    const auto schema = Read<api::PtahSchema>(reader, namespace_, owner->name());
    if (!schema) return Refused("the owner of the Job is gone");
    return ReviewSchemaTtl(before, *schema);
  }
  if (const api::OwnerReference* owner = SoleOwner(before.metadata(), api::Kind::kPtahMigration)) {
    const auto migration = Read<api::PtahMigration>(reader, namespace_, owner->name());
    if (!migration) return Refused("the owner of the Job is gone");
    return ReviewClaimedTtl(before,
                            {.family = Family::kMigration,
                             .owner = migration->metadata(),
                             .claim = migration->status().active_operation(),
                             .binding = migration->status().execution_binding()},
                            migration->status().has_active_operation());
  }
  return Refused("the Job has no resource as its one owner");
}

}  // namespace lifecycle::admission
