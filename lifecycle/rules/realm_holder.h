// Who holds the database realm: nobody, the claim, or a schema's outstanding proof.
//
// A proof claim carries a copy of the proof's epoch and owns nothing, so a release computed for it
// must not free the realm the proof still needs.
//
// Answers: spec 03, 5.

#ifndef LIFECYCLE_RULES_REALM_HOLDER_H_
#define LIFECYCLE_RULES_REALM_HOLDER_H_

namespace lifecycle::rules {

enum class RealmOwner { kNone, kClaim, kProof };

struct RealmFacts {
  bool claim_present = true;
  bool proof_outstanding = false;
  bool serves_proof = false;  // The claim's type may serve a proof (operation.h).
  bool claim_has_epoch = false;
  bool mutating = false;
};

// Returns the owner. A claim of an unknown type is neither mutating nor serving: nobody, whatever
// epoch it carries.
constexpr RealmOwner RealmHeldBy(const RealmFacts& facts) {
  if (!facts.claim_present) return RealmOwner::kNone;
  if (facts.proof_outstanding && facts.serves_proof) return RealmOwner::kProof;
  const bool may_hold = facts.mutating || (facts.serves_proof && !facts.proof_outstanding);
  return may_hold && facts.claim_has_epoch ? RealmOwner::kClaim : RealmOwner::kNone;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_REALM_HOLDER_H_
