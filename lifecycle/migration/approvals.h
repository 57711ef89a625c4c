// A person's approvals of a migration plan: choosing one, holding it by reference, spending it, and
// marking it stale once its plan is no longer current.
//
// An approval is spent before the dispatch mark, and the claim that spent it goes on under it; only
// a claim that looks for a new one skips a spent one.
//
// Answers: spec 02, D-6, D-12, E-1, E-5; spec 03, 12.3, 12.4; W-04, W-11.

#ifndef LIFECYCLE_MIGRATION_APPROVALS_H_
#define LIFECYCLE_MIGRATION_APPROVALS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/rules/approval_selection.h"

namespace lifecycle::migration {

using StoredApproval = api::Stored<api::PtahMigrationApproval>;

// True when a decision's condition of this type is True.
bool HasTrue(const api::DecisionStatus& status, absl::string_view type);

// 12.3: the oldest approval that authorizes `plan`, from a direct list; none when there is none.
absl::StatusOr<std::optional<StoredApproval>> SelectApproval(const api::PtahMigrationPlan& plan,
                                                             Pass& pass);

// The approval an Apply claim holds by reference, re-read.
struct HeldApprovalRead {
  rules::HeldApproval facts;
  std::optional<StoredApproval> approval;
  absl::Status error;  // When the read failed otherwise than by not finding it.
};
HeldApprovalRead ReadHeldApproval(Pass& pass);

// W-11.
absl::Status MarkConsumed(const StoredApproval& approval, Pass& pass);

// D-12: marks every unspent approval that names the plan of this UID Stale, with `reason`. Does
// nothing for an empty UID. Errors end the pass before the write that drops the plan.
absl::Status MarkPlanApprovalsStale(const std::string& plan_uid, absl::string_view reason,
                                    Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_APPROVALS_H_
