#include "lifecycle/rules/retired_job_rule.h"

namespace lifecycle::rules {

RetiredReadOnlyAction DecideRetiredReadOnly(const RetiredReadOnlyFacts& facts) {
  if (facts.read_error) return RetiredReadOnlyAction::kError;
  if (!facts.job_found) return RetiredReadOnlyAction::kDrop;
  if (!facts.uid_known && facts.matches) return RetiredReadOnlyAction::kRecordUid;
  // Waited for whether or not its envelope can be proven.
  if (facts.not_stopped) return RetiredReadOnlyAction::kWait;
  return facts.matches ? RetiredReadOnlyAction::kTtlThenDrop : RetiredReadOnlyAction::kDrop;
}

RetiredApplyAction DecideRetiredApply(const RetiredApplyFacts& facts) {
  const bool matches =
      facts.job != RetiredApplyJob::kMissing && facts.job != RetiredApplyJob::kNoMatch;
  if (!facts.uid_known) {
    if (matches) return RetiredApplyAction::kRecordUid;
    // Given up on at observeAfter: the horizon protects from there.
    return facts.observe_after_reached ? RetiredApplyAction::kClear : RetiredApplyAction::kWait;
  }
  if (facts.pods_running) return RetiredApplyAction::kWait;
  switch (facts.job) {
    case RetiredApplyJob::kMissing:
    case RetiredApplyJob::kNoMatch:
    case RetiredApplyJob::kTtlSet:
      return RetiredApplyAction::kClear;
    case RetiredApplyJob::kNotTerminal:
      return RetiredApplyAction::kWait;
    case RetiredApplyJob::kTerminal:
      return RetiredApplyAction::kTtlThenClear;
  }
  return RetiredApplyAction::kWait;
}

}  // namespace lifecycle::rules
