#include "lifecycle/dispatch/claim.h"

#include <string>
#include <utility>

#include "lifecycle/api/check.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/identity.h"
#include "lifecycle/rules/dispatched.h"
#include "lifecycle/rules/job_claim.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::dispatch {
namespace {

std::string NameOf(const api::ObjectMeta& resource, const api::ActiveOperation& claim) {
  return rules::NameFor({.operation_type = claim.type(),
                         .resource_name = resource.name(),
                         .resource_uid = resource.uid(),
                         .operation_id = claim.id(),
                         .epoch = claim.execution_binding_id(),
                         .input_fingerprint = claim.input_fingerprint(),
                         .attempt = claim.attempt()});
}

}  // namespace

api::ActiveOperation MakeClaim(api::Client& client, const ClaimIdentity& identity) {
  STOPGAP_CHECK(rules::OperationOf(identity.family, identity.type).known,
                "a claim is of a type this binary defines");
  api::ActiveOperation claim;
  claim.set_type(std::string(identity.type));
  claim.set_input_fingerprint(std::string(identity.input_fingerprint));
  claim.set_id(
      rules::OperationId(identity.input_fingerprint,
                         client.Random16(identity.resource.uid(), api::kOperationPurpose)));
  claim.set_execution_binding_id(std::string(identity.epoch));
  claim.set_attempt(1);
  claim.set_started_at_ms(identity.started_at_ms);
  claim.set_job_name(NameOf(identity.resource, claim));
  return claim;
}

void SetApplyDeadlines(int64_t window_ms, int64_t termination_grace_seconds,
                       api::ActiveOperation& claim) {
  claim.set_dispatch_not_after_ms(claim.started_at_ms() + window_ms);
  claim.set_execution_not_after_ms(claim.started_at_ms() + window_ms);
  claim.set_termination_grace_period_seconds(termination_grace_seconds);
}

void ExpectLease(int64_t lease_duration_seconds, api::ActiveOperation& claim) {
  claim.set_lease_duration_seconds(lease_duration_seconds);
  claim.set_lease_epoch(rules::ExpectedLeaseToken(claim.id()));
}

void MakeNextAttempt(rules::Family family, const api::ObjectMeta& resource,
                     api::ActiveOperation& claim) {
  STOPGAP_CHECK(rules::OperationOf(family, claim.type()).read_only,
                "only a read-only claim gets another attempt");
  claim.set_attempt(claim.attempt() + 1);
  claim.clear_job_uid();
  claim.clear_dispatch_started();
  claim.clear_admission_snapshot();
  claim.set_job_name(NameOf(resource, claim));
}

bool MayHaveDispatched(const api::ActiveOperation& claim) {
  return rules::MayHaveDispatched(
      {.dispatch_started = claim.dispatch_started(), .job_uid_recorded = !claim.job_uid().empty()});
}

absl::StatusOr<std::optional<api::Stored<api::Job>>> ReadClaimedJob(
    api::Client& client, const api::ObjectMeta& resource, const api::ActiveOperation& claim) {
  absl::StatusOr<api::Stored<api::Job>> job =
      client.Get<api::Job>(resource.namespace_(), claim.job_name());
  if (job.ok()) return std::optional<api::Stored<api::Job>>(*std::move(job));
  if (api::IsNotFound(job.status())) return std::optional<api::Stored<api::Job>>();
  return job.status();
}

rules::JobJudgement JudgeJob(rules::Family family, const api::ObjectMeta& resource,
                             const api::ActiveOperation& claim, const api::Job* job) {
  rules::JobFacts facts = {.mutating = rules::OperationOf(family, claim.type()).mutating,
                           .dispatch_started = claim.dispatch_started(),
                           .uid_recorded = !claim.job_uid().empty(),
                           .found = job != nullptr};
  if (job != nullptr) {
    facts.uid_equals_recorded = job->metadata().uid() == claim.job_uid();
    facts.owned_exactly = rules::OwnedExactly(family, resource, *job);
  }
  return rules::VerdictFor(facts);
}

void TellOfDoubt(rules::JobCause cause, bool mutating, api::Client& client) {
  switch (cause) {
    case rules::JobCause::kMissing:
      return client.Journal("I-3 missing");
    case rules::JobCause::kReplaced:
      return client.Journal(mutating ? "I-3 replaced" : "F-8 replaced");
    case rules::JobCause::kDisowned:
      return client.Journal(mutating ? "I-3 disowned" : "F-8 disowned");
    case rules::JobCause::kNone:
      break;
  }
}

}  // namespace lifecycle::dispatch
