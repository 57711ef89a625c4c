#include "lifecycle/rules/job_verdict.h"

#include "lifecycle/rules/dispatched.h"

namespace lifecycle::rules {
namespace {

JobJudgement Untrusted(bool mutating, JobCause cause) {
  return {mutating ? JobVerdict::kUnaccounted : JobVerdict::kRetry, cause};
}

JobJudgement Missing(const JobFacts& facts) {
  const bool may_exist = MayHaveDispatched(
      {.dispatch_started = facts.dispatch_started, .job_uid_recorded = facts.uid_recorded});
  if (facts.mutating && may_exist) return {JobVerdict::kUnaccounted, JobCause::kMissing};
  return {JobVerdict::kDispatch, JobCause::kMissing};
}

}  // namespace

JobJudgement VerdictFor(const JobFacts& facts) {
  if (!facts.found) return Missing(facts);
  if (facts.uid_recorded && !facts.uid_equals_recorded) {
    return Untrusted(facts.mutating, JobCause::kReplaced);
  }
  if (!facts.owned_exactly) return Untrusted(facts.mutating, JobCause::kDisowned);
  return {facts.uid_recorded ? JobVerdict::kSupervise : JobVerdict::kAdopt, JobCause::kNone};
}

}  // namespace lifecycle::rules
