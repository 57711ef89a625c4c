#include "lifecycle/schema/outcome.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/schema/discard.h"

namespace lifecycle::schema {
namespace {

using api::ActiveOperation;
using api::PendingObservation;

// Everything a proof will be made from has to be there, and of one database and one artifact.
bool CanBeProven(const ActiveOperation& claim, const api::PtahSchemaStatus& status) {
  const api::PlanRecord& plan = status.plan();
  return claim.type() == api::operation::kApply && !claim.job_name().empty() &&
         claim.has_target() && claim.has_source() && !claim.coordination_digest().empty() &&
         !claim.target_identity_digest().empty() && claim.lease_duration_seconds() > 0 &&
         !claim.lease_epoch().empty() && claim.execution_not_after_ms() != 0 &&
         claim.termination_grace_period_seconds() > 0 && status.has_plan() &&
         plan.coordination_digest() == claim.coordination_digest() &&
         plan.target_identity_digest() == claim.target_identity_digest() &&
         claim.source().digest() == plan.artifact_digest() &&
         absl::StrContains(claim.source().resolved_reference(), claim.source().digest());
}

void CopyClaim(const ActiveOperation& claim, PendingObservation& record) {
  record.set_apply_operation_id(claim.id());
  record.set_apply_job_name(claim.job_name());
  record.set_apply_job_uid(claim.job_uid());
  if (claim.has_admission_snapshot()) {
    *record.mutable_admission_snapshot() = claim.admission_snapshot();
  }
  *record.mutable_target() = claim.target();
  record.set_coordination_digest(claim.coordination_digest());
  *record.mutable_source() = claim.source();
  if (claim.has_observation_dev()) *record.mutable_dev() = claim.observation_dev();
  *record.mutable_exclude() = claim.observation_exclude();
  *record.mutable_protected_tables() = claim.observation_protected_tables();
  record.set_drift_severity(claim.observation_severity());
  record.set_connect_timeout_seconds(claim.observation_connect_timeout_seconds());
  record.set_lock_timeout_seconds(claim.observation_lock_timeout_seconds());
  record.set_lease_duration_seconds(claim.lease_duration_seconds());
  record.set_lease_epoch(claim.lease_epoch());
}

// Pods that were seen to end prove nothing while a Job of another UID stands under the claim's
// name: it may be a copy of the claim's own, which runs what that one ran until the same clock ends
// it.
bool AnotherJobMayRun(Pass& pass) {
  const std::string& recorded = pass.claim()->job_uid();
  if (recorded.empty()) return false;
  const absl::StatusOr<api::Stored<api::Job>> job =
      pass.client().Get<api::Job>(pass.metadata().namespace_(), pass.claim()->job_name());
  if (!job.ok()) return !api::IsNotFound(job.status());
  return (*job)->metadata().uid() != recorded;
}

bool CountsAreSound(const PendingObservation& record) {
  return record.apply_pod_uids_size() <= dispatch::kPodUidsMax &&
         record.apply_pod_count() >= record.apply_pod_uids_size();
}

// The outcome patch: record in, claim out, nothing staged.
PassResult SwapClaimForRecord(Pass& pass, PendingObservation record, rules::Disposition disposition,
                              absl::string_view why, StatusEdit also,
                              api::Site site = api::Site::Here()) {
  const bool unknown = record.outcome() == api::proof_outcome::kOutcomeUnknown;
  const char* reason = unknown ? api::reason::kApplyOutcomeUnknown : "ApplySucceeded";
  return NowOr(pass.RetireClaim(
      disposition,
      [&](api::PtahSchemaStatus& next) {
        *next.mutable_pending_observation() = std::move(record);
        next.set_phase(api::phase::kVerifyingConvergence);
        pass.SetCondition(api::condition::kApplying, false, reason, "", next);
        pass.SetCondition(api::condition::kInSync, false, reason, "", next);
        pass.SetCondition(api::condition::kReconciliationFailed, unknown, reason, why, next);
        also(next);
      },
      site));
}

}  // namespace

absl::StatusOr<PendingObservation> PendingObservationFor(const api::PtahSchemaStatus& status,
                                                         const OutcomeFacts& facts) {
  const ActiveOperation& claim = status.active_operation();
  if (!CanBeProven(claim, status)) {
    return absl::FailedPreconditionError(
        "the claim lacks what a proof of its Apply needs, or disagrees with its plan");
  }
  PendingObservation record;
  record.set_outcome(facts.succeeded ? api::proof_outcome::kApplySucceeded
                                     : api::proof_outcome::kOutcomeUnknown);
  CopyClaim(claim, record);
  record.set_apply_generation(status.observed_generation());
  *record.mutable_plan() = status.plan();
  if (!facts.succeeded && !facts.executor_end_proven) {
    record.set_observe_after_ms(claim.execution_not_after_ms() +
                                claim.termination_grace_period_seconds() * 1000);
  }
  if (facts.job != nullptr) {
    if (record.apply_job_uid().empty()) record.set_apply_job_uid(facts.job->metadata().uid());
    *record.mutable_dispatched_by() = dispatch::DispatchedBy(facts.job->spec().template_());
  }
  if (facts.evidence != nullptr) dispatch::MergePodEvidence(*facts.evidence, record);
  if (!CountsAreSound(record)) {
    return absl::FailedPreconditionError("the Pod evidence of the Apply is inconsistent");
  }
  return record;
}

PassResult RecordApplied(Pass& pass, api::Stored<api::Job>& job,
                         const dispatch::PodEvidence& evidence) {
  pass.client().Journal("H-1");
  absl::StatusOr<PendingObservation> record = PendingObservationFor(
      pass.status(),
      {.succeeded = true, .executor_end_proven = true, .job = &*job, .evidence = &evidence});
  if (!record.ok()) return PassResult::Error(record.status());
  const absl::Status cleaned = SetCleanupTtl(pass, job);
  if (!cleaned.ok()) return PassResult::Error(cleaned);
  return SwapClaimForRecord(pass, *std::move(record), rules::Disposition::kAccounted, "",
                            [](api::PtahSchemaStatus&) {});
}

absl::StatusOr<std::optional<dispatch::PodEvidence>> ApplyEvidence(
    Pass& pass, const api::Stored<api::Job>* job) {
  const ActiveOperation& claim = *pass.claim();
  dispatch::JobIdentity identity = {pass.metadata().namespace_(), claim.job_name(),
                                    claim.job_uid()};
  if (identity.uid.empty() && job != nullptr) identity.uid = (*job)->metadata().uid();
  if (identity.uid.empty()) return std::optional<dispatch::PodEvidence>();
  absl::StatusOr<dispatch::PodEvidence> evidence =
      dispatch::CollectPodEvidence(pass.client(), identity, claim.admission_snapshot(),
                                   job == nullptr ? nullptr : &(*job)->spec().template_());
  if (!evidence.ok()) return evidence.status();
  return std::optional<dispatch::PodEvidence>(*std::move(evidence));
}

PassResult RecordUnknownOutcome(Pass& pass, const Uncertain& uncertain, StatusEdit also) {
  pass.client().Journal("I-1");
  std::optional<dispatch::PodEvidence> collected;
  const dispatch::PodEvidence* evidence = uncertain.evidence;
  if (evidence == nullptr) {
    absl::StatusOr<std::optional<dispatch::PodEvidence>> found = ApplyEvidence(pass, uncertain.job);
    if (!found.ok()) return PassResult::Error(found.status());
    collected = *std::move(found);
    if (collected) evidence = &*collected;
  }
  const bool end_proven = evidence != nullptr && evidence->ExecutorEndProven() &&
                          (uncertain.job != nullptr || !AnotherJobMayRun(pass));
  absl::StatusOr<PendingObservation> record = PendingObservationFor(
      pass.status(), {.succeeded = false,
                      .executor_end_proven = end_proven,
                      .job = uncertain.job == nullptr ? nullptr : &**uncertain.job,
                      .evidence = evidence});
  if (!record.ok()) return PassResult::Error(record.status());
  if (uncertain.job != nullptr) {
    api::Stored<api::Job> own = *uncertain.job;
    const absl::Status cleaned = SetCleanupTtl(pass, own);
    if (!cleaned.ok()) return PassResult::Error(cleaned);
  }
  return SwapClaimForRecord(pass, *std::move(record), rules::Disposition::kUnaccounted,
                            uncertain.why, also);
}

}  // namespace lifecycle::schema
