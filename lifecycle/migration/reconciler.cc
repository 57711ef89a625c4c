#include "lifecycle/migration/reconciler.h"

#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/dispatch/fence.h"
#include "lifecycle/migration/acknowledgment.h"
#include "lifecycle/migration/active.h"
#include "lifecycle/migration/decide.h"
#include "lifecycle/migration/deletion.h"
#include "lifecycle/migration/gates.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/migration/rotation.h"
#include "lifecycle/migration/unresolved_copy.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;

// C-2: nothing is touched before state a newer manager wrote is refused.
StepResult Fence(Pass& pass) {
  pass.client().Journal("A-1");
  const absl::Status supported = dispatch::FencePass(pass.resource(), pass.context());
  if (supported.ok()) return std::nullopt;
  pass.client().Journal("C-2");
  return PassResult::Error(supported);
}

// C-3: a realm owed back is handed back before anything else, also for a deleting resource.
StepResult PerformOwedRelease(Pass& pass) {
  if (!pass.status().has_pending_lock_release()) return std::nullopt;
  pass.client().Journal("C-3");
  const absl::Status released = pass.PerformRelease();
  return released.ok() ? PassResult::Now() : PassResult::Error(released);
}

// C-8, W-30: a finalizer that no record needs any more. An unresolved run still needs it: without
// one, a deletion would take the record away before anybody could announce it (N-2.2). The resource
// is read again, so that what follows is decided, and fenced, by what stands now.
StepResult RemoveFinalizer(Pass& pass) {
  if (!pass.HasFinalizer() || pass.status().has_unresolved_run()) return std::nullopt;
  pass.client().Journal("C-8");
  if (absl::Status removed = pass.RemoveFinalizer(); !removed.ok()) {
    return PassResult::Error(removed);
  }
  const absl::Status read = pass.ReadAgain();
  if (!read.ok()) return api::IsNotFound(read) ? PassResult::Done() : PassResult::Error(read);
  return Fence(pass);
}

PassResult WorkOnClaim(Pass& pass) {
  pass.client().Journal("C-7");
  return ReconcileActive(pass);
}

PassResult InOrder(Pass& pass) {
  if (StepResult ended = Fence(pass)) return *std::move(ended);                   // C-2
  if (StepResult ended = PerformOwedRelease(pass)) return *std::move(ended);      // C-3
  if (pass.metadata().deletion_timestamp_ms() != 0) return FinishDeletion(pass);  // C-4
  if (StepResult ended = HoldCopyToRecord(pass)) return *std::move(ended);        // C-5
  if (StepResult ended = HoldBinding(pass)) return *std::move(ended);             // C-6
  if (pass.has_claim()) return WorkOnClaim(pass);                                 // C-7
  if (StepResult ended = RemoveFinalizer(pass)) return *std::move(ended);         // C-8
  if (!pass.spec().suspend()) {                                                   // C-9
    if (StepResult ended = AnswerAcknowledgments(pass)) return *std::move(ended);
  }
  if (StepResult ended = GateEngine(pass)) return *std::move(ended);      // C-10
  if (StepResult ended = GateSuspension(pass)) return *std::move(ended);  // C-11
  if (StepResult ended = GateCensus(pass)) return *std::move(ended);      // C-12
  return ChooseClaim(pass);                                               // C-13, C-14
}

}  // namespace

PassResult MigrationReconciler::Reconcile(const std::string& namespace_, const std::string& name) {
  context_.client.Journal("C-1");
  auto resource = context_.client.Get<api::PtahMigration>(namespace_, name);
  if (!resource.ok()) {
    return api::IsNotFound(resource.status()) ? PassResult::Done()
                                              : PassResult::Error(resource.status());
  }
  Pass pass(context_, *std::move(resource));
  return InOrder(pass);
}

}  // namespace lifecycle::migration
