// What a migration Apply's report comes to, and what has to follow.
//
// A report about another database is no account of this run. An uncertain report blocks either way,
// so it is taken whatever database it names.
//
// Answers: spec 03, 19; spec 01, 11.3; G-10, H-2.

#ifndef LIFECYCLE_RULES_SETTLE_RULE_H_
#define LIFECYCLE_RULES_SETTLE_RULE_H_

#include "absl/strings/string_view.h"

namespace lifecycle::rules {

enum class RunOutcome { kUpToDate, kApplied, kFailed, kPartial, kUnknown };

// As status.lastRun.outcome spells it.
const char* RunOutcomeName(RunOutcome outcome);

// Maps a run report's outcome ("up-to-date", "applied", "dry-run", "failed", "partial", ...).
RunOutcome RunOutcomeOf(absl::string_view reported);

struct SettleFacts {
  bool report_present = false;
  RunOutcome reported = RunOutcome::kUnknown;
  bool uncertain = false;
  bool coordination_equal = false;  // To the claim's.
  bool target_equal = false;        // To the claim's.
};

struct SettledRun {
  RunOutcome outcome = RunOutcome::kUnknown;
  // The record names the database the run itself reported.
  bool names_reported_target = true;
  friend bool operator==(const SettledRun&, const SettledRun&) = default;
};

SettledRun SettleRun(const SettleFacts& facts);

// What the outcome is recorded as and what may follow. Partial and Unknown also write unresolvedRun
// and block; no other Apply until that is settled. The others ask for a History reading first.
constexpr bool LeavesUnresolvedRun(RunOutcome outcome) {
  return outcome == RunOutcome::kPartial || outcome == RunOutcome::kUnknown;
}
constexpr const char* PhaseAfterRun(RunOutcome outcome) {
  return LeavesUnresolvedRun(outcome) ? "Blocked" : "VerifyingHistory";
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_SETTLE_RULE_H_
