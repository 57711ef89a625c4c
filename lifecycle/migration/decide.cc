#include "lifecycle/migration/decide.h"

#include <optional>
#include <string>

#include "lifecycle/api/names.h"
#include "lifecycle/migration/approvals.h"
#include "lifecycle/migration/claiming.h"
#include "lifecycle/migration/plan.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/rules/approval_selection.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;

// How long until the stored deadline; 0 when it is due or absent.
int64_t UntilDeadlineMs(Pass& pass) {
  const int64_t deadline_ms = pass.status().next_reconciliation_time_ms();
  if (deadline_ms == 0) return 0;
  const int64_t rest_ms = deadline_ms - pass.NowMs();
  return rest_ms > 0 ? rest_ms : 0;
}

PassResult WaitOrResolve(Pass& pass) {
  const int64_t rest_ms = UntilDeadlineMs(pass);
  return rest_ms > 0 ? PassResult::After(rest_ms) : ClaimResolve(pass);
}

// W-53: the evidence no longer supports the plan, or there is none to decide by.
PassResult DropPlan(Pass& pass) {
  pass.client().Journal("D-6 drop");
  if (pass.status().has_plan()) {
    absl::Status marked =
        MarkPlanApprovalsStale(pass.status().plan().uid(), api::reason::kPlanNoLongerCurrent, pass);
    if (!marked.ok()) return PassResult::Error(marked);
  }
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    status.clear_plan();
    ShowPhase(api::phase::kPending, moment, status);
  });
  return written.ok() ? PassResult::Now() : PassResult::Error(written);
}

// Waits at the refresh deadline, and for a decision the phase asks a person for. A pass that
// stopped between publishing and saying so left phase Planning, so it is said here (K-3).
PassResult WaitForDecision(bool approval_required, Pass& pass) {
  const char* phase = approval_required ? api::phase::kAwaitingApproval : api::phase::kPlanning;
  if (pass.status().phase() != phase || pass.status().next_reconciliation_time_ms() == 0) {
    const Moment moment{pass.NowMs(), pass.metadata().generation()};
    const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
      ShowPlan(approval_required, moment, status);
      if (status.next_reconciliation_time_ms() == 0) {
        status.set_next_reconciliation_time_ms(moment.now_ms + pass.IntervalMs());
      }
    });
    if (!written.ok()) return PassResult::Error(written);
  }
  return PassResult::After(UntilDeadlineMs(pass));
}

// D-6.
PassResult DecideByPlan(Pass& pass) {
  pass.client().Journal("D-6");
  if (!pass.status().has_plan()) return DropPlan(pass);
  absl::StatusOr<PlanReading> reading = ReadCurrentPlan(pass.status().plan(), pass);
  if (!reading.ok()) return PassResult::Error(reading.status());
  if (!reading->plan) return DropPlan(pass);
  const api::PtahMigrationPlan& plan = **reading->plan;
  switch (rules::ApprovalRequired(
      {.family = rules::Family::kMigration, .policy = pass.spec().policy().apply()})) {
    case rules::ApplyPermission::kNeverApplies:
      pass.client().Journal("D-6 never");
      return WaitForDecision(/*approval_required=*/false, pass);
    case rules::ApplyPermission::kNoApprovalNeeded:
      return ClaimApply(plan, nullptr, pass);
    case rules::ApplyPermission::kApprovalRequired:
      break;
  }
  const absl::StatusOr<std::optional<StoredApproval>> approval = SelectApproval(plan, pass);
  if (!approval.ok()) return PassResult::Error(approval.status());
  if (!*approval) return WaitForDecision(/*approval_required=*/true, pass);
  return ClaimApply(plan, &***approval, pass);
}

// An absent deadline is not due: the plan was laid down without one.
bool RefreshIsDue(Pass& pass) {
  return pass.status().next_reconciliation_time_ms() != 0 && UntilDeadlineMs(pass) == 0;
}

}  // namespace

PassResult ChooseClaim(Pass& pass) {
  if (pass.status().observed_generation() != pass.metadata().generation()) {
    pass.client().Journal("C-13");
    return ClaimResolve(pass);
  }
  pass.client().Journal("C-14");
  const std::string& phase = pass.status().phase();
  if (phase == api::phase::kVerifying) return ClaimVerify(pass);
  if (phase == api::phase::kReading) return ClaimHistory(pass);
  if (phase == api::phase::kVerifyingHistory) {
    const int64_t rest_ms = UntilDeadlineMs(pass);  // Set only where a failed run backs off.
    return rest_ms > 0 ? PassResult::After(rest_ms) : ClaimHistory(pass);
  }
  if (phase == api::phase::kAwaitingApproval || phase == api::phase::kPlanning) {
    return RefreshIsDue(pass) ? ClaimResolve(pass) : DecideByPlan(pass);
  }
  if (phase == api::phase::kInSync || phase == api::phase::kBlocked ||
      phase == api::phase::kFailed) {
    return WaitOrResolve(pass);
  }
  return ClaimResolve(pass);
}

}  // namespace lifecycle::migration
