#include "lifecycle/schema/projection.h"

#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::schema {
namespace {

// Name, owner, labels, immutability and the one key. What the server assigns is left out: whoever
// wrote it, these make it this plan's projection or not.
bool IsProjection(const api::ConfigMap& stored, const api::ConfigMap& expected) {
  if (stored.metadata().owner_references_size() != 1 ||
      !api::Equal(stored.metadata().owner_references(0), expected.metadata().owner_references(0))) {
    return false;
  }
  for (const auto& [key, value] : expected.metadata().labels()) {
    const auto found = stored.metadata().labels().find(key);
    if (found == stored.metadata().labels().end() || found->second != value) return false;
  }
  if (!stored.immutable() || !stored.data().empty() || stored.binary_data_size() != 1) return false;
  const auto found = stored.binary_data().find(dispatch::kProjectionKey);
  return found != stored.binary_data().end() &&
         found->second == expected.binary_data().at(dispatch::kProjectionKey) &&
         stored.metadata().deletion_timestamp_ms() == 0;
}

}  // namespace

api::ConfigMap ProjectionOf(const api::PtahSchema& schema, const api::PtahSchemaPlan& plan,
                            const api::PtahSchemaPlanChunk& chunk) {
  api::ConfigMap projection;
  api::ObjectMeta& meta = *projection.mutable_metadata();
  meta.set_namespace_(chunk.metadata().namespace_());
  meta.set_name(chunk.metadata().name());
  auto& labels = *meta.mutable_labels();
  labels[api::label::kManagedBy] = api::label::kManagedByValue;
  labels[api::label::kSchema] = rules::LabelValue(schema.metadata().name());
  labels[api::label::kPlan] = rules::LabelValue(plan.metadata().name());
  api::OwnerReference& owner = *meta.add_owner_references();
  owner.set_api_version(api::kGroupVersion);
  owner.set_kind(api::KindName(api::Kind::kPtahSchemaPlan));
  owner.set_name(plan.metadata().name());
  owner.set_uid(plan.metadata().uid());
  owner.set_controller(true);
  owner.set_block_owner_deletion(true);
  projection.set_immutable(true);
  (*projection.mutable_binary_data())[dispatch::kProjectionKey] = chunk.spec().data();
  return projection;
}

absl::StatusOr<Staged> StageProjections(Pass& pass, const api::PtahSchemaPlan& plan,
                                        const std::vector<StoredChunk>& chunks) {
  for (const StoredChunk& chunk : chunks) {
    const api::ConfigMap expected = ProjectionOf(pass.schema(), plan, *chunk);
    const absl::Status created = pass.client().Create(expected).status();
    if (created.ok()) continue;
    if (!api::IsAlreadyExists(created)) return created;
    const absl::StatusOr<api::Stored<api::ConfigMap>> stored = pass.client().Get<api::ConfigMap>(
        expected.metadata().namespace_(), expected.metadata().name());
    if (!stored.ok()) return stored.status();
    if (!IsProjection(**stored, expected)) return Staged::kConflict;
  }
  return Staged::kAll;
}

}  // namespace lifecycle::schema
