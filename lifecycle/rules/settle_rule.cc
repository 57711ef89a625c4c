#include "lifecycle/rules/settle_rule.h"

namespace lifecycle::rules {

const char* RunOutcomeName(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kUpToDate:
      return "UpToDate";
    case RunOutcome::kApplied:
      return "Applied";
    case RunOutcome::kFailed:
      return "Failed";
    case RunOutcome::kPartial:
      return "Partial";
    case RunOutcome::kUnknown:
      break;
  }
  return "Unknown";
}

RunOutcome RunOutcomeOf(absl::string_view reported) {
  if (reported == "up-to-date") return RunOutcome::kUpToDate;
  if (reported == "applied" || reported == "dry-run") return RunOutcome::kApplied;
  if (reported == "failed") return RunOutcome::kFailed;
  if (reported == "partial") return RunOutcome::kPartial;
  return RunOutcome::kUnknown;
}

SettledRun SettleRun(const SettleFacts& facts) {
  const SettledRun unknown{.outcome = RunOutcome::kUnknown, .names_reported_target = true};
  if (!facts.report_present) return unknown;
  if (facts.uncertain) {
    // A run that is not sure and claims success is not believed.
    if (!LeavesUnresolvedRun(facts.reported)) return unknown;
    return {.outcome = facts.reported, .names_reported_target = true};
  }
  if (!facts.coordination_equal || !facts.target_equal) return unknown;
  return {.outcome = facts.reported, .names_reported_target = true};
}

}  // namespace lifecycle::rules
