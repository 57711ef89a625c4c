// Which approval authorizes a plan, whether a recorded one still does, and whether one is needed.
//
// An approval is spent before the dispatch mark, so a Consumed one may be exactly what the claim
// that spent it holds: at Authorize and Consume it is valid, before a claim it authorizes nothing.
//
// Answers: spec 03, 12.1 to 12.5; D-5, D-6, E-1, E-5.

#ifndef LIFECYCLE_RULES_APPROVAL_SELECTION_H_
#define LIFECYCLE_RULES_APPROVAL_SELECTION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::rules {

// 12.1 Schema, looking for one ----------------------------------------------------------------

// One candidate, re-read directly. `matches`: schema name and UID, plan name and UID, the plan's
// non-empty fingerprint, stamped approver, approvedAt and request UID, current plan contract.
struct SchemaCandidate {
  bool gone = false;
  bool stale = false;
  bool deleting = false;
  bool consumed = false;
  bool matches = false;
};

enum class SelectionAction {
  kNone,
  kChoose,
  kMarkSuperseded,  // A second one matches: it is marked Stale, nothing is chosen this pass.
  kMarkPlanNoLongerCurrent,
};

struct Selection {
  SelectionAction action = SelectionAction::kNone;
  size_t index = 0;  // Of the candidate, unless kNone.
  friend bool operator==(const Selection&, const Selection&) = default;
};

// `candidates` come oldest first.
Selection SelectSchemaApproval(const std::vector<SchemaCandidate>& candidates);

// 12.2 Schema, checking the recorded one -------------------------------------------------------

struct RecordedApproval {
  bool found = false;
  bool uid_equal = false;
  bool deleting = false;
  bool stale = false;
  bool matches = false;  // The plan, and what the record says of approver and time.
  bool consumed = false;
  // True at Authorize and Consume of the claim that holds it; false before a claim (D-5.7).
  bool held_by_claim = false;
};

bool RecordedApprovalValid(const RecordedApproval& approval);

// 12.3 Migration, looking for one --------------------------------------------------------------

struct MigrationCandidate {
  bool deleting = false;
  bool migration_uid_equal = false;
  bool plan_uid_equal = false;
  bool fingerprint_equal = false;  // False also when it is empty.
  bool approver_stamped = false;
  bool request_stamped = false;
  bool stale = false;
  bool consumed = false;
};

// Returns the index of the one that authorizes, the oldest; `candidates` come oldest first. Later
// duplicates change nothing.
std::optional<size_t> SelectMigrationApproval(const std::vector<MigrationCandidate>& candidates);

// 12.4 Migration, Authorize and Consume --------------------------------------------------------

enum class ApprovalRead { kError, kMissing, kFound };

struct HeldApproval {
  bool ref_set = false;  // approvalRef; absent under policy Always.
  ApprovalRead read = ApprovalRead::kError;
  bool uid_equal = false;
  bool deleting = false;
  bool stale = false;
  bool consumed = false;
};

enum class ConsumeStep {
  kProceed,
  kRetire,  // The claim, as Discard.
  kWriteConsumed,
  kError,
};

ConsumeStep ConsumeMigrationApproval(const HeldApproval& approval);
// The same question before the realm is taken: never kWriteConsumed.
ConsumeStep AuthorizeMigrationApproval(const HeldApproval& approval);

// 12.5 Is an approval required? ----------------------------------------------------------------

enum class ApplyPermission { kNeverApplies, kApprovalRequired, kNoApprovalNeeded };

struct ApplyPolicyFacts {
  Family family = Family::kSchema;
  absl::string_view policy = "";  // spec.policy.apply; empty is the default, OnApproval.
  bool destructive = false;
  bool privilege_changes = false;
};

// A policy that is not one of the three never applies. A destructive plan also needs
// allowDestructive, in every policy (D-5.5): PlanPermitted.
ApplyPermission ApprovalRequired(const ApplyPolicyFacts& facts);

constexpr bool PlanPermitted(bool destructive, bool allow_destructive) {
  return !destructive || allow_destructive;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_APPROVAL_SELECTION_H_
