#include "lifecycle/schema/publication.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/plan_content.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::schema {
namespace {

constexpr size_t kChunkBytesMax = 512 * 1024;
constexpr size_t kPlanBytesMax = 8 * 1024 * 1024;

void SetOwner(api::Kind kind, const api::ObjectMeta& owner, api::ObjectMeta& meta) {
  api::OwnerReference& reference = *meta.add_owner_references();
  reference.set_api_version(api::kGroupVersion);
  reference.set_kind(api::KindName(kind));
  reference.set_name(owner.name());
  reference.set_uid(owner.uid());
  reference.set_controller(true);
  reference.set_block_owner_deletion(true);
}

// What the Plan's claim and the resource bind the plan to. A proof's Plan is bound to the record
// the Apply left; both are what the claim carries.
api::PtahSchemaPlanSpec SpecOf(const Pass& pass, const api::FramePayload& frame,
                               const api::PlanContent& content) {
  const api::PtahSchemaStatus& status = pass.status();
  const api::ActiveOperation& claim = *pass.claim();
  const api::Configuration& configuration = pass.context().configuration;
  api::PtahSchemaPlanSpec plan;
  plan.set_contract_version(kPlanContractVersion);
  plan.mutable_schema_ref()->set_name(pass.metadata().name());
  plan.mutable_schema_ref()->set_uid(pass.metadata().uid());
  plan.set_content_digest(frame.plan_content_digest());
  plan.set_size(static_cast<int64_t>(frame.stdout().size()));
  plan.set_artifact_digest(claim.source().digest());
  plan.set_coordination_digest(claim.coordination_digest());
  plan.set_target_identity_digest(claim.target_identity_digest());
  plan.set_actual_state_fingerprint(status.target().drift_report_digest());
  plan.set_desired_state_fingerprint(claim.source().digest());
  plan.set_policy_fingerprint(PolicyFingerprint(pass.schema()));
  plan.set_verification_policy_uid(status.source().verification_policy_uid());
  plan.set_verification_policy_digest(status.source().verification_policy_digest());
  plan.set_execution_binding_id(status.execution_binding().epoch());
  plan.set_controller_image(configuration.controller_image);
  plan.set_controller_revision(configuration.controller_revision);
  plan.set_controller_state_version(status.execution_binding().controller_state_version());
  plan.set_ptah_version(status.execution_binding().ptah_version());
  plan.set_executor_image(status.execution_binding().executor_image());
  plan.set_runner_image(configuration.runner_image);
  plan.set_runner_protocol_version(status.execution_binding().runner_protocol_version());
  plan.set_dialect(content.dialect);
  plan.set_destructive(content.destructive);
  plan.mutable_privilege_changes()->Assign(content.privilege_changes.begin(),
                                           content.privilege_changes.end());
  plan.set_statement_count(static_cast<int64_t>(content.statements.size()));
  return plan;
}

// Equal apart from the manager that published it, which binds nothing.
bool SameApartFromPublisher(const api::PtahSchemaPlan& stored, const api::PtahSchemaPlan& wanted) {
  api::PtahSchemaPlanSpec spec = wanted.spec();
  spec.set_controller_image(stored.spec().controller_image());
  spec.set_controller_revision(stored.spec().controller_revision());
  spec.set_runner_image(stored.spec().runner_image());
  return stored.metadata().deletion_timestamp_ms() == 0 &&
         stored.metadata().owner_references_size() == 1 &&
         api::Equal(stored.metadata().owner_references(0), wanted.metadata().owner_references(0)) &&
         api::Equal(stored.spec(), spec);
}

bool SameChunk(const api::PtahSchemaPlanChunk& stored, const api::PtahSchemaPlanChunk& wanted) {
  return stored.metadata().deletion_timestamp_ms() == 0 &&
         stored.metadata().owner_references_size() == 1 &&
         api::Equal(stored.metadata().owner_references(0), wanted.metadata().owner_references(0)) &&
         stored.spec().data() == wanted.spec().data();
}

absl::Status OccupiedName(const std::string& name) {
  return absl::FailedPreconditionError("another object holds the name " + name);
}

// W-33.
absl::StatusOr<StoredPlan> CreateOrFindPlan(Pass& pass, const api::PtahSchemaPlan& wanted) {
  absl::StatusOr<StoredPlan> created = pass.client().Create(wanted);
  if (created.ok() || !api::IsAlreadyExists(created.status())) return created;
  absl::StatusOr<StoredPlan> stored = pass.client().Get<api::PtahSchemaPlan>(
      wanted.metadata().namespace_(), wanted.metadata().name());
  if (!stored.ok()) return stored.status();
  if (!SameApartFromPublisher(**stored, wanted)) return OccupiedName(wanted.metadata().name());
  return stored;
}

// W-34. Returns the chunk's UID.
absl::StatusOr<std::string> CreateOrFindChunk(Pass& pass, const api::PtahSchemaPlanChunk& wanted) {
  absl::StatusOr<StoredChunk> chunk = pass.client().Create(wanted);
  if (!chunk.ok()) {
    if (!api::IsAlreadyExists(chunk.status())) return chunk.status();
    chunk = pass.client().Get<api::PtahSchemaPlanChunk>(wanted.metadata().namespace_(),
                                                        wanted.metadata().name());
    if (!chunk.ok()) return chunk.status();
    if (!SameChunk(**chunk, wanted)) return OccupiedName(wanted.metadata().name());
  }
  return (*chunk)->metadata().uid();
}

// W-35.
absl::StatusOr<StoredPlan> Commit(Pass& pass, const StoredPlan& plan,
                                  const std::vector<std::string>& chunk_uids) {
  api::PtahSchemaPlan next = *plan;
  api::PtahSchemaPlanStatus& status = *next.mutable_status();
  status.clear_published_chunks();
  for (size_t i = 0; i < chunk_uids.size(); ++i) {
    api::PublishedChunk& chunk = *status.add_published_chunks();
    chunk.set_name(plan->spec().chunks(static_cast<int>(i)).name());
    chunk.set_uid(chunk_uids[i]);
    chunk.set_index(static_cast<int64_t>(i));
  }
  status.set_observed_generation(plan->metadata().generation());
  dispatch::SetCondition({.type = api::condition::kReady,
                          .status = true,
                          .reason = "Published",
                          .generation = plan->metadata().generation(),
                          .now_ms = pass.NowMs()},
                         *status.mutable_conditions());
  if (api::Equal(next, *plan)) return plan;
  return pass.client().Update(plan, std::move(next), api::Subresource::kStatus);
}

}  // namespace

