#include "lifecycle/rules/history_verdict.h"

namespace lifecycle::rules {

HistoryVerdict VerdictOfHistory(const HistoryFacts& facts) {
  if (facts.dirty) return HistoryVerdict::kDirty;
  if (facts.modified) return HistoryVerdict::kModified;
  if (facts.out_of_order) return HistoryVerdict::kOutOfOrder;
  // Something pending settles nothing, whatever the caller concluded.
  if (facts.unresolved_run && (!facts.settled || facts.pending)) return HistoryVerdict::kUnresolved;
  if (facts.ahead) return HistoryVerdict::kAhead;
  return facts.pending ? HistoryVerdict::kPlanning : HistoryVerdict::kInSync;
}

const char* HistoryPhase(HistoryVerdict verdict) {
  switch (verdict) {
    case HistoryVerdict::kDirty:
    case HistoryVerdict::kModified:
    case HistoryVerdict::kOutOfOrder:
    case HistoryVerdict::kUnresolved:
    case HistoryVerdict::kAhead:
      return "Blocked";
    case HistoryVerdict::kInSync:
      return "InSync";
    case HistoryVerdict::kPlanning:
      return "Planning";
  }
  return "Blocked";
}

const char* HistoryBlockedReason(HistoryVerdict verdict) {
  switch (verdict) {
    case HistoryVerdict::kDirty:
      return "HistoryDirty";
    case HistoryVerdict::kModified:
      return "HistoryModified";
    case HistoryVerdict::kOutOfOrder:
      return "HistoryOutOfOrder";
    case HistoryVerdict::kUnresolved:
      return "ApplyOutcomeUnknown";
    case HistoryVerdict::kAhead:
      return "HistoryAhead";
    case HistoryVerdict::kInSync:
    case HistoryVerdict::kPlanning:
      break;
  }
  return "";
}

bool SettledByReading(int64_t pending_count, absl::string_view record_target_digest,
                      absl::string_view history_target_digest) {
  return pending_count == 0 && !record_target_digest.empty() &&
         record_target_digest == history_target_digest;
}

}  // namespace lifecycle::rules
