#include "lifecycle/schema/deletion.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/deletion_rule.h"
#include "lifecycle/rules/job_claim.h"
#include "lifecycle/schema/claim_work.h"
#include "lifecycle/schema/continuity.h"
#include "lifecycle/schema/outcome.h"
#include "lifecycle/schema/proof.h"

namespace lifecycle::schema {
namespace {

using dispatch::StepResult;
using StoredJob = api::Stored<api::Job>;

constexpr char kWhy[] = "the schema is being deleted";

bool IsClaims(const ClaimWork& work, const api::Job& job) {
  const std::string& recorded = work.claim().job_uid();
  return (recorded.empty() || job.metadata().uid() == recorded) &&
         rules::OwnedExactly(rules::Family::kSchema, work.metadata(), job);
}

// b: no pass can say any more what the Apply did. While another holds the realm nothing is said.
PassResult LoseAccount(Pass& pass, ClaimWork& work) {
  if (StepResult ended = dispatch::TakeRealm(work, pass.context())) return *std::move(ended);
  pass.client().Journal("I-3 deleted");
  return RecordUnknownOutcome(pass, {.why = kWhy});
}

// c
PassResult RenewAndWait(Pass& pass, ClaimWork& work) {
  if (StepResult ended = dispatch::TakeRealm(work, pass.context())) return *std::move(ended);
  return PassResult::After(pass.timing().supervision_poll_ms);
}

// d: the result is not read, since the resource is going away. No Job is passed on, so none gets a
// TTL: deletion takes it.
PassResult Account(Pass& pass, const StoredJob& job) {
  const absl::StatusOr<std::optional<dispatch::PodEvidence>> evidence = ApplyEvidence(pass, &job);
  if (!evidence.ok()) return PassResult::Error(evidence.status());
  pass.client().Journal("I-3 deleted");
  return RecordUnknownOutcome(pass, {.evidence = *evidence ? &**evidence : nullptr, .why = kWhy});
}

// e, W-57. A proof beside the claim keeps its realm and is ended by the next pass.
PassResult Discard(Pass& pass) {
  const absl::Status written =
      pass.RetireClaim(rules::Disposition::kDiscard, [&](api::PtahSchemaStatus& next) {
        pass.SetCondition(api::condition::kApplying, false, "Deleting", "", next);
      });
  return written.ok() ? NowOr(pass.PerformRelease()) : PassResult::Error(written);
}

// N-1.1
PassResult EndClaim(Pass& pass) {
  ClaimWork work(pass);
  const absl::StatusOr<StoredJob> read =
      pass.client().Get<api::Job>(pass.metadata().namespace_(), work.claim().job_name());
  if (!read.ok() && !api::IsNotFound(read.status())) return PassResult::Error(read.status());
  const bool stands = read.ok() && IsClaims(work, **read);
  switch (rules::DecideDeletedClaim(
      {.continuity_lost = work.claim().lease_continuity_lost() && work.HoldsRealm(),
       .mutating = work.operation().mutating,
       .may_have_dispatched = dispatch::MayHaveDispatched(work.claim()),
       .holds_realm = work.HoldsRealm(),
       .job_stands = stands,
       .job_terminal = stands && dispatch::EndOf(**read).terminal})) {
    case rules::DeletedClaimAction::kSettleContinuity:
      pass.client().Journal("N-1.1a");
      return SettleLostContinuity(pass, work);
    case rules::DeletedClaimAction::kLoseAccount:
      pass.client().Journal("N-1.1b");
      return LoseAccount(pass, work);
    case rules::DeletedClaimAction::kRenewAndWait:
      pass.client().Journal("N-1.1c");
      return RenewAndWait(pass, work);
    case rules::DeletedClaimAction::kAccount:
      pass.client().Journal("N-1.1d");
      return Account(pass, *read);
    case rules::DeletedClaimAction::kDiscard:
      break;
  }
  pass.client().Journal("N-1.1e");
  return Discard(pass);
}

// N-1.2. The proof is abandoned, not settled: what the Apply did will not be known. Goes on with
// the realm handed back.
StepResult EndProof(Pass& pass) {
  pass.client().Journal("N-1.2");
  if (StepResult ended = RenewProof(pass)) return ended;
  const absl::StatusOr<bool> active = ApplyPodMayRun(pass);
  if (!active.ok()) return PassResult::Error(active.status());
  const int64_t poll_ms = pass.timing().supervision_poll_ms;
  if (*active) return PassResult::After(poll_ms);
  const int64_t left_ms = pass.proof()->observe_after_ms() - pass.NowMs();
  if (left_ms > 0) return PassResult::After(std::min(left_ms, poll_ms));
  absl::Status ended = pass.AbandonProof();
  if (ended.ok()) ended = pass.PerformRelease();
  if (!ended.ok()) return PassResult::Error(ended);
  return std::nullopt;
}

}  // namespace

PassResult WorkOnDeletion(Pass& pass) {
  pass.client().Journal("N-1");
  if (!pass.HasFinalizer()) return PassResult::Done();
  if (pass.claim() != nullptr) return EndClaim(pass);
  if (pass.proof() != nullptr) {
    if (StepResult ended = EndProof(pass)) return *std::move(ended);
  }
  pass.client().Journal("N-1.3");
  const absl::Status removed = pass.RemoveFinalizer();
  return removed.ok() || api::IsNotFound(removed) ? PassResult::Done() : PassResult::Error(removed);
}

}  // namespace lifecycle::schema
