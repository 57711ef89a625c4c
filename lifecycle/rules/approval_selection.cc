#include "lifecycle/rules/approval_selection.h"

namespace lifecycle::rules {

Selection SelectSchemaApproval(const std::vector<SchemaCandidate>& candidates) {
  std::optional<size_t> choice;
  std::optional<size_t> cleanup;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const SchemaCandidate& candidate = candidates[i];
    if (candidate.gone || candidate.stale || candidate.deleting) continue;
    if (!candidate.matches) {
      if (!cleanup) cleanup = i;
      continue;
    }
    if (candidate.consumed) continue;
    if (choice) return {SelectionAction::kMarkSuperseded, i};
    choice = i;
  }
  if (choice) return {SelectionAction::kChoose, *choice};
  if (cleanup) return {SelectionAction::kMarkPlanNoLongerCurrent, *cleanup};
  return {};
}

bool RecordedApprovalValid(const RecordedApproval& approval) {
  if (!approval.found || !approval.uid_equal || approval.deleting || approval.stale) return false;
  return approval.matches && (!approval.consumed || approval.held_by_claim);
}

std::optional<size_t> SelectMigrationApproval(const std::vector<MigrationCandidate>& candidates) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    const MigrationCandidate& candidate = candidates[i];
    const bool names_this_plan =
        candidate.migration_uid_equal && candidate.plan_uid_equal && candidate.fingerprint_equal;
    const bool stamped = candidate.approver_stamped && candidate.request_stamped;
    const bool open = !candidate.deleting && !candidate.stale && !candidate.consumed;
    if (names_this_plan && stamped && open) return i;
  }
  return std::nullopt;
}

ConsumeStep ConsumeMigrationApproval(const HeldApproval& approval) {
  if (!approval.ref_set) return ConsumeStep::kProceed;
  switch (approval.read) {
    case ApprovalRead::kError:
      return ConsumeStep::kError;
    case ApprovalRead::kMissing:
      return ConsumeStep::kRetire;
    case ApprovalRead::kFound:
      break;
  }
  if (!approval.uid_equal || approval.deleting || approval.stale) return ConsumeStep::kRetire;
  return approval.consumed ? ConsumeStep::kProceed : ConsumeStep::kWriteConsumed;
}

ConsumeStep AuthorizeMigrationApproval(const HeldApproval& approval) {
  const ConsumeStep step = ConsumeMigrationApproval(approval);
  return step == ConsumeStep::kWriteConsumed ? ConsumeStep::kProceed : step;
}

ApplyPermission ApprovalRequired(const ApplyPolicyFacts& facts) {
  if (facts.policy.empty() || facts.policy == "OnApproval") {
    return ApplyPermission::kApprovalRequired;
  }
  if (facts.policy != "Always") return ApplyPermission::kNeverApplies;
  const bool needs_a_person =
      facts.family == Family::kSchema && (facts.destructive || facts.privilege_changes);
  return needs_a_person ? ApplyPermission::kApprovalRequired : ApplyPermission::kNoApprovalNeeded;
}

}  // namespace lifecycle::rules
