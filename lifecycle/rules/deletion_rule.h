// What becomes of a schema's claim while the schema is being deleted.
//
// Deletion is no way out of an account: an Apply that may have dispatched always leaves its record,
// whose end waits for the executor, and never goes as a discard. A claim that holds no realm is not
// waited for, since cascading deletion takes its Job.
//
// Answers: spec 02, N-1.1; S-15, S-23.

#ifndef LIFECYCLE_RULES_DELETION_RULE_H_
#define LIFECYCLE_RULES_DELETION_RULE_H_

namespace lifecycle::rules {

struct DeletedClaimFacts {
  bool continuity_lost = false;  // The latch is set and the claim holds the realm.
  bool mutating = false;
  bool may_have_dispatched = false;
  bool holds_realm = false;
  // A Job of this resource stands under the name: owned exactly, its UID the recorded one or none
  // recorded. A missing, replaced or foreign Job is false.
  bool job_stands = false;
  bool job_terminal = false;  // Looked at when it stands.
};

enum class DeletedClaimAction {
  kSettleContinuity,  // a: F-9.
  kLoseAccount,       // b: the realm first, then I-1 without a Job.
  kRenewAndWait,      // c
  kAccount,           // d: I-1 with the Pods' evidence and no Job; the result is not read.
  kDiscard,           // e: nothing mutating was dispatched.
};

constexpr DeletedClaimAction DecideDeletedClaim(const DeletedClaimFacts& facts) {
  if (facts.continuity_lost) return DeletedClaimAction::kSettleContinuity;
  if (facts.mutating && facts.may_have_dispatched && !facts.job_stands) {
    return DeletedClaimAction::kLoseAccount;
  }
  if (!facts.job_stands) return DeletedClaimAction::kDiscard;
  if (!facts.job_terminal && facts.holds_realm) return DeletedClaimAction::kRenewAndWait;
  return facts.mutating ? DeletedClaimAction::kAccount : DeletedClaimAction::kDiscard;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_DELETION_RULE_H_
