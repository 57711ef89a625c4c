// The Snapshot step of dispatch: what becomes of a claim's admission snapshot.
//
// A claim is judged by the snapshot it persisted. When the template moved before anything was
// dispatched, only the manager that builds it can have changed, so the snapshot is resolved once
// more; a second move is refused.
//
// Answers: spec 03, 15; E-4. What follows a refusal: dispatch_failure.h, RefusalOf.

#ifndef LIFECYCLE_RULES_SNAPSHOT_STEP_H_
#define LIFECYCLE_RULES_SNAPSHOT_STEP_H_

#include "lifecycle/rules/dispatch_failure.h"

namespace lifecycle::rules {

// How the rebuilt template's digest compares with the snapshot's.
enum class TemplateDigestState { kUnreadable, kEqual, kDifferent };

struct SnapshotFacts {
  bool present = false;
  bool valid = false;
  TemplateDigestState digest = TemplateDigestState::kUnreadable;  // When present and valid.
  bool resolvable = false;                                        // When absent.
  bool refreshed_before = false;
};

enum class SnapshotAction {
  kWrite,  // Resolve and write it; the pass ends.
  kProceed,
  kRefresh,  // Drop it, note the refresh; the pass ends.
  kRefuse,
};

struct SnapshotStep {
  SnapshotAction action = SnapshotAction::kRefuse;
  JobRefusal refusal = JobRefusal::kSnapshotInvalid;  // When kRefuse.
};

SnapshotStep DecideSnapshot(const SnapshotFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_SNAPSHOT_STEP_H_