absl::StatusOr<Published> PublishPlan(Pass& pass, const api::FramePayload& frame) {
  const std::string& bytes = frame.stdout();
  if (bytes.empty() || bytes.size() > kPlanBytesMax) {
    return Published{.why_not = "the plan is empty or too large"};
  }
  const absl::StatusOr<api::PlanContent> content = api::ParsePlanContent(bytes);
  if (!content.ok() || api::DigestOf(bytes) != frame.plan_content_digest()) {
    return Published{.why_not = "the plan's bytes are not the ones the frame names"};
  }
  const std::vector<std::string> chunks = SplitIntoChunks(bytes);
  absl::StatusOr<StoredPlan> plan =
      CreateOrFindPlan(pass, PlanObjectOf(pass.schema(), SpecOf(pass, frame, *content), chunks));
  if (!plan.ok()) return plan.status();
  std::vector<std::string> uids;
  for (size_t i = 0; i < chunks.size(); ++i) {
    absl::StatusOr<std::string> uid = CreateOrFindChunk(
        pass, ChunkObjectOf(pass.schema(), **plan, static_cast<int64_t>(i), chunks[i]));
    if (!uid.ok()) return uid.status();
    uids.push_back(*std::move(uid));
  }
  absl::StatusOr<StoredPlan> ready = Commit(pass, *plan, uids);
  if (!ready.ok()) return ready.status();
  return Published{.plan = *std::move(ready)};
}

std::vector<std::string> SplitIntoChunks(const std::string& bytes) {
  std::vector<std::string> chunks;
  for (size_t at = 0; at < bytes.size(); at += kChunkBytesMax) {
    chunks.push_back(bytes.substr(at, kChunkBytesMax));
  }
  return chunks;
}

api::PtahSchemaPlan PlanObjectOf(const api::PtahSchema& schema, api::PtahSchemaPlanSpec plan,
                                 const std::vector<std::string>& chunks) {
  plan.set_fingerprint(PlanFingerprint(plan));
  const std::string name = rules::PlanName(plan.fingerprint());
  for (size_t i = 0; i < chunks.size(); ++i) {
    api::PlanChunkRef& ref = *plan.add_chunks();
    ref.set_name(rules::ChunkName(name, static_cast<int64_t>(i)));
    ref.set_index(static_cast<int64_t>(i));
    ref.set_digest(api::DigestOf(chunks[i]));
    ref.set_size(static_cast<int64_t>(chunks[i].size()));
  }
  api::PtahSchemaPlan object;
  api::ObjectMeta& meta = *object.mutable_metadata();
  meta.set_namespace_(schema.metadata().namespace_());
  meta.set_name(name);
  (*meta.mutable_labels())[api::label::kSchema] = rules::LabelValue(schema.metadata().name());
  SetOwner(api::Kind::kPtahSchema, schema.metadata(), meta);
  *object.mutable_spec() = std::move(plan);
  return object;
}

api::PtahSchemaPlanChunk ChunkObjectOf(const api::PtahSchema& schema,
                                       const api::PtahSchemaPlan& plan, int64_t index,
                                       const std::string& data) {
  api::PtahSchemaPlanChunk chunk;
  api::ObjectMeta& meta = *chunk.mutable_metadata();
  meta.set_namespace_(plan.metadata().namespace_());
  meta.set_name(rules::ChunkName(plan.metadata().name(), index));
  (*meta.mutable_labels())[api::label::kSchema] = rules::LabelValue(schema.metadata().name());
  (*meta.mutable_labels())[api::label::kPlan] = rules::LabelValue(plan.metadata().name());
  SetOwner(api::Kind::kPtahSchemaPlan, plan.metadata(), meta);
  chunk.mutable_spec()->set_data(data);
  return chunk;
}

}  // namespace lifecycle::schema
