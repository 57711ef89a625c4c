#include "lifecycle/schema/continuity.h"

#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/job_claim.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/outcome.h"

namespace lifecycle::schema {
namespace {

using StoredJob = api::Stored<api::Job>;

bool OwnedByClaim(const ClaimWork& work, const api::Job& job) {
  return job.metadata().uid() == work.claim().job_uid() &&
         rules::OwnedExactly(rules::Family::kSchema, work.metadata(), job);
}

// A TTL that the webhook would refuse would fail every pass, so only a Job that passes for the
// claim's by its envelope may get one.
bool MayGetTtl(const Pass& pass, const ClaimWork& work, const api::Job& job) {
  return OwnedByClaim(work, job) && pass.metadata().deletion_timestamp_ms() == 0 &&
         dispatch::HoldToEnvelope(rules::JobAsker::kInputsMoved,
                                  {.family = rules::Family::kSchema,
                                   .owner = work.metadata(),
                                   .claim = work.claim(),
                                   .binding = work.binding(),
                                   .plan = work.plan_record()},
                                  job)
             .ok();
}

PassResult DiscardLostReading(Pass& pass, ClaimWork& work, StoredJob* job) {
  if (job != nullptr && OwnedByClaim(work, **job)) {
    if (!dispatch::EndOf(**job).terminal) {
      return PassResult::After(pass.timing().supervision_poll_ms);
    }
    if (MayGetTtl(pass, work, **job)) {
      const absl::Status cleaned = SetCleanupTtl(pass, *job);
      if (!cleaned.ok()) return PassResult::Error(cleaned);
    }
  }
  const bool proving = work.ServesProof();
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  const absl::Status written =
      pass.RetireClaim(rules::Disposition::kDiscard, [&](api::PtahSchemaStatus& next) {
        next.clear_plan();
        next.set_phase(proving ? api::phase::kVerifyingConvergence : api::phase::kObserving);
        if (!proving) return;
        next.mutable_pending_observation()->set_outcome(api::proof_outcome::kOutcomeUnknown);
        next.mutable_pending_observation()->clear_plan_required();
      });
  if (!written.ok()) return PassResult::Error(written);
  return NowOr(pass.HandBack());
}

}  // namespace

PassResult SettleLostContinuity(Pass& pass, ClaimWork& work) {
  pass.client().Journal("F-9");
  if (dispatch::StepResult ended = dispatch::TakeRealm(work, pass.context())) {
    return *std::move(ended);
  }
  absl::StatusOr<StoredJob> read =
      pass.client().Get<api::Job>(pass.metadata().namespace_(), work.claim().job_name());
  if (!read.ok() && !api::IsNotFound(read.status())) return PassResult::Error(read.status());
  StoredJob* job = read.ok() ? &*read : nullptr;
  if (!work.operation().mutating) return DiscardLostReading(pass, work, job);
  pass.client().Journal("I-3 continuity");
  const bool passes_job = job != nullptr && MayGetTtl(pass, work, **job);
  return RecordUnknownOutcome(
      pass, {.job = passes_job ? job : nullptr, .why = "the realm changed hands under the run"});
}

}  // namespace lifecycle::schema
