#include "lifecycle/rules/binding_rule.h"

namespace lifecycle::rules {

SchemaBindingAction DecideSchemaBinding(const SchemaBindingFacts& facts) {
  if (facts.pending_retirement) return SchemaBindingAction::kWorkOffRetirement;
  if (facts.binding_current && facts.claim != ClaimEpoch::kOther) {
    return SchemaBindingAction::kNothing;
  }
  const bool claimed = facts.claim != ClaimEpoch::kNoClaim;
  if (claimed && facts.mutating_and_dispatched) return SchemaBindingAction::kRotateDispatchedApply;
  if (!claimed && !facts.evidence) return SchemaBindingAction::kInstall;
  return SchemaBindingAction::kRotate;
}

RotationRecord RecordRotation(RotatedClaim claim, RotatedProof proof) {
  switch (claim) {
    case RotatedClaim::kReadOnly:
      return {RetirementJob::kTheClaims, ClaimAfterRotation::kKept, false};
    case RotatedClaim::kUndispatchedApply:
      return {RetirementJob::kNone, ClaimAfterRotation::kDropped, true};
    case RotatedClaim::kDispatchedApply:
      return {RetirementJob::kTheApplys, ClaimAfterRotation::kMovedIntoProof, false};
    case RotatedClaim::kUnknownType:
      return {RetirementJob::kNone, ClaimAfterRotation::kDropped, false};
    case RotatedClaim::kNone:
      break;
  }
  const bool names_a_job = proof == RotatedProof::kUnknownOfRetiredEpoch;
  return {names_a_job ? RetirementJob::kTheApplys : RetirementJob::kNone, ClaimAfterRotation::kNone,
          false};
}

MigrationBindingAction DecideMigrationBinding(const MigrationBindingFacts& facts) {
  if (facts.binding_current) return MigrationBindingAction::kNothing;
  if (!facts.claim_present) return MigrationBindingAction::kRotate;
  return facts.mutating_and_dispatched ? MigrationBindingAction::kUnresolvedRunFirst
                                       : MigrationBindingAction::kRotateAndDropClaim;
}

}  // namespace lifecycle::rules
