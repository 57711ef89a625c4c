#include "lifecycle/migration/reconciler.h"

#include <algorithm>
#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/acknowledgment.h"
#include "lifecycle/migration/active.h"
#include "lifecycle/migration/decide.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/migration/unresolved_copy.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;

// C-3: a realm owed back is handed back before anything else, also for a deleting resource.
StepResult PerformOwedRelease(Pass& pass) {
  if (!pass.status().has_pending_lock_release()) return std::nullopt;
  pass.client().Journal("C-3");
  const absl::Status released = pass.PerformRelease();
  return released.ok() ? PassResult::Now() : PassResult::Error(released);
}

// C-6, W-38: the first binding.
StepResult InstallBinding(Pass& pass) {
  if (pass.status().has_execution_binding()) return std::nullopt;
  pass.client().Journal("M-10");
  const api::Configuration& configuration = pass.context().configuration;
  const std::string epoch =
      rules::EpochFromRandom(pass.client().Random16(pass.metadata().uid(), "execution-binding"));
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    api::ExecutionBinding* binding = status.mutable_execution_binding();
    binding->set_epoch(epoch);
    binding->set_controller_state_version(configuration.controller_state_version);
    binding->set_ptah_version(configuration.ptah_version);
    binding->set_executor_image(configuration.executor_image);
    binding->set_runner_protocol_version(configuration.runner_protocol_version);
  });
  return written.ok() ? PassResult::Now() : PassResult::Error(written);
}

// C-8, W-30: a finalizer with no claim and no owed release. The resource is read again, so that
// what follows is decided from what stands now.
StepResult RemoveFinalizer(Pass& pass) {
  const auto& finalizers = pass.metadata().finalizers();
  if (std::find(finalizers.begin(), finalizers.end(), api::kMigrationFinalizer) ==
      finalizers.end()) {
    return std::nullopt;
  }
  pass.client().Journal("C-8");
  const absl::Status removed = pass.WriteMetadata([](api::ObjectMeta& metadata) {
    auto* kept = metadata.mutable_finalizers();
    kept->erase(std::remove(kept->begin(), kept->end(), api::kMigrationFinalizer), kept->end());
  });
  if (!removed.ok()) return PassResult::Error(removed);
  const absl::Status read = pass.ReadAgain();
  if (read.ok()) return std::nullopt;
  return api::IsNotFound(read) ? PassResult::Done() : PassResult::Error(read);
}

PassResult InOrder(Pass& pass) {
  if (StepResult ended = PerformOwedRelease(pass)) return *std::move(ended);  // C-3
  if (StepResult ended = HoldCopyToRecord(pass)) return *std::move(ended);    // C-5
  if (StepResult ended = InstallBinding(pass)) return *std::move(ended);      // C-6
  if (pass.has_claim()) return ReconcileActive(pass);                         // C-7
  if (StepResult ended = RemoveFinalizer(pass)) return *std::move(ended);     // C-8
  if (!pass.spec().suspend()) {                                               // C-9
    if (StepResult ended = AnswerAcknowledgments(pass)) return *std::move(ended);
  }
  return ChooseClaim(pass);  // C-13, C-14
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
