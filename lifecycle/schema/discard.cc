#include "lifecycle/schema/discard.h"

#include <algorithm>
#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/cleanup.h"
#include "lifecycle/schema/approvals.h"

namespace lifecycle::schema {
namespace {

// With a claim one patch retires it; without one it is a plain status write.
absl::Status WriteOrRetire(Pass& pass, StatusEdit edit, api::Site site = api::Site::Here()) {
  return pass.claim() == nullptr ? pass.WriteStatus(edit, site)
                                 : pass.RetireClaim(rules::Disposition::kDiscard, edit, site);
}

// Writes, hands back what is owed, and ends the pass with `result`.
PassResult EndWith(Pass& pass, const absl::Status& written, PassResult result) {
  if (!written.ok()) return PassResult::Error(written);
  const absl::Status handed_back = pass.HandBack();
  return handed_back.ok() ? std::move(result) : PassResult::Error(handed_back);
}

// The plan goes; a proof that is open observes again.
void ClearPlan(Pass& pass, const char* phase, absl::string_view why, api::PtahSchemaStatus& next) {
  constexpr char kReason[] = "PlanNoLongerCurrent";
  next.clear_plan();
  next.set_phase(phase);
  if (next.has_pending_observation()) {
    next.set_phase(api::phase::kVerifyingConvergence);
    next.mutable_pending_observation()->clear_plan_required();
  }
  pass.SetCondition(api::condition::kPlanReady, false, kReason, why, next);
  pass.SetCondition(api::condition::kApprovalRequired, false, kReason, "", next);
  pass.SetCondition(api::condition::kApplying, false, kReason, "", next);
}

// The deadline at which the whole chain is refreshed, set anew where a claim had cleared it.
void KeepRefreshDeadline(Pass& pass, api::PtahSchemaStatus& next) {
  if (next.next_reconciliation_time_ms() == 0) {
    next.set_next_reconciliation_time_ms(pass.NowMs() + pass.IntervalMs());
  }
}

int64_t UntilRefresh(Pass& pass) {
  return std::max<int64_t>(0, pass.status().next_reconciliation_time_ms() - pass.NowMs());
}

// While a proof is open its Lease has to be renewed in between.
int64_t RetryDelayMs(Pass& pass) {
  const int64_t delay_ms = pass.RetryMs();
  return pass.proof() == nullptr ? delay_ms : std::min(delay_ms, pass.timing().supervision_poll_ms);
}

void SetFailure(Pass& pass, absl::string_view why, api::PtahSchemaStatus& next) {
  next.set_phase(api::phase::kFailed);
  next.set_next_reconciliation_time_ms(pass.NowMs() + pass.RetryMs());
  pass.SetCondition(api::condition::kReconciliationFailed, true, "OperationFailed", why, next);
}

}  // namespace

PassResult DropStalePlan(Pass& pass, absl::string_view why) {
  pass.client().Journal("D-8");
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  const absl::Status written = WriteOrRetire(pass, [&](api::PtahSchemaStatus& next) {
    ClearPlan(pass, api::phase::kObserving, why, next);
  });
  return EndWith(pass, written, PassResult::Now());
}

PassResult DropPlanWithOccupiedName(Pass& pass) {
  pass.client().Journal("E-3 conflict");
  constexpr char kWhy[] = "another object holds the name of one of the plan's projections";
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  const absl::Status written = WriteOrRetire(pass, [&](api::PtahSchemaStatus& next) {
    ClearPlan(pass, api::phase::kFailed, kWhy, next);
    SetFailure(pass, kWhy, next);
  });
  return EndWith(pass, written, PassResult::After(pass.RetryMs()));
}

PassResult DropChangedPolicy(Pass& pass) {
  pass.client().Journal("D-9");
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  const absl::Status written = WriteOrRetire(pass, [&](api::PtahSchemaStatus& next) {
    ClearPlan(pass, api::phase::kVerifying, "the verification policy changed", next);
    api::SourceRecord& source = *next.mutable_source();
    source.clear_verified();
    source.clear_verified_at_ms();
    source.clear_verification_policy_uid();
    source.clear_verification_policy_digest();
    pass.SetCondition(api::condition::kArtifactVerified, false, "VerificationPolicyChanged", "",
                      next);
  });
  return EndWith(pass, written, PassResult::Now());
}

PassResult DropInvalidApproval(Pass& pass) {
  pass.client().Journal("D-10");
  constexpr char kReason[] = "ApprovalNoLongerValid";
  const absl::Status written = WriteOrRetire(pass, [&](api::PtahSchemaStatus& next) {
    next.mutable_plan()->clear_approval();
    next.set_phase(api::phase::kAwaitingApproval);
    KeepRefreshDeadline(pass, next);
    pass.SetCondition(api::condition::kApprovalRequired, true, kReason, "", next);
    pass.SetCondition(api::condition::kApplying, false, kReason, "", next);
  });
  return EndWith(pass, written, PassResult::After(UntilRefresh(pass)));
}

PassResult DropLateApply(Pass& pass) {
  pass.client().Journal("D-7 late");
  constexpr char kReason[] = "DispatchWindowPassed";
  const bool approval = ApprovalIsRequired(pass);
  const absl::Status written = WriteOrRetire(pass, [&](api::PtahSchemaStatus& next) {
    next.set_phase(approval ? api::phase::kAwaitingApproval : api::phase::kReadyToApply);
    KeepRefreshDeadline(pass, next);
    pass.SetCondition(api::condition::kApprovalRequired, approval, kReason, "", next);
    pass.SetCondition(api::condition::kApplying, false, kReason, "", next);
  });
  return EndWith(pass, written, PassResult::Now());
}

PassResult DiscardReading(Pass& pass, absl::string_view why) {
  pass.client().Journal("F-7");
  if (pass.ClaimServesProof()) {
    return EndWith(pass,
                   pass.RetireClaim(rules::Disposition::kDiscard,
                                    [](api::PtahSchemaStatus& next) {
                                      next.set_phase(api::phase::kVerifyingConvergence);
                                    }),
                   PassResult::Now());
  }
  const absl::Status marked = MarkRecordedApprovalStale(pass);
  if (!marked.ok()) return PassResult::Error(marked);
  const absl::Status written =
      pass.RetireClaim(rules::Disposition::kDiscard, [&](api::PtahSchemaStatus& next) {
        ClearPlan(pass, api::phase::kPending, why, next);
        next.mutable_source()->clear_verified();
      });
  return EndWith(pass, written, PassResult::Now());
}

PassResult RetryReading(Pass& pass, const api::Stored<api::Job>* job, absl::string_view why) {
  pass.client().Journal("F-8");
  if (job != nullptr) {
    api::Stored<api::Job> own = *job;
    const absl::Status cleaned = SetCleanupTtl(pass, own);
    if (!cleaned.ok()) return PassResult::Error(cleaned);
  }
  const absl::Status written =
      pass.StartNextAttempt([&](api::PtahSchemaStatus& next) { SetFailure(pass, why, next); });
  if (!written.ok()) return PassResult::Error(written);
  const absl::Status released = pass.PerformRelease();
  return released.ok() ? PassResult::After(RetryDelayMs(pass)) : PassResult::Error(released);
}

PassResult FailAndKeepClaim(Pass& pass, absl::string_view why) {
  const absl::Status written =
      pass.WriteStatus([&](api::PtahSchemaStatus& next) { SetFailure(pass, why, next); });
  return written.ok() ? PassResult::After(RetryDelayMs(pass)) : PassResult::Error(written);
}

absl::Status SetCleanupTtl(Pass& pass, api::Stored<api::Job>& job) {
  absl::StatusOr<api::Stored<api::Job>> stored = dispatch::SetCleanupTtl(job, pass.context());
  if (!stored.ok()) return stored.status();
  job = *std::move(stored);
  return absl::OkStatus();
}

}  // namespace lifecycle::schema
