#include "lifecycle/dispatch/retire.h"

#include "lifecycle/rules/operation.h"
#include "lifecycle/rules/realm_holder.h"

namespace lifecycle::dispatch {
namespace {

rules::ReleasedEpoch Released(const Retirement& retirement) {
  const rules::OperationTraits& operation =
      rules::OperationOf(retirement.family, retirement.claim.type());
  const rules::RealmOwner owner =
      rules::RealmHeldBy({.claim_present = true,
                          .proof_outstanding = retirement.proof != nullptr,
                          .serves_proof = operation.serves_proof,
                          .claim_has_epoch = !retirement.claim.lease_epoch().empty(),
                          .mutating = operation.mutating});
  return rules::Releases({.owner = owner,
                          .ends_proof = retirement.ends_proof,
                          .mutating = operation.mutating,
                          .disposition = retirement.disposition,
                          .record_holds_realm = rules::RecordHoldsRealm(retirement.family),
                          .may_still_write = retirement.may_still_write});
}

api::PendingLockRelease ReleaseOfClaim(const api::ActiveOperation& claim) {
  api::PendingLockRelease release;
  release.set_coordination_digest(claim.coordination_digest());
  release.set_operation_id(claim.id());
  release.set_lease_duration_seconds(claim.lease_duration_seconds());
  release.set_lease_epoch(claim.lease_epoch());
  return release;
}

// An incomplete binding is no release at all (spec 01, 1.7).
std::optional<api::PendingLockRelease> IfComplete(api::PendingLockRelease release) {
  const bool complete = !release.coordination_digest().empty() && !release.operation_id().empty() &&
                        release.lease_duration_seconds() > 0 && !release.lease_epoch().empty();
  if (!complete) return std::nullopt;
  return release;
}

}  // namespace

std::optional<api::PendingLockRelease> OwedRelease(const Retirement& retirement) {
  switch (Released(retirement)) {
    case rules::ReleasedEpoch::kNone:
      return std::nullopt;
    case rules::ReleasedEpoch::kClaims:
      return IfComplete(ReleaseOfClaim(retirement.claim));
    case rules::ReleasedEpoch::kProofs:
      return IfComplete(ReleaseOfProof(*retirement.proof));
  }
  return std::nullopt;
}

api::PendingLockRelease ReleaseOfProof(const api::PendingObservation& proof) {
  api::PendingLockRelease release;
  release.set_coordination_digest(proof.coordination_digest());
  release.set_operation_id(proof.apply_operation_id());
  release.set_lease_duration_seconds(proof.lease_duration_seconds());
  release.set_lease_epoch(proof.lease_epoch());
  return release;
}

}  // namespace lifecycle::dispatch
