// Approvals of a schema's plan: finding one, checking the recorded one, spending it, marking it
// stale.
//
// An approval is reserved in status.plan by one pass and claimed by another, and the claim holds it
// by reference from then on: only a claim looking for a new approval skips a spent one.
//
// Answers: spec 02, B-9, D-5.6, D-5.7, E-5, M-6, M-9; spec 03, 12.1, 12.2; W-03, W-04, W-11.

#ifndef LIFECYCLE_SCHEMA_APPROVALS_H_
#define LIFECYCLE_SCHEMA_APPROVALS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

using StoredApproval = api::Stored<api::PtahSchemaApproval>;

// Whether the plan in status needs an approval under the spec's policy (12.5).
bool ApprovalIsRequired(const Pass& pass);

struct ApprovalChoice {
  // The approval to reserve, when one authorizes the plan.
  std::optional<api::PlanApproval> chosen;
  // An approval was marked Stale; the choice waits for the next pass.
  bool marked = false;
};

// Looks for one among the candidates, each re-read, and marks at most one of them Stale.
// Errors: any answer of the API server that leaves the question open.
absl::StatusOr<ApprovalChoice> SelectApproval(Pass& pass);

// Who asks for the recorded approval: a claim about to be taken, or the one that holds it.
enum class ApprovalAsker { kBeforeClaim, kHoldingClaim };

// Re-reads the approval status.plan records. Returns nullopt when it is not valid (12.2).
// Errors: the API server's, NotFound apart.
absl::StatusOr<std::optional<StoredApproval>> ReadRecordedApproval(Pass& pass, ApprovalAsker asker);

// W-11. Writes Consumed, with Accepted and without Stale, in one patch; skipped when it says so
// already.
absl::Status SpendApproval(Pass& pass, const StoredApproval& approval);

// W-04. Marks the recorded approval Stale, when its UID is still the recorded one and it is not
// marked yet. Does nothing where none is recorded.
absl::Status MarkRecordedApprovalStale(Pass& pass);

// M-6, M-9. Marks every approval that names the plan (name, UID, fingerprint) Stale, its execution
// binding having moved. Listed directly: the sweep is not repeated for one that a cache still hid.
absl::Status SweepApprovals(Pass& pass, const api::RetiredPlan& plan);

// B-9. Marks one approval of the plan in status Stale, its engine not being supported. Returns
// whether one was left to be marked.
absl::StatusOr<bool> MarkOneOfUnsupportedEngine(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_APPROVALS_H_
