#include "lifecycle/admission/schema_plan.h"

#include <string>

#include "lifecycle/admission/reading.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/projection.h"

namespace lifecycle::admission {
namespace {

constexpr int kChunksMax = 16;
constexpr int64_t kChunkBytesMax = 512 * 1024;
constexpr int64_t kPlanBytesMax = 8 * 1024 * 1024;

bool IsShapedManifest(const api::PtahSchemaPlan& plan) {
  const api::PtahSchemaPlanSpec& spec = plan.spec();
  if (spec.contract_version() != schema::kPlanContractVersion) return false;
  if (spec.chunks_size() < 1 || spec.chunks_size() > kChunksMax) return false;
  if (spec.size() < 1 || spec.size() > kPlanBytesMax) return false;
  int64_t bytes = 0;
  for (int i = 0; i < spec.chunks_size(); ++i) {
    const api::PlanChunkRef& chunk = spec.chunks(i);
    if (chunk.index() != i || chunk.size() < 1 || chunk.size() > kChunkBytesMax ||
        !api::IsDigest(chunk.digest()) ||
        chunk.name() != rules::ChunkName(plan.metadata().name(), i)) {
      return false;
    }
    bytes += chunk.size();
  }
  return bytes == spec.size();
}

// Who publishes, and under which binding.
bool RecordsThisManager(const api::PtahSchemaPlanSpec& plan,
                        const api::Configuration& configuration) {
  return plan.controller_image() == configuration.controller_image &&
         plan.controller_revision() == configuration.controller_revision &&
         plan.runner_image() == configuration.runner_image;
}

bool BindingEquals(const api::PtahSchemaPlanSpec& plan, const api::ExecutionBinding& binding) {
  return plan.execution_binding_id() == binding.epoch() &&
         plan.controller_state_version() == binding.controller_state_version() &&
         plan.ptah_version() == binding.ptah_version() &&
         plan.executor_image() == binding.executor_image() &&
         plan.runner_protocol_version() == binding.runner_protocol_version();
}

bool EvidenceEquals(const api::PtahSchemaPlanSpec& plan, const api::PtahSchema& schema) {
  const api::PtahSchemaStatus& status = schema.status();
  return plan.artifact_digest() == status.source().digest() &&
         plan.target_identity_digest() == status.target().identity_digest() &&
         plan.coordination_digest() == status.target().coordination_digest();
}

// The Job the plan was computed by: succeeded, on its way to be collected, and the claim's.
absl::Status ReviewSourceJob(const api::PtahSchema& schema, const api::DirectReader& reader,
                             const api::Configuration& configuration) {
  const api::ActiveOperation& claim = schema.status().active_operation();
  const auto job = Read<api::Job>(reader, schema.metadata().namespace_(), claim.job_name());
  if (!job || claim.job_uid().empty() || job->metadata().uid() != claim.job_uid()) {
    return Refused("the Job the plan was computed by is gone");
  }
  return dispatch::HoldToBuilt(rules::JobAsker::kWebhookPublication,
                               {.family = rules::Family::kSchema,
                                .owner = schema.metadata(),
                                .claim = claim,
                                .binding = schema.status().execution_binding()},
                               *job,
                               dispatch::BuildSchemaJob(schema, claim, nullptr, configuration));
}

// Everything of a projection but what the server assigns.
bool IsProjection(const api::ConfigMap& stored, const api::ConfigMap& expected) {
  api::ConfigMap compared = expected;
  api::ObjectMeta& metadata = *compared.mutable_metadata();
  metadata.set_uid(stored.metadata().uid());
  metadata.set_resource_version(stored.metadata().resource_version());
  metadata.set_generation(stored.metadata().generation());
  metadata.set_creation_timestamp_ms(stored.metadata().creation_timestamp_ms());
  return api::Equal(stored, compared);
}

const api::PlanChunkRef* FindChunk(const api::PtahSchemaPlan& plan, const std::string& name) {
  for (const api::PlanChunkRef& chunk : plan.spec().chunks()) {
    if (chunk.name() == name) return &chunk;
  }
  return nullptr;
}

bool IsListed(const api::PlanChunkRef* listed, const std::string& data) {
  return listed != nullptr && listed->size() == static_cast<int64_t>(data.size()) &&
         listed->digest() == api::DigestOf(data);
}

// The plan that owns a chunk or a projection, null when it is not there.
std::shared_ptr<const api::PtahSchemaPlan> OwningPlan(const api::ObjectMeta& metadata,
                                                      const api::DirectReader& reader) {
  const api::OwnerReference* owner = SoleOwner(metadata, api::Kind::kPtahSchemaPlan);
  if (owner == nullptr) return nullptr;
  auto plan = Read<api::PtahSchemaPlan>(reader, metadata.namespace_(), owner->name());
  if (!plan || plan->metadata().uid() != owner->uid() || IsDeleting(plan->metadata())) {
    return nullptr;
  }
  return plan;
}

absl::Status ReviewChunkProjection(const api::PtahSchema& schema, const api::PtahSchemaPlan& plan,
                                   const api::PlanChunkRef& ref, const api::DirectReader& reader) {
  const std::string& namespace_ = plan.metadata().namespace_();
  const auto chunk = Read<api::PtahSchemaPlanChunk>(reader, namespace_, ref.name());
  if (!chunk || !IsListed(&ref, chunk->spec().data())) {
    return Refused("a chunk of the plan is missing or is not the manifest's");
  }
  const auto projection = Read<api::ConfigMap>(reader, namespace_, ref.name());
  if (!projection || !IsProjection(*projection, schema::ProjectionOf(schema, plan, *chunk))) {
    return Refused("a projection of the plan is missing or is another");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReviewSchemaPlan(const api::PtahSchemaPlan& plan, const api::DirectReader& reader,
                              const api::Configuration& configuration) {
  const api::OwnerReference* owner = SoleOwner(plan.metadata(), api::Kind::kPtahSchema);
  if (owner == nullptr) return Refused("the plan has no schema as its one owner");
  const auto schema = Read<api::PtahSchema>(reader, plan.metadata().namespace_(), owner->name());
  if (!schema || schema->metadata().uid() != owner->uid()) {
    return Refused("the owner of the plan is gone");
  }
  if (plan.spec().schema_ref().name() != owner->name() ||
      plan.spec().schema_ref().uid() != owner->uid()) {
    return Refused("the plan is another schema's");
  }
  if (plan.has_status()) return Refused("a plan is created without a status");
  if (plan.spec().fingerprint() != schema::PlanFingerprint(plan.spec()) ||
      plan.metadata().name() != rules::PlanName(plan.spec().fingerprint())) {
    return Refused("the plan's name or fingerprint is not its content's");
  }
  if (!IsShapedManifest(plan)) return Refused("the plan's manifest is malformed");
  if (!RecordsThisManager(plan.spec(), configuration)) {
    return Refused("the plan records another manager");
  }
  const api::PtahSchemaStatus& status = schema->status();
  if (!status.has_active_operation() || status.active_operation().type() != api::operation::kPlan) {
    return Refused("no Plan claim of the schema is active");
  }
  if (!BindingEquals(plan.spec(), status.execution_binding())) {
    return Refused("the plan was not made under the binding in force");
  }
  if (!EvidenceEquals(plan.spec(), *schema)) {
    return Refused("the plan's source or target is not the schema's");
  }
  return ReviewSourceJob(*schema, reader, configuration);
}

absl::Status ReviewChunk(const api::PtahSchemaPlanChunk& chunk, const api::DirectReader& reader) {
  const auto plan = OwningPlan(chunk.metadata(), reader);
  if (!plan) return Refused("the plan of the chunk is gone");
  if (!IsListed(FindChunk(*plan, chunk.metadata().name()), chunk.spec().data())) {
    return Refused("the plan's manifest does not list this chunk");
  }
  return absl::OkStatus();
}

absl::Status ReviewProjection(const api::ConfigMap& projection, const api::DirectReader& reader) {
  const auto plan = OwningPlan(projection.metadata(), reader);
  if (!plan) return Refused("the plan of the projection is gone");
  const auto schema = Read<api::PtahSchema>(reader, plan->metadata().namespace_(),
                                            plan->spec().schema_ref().name());
  if (!schema || schema->metadata().uid() != plan->spec().schema_ref().uid()) {
    return Refused("the schema of the projection is gone");
  }
  const api::PtahSchemaStatus& status = schema->status();
  if (!status.has_active_operation() ||
      !rules::SchemaOperation(status.active_operation().type()).mutating ||
      status.plan().uid() != plan->metadata().uid()) {
    return Refused("no Apply claim of the schema runs this plan");
  }
  if (dispatch::MayHaveDispatched(status.active_operation())) {
    return Refused("the Apply has crossed the dispatch boundary");
  }
  const auto chunk = Read<api::PtahSchemaPlanChunk>(reader, projection.metadata().namespace_(),
                                                    projection.metadata().name());
  const api::PlanChunkRef* listed = FindChunk(*plan, projection.metadata().name());
  if (!chunk || !IsListed(listed, chunk->spec().data()) ||
      !IsProjection(projection, schema::ProjectionOf(*schema, *plan, *chunk))) {
    return Refused("the projection is not the plan's");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const api::PtahSchemaPlan>> ReadProjectedPlan(
    const api::PtahSchema& schema, const api::DirectReader& reader) {
  const api::PlanRecord& record = schema.status().plan();
  auto plan = Read<api::PtahSchemaPlan>(reader, schema.metadata().namespace_(), record.name());
  if (!plan || plan->metadata().uid() != record.uid()) {
    return Refused("the plan of the claim is gone or was replaced");
  }
  if (!schema::PlanIsCurrent(schema, *plan)) return Refused("the plan is no longer current");
  for (const api::PlanChunkRef& ref : plan->spec().chunks()) {
    absl::Status valid = ReviewChunkProjection(schema, *plan, ref, reader);
    if (!valid.ok()) return valid;
  }
  return plan;
}

}  // namespace lifecycle::admission
