// The verdict about the Job that stands, or does not stand, under a claim's reserved name.
//
// Asked for known types only: a claim of an unknown type has no verdict. The order is
// missing, then UID, then owner, because a Job that replaced the claim's own may well be owned by
// this resource. Evidence that a claim cannot be trusted costs a read-only claim another attempt
// and a mutating one its account.
//
// Answers: spec 03, 3; F-1.

#ifndef LIFECYCLE_RULES_JOB_VERDICT_H_
#define LIFECYCLE_RULES_JOB_VERDICT_H_

namespace lifecycle::rules {

enum class JobVerdict { kDispatch, kAdopt, kSupervise, kRetry, kUnaccounted };
enum class JobCause { kNone, kMissing, kReplaced, kDisowned };

struct JobFacts {
  bool mutating = false;
  bool dispatch_started = false;
  bool uid_recorded = false;
  bool found = false;
  bool uid_equals_recorded = false;  // Looked at only when found and a UID is recorded.
  bool owned_exactly = false;        // Looked at only when found; OwnedExactly in job_claim.h.
};

struct JobJudgement {
  JobVerdict verdict = JobVerdict::kUnaccounted;
  JobCause cause = JobCause::kNone;
  friend bool operator==(const JobJudgement&, const JobJudgement&) = default;
};

JobJudgement VerdictFor(const JobFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_JOB_VERDICT_H_
