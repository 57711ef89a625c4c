#include "lifecycle/schema/active.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/driver.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/dispatch/refused_pods.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/job_verdict.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/claim_work.h"
#include "lifecycle/schema/continuity.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/harvest.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/outcome.h"
#include "lifecycle/schema/proof.h"
#include "lifecycle/schema/rotation.h"
#include "lifecycle/schema/suspension.h"

namespace lifecycle::schema {
namespace {

using dispatch::StepResult;
using StoredJob = api::Stored<api::Job>;

// F-6: a Pod that is not the claim's is shown, and no longer shown.
absl::Status ShowRefusedPods(Pass& pass, const api::Job& job) {
  const std::optional<bool> refused =
      dispatch::RefusedPodsToShow(pass.client(), *pass.claim(), job, pass.status().conditions());
  if (!refused) return absl::OkStatus();
  return pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    pass.SetCondition(api::condition::kReconciliationFailed, *refused, dispatch::kPodRefused,
                      dispatch::RefusedPodsMessage(*refused), next);
  });
}

// B-20.2: a proof's realm is renewed and its Apply's Pods are looked at before anything is done for
// the claim that carries it out.
StepResult GuardProof(Pass& pass, ClaimWork& work) {
  pass.client().Journal("B-20.2");
  if (StepResult ended = dispatch::TakeRealm(work, pass.context())) return ended;
  const absl::StatusOr<bool> active = ApplyPodMayRun(pass);
  if (!active.ok()) return PassResult::Error(active.status());
  if (*active) return PassResult::After(pass.timing().supervision_poll_ms);
  return std::nullopt;
}

// B-20.4: a failure is retried at its deadline; while a proof is open its Lease is renewed
// meanwhile.
StepResult WaitForRetry(Pass& pass) {
  if (pass.spec().suspend() || pass.status().phase() != api::phase::kFailed) return std::nullopt;
  const int64_t left_ms = pass.status().next_reconciliation_time_ms() - pass.NowMs();
  if (left_ms <= 0) return std::nullopt;
  pass.client().Journal("B-20.4");
  return PassResult::After(
      pass.proof() == nullptr ? left_ms : std::min(left_ms, pass.timing().supervision_poll_ms));
}

// F-2, F-4: a mutating claim whose Job cannot be accounted for. The realm comes first: while
// another holds it, nothing is recorded. No Job is passed on, since none passed for the claim's.
PassResult LoseAccount(Pass& pass, ClaimWork& work, absl::string_view why) {
  pass.client().Journal("F-2");
  if (StepResult ended = dispatch::TakeRealm(work, pass.context())) return *std::move(ended);
  return RecordUnknownOutcome(pass, {.why = why});
}

// F-4. OK when the Job is the claim's; `ended` is set when the question stays open.
absl::Status Hold(Pass& pass, ClaimWork& work, const api::Job& job, bool inputs_hold,
                  StepResult& ended) {
  pass.client().Journal("F-4");
  const bool mutating = work.operation().mutating;
  const dispatch::ClaimContext context = {.family = rules::Family::kSchema,
                                          .owner = work.metadata(),
                                          .claim = work.claim(),
                                          .binding = work.binding(),
                                          .plan = work.plan_record()};
  if (!inputs_hold) {
    absl::Status held = dispatch::HoldToEnvelope(rules::JobAsker::kInputsMoved, context, job);
    if (!held.ok()) pass.client().Journal(mutating ? "I-3 envelope" : "F-8 refused");
    return held;
  }
  absl::StatusOr<api::Job> rebuilt;
  ended = work.Rebuild(rebuilt);
  if (ended) return absl::OkStatus();
  const bool rebuildable = rebuilt.ok();
  absl::Status held =
      dispatch::HoldToBuilt(rules::JobAsker::kInputsHold, context, job, std::move(rebuilt));
  if (held.ok()) return held;
  pass.client().Journal(!mutating ? "F-8 refused" : rebuildable ? "I-3 refused" : "I-3 rebuild");
  return held;
}

// F-3, W-16.
absl::Status Adopt(Pass& pass, ClaimWork& work, const api::Job& job) {
  pass.client().Journal("F-3");
  const bool mutating = work.operation().mutating;
  return work.WriteClaim([&](api::ActiveOperation& next) {
    next.set_job_uid(job.metadata().uid());
    if (mutating) next.set_dispatch_started(true);
  });
}

