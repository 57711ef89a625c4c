#include "lifecycle/migration/plan.h"

#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/rules/fingerprint.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::migration {
namespace {

std::string SequenceDigest(const Pending& pending) {
  rules::Fingerprint sequence("migration sequence");
  sequence.Int(pending.size());
  for (const api::PlannedMigration& migration : pending) sequence.Message(migration);
  return sequence.Digest();
}

// Everything the decision was made from, except who made it.
std::string FingerprintOf(const api::PtahMigrationPlanSpec& spec) {
  return rules::Fingerprint("migration plan")
      .Text(spec.migration_ref().uid())
      .Text(spec.history_fingerprint())
      .Text(SequenceDigest(spec.migrations()))
      .Text(spec.artifact_digest())
      .Text(spec.coordination_digest())
      .Text(spec.target_identity_digest())
      .Text(spec.policy_fingerprint())
      .Text(spec.verification_policy_uid())
      .Text(spec.verification_policy_digest())
      .Text(spec.execution_binding_id())
      .Int(spec.controller_state_version())
      .Text(spec.ptah_version())
      .Text(spec.executor_image())
      .Int(spec.runner_protocol_version())
      .Digest();
}

void SetOwner(const api::PtahMigration& migration, api::ObjectMeta* metadata) {
  metadata->set_namespace_(migration.metadata().namespace_());
  (*metadata->mutable_labels())[api::label::kMigration] =
      rules::LabelValue(migration.metadata().name());
  api::OwnerReference* owner = metadata->add_owner_references();
  owner->set_api_version(api::kGroupVersion);
  owner->set_kind(api::KindName(api::Kind::kPtahMigration));
  owner->set_name(migration.metadata().name());
  owner->set_uid(migration.metadata().uid());
  owner->set_controller(true);
  owner->set_block_owner_deletion(true);
}

bool ComponentsHold(const api::PtahMigrationPlanSpec& plan, const api::ExecutionBinding& binding) {
  return plan.execution_binding_id() == binding.epoch() &&
         plan.controller_state_version() == binding.controller_state_version() &&
         plan.ptah_version() == binding.ptah_version() &&
         plan.executor_image() == binding.executor_image() &&
         plan.runner_protocol_version() == binding.runner_protocol_version();
}

bool IsSameDecision(const api::PtahMigrationPlan& standing, const api::PtahMigrationPlan& plan) {
  return standing.spec().fingerprint() == plan.spec().fingerprint() &&
         standing.spec().migration_ref().uid() == plan.spec().migration_ref().uid() &&
         standing.metadata().deletion_timestamp_ms() == 0;
}

}  // namespace

api::PtahMigrationPlan BuildPlan(const api::PtahMigration& migration, const Pending& pending,
                                 const VerificationPolicy& policy,
                                 const api::Configuration& configuration) {
  const api::PtahMigrationStatus& status = migration.status();
  const api::ExecutionBinding& binding = status.execution_binding();
  api::PtahMigrationPlan plan;
  SetOwner(migration, plan.mutable_metadata());
  api::PtahMigrationPlanSpec* spec = plan.mutable_spec();
  spec->set_contract_version(kPlanContractVersion);
  spec->mutable_migration_ref()->set_name(migration.metadata().name());
  spec->mutable_migration_ref()->set_uid(migration.metadata().uid());
  *spec->mutable_migrations() = pending;
  spec->set_history_fingerprint(status.history().fingerprint());
  spec->set_current_version(status.history().current_version());
  spec->set_artifact_digest(status.artifact().digest());
  spec->set_coordination_digest(CoordinationDigestOf(migration));
  spec->set_target_identity_digest(status.history().target_identity_digest());
  spec->set_policy_fingerprint(PolicyFingerprintOf(migration.spec()));
  spec->set_verification_policy_uid(policy.uid);
  spec->set_verification_policy_digest(policy.digest);
  spec->set_execution_binding_id(binding.epoch());
  spec->set_controller_state_version(binding.controller_state_version());
  spec->set_ptah_version(binding.ptah_version());
  spec->set_executor_image(binding.executor_image());
  spec->set_runner_protocol_version(binding.runner_protocol_version());
  spec->set_controller_image(configuration.controller_image);
  spec->set_controller_revision(configuration.controller_revision);
  spec->set_runner_image(configuration.runner_image);
  spec->set_fingerprint(FingerprintOf(*spec));
  plan.mutable_metadata()->set_name(rules::MigrationPlanName(spec->fingerprint()));
  return plan;
}

std::string PlanMoved(const api::PtahMigrationPlan& plan, const api::PtahMigration& migration) {
  const api::PtahMigrationPlanSpec& spec = plan.spec();
  const api::PtahMigrationStatus& status = migration.status();
  if (plan.metadata().deletion_timestamp_ms() != 0) return "the plan is being deleted";
  if (spec.contract_version() != kPlanContractVersion) return "the plan has another contract";
  if (spec.migration_ref().uid() != migration.metadata().uid()) return "the plan is another's";
  if (spec.history_fingerprint() != status.history().fingerprint()) return "the history moved";
  if (spec.target_identity_digest() != status.history().target_identity_digest()) {
    return "the history is of another database";
  }
  if (spec.artifact_digest() != status.artifact().digest()) return "the artifact moved";
  if (!ComponentsHold(spec, status.execution_binding())) return "the execution binding moved";
  if (spec.policy_fingerprint() != PolicyFingerprintOf(migration.spec())) {
    return "the apply policy moved";
  }
  if (spec.coordination_digest() != CoordinationDigestOf(migration)) return "the realm moved";
  return "";
}

absl::StatusOr<PlanReading> ReadCurrentPlan(const api::ObjectRef& ref, Pass& pass) {
  PlanReading reading;
  auto plan = pass.client().Get<api::PtahMigrationPlan>(pass.metadata().namespace_(), ref.name());
  if (!plan.ok() && !api::IsNotFound(plan.status())) return plan.status();
  if (!plan.ok() || (*plan)->metadata().uid() != ref.uid()) {
    reading.moved = "the plan is gone or was replaced";
    return reading;
  }
  reading.moved = PlanMoved(**plan, pass.resource());
  if (!reading.moved.empty()) return reading;
  absl::StatusOr<std::optional<VerificationPolicy>> policy = ReadVerificationPolicy(pass);
  if (!policy.ok()) return policy.status();
  if (!*policy || (*policy)->uid != (*plan)->spec().verification_policy_uid() ||
      (*policy)->digest != (*plan)->spec().verification_policy_digest()) {
    reading.moved = "the verification policy moved";
    return reading;
  }
  reading.plan = *std::move(plan);
  return reading;
}

absl::StatusOr<StoredPlan> PublishPlan(api::PtahMigrationPlan plan, Pass& pass) {
  absl::StatusOr<StoredPlan> created = pass.client().Create(plan);
  if (created.ok() || !api::IsAlreadyExists(created.status())) return created;
  absl::StatusOr<StoredPlan> standing = pass.client().Get<api::PtahMigrationPlan>(
      plan.metadata().namespace_(), plan.metadata().name());
  if (!standing.ok()) return standing.status();
  if (!IsSameDecision(**standing, plan)) return created.status();
  return standing;
}

}  // namespace lifecycle::migration
