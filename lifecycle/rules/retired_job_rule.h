// Working off the Job a schema's binding rotation left behind.
//
// Its result decides nothing any more; what matters is that nobody else gets the realm, and no
// obligation goes, while its Pods can reach the database.
//
// Answers: spec 03, 22 and 23; M-7.

#ifndef LIFECYCLE_RULES_RETIRED_JOB_RULE_H_
#define LIFECYCLE_RULES_RETIRED_JOB_RULE_H_

namespace lifecycle::rules {

// 22: the Job of a kept read-only claim -------------------------------------------------------

struct RetiredReadOnlyFacts {
  bool read_error = false;
  bool job_found = false;
  bool uid_known = false;    // In the retirement record.
  bool matches = false;      // The claim's envelope (job_claim.h).
  bool not_stopped = false;  // This resource's Job (UID equal or unknown), and not stopped (M-7b).
};

enum class RetiredReadOnlyAction {
  kError,
  kRecordUid,    // In claim and record.
  kWait,         // Renew where the realm is held; 5 s.
  kTtlThenDrop,  // TTL unless set, then as kDrop.
  kDrop,         // Claim cleared, release staged, retirement.job removed; the Job is not touched.
};

RetiredReadOnlyAction DecideRetiredReadOnly(const RetiredReadOnlyFacts& facts);

// 23: the Job of a retired Apply ---------------------------------------------------------------

enum class RetiredApplyJob {
  kMissing,
  kNoMatch,
  kTtlSet,       // Matches and already carries a cleanup TTL.
  kNotTerminal,  // Matches.
  kTerminal,     // Matches.
};

struct RetiredApplyFacts {
  bool uid_known = false;
  bool pods_running = false;  // Looked at when the UID is known.
  RetiredApplyJob job = RetiredApplyJob::kMissing;
  bool observe_after_reached = false;  // Looked at when the UID is not known.
};

enum class RetiredApplyAction {
  kRecordUid,  // In observation and record.
  kWait,
  kTtlThenClear,
  kClear,  // retirement.job removed.
};

RetiredApplyAction DecideRetiredApply(const RetiredApplyFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_RETIRED_JOB_RULE_H_
