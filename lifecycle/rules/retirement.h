// Which release the write that drops a claim owes.
//
// The owner (realm_holder.h) is computed on the claim as it stands BEFORE that write. "Ran" means
// mutating and not discarded: what ran may have left an executor, so its realm is handed back only
// when no record keeps it and nothing may still write.
//
// Answers: spec 03, 6; L-1 to L-4.

#ifndef LIFECYCLE_RULES_RETIREMENT_H_
#define LIFECYCLE_RULES_RETIREMENT_H_

#include "lifecycle/rules/operation.h"
#include "lifecycle/rules/realm_holder.h"

namespace lifecycle::rules {

enum class Disposition { kDiscard, kAccounted, kUnaccounted };

enum class ReleasedEpoch {
  kNone,
  kClaims,
  kProofs,  // The pending observation's epoch, under the Apply's operation ID.
};

struct RetirementFacts {
  RealmOwner owner = RealmOwner::kNone;
  bool ends_proof = false;  // pendingObservation present before the write and absent after it.
  bool mutating = false;
  Disposition disposition = Disposition::kUnaccounted;
  bool record_holds_realm = true;  // RecordHoldsRealm(family).
  bool may_still_write = true;     // Schema: false. Migration: asked before the write.
};

// A release staged for an epoch the Lease does not carry is a no-op, so an expected token counts as
// an epoch here.
ReleasedEpoch Releases(const RetirementFacts& facts);

// A schema's record (the proof) keeps the realm after an Apply; a migration's does not.
constexpr bool RecordHoldsRealm(Family family) { return family == Family::kSchema; }

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_RETIREMENT_H_
