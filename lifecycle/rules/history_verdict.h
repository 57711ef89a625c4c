// What a reading of the revision table says about a migration.
//
// The order is fixed: a history somebody has to look at blocks first, an unresolved run that this
// reading does not settle blocks next, and only then does the reading count as progress. Moving a
// tag back to a shorter artifact therefore blocks rather than settles.
//
// Answers: spec 03, 11; K-2.

#ifndef LIFECYCLE_RULES_HISTORY_VERDICT_H_
#define LIFECYCLE_RULES_HISTORY_VERDICT_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace lifecycle::rules {

struct HistoryFacts {
  bool dirty = false;         // A revision row is dirty.
  bool modified = false;      // Applied migrations were modified.
  bool out_of_order = false;  // Pending below the current version.
  bool unresolved_run = false;
  bool settled = false;  // SettledByReading; looked at only beside an unresolved run.
  bool ahead = false;    // The database's version is above the artifact's last.
  bool pending = false;
};

enum class HistoryVerdict {
  kDirty,
  kModified,
  kOutOfOrder,
  kUnresolved,
  kAhead,
  kInSync,    // An unresolved run is removed and resolvedRun written.
  kPlanning,  // No unresolved run can exist here.
};

HistoryVerdict VerdictOfHistory(const HistoryFacts& facts);

// Blocked, InSync or Planning.
const char* HistoryPhase(HistoryVerdict verdict);
// The reason beside phase Blocked; empty for the others.
const char* HistoryBlockedReason(HistoryVerdict verdict);

// True when the reading proves that the unresolved run can change nothing more: nothing is pending
// in the very database the run reported. A record that names no database cannot be shown to be
// about this one and is left to a person.
bool SettledByReading(int64_t pending_count, absl::string_view record_target_digest,
                      absl::string_view history_target_digest);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_HISTORY_VERDICT_H_
