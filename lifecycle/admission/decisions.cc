#include "lifecycle/admission/decisions.h"

#include <memory>
#include <string>
#include <utility>

#include "lifecycle/admission/author.h"
#include "lifecycle/admission/reading.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/plan.h"
#include "lifecycle/schema/plan_object.h"

namespace lifecycle::admission {
namespace {

using api::AdmissionAnswer;
using api::AdmissionRequest;
using api::DirectReader;

// A submitted status is nobody's to set: the server drops it, and so do we.
template <class T>
std::shared_ptr<T> Copy(const AdmissionRequest& request) {
  auto copy = std::make_shared<T>(As<T>(request.after));
  copy->clear_status();
  return copy;
}

api::UserInfo Identity(const AdmissionRequest& request) {
  api::UserInfo user;
  user.set_username(request.sender);
  return user;
}

template <class Spec>
void StampApprover(const AdmissionRequest& request, const DirectReader& reader, Spec* spec) {
  *spec->mutable_approver() = Identity(request);
  spec->set_approved_at_ms(reader.WallMs());
  spec->set_mutation_request_uid(request.request);
}

// The resource is waiting for a decision and nothing is at work.
template <class Resource>
absl::Status WaitsForApproval(const Resource& resource) {
  if (IsDeleting(resource.metadata())) return Refused("the resource is being deleted");
  if (resource.status().has_active_operation()) return Refused("an operation is active");
  if (resource.status().phase() != api::phase::kAwaitingApproval) {
    return Refused("the resource does not await an approval");
  }
  if (!dispatch::IsTrue(resource.status().conditions(), api::condition::kApprovalRequired)) {
    return Refused("the resource requires no approval");
  }
  return absl::OkStatus();
}

std::shared_ptr<const api::ConfigMap> PolicyObject(const api::ConfigMapKeySelector& selector,
                                                   const std::string& namespace_,
                                                   const DirectReader& reader) {
  return Read<api::ConfigMap>(reader, namespace_, selector.name());
}

// The policy object and content a plan was computed under still stand.
template <class PlanSpec>
bool PolicyHolds(const PlanSpec& plan, const api::ConfigMapKeySelector& selector,
                 const std::string& namespace_, const DirectReader& reader) {
  const auto object = PolicyObject(selector, namespace_, reader);
  if (!object) return false;
  const std::optional<migration::VerificationPolicy> policy =
      migration::PolicyIn(*object, selector);
  return policy && policy->uid == plan.verification_policy_uid() &&
         policy->digest == plan.verification_policy_digest();
}

absl::Status FenceSchema(const api::PtahSchemaApprovalSpec& approval, const std::string& namespace_,
                         const DirectReader& reader) {
  const auto schema = Read<api::PtahSchema>(reader, namespace_, approval.schema_ref().name());
  if (!schema || schema->metadata().uid() != approval.schema_ref().uid()) {
    return Refused("the approval names no current schema");
  }
  if (absl::Status waits = WaitsForApproval(*schema); !waits.ok()) return waits;
  const api::PlanRecord& record = schema->status().plan();
  if (!schema->status().has_plan() || record.uid() != approval.plan_ref().uid() ||
      record.name() != approval.plan_ref().name() || approval.plan_fingerprint().empty() ||
      record.fingerprint() != approval.plan_fingerprint()) {
    return Refused("the schema's current plan is not the one the approval names");
  }
  if (record.has_approval()) return Refused("an approval is recorded already");
  const auto plan = Read<api::PtahSchemaPlan>(reader, namespace_, record.name());
  if (!plan || plan->metadata().uid() != record.uid()) return Refused("the plan is gone");
  if (!schema::PlanIsCurrent(*schema, *plan) ||
      plan->spec().execution_binding_id() != schema->status().execution_binding().epoch()) {
    return Refused("the plan is no longer current");
  }
  if (!PolicyHolds(plan->spec(), schema->spec().desired().verification_policy_from(), namespace_,
                   reader)) {
    return Refused("the verification policy moved");
  }
  return absl::OkStatus();
}

// Copies of the plan's bindings are redundant, since the fingerprint covers them; where an approval
// carries them they have to be the plan's.
bool CopiesHold(const api::PtahMigrationApprovalSpec& approval,
                const api::PtahMigrationPlanSpec& plan) {
  const auto holds = [](const std::string& copy, const std::string& bound) {
    return copy.empty() || copy == bound;
  };
  return holds(approval.history_fingerprint(), plan.history_fingerprint()) &&
         holds(approval.artifact_digest(), plan.artifact_digest()) &&
         holds(approval.coordination_digest(), plan.coordination_digest()) &&
         holds(approval.target_identity_digest(), plan.target_identity_digest()) &&
         holds(approval.policy_fingerprint(), plan.policy_fingerprint()) &&
         holds(approval.verification_policy_uid(), plan.verification_policy_uid()) &&
         holds(approval.verification_policy_digest(), plan.verification_policy_digest()) &&
         holds(approval.execution_binding_id(), plan.execution_binding_id());
}

absl::Status FenceMigration(const api::PtahMigrationApprovalSpec& approval,
                            const AdmissionRequest& request, const DirectReader& reader) {
  const std::string& namespace_ = request.key.namespace_;
  const auto migration =
      Read<api::PtahMigration>(reader, namespace_, approval.migration_ref().name());
  if (!migration || migration->metadata().uid() != approval.migration_ref().uid()) {
    return Refused("the approval names no current migration");
  }
  if (absl::Status waits = WaitsForApproval(*migration); !waits.ok()) return waits;
  absl::Status distinct = FenceDistinctApprover(*migration, request.sender);
  if (!distinct.ok()) return distinct;
  const api::ObjectRef& current = migration->status().plan();
  if (!migration->status().has_plan() || current.uid() != approval.plan_ref().uid() ||
      current.name() != approval.plan_ref().name()) {
    return Refused("the migration's current plan is not the one the approval names");
  }
  const auto plan = Read<api::PtahMigrationPlan>(reader, namespace_, current.name());
  if (!plan || plan->metadata().uid() != current.uid()) return Refused("the plan is gone");
  if (approval.plan_fingerprint().empty() ||
      approval.plan_fingerprint() != plan->spec().fingerprint() ||
      !CopiesHold(approval, plan->spec())) {
    return Refused("the approval does not describe the plan it names");
  }
  const std::string moved = migration::PlanMoved(*plan, *migration);
  if (!moved.empty()) return Refused(moved);
  if (!PolicyHolds(plan->spec(), migration->spec().artifact().verification_policy_from(),
                   namespace_, reader)) {
    return Refused("the verification policy moved");
  }
  return absl::OkStatus();
}

// Only the run that is unresolved now can be acknowledged.
absl::Status FenceAcknowledgment(const api::PtahMigrationRunAcknowledgmentSpec& acknowledgment,
                                 const std::string& namespace_, const DirectReader& reader) {
  const auto migration =
      Read<api::PtahMigration>(reader, namespace_, acknowledgment.migration_ref().name());
  if (!migration || migration->metadata().uid() != acknowledgment.migration_ref().uid()) {
    return Refused("the acknowledgment names no current migration");
  }
  if (IsDeleting(migration->metadata())) return Refused("the migration is being deleted");
  if (!api::IsDigest(acknowledgment.operation_id()) || !migration->status().has_unresolved_run() ||
      migration->status().unresolved_run().operation_id() != acknowledgment.operation_id()) {
    return Refused("the acknowledgment does not name the run that is unresolved");
  }
  return absl::OkStatus();
}

template <class T>
absl::Status SpecUnchanged(const AdmissionRequest& request) {
  if (api::Equal(As<T>(request.before).spec(), As<T>(request.after).spec())) {
    return absl::OkStatus();
  }
  return Refused("a decision never changes");
}

}  // namespace

AdmissionAnswer ReviewSchemaApproval(const AdmissionRequest& request, const DirectReader& reader) {
  auto approval = Copy<api::PtahSchemaApproval>(request);
  absl::Status fenced = FenceSchema(approval->spec(), request.key.namespace_, reader);
  if (!fenced.ok()) return {fenced, nullptr};
  StampApprover(request, reader, approval->mutable_spec());
  return {absl::OkStatus(), std::move(approval)};
}

AdmissionAnswer ReviewMigrationApproval(const AdmissionRequest& request,
                                        const DirectReader& reader) {
  auto approval = Copy<api::PtahMigrationApproval>(request);
  absl::Status fenced = FenceMigration(approval->spec(), request, reader);
  if (!fenced.ok()) return {fenced, nullptr};
  StampApprover(request, reader, approval->mutable_spec());
  return {absl::OkStatus(), std::move(approval)};
}

AdmissionAnswer ReviewAcknowledgment(const AdmissionRequest& request, const DirectReader& reader) {
  auto acknowledgment = Copy<api::PtahMigrationRunAcknowledgment>(request);
  absl::Status fenced = FenceAcknowledgment(acknowledgment->spec(), request.key.namespace_, reader);
  if (!fenced.ok()) return {fenced, nullptr};
  *acknowledgment->mutable_spec()->mutable_acknowledged_by() = Identity(request);
  acknowledgment->mutable_spec()->set_acknowledged_at_ms(reader.WallMs());
  acknowledgment->mutable_spec()->set_mutation_request_uid(request.request);
  return {absl::OkStatus(), std::move(acknowledgment)};
}

absl::Status ReviewDecisionUpdate(const AdmissionRequest& request) {
  switch (request.key.kind) {
    case api::Kind::kPtahSchemaApproval:
      return SpecUnchanged<api::PtahSchemaApproval>(request);
    case api::Kind::kPtahMigrationApproval:
      return SpecUnchanged<api::PtahMigrationApproval>(request);
    case api::Kind::kPtahMigrationRunAcknowledgment:
      return SpecUnchanged<api::PtahMigrationRunAcknowledgment>(request);
    default:
      return absl::OkStatus();
  }
}

}  // namespace lifecycle::admission
