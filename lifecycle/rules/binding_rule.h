// Rotation of the execution binding: when the epoch moves, and what the old one leaves.
//
// A dispatched Apply never loses its account to an upgrade: its record is written first (M-5,
// M-10). Everything else of the old epoch is either kept until its Job is accounted for or
// discarded.
//
// Answers: spec 03, 16.1 to 16.3; M-0 to M-5, M-10.

#ifndef LIFECYCLE_RULES_BINDING_RULE_H_
#define LIFECYCLE_RULES_BINDING_RULE_H_

namespace lifecycle::rules {

// 16.1 Schema --------------------------------------------------------------------------------

enum class ClaimEpoch { kNoClaim, kSame, kOther };

struct SchemaBindingFacts {
  bool pending_retirement = false;
  // The stored binding equals the configured one and its epoch is well formed.
  bool binding_current = false;
  ClaimEpoch claim = ClaimEpoch::kNoClaim;
  bool mutating_and_dispatched = false;  // The claim; false without one.
  // Any of activeOperation, pendingObservation, plan, applied, observedGeneration, phase,
  // conditions, source, target.
  bool evidence = false;
};

enum class SchemaBindingAction {
  kWorkOffRetirement,  // M-6, M-7.
  kNothing,
  kRotateDispatchedApply,  // M-5.
  kRotate,                 // M-4.
  kInstall,                // First binding: no retirement (M-2).
};

SchemaBindingAction DecideSchemaBinding(const SchemaBindingFacts& facts);

// 16.2 What a schema rotation records and drops -----------------------------------------------

enum class RotatedClaim { kNone, kReadOnly, kUndispatchedApply, kDispatchedApply, kUnknownType };

enum class RotatedProof {
  kNone,
  kUnknownOfRetiredEpoch,  // OutcomeUnknown, of the epoch being retired, with a Job name.
  kOther,
};

enum class RetirementJob { kNone, kTheClaims, kTheApplys };
enum class ClaimAfterRotation { kNone, kKept, kDropped, kMovedIntoProof };

struct RotationRecord {
  RetirementJob job = RetirementJob::kNone;
  ClaimAfterRotation claim = ClaimAfterRotation::kNone;
  bool releases_claims_epoch = false;
  friend bool operator==(const RotationRecord&, const RotationRecord&) = default;
};

RotationRecord RecordRotation(RotatedClaim claim, RotatedProof proof);

// 16.3 Migration -----------------------------------------------------------------------------

struct MigrationBindingFacts {
  bool binding_current = false;
  bool claim_present = false;
  bool mutating_and_dispatched = false;
};

enum class MigrationBindingAction {
  kNothing,
  kUnresolvedRunFirst,  // I-2 under the old binding; the epoch moves on the next pass.
  kRotate,              // New epoch, plan reference cleared.
  kRotateAndDropClaim,  // The same, and the claim retired as Discard, in one patch.
};

MigrationBindingAction DecideMigrationBinding(const MigrationBindingFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_BINDING_RULE_H_
