// Holding a migration's unresolved run and its copy in an annotation to each other.
//
// The copy outlives a restore that drops status, so a copy that nothing else explains IS the
// record. resolvedRun explains one left by an interrupted removal, a live claim one whose status
// write did not land.
//
// Answers: spec 03, 20; P-3 (seven rows, first match from the top).

#ifndef LIFECYCLE_RULES_COPY_RULE_H_
#define LIFECYCLE_RULES_COPY_RULE_H_

namespace lifecycle::rules {

enum class CopyState { kAbsent, kUnreadable, kReadable };

struct CopyFacts {
  bool record_present = false;  // status.unresolvedRun
  CopyState copy = CopyState::kAbsent;
  bool copy_equals_record = false;  // When both are there.
  bool names_resolved_run = false;  // resolvedRun.operationID
  bool names_live_claim = false;    // activeOperation.id
};

enum class CopyAction {
  kNothing,
  kRewriteCopy,    // Metadata, from status; the pass continues.
  kBlocked,        // ApplyOutcomeUnknown; the annotation stays, nothing is claimed.
  kRemoveCopy,     // Metadata; an interrupted removal.
  kRestoreRecord,  // Status: record restored, plan cleared, Blocked; requeue now.
};

constexpr CopyAction DecideCopy(const CopyFacts& facts) {
  const bool readable = facts.copy == CopyState::kReadable;
  if (facts.record_present) {
    return readable && facts.copy_equals_record ? CopyAction::kNothing : CopyAction::kRewriteCopy;
  }
  if (facts.copy == CopyState::kAbsent) return CopyAction::kNothing;
  if (!readable) return CopyAction::kBlocked;
  if (facts.names_resolved_run) return CopyAction::kRemoveCopy;
  if (facts.names_live_claim) return CopyAction::kNothing;
  return CopyAction::kRestoreRecord;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_COPY_RULE_H_
