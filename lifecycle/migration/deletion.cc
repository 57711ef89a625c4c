#include "lifecycle/migration/deletion.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/migration/unresolved_copy.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using StoredJob = api::Stored<api::Job>;

constexpr char kUnresolvedRunLost[] = "UnresolvedRunLost";
constexpr int64_t kAfterRecordMs = 1'000;

// The Job under the claim's name, unless its UID says that it is another one.
const StoredJob* OfTheClaim(const std::optional<StoredJob>& job, const Pass& pass) {
  if (!job) return nullptr;
  const std::string& recorded = pass.claim().job_uid();
  return recorded.empty() || recorded == (*job)->metadata().uid() ? &*job : nullptr;
}

// N-2.1a: the realm stays taken while something may write. Whatever the renewal comes to, the pass
// waits: a realm that is lost changes nothing about an executor that is still there.
PassResult WaitForExecutor(Pass& pass) {
  pass.client().Journal("N-2.1a");
  dispatch::TakeRealm(pass, pass.context());
  return PassResult::After(pass.timing().supervision_poll_ms);
}

PassResult EndMutatingClaim(Pass& pass) {
  const absl::StatusOr<std::optional<StoredJob>> job =
      dispatch::ReadClaimedJob(pass.client(), pass.metadata(), pass.claim());
  if (!job.ok()) return PassResult::Error(job.status());
  const StoredJob* own = OfTheClaim(*job, pass);
  if (dispatch::DispatchedApplyMayStillWrite(pass.client(), pass.metadata().namespace_(),
                                             pass.claim(), own == nullptr ? nullptr : &**own,
                                             pass.NowMs())) {
    return WaitForExecutor(pass);
  }
  if (!dispatch::MayHaveDispatched(pass.claim()) && own == nullptr) {
    pass.client().Journal("N-2.1c");
    return DiscardToPending(pass);
  }
  pass.client().Journal("N-2.1b");
  pass.client().Journal("I-3 deleted");
  const absl::Status recorded =
      RecordEndedRun(own, "the resource was deleted while its run had no account", pass);
  return recorded.ok() ? PassResult::After(kAfterRecordMs) : PassResult::Error(recorded);
}

// A claim that is read-only, or of a type this binary does not know, holds nothing it could hand
// back; its Job goes with the resource.
PassResult EndClaim(Pass& pass) {
  if (pass.operation().mutating) return EndMutatingClaim(pass);
  pass.client().Journal("N-2.1");
  if (!pass.operation().known) pass.client().Journal("R-2");
  return DiscardToPending(pass);
}

std::string Named(const std::string& text) { return text.empty() ? "unknown" : text; }

// N-2.2.
void AnnounceLoss(Pass& pass) {
  const std::optional<absl::StatusOr<api::UnresolvedRun>> held = HeldUnresolvedRun(pass);
  if (!held) return;
  pass.client().Journal("N-2.2");
  if (!held->ok()) {
    pass.Event(
        true, kUnresolvedRunLost,
        absl::StrCat("an unresolved run goes with the resource, and its copy cannot be read: ",
                     held->status().message()));
    return;
  }
  const api::UnresolvedRun& run = **held;
  pass.Event(true, kUnresolvedRunLost,
             absl::StrCat("a run whose outcome is ", run.outcome(),
                          " goes with the resource, unresolved: Job ", Named(run.job_name()),
                          ", plan ", Named(run.plan_ref().name()), ", database ",
                          Named(run.target_identity_digest())));
}

}  // namespace

PassResult FinishDeletion(Pass& pass) {
  pass.client().Journal("C-4");
  pass.client().Journal("N-2");
  if (pass.has_claim()) return EndClaim(pass);
  if (!pass.HasFinalizer()) return PassResult::Done();
  AnnounceLoss(pass);
  pass.client().Journal("N-2.3");
  const absl::Status removed = pass.RemoveFinalizer();
  return removed.ok() ? PassResult::Done() : PassResult::Error(removed);
}

}  // namespace lifecycle::migration
