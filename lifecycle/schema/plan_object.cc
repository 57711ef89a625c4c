#include "lifecycle/schema/plan_object.h"

#include <algorithm>
#include <utility>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/plan_content.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/rules/fingerprint.h"

namespace lifecycle::schema {
namespace {

// The record and the object carry the same identity under the same names. Manager identity
// included: it binds nothing, but a record that names another publisher names another publication.
bool SamePlan(const api::PlanRecord& record, const api::PtahSchemaPlan& plan) {
  const api::PtahSchemaPlanSpec& spec = plan.spec();
  return record.uid() == plan.metadata().uid() && record.fingerprint() == spec.fingerprint() &&
         record.content_digest() == spec.content_digest() &&
         record.artifact_digest() == spec.artifact_digest() &&
         record.coordination_digest() == spec.coordination_digest() &&
         record.target_identity_digest() == spec.target_identity_digest() &&
         record.policy_fingerprint() == spec.policy_fingerprint() &&
         record.verification_policy_uid() == spec.verification_policy_uid() &&
         record.verification_policy_digest() == spec.verification_policy_digest() &&
         record.execution_binding_id() == spec.execution_binding_id() &&
         record.controller_image() == spec.controller_image() &&
         record.controller_revision() == spec.controller_revision() &&
         record.controller_state_version() == spec.controller_state_version() &&
         record.ptah_version() == spec.ptah_version() &&
         record.executor_image() == spec.executor_image() &&
         record.runner_image() == spec.runner_image() &&
         record.runner_protocol_version() == spec.runner_protocol_version();
}

// The evidence the plan was computed from still stands in status and spec.
bool EvidenceHolds(const api::PtahSchema& schema, const api::PtahSchemaPlanSpec& plan) {
  const api::PtahSchemaStatus& status = schema.status();
  return plan.artifact_digest() == status.source().digest() &&
         plan.target_identity_digest() == status.target().identity_digest() &&
         plan.verification_policy_uid() == status.source().verification_policy_uid() &&
         plan.verification_policy_digest() == status.source().verification_policy_digest() &&
         plan.coordination_digest() == CoordinationDigest(schema) &&
         plan.policy_fingerprint() == PolicyFingerprint(schema);
}

// What this build reads from the bytes is what the plan says of itself.
bool ReadsTheSame(const api::PtahSchemaPlanSpec& plan, const std::string& bytes) {
  const absl::StatusOr<api::PlanContent> content = api::ParsePlanContent(bytes);
  return content.ok() && content->dialect == plan.dialect() &&
         content->destructive == plan.destructive() &&
         std::equal(content->privilege_changes.begin(), content->privilege_changes.end(),
                    plan.privilege_changes().begin(), plan.privilege_changes().end()) &&
         static_cast<int64_t>(content->statements.size()) == plan.statement_count();
}

bool IsPublishedChunk(const api::PtahSchemaPlan& plan, const api::PlanChunkRef& ref,
                      const api::PtahSchemaPlanChunk& chunk) {
  for (const api::PublishedChunk& published : plan.status().published_chunks()) {
    if (published.index() == ref.index()) {
      return published.name() == ref.name() && published.uid() == chunk.metadata().uid() &&
             static_cast<int64_t>(chunk.spec().data().size()) == ref.size() &&
             api::DigestOf(chunk.spec().data()) == ref.digest();
    }
  }
  return false;
}

}  // namespace

std::string PlanFingerprint(const api::PtahSchemaPlanSpec& plan) {
  return rules::Fingerprint("schema plan")
      .Int(plan.contract_version())
      .Message(plan.schema_ref())
      .Text(plan.content_digest())
      .Int(plan.size())
      .Text(plan.artifact_digest())
      .Text(plan.coordination_digest())
      .Text(plan.target_identity_digest())
      .Text(plan.actual_state_fingerprint())
      .Text(plan.desired_state_fingerprint())
      .Text(plan.policy_fingerprint())
      .Text(plan.verification_policy_uid())
      .Text(plan.verification_policy_digest())
      .Text(plan.execution_binding_id())
      .Int(plan.controller_state_version())
      .Text(plan.ptah_version())
      .Text(plan.executor_image())
      .Int(plan.runner_protocol_version())
      .Text(plan.dialect())
      .Bool(plan.destructive())
      .List(plan.privilege_changes())
      .Int(plan.statement_count())
      .Digest();
}

api::PlanRecord RecordOf(const api::PtahSchemaPlan& plan) {
  const api::PtahSchemaPlanSpec& spec = plan.spec();
  api::PlanRecord record;
  record.set_name(plan.metadata().name());
  record.set_uid(plan.metadata().uid());
  record.set_fingerprint(spec.fingerprint());
  record.set_content_digest(spec.content_digest());
  record.set_artifact_digest(spec.artifact_digest());
  record.set_coordination_digest(spec.coordination_digest());
  record.set_target_identity_digest(spec.target_identity_digest());
  record.set_actual_state_fingerprint(spec.actual_state_fingerprint());
  record.set_desired_state_fingerprint(spec.desired_state_fingerprint());
  record.set_policy_fingerprint(spec.policy_fingerprint());
  record.set_verification_policy_uid(spec.verification_policy_uid());
  record.set_verification_policy_digest(spec.verification_policy_digest());
  record.set_execution_binding_id(spec.execution_binding_id());
  record.set_controller_image(spec.controller_image());
  record.set_controller_revision(spec.controller_revision());
  record.set_controller_state_version(spec.controller_state_version());
  record.set_ptah_version(spec.ptah_version());
  record.set_executor_image(spec.executor_image());
  record.set_runner_image(spec.runner_image());
  record.set_runner_protocol_version(spec.runner_protocol_version());
  record.set_destructive(spec.destructive());
  *record.mutable_privilege_changes() = spec.privilege_changes();
  record.set_statement_count(spec.statement_count());
  record.set_created_at_ms(plan.metadata().creation_timestamp_ms());
  return record;
}

bool StorageReady(const api::PtahSchemaPlan& plan) {
  return plan.status().published_chunks_size() == plan.spec().chunks_size() &&
         dispatch::IsTrue(plan.status().conditions(), api::condition::kReady);
}

bool PlanIsCurrent(const api::PtahSchema& schema, const api::PtahSchemaPlan& plan) {
  return plan.metadata().deletion_timestamp_ms() == 0 &&
         plan.spec().contract_version() == kPlanContractVersion &&
         plan.spec().schema_ref().name() == schema.metadata().name() &&
         plan.spec().schema_ref().uid() == schema.metadata().uid() && StorageReady(plan) &&
         SamePlan(schema.status().plan(), plan) && EvidenceHolds(schema, plan.spec());
}

absl::StatusOr<std::optional<StoredPlan>> ReadPlan(Pass& pass) {
  absl::StatusOr<StoredPlan> read =
      pass.client().Get<api::PtahSchemaPlan>(pass.metadata().namespace_(), pass.plan()->name());
  if (read.ok()) return std::optional<StoredPlan>(*std::move(read));
  if (api::IsNotFound(read.status())) return std::optional<StoredPlan>();
  return read.status();
}

absl::StatusOr<std::optional<PolicyIdentity>> ReadPolicy(Pass& pass) {
  const api::ConfigMapKeySelector& selector = pass.spec().desired().verification_policy_from();
  absl::StatusOr<api::Stored<api::ConfigMap>> read =
      pass.client().Get<api::ConfigMap>(pass.metadata().namespace_(), selector.name());
  if (!read.ok()) {
    if (api::IsNotFound(read.status())) return std::optional<PolicyIdentity>();
    return read.status();
  }
  const auto found = (*read)->data().find(selector.key());
  if (found == (*read)->data().end()) return std::optional<PolicyIdentity>();
  return std::optional<PolicyIdentity>({(*read)->metadata().uid(), api::DigestOf(found->second)});
}

bool PolicyBinds(const std::optional<PolicyIdentity>& policy, const api::PlanRecord& plan) {
  return policy && policy->uid == plan.verification_policy_uid() &&
         policy->digest == plan.verification_policy_digest();
}

absl::StatusOr<std::optional<std::vector<StoredChunk>>> ReadVerifiedChunks(
    Pass& pass, const api::PtahSchemaPlan& plan) {
  std::vector<StoredChunk> chunks;
  std::string bytes;
  for (const api::PlanChunkRef& ref : plan.spec().chunks()) {
    absl::StatusOr<StoredChunk> read =
        pass.client().Get<api::PtahSchemaPlanChunk>(pass.metadata().namespace_(), ref.name());
    if (!read.ok()) {
      if (api::IsNotFound(read.status())) return std::optional<std::vector<StoredChunk>>();
      return read.status();
    }
    if (!IsPublishedChunk(plan, ref, **read)) return std::optional<std::vector<StoredChunk>>();
    bytes += (*read)->spec().data();
    chunks.push_back(*std::move(read));
  }
  const bool whole = static_cast<int64_t>(bytes.size()) == plan.spec().size() &&
                     api::DigestOf(bytes) == plan.spec().content_digest() &&
                     ReadsTheSame(plan.spec(), bytes);
  if (!whole) return std::optional<std::vector<StoredChunk>>();
  return std::optional<std::vector<StoredChunk>>(std::move(chunks));
}

}  // namespace lifecycle::schema
