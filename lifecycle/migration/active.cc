#include "lifecycle/migration/active.h"

#include <optional>
#include <string>
#include <utility>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/dispatch/refused_pods.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/migration/dispatch.h"
#include "lifecycle/migration/harvest.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/migration/status.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;
using StoredJob = api::Stored<api::Job>;

const char* Words(rules::JobCause cause) {
  switch (cause) {
    case rules::JobCause::kMissing:
      return "the Job of the operation is missing";
    case rules::JobCause::kReplaced:
      return "another Job stands under the operation's name";
    case rules::JobCause::kDisowned:
      return "the Job under the operation's name is not this resource's";
    case rules::JobCause::kNone:
      break;
  }
  return "";
}

// Doubt costs a read-only claim another attempt and a mutating claim its account.
PassResult GiveUpOn(const StoredJob* job, absl::string_view why, Pass& pass) {
  if (pass.operation().mutating) return RecordUncertainRun(job, why, "", pass);
  return RetryReadOnly(nullptr, why, pass);
}

// F-4: holds the Job to its claim, before adopting it and on every supervising pass. Goes on when
// the Job is the claim's.
StepResult HoldToClaim(const StoredJob& job, Inputs inputs, Pass& pass) {
  pass.client().Journal("F-4");
  const dispatch::ClaimContext context{.family = rules::Family::kMigration,
                                       .owner = pass.metadata(),
                                       .claim = pass.claim(),
                                       .binding = pass.binding()};
  const bool mutating = pass.operation().mutating;
  absl::Status held;
  if (inputs == Inputs::kHold) {
    absl::StatusOr<api::Job> rebuilt = RebuildJob(pass);
    if (!rebuilt.ok() && api::ApiErrorOf(rebuilt.status())) {
      return PassResult::Error(rebuilt.status());
    }
    const bool rebuildable = rebuilt.ok();
    held = dispatch::HoldToBuilt(rules::JobAsker::kInputsHold, context, *job, std::move(rebuilt));
    if (held.ok()) return std::nullopt;
    pass.client().Journal(!mutating ? "F-8 refused" : rebuildable ? "I-3 refused" : "I-3 rebuild");
  } else {
    held = dispatch::HoldToEnvelope(rules::JobAsker::kInputsMoved, context, *job);
    if (held.ok()) return std::nullopt;
    pass.client().Journal(mutating ? "I-3 envelope" : "F-8 refused");
  }
  return GiveUpOn(&job, held.message(), pass);
}

// F-3, W-16.
StepResult Adopt(const StoredJob& job, Pass& pass) {
  pass.client().Journal("F-3");
  const bool mutating = pass.operation().mutating;
  const absl::Status adopted = pass.WriteClaim([&](api::ActiveOperation& claim) {
    claim.set_job_uid(job->metadata().uid());
    if (mutating) claim.set_dispatch_started(true);
  });
  if (adopted.ok()) return std::nullopt;
  return PassResult::Error(adopted);
}

// F-6: a Pod that is not the claim's is shown, and no longer shown.
absl::Status ShowRefusedPods(const api::Job& job, Pass& pass) {
  const std::optional<bool> refused =
      dispatch::RefusedPodsToShow(pass.client(), pass.claim(), job, pass.status().conditions());
  if (!refused) return absl::OkStatus();
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  return pass.WriteStatus(
      [&](api::PtahMigrationStatus& next) { ShowRefusedPod(*refused, moment, next); });
}

// C-20.7 and 8, for a Job that is owned and stands under the claim's name and UID.
PassResult Supervise(const StoredJob& job, bool adopt, Pass& pass) {
  pass.client().Journal("C-20.7");
  const absl::StatusOr<Inputs> inputs = InputsOf(pass);
  if (!inputs.ok()) return PassResult::Error(inputs.status());
  if (StepResult ended = HoldToClaim(job, *inputs, pass)) return *std::move(ended);
  if (adopt) {
    if (StepResult ended = Adopt(job, pass)) return *std::move(ended);
  }
  pass.client().Journal("C-20.8");
  if (!dispatch::EndOf(*job).terminal) {
    pass.client().Journal("F-6");
    if (pass.spec().suspend()) pass.client().Journal("O-3");
    const absl::Status reported = ShowRefusedPods(*job, pass);
    if (!reported.ok()) return PassResult::Error(reported);
    return PassResult::After(pass.timing().supervision_poll_ms);
  }
  return Harvest(job, *inputs == Inputs::kHold, pass);
}

PassResult DispatchClaim(Pass& pass) {
  MigrationDispatch family(pass);
  return dispatch::Dispatch(family, pass.context());
}

}  // namespace

PassResult ReconcileActive(Pass& pass) {
  pass.client().Journal("C-20");
  if (!pass.operation().known) {  // Acting on "not mutating" would be acting on a guess.
    pass.client().Journal("R-2");
    return PassResult::Error(
        absl::FailedPreconditionError("the claim is of a type this manager does not know"));
  }
  if (pass.claim().lease_continuity_lost()) {
    pass.client().Journal("C-20.1");
    pass.client().Journal("I-3 continuity");
    return RecordUncertainRun(nullptr, "the realm changed hands under the run", "", pass);
  }
  const absl::StatusOr<std::optional<StoredJob>> job =
      dispatch::ReadClaimedJob(pass.client(), pass.metadata(), pass.claim());
  if (!job.ok()) return PassResult::Error(job.status());
  pass.client().Journal("C-20.2");
  const StoredJob* found = *job ? &**job : nullptr;
  if (found != nullptr && pass.spec().suspend() && pass.operation().read_only) {
    pass.client().Journal("C-20.3");
    pass.client().Journal("O-2");
    return DiscardToPending(pass);
  }
  const rules::JobJudgement judged =
      dispatch::JudgeJob(rules::Family::kMigration, pass.metadata(), pass.claim(),
                         found == nullptr ? nullptr : &**found);
  pass.client().Journal("F-1");
  // Authorization comes before the realm, so a dispatch does not take the Lease first.
  if (judged.verdict == rules::JobVerdict::kDispatch) {
    pass.client().Journal("C-20.4");
    return DispatchClaim(pass);
  }
  if (pass.HoldsRealm()) {
    pass.client().Journal("C-20.5");
    pass.client().Journal("F-5");
    if (StepResult ended = dispatch::TakeRealm(pass, pass.context())) return *std::move(ended);
  }
  switch (judged.verdict) {
    case rules::JobVerdict::kUnaccounted:
      pass.client().Journal("C-20.6");
      pass.client().Journal("F-2");
      dispatch::TellOfDoubt(judged.cause, pass.operation().mutating, pass.client());
      return RecordUncertainRun(found, Words(judged.cause), "", pass);
    case rules::JobVerdict::kRetry:
      pass.client().Journal("C-20.6");
      dispatch::TellOfDoubt(judged.cause, pass.operation().mutating, pass.client());
      return RetryReadOnly(nullptr, Words(judged.cause), pass);
    case rules::JobVerdict::kAdopt:
      return Supervise(*found, /*adopt=*/true, pass);
    case rules::JobVerdict::kSupervise:
      return Supervise(*found, /*adopt=*/false, pass);
    case rules::JobVerdict::kDispatch:
      break;
  }
  return PassResult::Error(absl::InternalError("a verdict without a branch"));
}

}  // namespace lifecycle::migration
