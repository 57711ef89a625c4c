#include "lifecycle/dispatch/realm.h"

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/lease/target_lock.h"
#include "lifecycle/rules/lease_rule.h"

namespace lifecycle::dispatch {
namespace {

// The holder is named by the claim, or for a claim that serves a proof by the Apply: the realm
// stays the Apply's until the proof is settled.
const std::string& HolderOperationId(const ClaimHolder& holder) {
  return holder.ServesProof() ? holder.proof()->apply_operation_id() : holder.claim().id();
}

rules::LeaseUse UseOf(const lease::Acquisition& acquisition, const ClaimHolder& holder) {
  const api::ActiveOperation& claim = holder.claim();
  const bool proof_epoch_differs = acquisition.acquired && holder.ServesProof() &&
                                   !holder.proof()->lease_epoch().empty() &&
                                   holder.proof()->lease_epoch() != acquisition.epoch;
  return rules::UseOfLease({.contended = !acquisition.acquired,
                            .epoch_equal = acquisition.epoch == claim.lease_epoch(),
                            .continuity_lost = acquisition.continuity_lost,
                            .recorded_empty = claim.lease_epoch().empty(),
                            .may_have_dispatched = MayHaveDispatched(claim),
                            .proof_epoch_differs = proof_epoch_differs});
}

}  // namespace

StepResult TakeRealm(ClaimHolder& holder, const Context& context) {
  context.client.Journal(holder.ServesProof() ? "E-2b" : "E-2a");
  const api::ActiveOperation& claim = holder.claim();
  const absl::StatusOr<lease::Acquisition> acquisition =
      lease::Acquire(context.client, context.memory, context.configuration.coordination_namespace,
                     {.coordination_digest = claim.coordination_digest(),
                      .resource_uid = holder.metadata().uid(),
                      .operation_id = HolderOperationId(holder),
                      .duration_seconds = claim.lease_duration_seconds(),
                      .expected_epoch = claim.lease_epoch()});
  if (!acquisition.ok()) return api::PassResult::Error(acquisition.status());
  const rules::LeaseUse use = UseOf(*acquisition, holder);
  if (use.write_epoch) {
    const absl::Status written = holder.WriteLeaseEpoch(acquisition->epoch, use);
    if (!written.ok()) return api::PassResult::Error(written);
  }
  switch (use.pass) {
    case rules::LeasePass::kProceeds:
      return std::nullopt;
    case rules::LeasePass::kEndsRequeueNow:
      return api::PassResult::Now();
    case rules::LeasePass::kEndsRequeueLater:
      break;
  }
  return api::PassResult::After(ContentionWaitMs(acquisition->wait_ms, context.timing));
}

int64_t ContentionWaitMs(int64_t wait_ms, const api::Timing& timing) {
  return std::clamp(wait_ms, timing.contention_min_ms, timing.contention_max_ms);
}

}  // namespace lifecycle::dispatch
