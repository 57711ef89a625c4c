#include "lifecycle/rules/operation.h"

namespace lifecycle::rules {
namespace {

struct Entry {
  absl::string_view type;
  OperationTraits traits;
};

constexpr OperationTraits ReadOnly(LockUse lock, bool serves_proof, const char* phase,
                                   const char* runner_operation) {
  return {.known = true,
          .mutating = false,
          .read_only = true,
          .lock = lock,
          .serves_proof = serves_proof,
          .phase = phase,
          .runner_operation = runner_operation};
}

constexpr OperationTraits Mutating(const char* runner_operation) {
  return {.known = true,
          .mutating = true,
          .read_only = false,
          .lock = LockUse::kAlways,
          .serves_proof = false,
          .phase = "Applying",
          .runner_operation = runner_operation};
}

constexpr OperationTraits kUnknown{};

constexpr Entry kSchema[] = {
    {"Resolve", ReadOnly(LockUse::kNever, false, "Resolving", "resolve")},
    {"Verify", ReadOnly(LockUse::kNever, false, "Verifying", "verify")},
    {"Observe", ReadOnly(LockUse::kWhileProving, true, "Observing", "observe")},
    {"Plan", ReadOnly(LockUse::kAlways, true, "Planning", "plan")},
    {"Apply", Mutating("apply")},
};

constexpr Entry kMigration[] = {
    {"Resolve", ReadOnly(LockUse::kNever, false, "Resolving", "resolve")},
    {"Verify", ReadOnly(LockUse::kNever, false, "Verifying", "verify")},
    {"History", ReadOnly(LockUse::kNever, false, "Reading", "migration-history")},
    {"Apply", Mutating("migration-apply")},
};

template <size_t n>
const OperationTraits& Find(const Entry (&entries)[n], absl::string_view type) {
  for (const Entry& entry : entries) {
    if (entry.type == type) return entry.traits;
  }
  return kUnknown;
}

}  // namespace

const OperationTraits& SchemaOperation(absl::string_view type) { return Find(kSchema, type); }

const OperationTraits& MigrationOperation(absl::string_view type) { return Find(kMigration, type); }

const OperationTraits& OperationOf(Family family, absl::string_view type) {
  return family == Family::kSchema ? SchemaOperation(type) : MigrationOperation(type);
}

const char* ClaimPhase(const OperationTraits& operation, bool proof_outstanding) {
  return operation.ServesOutstandingProof(proof_outstanding) ? "VerifyingConvergence"
                                                             : operation.phase;
}

Obligations ObligationsOf(const OperationTraits& operation, const ObligationFacts& facts) {
  if (!operation.known) return {};
  if (operation.mutating) {
    return {.authorize = true,
            .persist = true,
            .mark = true,
            .spend_approval = facts.approval_required,
            .account = true,
            .resolve_uncertainty = true,
            .release = ReleaseDuty::kThroughItsRecord};
  }
  Obligations owed{.authorize = true, .persist = true};
  if (operation.HoldsRealm(facts.proof_outstanding)) {
    owed.mark = true;
    // A proof claim carries a copy of the proof's epoch and owns nothing.
    owed.release = operation.ServesOutstandingProof(facts.proof_outstanding)
                       ? ReleaseDuty::kNone
                       : ReleaseDuty::kOwnEpoch;
  }
  return owed;
}

}  // namespace lifecycle::rules
