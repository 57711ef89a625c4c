#include "lifecycle/admission/migration_plan.h"

#include <optional>

#include "lifecycle/admission/reading.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/plan.h"

namespace lifecycle::admission {
namespace {

std::optional<migration::VerificationPolicy> PolicyOf(const api::PtahMigration& migration,
                                                      const api::DirectReader& reader) {
  const api::ConfigMapKeySelector& selector =
      migration.spec().artifact().verification_policy_from();
  const auto config_map =
      Read<api::ConfigMap>(reader, migration.metadata().namespace_(), selector.name());
  if (!config_map) return std::nullopt;
  return migration::PolicyIn(*config_map, selector);
}

}  // namespace

absl::Status ReviewMigrationPlan(const api::PtahMigrationPlan& plan,
                                 const api::DirectReader& reader,
                                 const api::Configuration& configuration) {
  const api::OwnerReference* owner = SoleOwner(plan.metadata(), api::Kind::kPtahMigration);
  if (owner == nullptr) return Refused("the plan has no migration as its one owner");
  const auto migration =
      Read<api::PtahMigration>(reader, plan.metadata().namespace_(), owner->name());
  if (!migration || migration->metadata().uid() != owner->uid()) {
    return Refused("the owner of the plan is gone");
  }
  const api::PtahMigrationStatus& status = migration->status();
  if (status.has_unresolved_run()) return Refused("a run of the migration is unresolved");
  const int64_t planned = plan.spec().migrations_size();
  if (planned < 1 || planned > migration::kPlanMigrationsMax ||
      planned != status.history().pending_count()) {
    return Refused("the plan is not what the last reading left pending");
  }
  const std::optional<migration::VerificationPolicy> policy = PolicyOf(*migration, reader);
  if (!policy) return Refused("the verification policy cannot be read");
  api::PtahMigrationPlan derived =
      migration::BuildPlan(*migration, plan.spec().migrations(), *policy, configuration);
  derived.mutable_spec()->set_created_at_ms(plan.spec().created_at_ms());
  if (derived.metadata().name() != plan.metadata().name() ||
      !api::Equal(derived.spec(), plan.spec())) {
    return Refused("the migration's stored evidence does not derive this plan");
  }
  return absl::OkStatus();
}

}  // namespace lifecycle::admission
