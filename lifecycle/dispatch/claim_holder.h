// A resource with a claim, as the code both families share sees it.
//
// Each family implements it over its own resource type. The resource is held in memory as last
// stored, and every write through here leaves the stored answer there, so the next step of the same
// pass starts from what is durable (E-0: "the claim is re-read in memory between steps").
//
// Answers: spec 02, E-0, E-2.

#ifndef LIFECYCLE_DISPATCH_CLAIM_HOLDER_H_
#define LIFECYCLE_DISPATCH_CLAIM_HOLDER_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/rules/lease_rule.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::dispatch {

// What a part of a pass says to the part that called it: nothing, "go on", or how the pass ends.
using StepResult = std::optional<api::PassResult>;

using ClaimEdit = absl::FunctionRef<void(api::ActiveOperation&)>;

class ClaimHolder {
 public:
  virtual ~ClaimHolder() = default;

  virtual rules::Family family() const = 0;
  virtual const api::ObjectMeta& metadata() const = 0;
  // status.activeOperation as last stored. Only called while there is a claim.
  virtual const api::ActiveOperation& claim() const = 0;
  // status.executionBinding: the binding in force.
  virtual const api::ExecutionBinding& binding() const = 0;
  // status.plan, for a schema; a migration's claim names its plan by reference.
  virtual const api::PlanRecord* plan_record() const { return nullptr; }

  // The pendingObservation, null when none is stored. Always null for a migration.
  virtual const api::PendingObservation* proof() const { return nullptr; }

  // One status patch in which `edit` changes the claim and nothing else changes.
  // Errors: the API server's; what was held in memory is unchanged then.
  virtual absl::Status WriteClaim(ClaimEdit edit) = 0;

  // W-06, W-07: records the epoch the Lease has, as `use` says. Only a schema has a proof to
  // demote, in the same patch (E-2b).
  virtual absl::Status WriteLeaseEpoch(const std::string& epoch, const rules::LeaseUse& use) {
    return WriteClaim([&](api::ActiveOperation& claim) {
      claim.set_lease_epoch(epoch);
      if (use.latch) claim.set_lease_continuity_lost(true);
    });
  }

  bool proof_outstanding() const { return proof() != nullptr; }
  const rules::OperationTraits& operation() const {
    return rules::OperationOf(family(), claim().type());
  }
  bool HoldsRealm() const { return operation().HoldsRealm(proof_outstanding()); }
  bool ServesProof() const { return operation().ServesOutstandingProof(proof_outstanding()); }
};

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_CLAIM_HOLDER_H_
