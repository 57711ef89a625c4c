#include "lifecycle/rules/retirement.h"

namespace lifecycle::rules {

ReleasedEpoch Releases(const RetirementFacts& facts) {
  switch (facts.owner) {
    case RealmOwner::kNone:
      return ReleasedEpoch::kNone;
    case RealmOwner::kProof:
      return facts.ends_proof ? ReleasedEpoch::kProofs : ReleasedEpoch::kNone;
    case RealmOwner::kClaim:
      break;
  }
  const bool ran = facts.mutating && facts.disposition != Disposition::kDiscard;
  if (ran && (facts.record_holds_realm || facts.may_still_write)) return ReleasedEpoch::kNone;
  return ReleasedEpoch::kClaims;
}

}  // namespace lifecycle::rules
