#include "lifecycle/admission/operator_admission.h"

#include "lifecycle/admission/author.h"
#include "lifecycle/admission/decisions.h"
#include "lifecycle/admission/job_writes.h"
#include "lifecycle/admission/migration_plan.h"
#include "lifecycle/admission/pod_intent.h"
#include "lifecycle/admission/reading.h"
#include "lifecycle/admission/schema_plan.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::admission {
namespace {

using api::AdmissionAnswer;
using api::AdmissionRequest;
using api::DirectReader;
using api::Kind;
using api::Verb;

// Kinds whose status is the manager's own word: the two families, and the marks of a decision.
bool IsManagersStatus(Kind kind) {
  switch (kind) {
    case Kind::kPtahSchema:
    case Kind::kPtahMigration:
    case Kind::kPtahSchemaPlan:
    case Kind::kPtahSchemaApproval:
    case Kind::kPtahMigrationApproval:
    case Kind::kPtahMigrationRunAcknowledgment:
      return true;
    case Kind::kPtahSchemaPlanChunk:
    case Kind::kPtahMigrationPlan:
    case Kind::kPtahRealm:
    case Kind::kConfigMap:
    case Kind::kLease:
    case Kind::kJob:
    case Kind::kPod:
    case Kind::kServiceAccount:
    case Kind::kLimitRange:
    case Kind::kRuntimeClass:
    case Kind::kPriorityClass:
      break;
  }
  return false;
}

// The published objects are immutable: any change of their spec is refused, whoever asks.
absl::Status ReviewPublishedUpdate(const AdmissionRequest& request) {
  const auto unchanged = [](bool equal) {
    return equal ? absl::OkStatus() : Refused("a published plan never changes");
  };
  switch (request.key.kind) {
    case Kind::kPtahSchemaPlan:
      return unchanged(api::Equal(As<api::PtahSchemaPlan>(request.before).spec(),
                                  As<api::PtahSchemaPlan>(request.after).spec()));
    case Kind::kPtahSchemaPlanChunk:
      return unchanged(api::Equal(As<api::PtahSchemaPlanChunk>(request.before).spec(),
                                  As<api::PtahSchemaPlanChunk>(request.after).spec()));
    case Kind::kPtahMigrationPlan:
      return unchanged(api::Equal(As<api::PtahMigrationPlan>(request.before).spec(),
                                  As<api::PtahMigrationPlan>(request.after).spec()));
    default:
      return ReviewDecisionUpdate(request);
  }
}

// What anybody writes: specs, decisions, Pods, and what may never change once it is published.
AdmissionAnswer ReviewDecisions(const AdmissionRequest& request, const DirectReader& reader) {
  if (request.key.kind == Kind::kPtahMigration) return StampAuthor(request);
  if (request.verb != Verb::kCreate) return {ReviewPublishedUpdate(request), nullptr};
  switch (request.key.kind) {
    case Kind::kPod:
      return {ReviewPod(As<api::Pod>(request.after), reader), nullptr};
    case Kind::kPtahSchemaApproval:
      return ReviewSchemaApproval(request, reader);
    case Kind::kPtahMigrationApproval:
      return ReviewMigrationApproval(request, reader);
    case Kind::kPtahMigrationRunAcknowledgment:
      return ReviewAcknowledgment(request, reader);
    default:
      return {};
  }
}

absl::Status ReviewManagersCreate(const AdmissionRequest& request, const DirectReader& reader,
                                  const api::Configuration& configuration) {
  switch (request.key.kind) {
    case Kind::kJob:
      return ReviewJobCreate(As<api::Job>(request.after), reader, configuration);
    case Kind::kPtahSchemaPlan:
      return ReviewSchemaPlan(As<api::PtahSchemaPlan>(request.after), reader, configuration);
    case Kind::kPtahSchemaPlanChunk:
      return ReviewChunk(As<api::PtahSchemaPlanChunk>(request.after), reader);
    case Kind::kConfigMap:
      return ReviewProjection(As<api::ConfigMap>(request.after), reader);
    case Kind::kPtahMigrationPlan:
      return ReviewMigrationPlan(As<api::PtahMigrationPlan>(request.after), reader, configuration);
    default:
      return absl::OkStatus();
  }
}

// What the manager writes, beyond what anybody does.
absl::Status ReviewManager(const AdmissionRequest& request, const DirectReader& reader,
                           const api::Configuration& configuration) {
  if (request.verb == Verb::kCreate) return ReviewManagersCreate(request, reader, configuration);
  if (request.key.kind == Kind::kJob) {
    return ReviewJobUpdate(As<api::Job>(request.before), As<api::Job>(request.after), reader);
  }
  return absl::OkStatus();
}

}  // namespace

AdmissionAnswer OperatorAdmission::Review(const AdmissionRequest& request,
                                          const DirectReader& reader) const {
  if (request.verb == Verb::kDelete) return {};
  const bool manager = request.sender == configuration_.user;
  if (request.subresource == api::Subresource::kStatus) {
    if (!manager && IsManagersStatus(request.key.kind)) {
      return {Refused("only the manager writes this status"), nullptr};
    }
    return {};
  }
  if (manager) {
    absl::Status reviewed = ReviewManager(request, reader, configuration_);
    if (!reviewed.ok()) return {reviewed, nullptr};
  }
  return ReviewDecisions(request, reader);
}

}  // namespace lifecycle::admission
