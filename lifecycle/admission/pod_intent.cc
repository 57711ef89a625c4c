#include "lifecycle/admission/pod_intent.h"

#include <memory>
#include <string>

#include "lifecycle/admission/reading.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/envelope.h"

namespace lifecycle::admission {
namespace {

using api::AdmissionSnapshot;
using api::Job;

// The Job that controls the Pod; null when no Job does that still stands.
std::shared_ptr<const Job> JobOf(const api::Pod& pod, const api::DirectReader& reader) {
  const api::OwnerReference* owner = SoleOwner(pod.metadata(), api::Kind::kJob);
  if (owner == nullptr) return nullptr;
  auto job = Read<Job>(reader, pod.metadata().namespace_(), owner->name());
  return job != nullptr && job->metadata().uid() == owner->uid() ? job : nullptr;
}

// The snapshot of the claim that reserves the Job's name; null when there is none.
template <class Status>
const AdmissionSnapshot* SnapshotOfClaim(const Status& status, const Job& job) {
  const api::ActiveOperation& claim = status.active_operation();
  const bool reserves = status.has_active_operation() && claim.has_admission_snapshot() &&
                        claim.job_name() == job.metadata().name();
  return reserves ? &claim.admission_snapshot() : nullptr;
}

// The same of an Apply whose claim has become a proof.
const AdmissionSnapshot* SnapshotOfProof(const api::PtahSchemaStatus& status, const Job& job) {
  const api::PendingObservation& proof = status.pending_observation();
  const bool names = status.has_pending_observation() && proof.has_admission_snapshot() &&
                     proof.apply_job_name() == job.metadata().name();
  return names ? &proof.admission_snapshot() : nullptr;
}

absl::Status Judge(const AdmissionSnapshot* snapshot, const Job& job, const api::Pod& pod,
                   const api::DirectReader& reader) {
  if (snapshot == nullptr) return absl::OkStatus();
  const auto& annotations = pod.metadata().annotations();
  const auto digest = annotations.find(api::annotation::kAdmissionSnapshotDigest);
  if (digest == annotations.end() || digest->second != snapshot->digest()) {
    return Refused("the Pod does not carry the digest of its claim's snapshot");
  }
  const absl::Status still = dispatch::HoldsStill(*snapshot, job, reader);
  if (!still.ok()) return Refused(still.message());
  if (dispatch::IsWithin(*snapshot, job.spec().template_().spec(), pod.spec())) {
    return absl::OkStatus();
  }
  return Refused("the Pod is not what its Job's template says");
}

}  // namespace

absl::Status ReviewPod(const api::Pod& pod, const api::DirectReader& reader) {
  const std::shared_ptr<const Job> job = JobOf(pod, reader);
  if (job == nullptr) return absl::OkStatus();
  const std::string& namespace_ = pod.metadata().namespace_();
  if (const auto* owner = SoleOwner(job->metadata(), api::Kind::kPtahSchema)) {
    const auto schema = Read<api::PtahSchema>(reader, namespace_, owner->name());
    if (schema == nullptr || schema->metadata().uid() != owner->uid()) return absl::OkStatus();
    const AdmissionSnapshot* snapshot = SnapshotOfClaim(schema->status(), *job);
    if (snapshot == nullptr) snapshot = SnapshotOfProof(schema->status(), *job);
    return Judge(snapshot, *job, pod, reader);
  }
  if (const auto* owner = SoleOwner(job->metadata(), api::Kind::kPtahMigration)) {
    const auto migration = Read<api::PtahMigration>(reader, namespace_, owner->name());
    if (migration == nullptr || migration->metadata().uid() != owner->uid()) {
      return absl::OkStatus();
    }
    return Judge(SnapshotOfClaim(migration->status(), *job), *job, pod, reader);
  }
  return absl::OkStatus();
}

}  // namespace lifecycle::admission