// B-20.7: a Job stands under the claim's name, and its verdict is not a loss.
PassResult Supervise(Pass& pass, ClaimWork& work, const StoredJob& job, bool adopt) {
  pass.client().Journal("B-20.7");
  const bool inputs_hold = InputsHold(pass.schema(), work.claim());
  StepResult ended;
  const absl::Status held = Hold(pass, work, *job, inputs_hold, ended);
  if (ended) return *std::move(ended);
  if (!held.ok()) {
    return work.operation().mutating ? LoseAccount(pass, work, held.message())
                                     : RetryReading(pass, nullptr, held.message());
  }
  if (adopt) {
    const absl::Status adopted = Adopt(pass, work, *job);
    if (!adopted.ok()) return PassResult::Error(adopted);
  }
  // A proof's realm was renewed by B-20.2 of this pass.
  if (work.HoldsRealm() && !work.ServesProof()) {
    pass.client().Journal("F-5");
    if (StepResult contended = dispatch::TakeRealm(work, pass.context())) {
      return *std::move(contended);
    }
  }
  if (pass.spec().suspend() && work.operation().mutating) pass.client().Journal("O-3");
  if (!dispatch::EndOf(*job).terminal) {
    pass.client().Journal("F-6");
    const absl::Status reported = ShowRefusedPods(pass, *job);
    if (!reported.ok()) return PassResult::Error(reported);
    return PassResult::After(pass.timing().supervision_poll_ms);
  }
  if (!inputs_hold && work.operation().mutating) {
    pass.client().Journal(pass.spec().suspend() ? "O-4" : "O-5");
  }
  return Harvest(pass, job, inputs_hold);
}

// What nobody here understands is neither read-only nor mutating: it is not retried, and it
// goes only when nothing of it was ever dispatched.
PassResult WorkOnUnknownClaim(Pass& pass) {
  pass.client().Journal("R-2");
  const api::ActiveOperation& claim = *pass.claim();
  if (!dispatch::MayHaveDispatched(claim)) {
    const absl::Status read =
        pass.client().Get<api::Job>(pass.metadata().namespace_(), claim.job_name()).status();
    if (api::IsNotFound(read)) return DiscardReading(pass, "the claim's type is not known");
    if (!read.ok()) return PassResult::Error(read);
  }
  return PassResult::Error(
      absl::FailedPreconditionError("the claim is of a type this manager does not know"));
}

}  // namespace

PassResult WorkOnClaim(Pass& pass) {
  pass.client().Journal("B-20");
  if (!pass.operation().known) return WorkOnUnknownClaim(pass);
  ClaimWork work(pass);
  if (work.claim().lease_continuity_lost() && work.HoldsRealm()) {
    pass.client().Journal("B-20.1");
    return SettleLostContinuity(pass, work);
  }
  if (work.ServesProof()) {
    if (StepResult ended = GuardProof(pass, work)) return *std::move(ended);
  }
  if (work.operation().mutating && !dispatch::MayHaveDispatched(work.claim()) &&
      !PlanIsInForce(pass)) {
    pass.client().Journal("B-20.3");
    return RotateBinding(pass);
  }
  if (StepResult waiting = WaitForRetry(pass)) return *std::move(waiting);

  pass.client().Journal("B-20.5");
  const absl::StatusOr<StoredJob> read =
      pass.client().Get<api::Job>(pass.metadata().namespace_(), work.claim().job_name());
  if (!read.ok() && !api::IsNotFound(read.status())) return PassResult::Error(read.status());
  if (read.ok() && pass.spec().suspend() && pass.proof() == nullptr && work.operation().read_only) {
    pass.client().Journal("B-20.6");
    return SuspendClaim(pass);
  }
  pass.client().Journal("F-1");
  const rules::JobJudgement judgement = dispatch::JudgeJob(
      rules::Family::kSchema, pass.metadata(), work.claim(), read.ok() ? &**read : nullptr);
  switch (judgement.verdict) {
    case rules::JobVerdict::kDispatch:
      return dispatch::Dispatch(work, pass.context());
    case rules::JobVerdict::kUnaccounted:
      dispatch::TellOfDoubt(judgement.cause, pass.operation().mutating, pass.client());
      return LoseAccount(pass, work, "the Job of the claim is missing, replaced or not its own");
    case rules::JobVerdict::kRetry:
      dispatch::TellOfDoubt(judgement.cause, pass.operation().mutating, pass.client());
      return RetryReading(pass, nullptr, "another Job stands under the claim's name");
    case rules::JobVerdict::kAdopt:
      return Supervise(pass, work, *read, true);
    case rules::JobVerdict::kSupervise:
      break;
  }
  return Supervise(pass, work, *read, false);
}

}  // namespace lifecycle::schema
