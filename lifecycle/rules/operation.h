// The operation table: what a claim's type may do, in one place.
//
// Every rule that depends on what an operation is asks this table. A type this binary does not
// define answers no to everything, "read-only" included, so users test `read_only` and never
// "not mutating": a claim nobody here understands must not be retried as harmless.
//
// Answers: spec 03, 1; R-2.

#ifndef LIFECYCLE_RULES_OPERATION_H_
#define LIFECYCLE_RULES_OPERATION_H_

#include "absl/strings/string_view.h"

namespace lifecycle::rules {

enum class Family { kSchema, kMigration };

// When a claim of a type takes the realm's Lease.
enum class LockUse { kNever, kWhileProving, kAlways };

struct OperationTraits {
  bool known = false;
  bool mutating = false;
  bool read_only = false;
  LockUse lock = LockUse::kNever;
  bool serves_proof = false;  // May carry out a schema's outstanding proof.
  const char* phase = "";     // The phase an ordinary claim publishes.
  const char* runner_operation = "";

  // True when a claim of this type holds the realm. `proof_outstanding`: a pendingObservation is
  // present beside the claim.
  bool HoldsRealm(bool proof_outstanding) const {
    return lock == LockUse::kAlways || (lock == LockUse::kWhileProving && proof_outstanding);
  }
  // True when the claim carries out the outstanding proof rather than work of its own.
  bool ServesOutstandingProof(bool proof_outstanding) const {
    return serves_proof && proof_outstanding;
  }
};

// Rows 1.1 and 1.2; a type that is not in the table gets a row of no's.
const OperationTraits& SchemaOperation(absl::string_view type);
const OperationTraits& MigrationOperation(absl::string_view type);
const OperationTraits& OperationOf(Family family, absl::string_view type);

// The phase a claim publishes: a claim that serves an outstanding proof says VerifyingConvergence.
const char* ClaimPhase(const OperationTraits& operation, bool proof_outstanding);

// How a claim's realm is handed back (1.3, last column).
enum class ReleaseDuty { kNone, kOwnEpoch, kThroughItsRecord };

// Which of the six obligations a claim carries, and whether it spends an approval (1.3).
struct Obligations {
  bool authorize = false;
  bool persist = false;
  bool mark = false;
  bool spend_approval = false;
  bool account = false;
  bool resolve_uncertainty = false;
  ReleaseDuty release = ReleaseDuty::kNone;
  friend bool operator==(const Obligations&, const Obligations&) = default;
};

struct ObligationFacts {
  bool proof_outstanding = false;
  bool approval_required = false;
};

Obligations ObligationsOf(const OperationTraits& operation, const ObligationFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_OPERATION_H_
