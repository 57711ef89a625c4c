#include "lifecycle/schema/decide.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lifecycle/api/names.h"
#include "lifecycle/rules/approval_selection.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/claims.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/rotation.h"

namespace lifecycle::schema {
namespace {

rules::ApplyPermission PermissionFor(const Pass& pass, const api::PlanRecord& plan) {
  return rules::ApprovalRequired({.family = rules::Family::kSchema,
                                  .policy = pass.spec().policy().apply(),
                                  .destructive = plan.destructive(),
                                  .privilege_changes = plan.privilege_changes_size() > 0});
}

// D-5.5. Why the policy does not let the plan be applied, whatever anybody approves; null when it
// does.
const char* WhyHeldBack(const Pass& pass, const api::PlanRecord& plan) {
  if (!rules::PlanPermitted(plan.destructive(), pass.spec().policy().allow_destructive())) {
    return "DestructivePlanNotAllowed";
  }
  return PermissionFor(pass, plan) == rules::ApplyPermission::kNeverApplies ? "PolicyNeverApplies"
                                                                            : nullptr;
}

// Whether status already says so, which spares a waiting pass the copy that changes nothing.
bool AlreadyWaits(const Pass& pass, const char* phase, bool approval, const char* reason) {
  if (pass.status().phase() != phase || pass.status().next_reconciliation_time_ms() == 0) {
    return false;
  }
  for (const api::Condition& condition : pass.status().conditions()) {
    if (condition.type() != api::condition::kApprovalRequired) continue;
    return condition.reason() == reason &&
           condition.observed_generation() == pass.metadata().generation() &&
           (condition.status() == api::condition_status::kTrue) == approval;
  }
  return false;
}

// W-29: the plan stays where it is, shown for what it waits for, until the chain is refreshed.
PassResult WaitIn(Pass& pass, const char* phase, const char* reason) {
  const bool approval = absl::string_view(phase) == api::phase::kAwaitingApproval;
  if (AlreadyWaits(pass, phase, approval, reason)) return WaitForRefresh(pass);
  const absl::Status written = pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    next.set_phase(phase);
    if (next.next_reconciliation_time_ms() == 0) {
      next.set_next_reconciliation_time_ms(pass.NowMs() + pass.IntervalMs());
    }
    pass.SetCondition(api::condition::kApprovalRequired, approval, reason, "", next);
    pass.SetCondition(api::condition::kReady, false, reason, "", next);
  });
  return written.ok() ? WaitForRefresh(pass) : PassResult::Error(written);
}

// D-5.6. One approval is reserved, in a write and a pass of its own (W-03).
PassResult ReserveApproval(Pass& pass) {
  pass.client().Journal("D-5.6");
  absl::StatusOr<ApprovalChoice> choice = SelectApproval(pass);
  if (!choice.ok()) return PassResult::Error(choice.status());
  if (choice->marked) return PassResult::Now();
  if (!choice->chosen) return WaitIn(pass, api::phase::kAwaitingApproval, "AwaitingApproval");
  return NowOr(pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    *next.mutable_plan()->mutable_approval() = *std::move(choice->chosen);
  }));
}

}  // namespace

PassResult DecideOnPlan(Pass& pass) {
  pass.client().Journal("D-5");
  if (pass.plan() == nullptr) {
    pass.client().Journal("D-5.1");
    return ClaimObserve(pass);
  }

  const absl::StatusOr<std::optional<StoredPlan>> plan = ReadPlan(pass);
  if (!plan.ok()) return PassResult::Error(plan.status());
  if (!*plan || !PlanIsCurrent(pass.schema(), ***plan)) {
    pass.client().Journal("D-5.2");
    return DropStalePlan(pass, "the plan is gone, replaced or no longer what status says");
  }
  if (!PlanIsInForce(pass)) {
    pass.client().Journal("D-5.3");
    return RotateBinding(pass);
  }

  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass);
  if (!policy.ok()) return PassResult::Error(policy.status());
  if (!PolicyBinds(*policy, *pass.plan())) {
    pass.client().Journal("D-5.4");
    return DropChangedPolicy(pass);
  }

  if (const char* reason = WhyHeldBack(pass, *pass.plan())) {
    pass.client().Journal("D-5.5");
    return WaitIn(pass, api::phase::kBlocked, reason);
  }
  if (PermissionFor(pass, *pass.plan()) == rules::ApplyPermission::kApprovalRequired) {
    if (!pass.plan()->has_approval()) return ReserveApproval(pass);
    const absl::StatusOr<std::optional<StoredApproval>> approval =
        ReadRecordedApproval(pass, ApprovalAsker::kBeforeClaim);
    if (!approval.ok()) return PassResult::Error(approval.status());
    if (!*approval) {
      pass.client().Journal("D-5.7");
      return DropInvalidApproval(pass);
    }
  }
  if (RefreshDue(pass)) {
    pass.client().Journal("D-5.8");
    return ClaimResolve(pass);
  }
  pass.client().Journal("D-5.9");
  return ClaimApply(pass);
}

bool RefreshDue(Pass& pass) {
  const int64_t deadline_ms = pass.status().next_reconciliation_time_ms();
  return deadline_ms != 0 && pass.NowMs() >= deadline_ms;
}

const char* PhaseOfPlan(const Pass& pass, const api::PlanRecord& plan) {
  if (WhyHeldBack(pass, plan) != nullptr) return api::phase::kBlocked;
  return PermissionFor(pass, plan) == rules::ApplyPermission::kApprovalRequired
             ? api::phase::kAwaitingApproval
             : api::phase::kReadyToApply;
}

PassResult WaitForRefresh(Pass& pass) {
  const int64_t deadline_ms = pass.status().next_reconciliation_time_ms();
  if (deadline_ms == 0) return PassResult::Done();
  return PassResult::After(std::max<int64_t>(0, deadline_ms - pass.NowMs()));
}

}  // namespace lifecycle::schema
