#include "lifecycle/dispatch/evidence.h"

#include <algorithm>
#include <utility>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/envelope.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/may_still_write.h"

namespace lifecycle::dispatch {
namespace {

using api::Pod;
using StoredPods = std::vector<api::Stored<Pod>>;

bool IsOwnedBy(const Pod& pod, const JobIdentity& job) {
  if (pod.metadata().owner_references_size() != 1) return false;
  const api::OwnerReference& owner = pod.metadata().owner_references(0);
  return owner.controller() && owner.block_owner_deletion() && owner.uid() == job.uid &&
         owner.name() == job.name && owner.kind() == api::KindName(api::Kind::kJob) &&
         owner.api_version() == api::ApiVersionOf(api::Kind::kJob);
}

const std::string* FindAnnotation(const Pod& pod, const char* key) {
  const auto& annotations = pod.metadata().annotations();
  const auto found = annotations.find(key);
  return found == annotations.end() ? nullptr : &found->second;
}

// Whether the envelope the claim stored accepts the Pod (12.3).
bool Accepts(const api::AdmissionSnapshot& snapshot, const api::PodTemplateSpec* live,
             const Pod& pod) {
  if (pod.metadata().uid().empty() || snapshot.digest().empty()) return false;
  const std::string* digest = FindAnnotation(pod, api::annotation::kAdmissionSnapshotDigest);
  if (digest == nullptr || *digest != snapshot.digest()) return false;
  return live == nullptr || IsWithin(snapshot, live->spec(), pod.spec());
}

const api::ContainerStateTerminated* ExecutorTermination(const Pod& pod) {
  for (const api::ContainerStatus& container : pod.status().container_statuses()) {
    if (container.name() == api::kExecutorContainer && container.state().has_terminated()) {
      return &container.state().terminated();
    }
  }
  return nullptr;
}

PodEvidence EvidenceOf(const StoredPods& pods, const api::AdmissionSnapshot& snapshot,
                       const api::PodTemplateSpec* live) {
  PodEvidence evidence;
  evidence.pod_count = static_cast<int64_t>(pods.size());
  if (pods.size() > 1) evidence.problem = EvidenceProblem::kMultiplicity;
  for (const api::Stored<Pod>& pod : pods) {
    if (evidence.pod_uids.size() < kPodUidsMax && !pod->metadata().uid().empty()) {
      evidence.pod_uids.push_back(pod->metadata().uid());
    }
    if (!HasStopped(*pod)) evidence.all_stopped = false;
    if (evidence.problem == EvidenceProblem::kNone && !Accepts(snapshot, live, *pod)) {
      evidence.problem = EvidenceProblem::kIntent;
    }
  }
  if (pods.size() != 1 || evidence.problem != EvidenceProblem::kNone) return evidence;
  const Pod& pod = *pods.front();
  evidence.pod_name = pod.metadata().name();
  evidence.pod_uid = pod.metadata().uid();
  if (const api::ContainerStateTerminated* terminated = ExecutorTermination(pod)) {
    evidence.trusted = true;
    evidence.termination_message = terminated->message();
  }
  return evidence;
}

rules::PodsRead ReadPods(api::Client& client, const JobIdentity& job) {
  const absl::StatusOr<StoredPods> pods = PodsOf(client, job);
  if (!pods.ok()) return rules::PodsRead::kFailed;
  const auto all = [&](auto holds) { return std::all_of(pods->begin(), pods->end(), holds); };
  if (!all([](const auto& pod) { return HasStopped(*pod); })) {
    return rules::PodsRead::kSomeNotStopped;
  }
  const bool ended =
      !pods->empty() && all([](const auto& pod) { return ExecutorTermination(*pod) != nullptr; });
  return ended ? rules::PodsRead::kAllEnded : rules::PodsRead::kAllStopped;
}

rules::StandingJob Standing(const api::Job& job) {
  return {job.metadata().uid(), job.metadata().name(), EndOf(job).terminal};
}

}  // namespace

bool HasStopped(const Pod& pod) {
  return pod.status().phase() == api::pod_phase::kSucceeded ||
         pod.status().phase() == api::pod_phase::kFailed;
}

absl::StatusOr<StoredPods> PodsOf(api::Client& client, const JobIdentity& job) {
  absl::StatusOr<StoredPods> pods = client.List<Pod>(job.namespace_);
  if (!pods.ok()) return pods.status();
  pods->erase(
      std::remove_if(pods->begin(), pods->end(),
                     [&job](const auto& pod) { return job.uid.empty() || !IsOwnedBy(*pod, job); }),
      pods->end());
  std::sort(pods->begin(), pods->end(), [](const auto& a, const auto& b) {
    const int order = a->metadata().uid().compare(b->metadata().uid());
    return order != 0 ? order < 0 : a->metadata().name() < b->metadata().name();
  });
  return pods;
}

absl::StatusOr<PodEvidence> CollectPodEvidence(api::Client& client, const JobIdentity& job,
                                               const api::AdmissionSnapshot& snapshot,
                                               const api::PodTemplateSpec* live) {
  const absl::StatusOr<StoredPods> pods = PodsOf(client, job);
  if (!pods.ok()) return pods.status();
  return EvidenceOf(*pods, snapshot, live);
}

bool MergePodEvidence(const PodEvidence& seen, api::PendingObservation& record) {
  rules::PodEvidence stored;
  stored.uids.assign(record.apply_pod_uids().begin(), record.apply_pod_uids().end());
  stored.count = record.apply_pod_count();
  stored.outcome_unknown = record.outcome() == api::proof_outcome::kOutcomeUnknown;
  rules::PodEvidence merged = rules::MergePodEvidence(stored, seen.pod_uids);
  merged.count = std::max(merged.count, seen.pod_count);
  merged.outcome_unknown = merged.outcome_unknown || merged.count > 1;
  if (merged == stored) return false;
  record.mutable_apply_pod_uids()->Assign(merged.uids.begin(), merged.uids.end());
  record.set_apply_pod_count(merged.count);
  if (merged.outcome_unknown) record.set_outcome(api::proof_outcome::kOutcomeUnknown);
  return true;
}

LogReading ReadExecutorLog(api::Client& client, api::Memory& memory, const api::Timing& timing,
                           const JobIdentity& job, const PodEvidence& evidence) {
  absl::StatusOr<std::string> log =
      client.ReadLog(job.namespace_, evidence.pod_name, api::kExecutorContainer);
  if (log.ok()) {
    memory.log_failures.erase(evidence.pod_uid);
    return {LogReading::State::kRead, *std::move(log), 0};
  }
  if (api::IsNotFound(log.status())) {
    memory.log_failures.erase(evidence.pod_uid);
    return {LogReading::State::kLost, "", 0};
  }
  const int64_t now_ms = client.MonotonicMs();
  const auto [failure, first] =
      memory.log_failures.try_emplace(evidence.pod_uid, api::LogFailure{now_ms});
  if (now_ms - failure->second.first_failed_ms < timing.log_loss_window_ms) {
    return {LogReading::State::kRetry, "", timing.log_retry_ms};
  }
  // Forgotten here and not when the outcome is stored: should that write fail, the window starts
  // anew, which costs time and never an account.
  memory.log_failures.erase(failure);
  return {LogReading::State::kLost, "", 0};
}

bool DispatchedApplyMayStillWrite(api::Client& client, absl::string_view namespace_,
                                  const api::ActiveOperation& claim, const api::Job* in_hand,
                                  int64_t now_ms) {
  rules::ExecutorFacts facts;
  const bool dispatched = MayHaveDispatched(claim) || in_hand != nullptr;
  facts.over_by_clock =
      !dispatched ||
      now_ms >= claim.execution_not_after_ms() + 1000 * claim.termination_grace_period_seconds();
  facts.name = claim.job_name();
  facts.uid = claim.job_uid();
  if (in_hand != nullptr) facts.in_hand = Standing(*in_hand);
  while (true) {
    const rules::ExecutorStep step = rules::MayStillWrite(facts);
    switch (step.answer) {
      case rules::ExecutorAnswer::kYes:
        return true;
      case rules::ExecutorAnswer::kNo:
        return false;
      case rules::ExecutorAnswer::kReadJob: {
        const absl::StatusOr<api::Stored<api::Job>> job =
            client.Get<api::Job>(namespace_, step.name);
        if (job.ok()) {
          facts.job_read = rules::JobRead::kFound;
          facts.read = Standing(**job);
        } else {
          facts.job_read =
              api::IsNotFound(job.status()) ? rules::JobRead::kNotFound : rules::JobRead::kFailed;
        }
        break;
      }
      case rules::ExecutorAnswer::kListPods:
        facts.pods = ReadPods(client, {std::string(namespace_), step.name, step.uid});
        break;
    }
  }
}

}  // namespace lifecycle::dispatch
