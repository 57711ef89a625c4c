#include "lifecycle/schema/schema_reconciler.h"

#include <optional>
#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/fence.h"
#include "lifecycle/schema/active.h"
#include "lifecycle/schema/claims.h"
#include "lifecycle/schema/decide.h"
#include "lifecycle/schema/deletion.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/gates.h"
#include "lifecycle/schema/pass.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/proof.h"
#include "lifecycle/schema/rotation.h"
#include "lifecycle/schema/suspension.h"

namespace lifecycle::schema {
namespace {

PassResult VerifySource(Pass& pass) {
  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass);
  if (!policy.ok()) return PassResult::Error(policy.status());
  if (!*policy) return FailAndKeepClaim(pass, "the verification policy does not exist");
  return ClaimVerify(pass, **policy);
}

// B-16: the phase chooses the next ordinary claim, and nothing else.
PassResult ContinueByPhase(Pass& pass) {
  pass.client().Journal("B-16");
  const std::string& phase = pass.status().phase();
  if (phase == api::phase::kVerifying) return VerifySource(pass);
  if (phase == api::phase::kObserving || phase == api::phase::kVerifyingConvergence) {
    return ClaimObserve(pass);
  }
  if (phase == api::phase::kPlanning) return ClaimPlan(pass);
  if (phase == api::phase::kReadyToApply || phase == api::phase::kAwaitingApproval) {
    return RefreshDue(pass) ? ClaimResolve(pass) : DecideOnPlan(pass);
  }
  const bool waits =
      phase == api::phase::kBlocked || phase == api::phase::kInSync || phase == api::phase::kFailed;
  if (waits && pass.status().next_reconciliation_time_ms() > pass.NowMs()) {
    return WaitForRefresh(pass);
  }
  return ClaimResolve(pass);
}

// Only a finalizer is left of a claim whose status write never landed (B-7).
absl::Status RemoveLoneFinalizer(Pass& pass) {
  if (!pass.HasFinalizer() || pass.proof() != nullptr) return absl::OkStatus();
  pass.client().Journal("B-7");
  const absl::Status removed = pass.RemoveFinalizer();
  return removed.ok() ? pass.Reread() : removed;
}

// B-9 to B-14: what may refuse an ordinary claim.
dispatch::StepResult PassGates(Pass& pass) {
  if (dispatch::StepResult refused = HoldEngine(pass)) return refused;
  if (dispatch::StepResult refused = HoldExclusions(pass)) return refused;
  if (!PlanIsInForce(pass)) {
    pass.client().Journal("B-11");
    return RotateBinding(pass);
  }
  if (dispatch::StepResult refused = HoldPolicy(pass)) return refused;
  if (dispatch::StepResult suspended = SuspendAtRest(pass)) return suspended;
  return HoldRealm(pass);
}

// B, in its order; B-2 stands after every read.
PassResult RunPass(Pass& pass) {
  if (pass.status().has_pending_lock_release()) {
    pass.client().Journal("B-3");
    return NowOr(pass.PerformRelease());
  }
  if (pass.metadata().deletion_timestamp_ms() != 0) {
    pass.client().Journal("B-4");
    return WorkOnDeletion(pass);
  }
  if (dispatch::StepResult ended = HoldBinding(pass)) {
    pass.client().Journal("B-5");
    return *std::move(ended);
  }
  if (pass.claim() != nullptr) {
    pass.client().Journal("B-6");
    return WorkOnClaim(pass);
  }
  const absl::Status tidied = RemoveLoneFinalizer(pass);
  if (api::IsNotFound(tidied)) return PassResult::Done();
  if (!tidied.ok()) return PassResult::Error(tidied);
  if (pass.proof() != nullptr) {
    pass.client().Journal("B-8");
    return WorkOnProof(pass);
  }
  if (dispatch::StepResult refused = PassGates(pass)) return *std::move(refused);
  if (pass.status().observed_generation() != pass.metadata().generation()) {
    pass.client().Journal("B-15");
    return ClaimResolve(pass);
  }
  return ContinueByPhase(pass);
}

}  // namespace

PassResult SchemaReconciler::Reconcile(const std::string& namespace_, const std::string& name) {
  context_.client.Journal("B-1");
  absl::StatusOr<api::Stored<api::PtahSchema>> schema =
      context_.client.Get<api::PtahSchema>(namespace_, name);
  if (!schema.ok()) {
    return api::IsNotFound(schema.status()) ? PassResult::Done()
                                            : PassResult::Error(schema.status());
  }
  context_.client.Journal("A-1");
  context_.client.Journal("B-2");
  const absl::Status fenced = dispatch::FencePass(**schema, context_);
  if (!fenced.ok()) return PassResult::Error(fenced);
  Pass pass(context_, *std::move(schema));
  return RunPass(pass);
}

}  // namespace lifecycle::schema
