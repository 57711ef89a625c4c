#include "lifecycle/migration/approvals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/conditions.h"

namespace lifecycle::migration {
namespace {

void SetDecision(absl::string_view type, bool value, absl::string_view reason, int64_t now_ms,
                 int64_t generation, api::DecisionStatus* status) {
  dispatch::SetCondition({.type = type,
                          .status = value,
                          .reason = reason,
                          .message = "",
                          .generation = generation,
                          .now_ms = now_ms},
                         *status->mutable_conditions());
  status->set_observed_generation(generation);
}

absl::StatusOr<std::vector<StoredApproval>> OldestFirst(Pass& pass) {
  auto approvals = pass.client().List<api::PtahMigrationApproval>(pass.metadata().namespace_());
  if (!approvals.ok()) return approvals.status();
  std::stable_sort(
      approvals->begin(), approvals->end(), [](const StoredApproval& a, const StoredApproval& b) {
        return a->metadata().creation_timestamp_ms() < b->metadata().creation_timestamp_ms();
      });
  return approvals;
}

rules::MigrationCandidate CandidateOf(const api::PtahMigrationApproval& approval,
                                      const api::PtahMigrationPlan& plan, const Pass& pass) {
  const api::PtahMigrationApprovalSpec& spec = approval.spec();
  rules::MigrationCandidate candidate;
  candidate.deleting = approval.metadata().deletion_timestamp_ms() != 0;
  candidate.migration_uid_equal = spec.migration_ref().uid() == pass.metadata().uid();
  candidate.plan_uid_equal = spec.plan_ref().uid() == plan.metadata().uid();
  candidate.fingerprint_equal =
      !spec.plan_fingerprint().empty() && spec.plan_fingerprint() == plan.spec().fingerprint();
  candidate.approver_stamped = !spec.approver().username().empty();
  candidate.request_stamped = !spec.mutation_request_uid().empty();
  candidate.stale = HasTrue(approval.status(), api::condition::kStale);
  candidate.consumed = HasTrue(approval.status(), api::condition::kConsumed);
  return candidate;
}

absl::Status MarkStale(const StoredApproval& approval, absl::string_view reason, Pass& pass) {
  api::PtahMigrationApproval next = *approval;
  const int64_t generation = approval->metadata().generation();
  const int64_t now_ms = pass.NowMs();
  SetDecision(api::condition::kAccepted, false, reason, now_ms, generation, next.mutable_status());
  SetDecision(api::condition::kStale, true, reason, now_ms, generation, next.mutable_status());
  return pass.client().Patch(approval, std::move(next), api::Subresource::kStatus).status();
}

}  // namespace

bool HasTrue(const api::DecisionStatus& status, absl::string_view type) {
  return dispatch::IsTrue(status.conditions(), type);
}

absl::StatusOr<std::optional<StoredApproval>> SelectApproval(const api::PtahMigrationPlan& plan,
                                                             Pass& pass) {
  absl::StatusOr<std::vector<StoredApproval>> approvals = OldestFirst(pass);
  if (!approvals.ok()) return approvals.status();
  std::vector<rules::MigrationCandidate> candidates;
  candidates.reserve(approvals->size());
  for (const StoredApproval& approval : *approvals) {
    candidates.push_back(CandidateOf(*approval, plan, pass));
  }
  const std::optional<size_t> chosen = rules::SelectMigrationApproval(candidates);
  if (!chosen) return std::optional<StoredApproval>();
  return std::optional<StoredApproval>(std::move((*approvals)[*chosen]));
}

HeldApprovalRead ReadHeldApproval(Pass& pass) {
  HeldApprovalRead read;
  const api::ActiveOperation& claim = pass.claim();
  read.facts.ref_set = claim.has_approval_ref();
  if (!read.facts.ref_set) return read;
  auto approval = pass.client().Get<api::PtahMigrationApproval>(pass.metadata().namespace_(),
                                                                claim.approval_ref().name());
  if (!approval.ok()) {
    read.facts.read = api::IsNotFound(approval.status()) ? rules::ApprovalRead::kMissing
                                                         : rules::ApprovalRead::kError;
    read.error = approval.status();
    return read;
  }
  read.facts.read = rules::ApprovalRead::kFound;
  read.facts.uid_equal = (*approval)->metadata().uid() == claim.approval_ref().uid();
  read.facts.deleting = (*approval)->metadata().deletion_timestamp_ms() != 0;
  read.facts.stale = HasTrue((*approval)->status(), api::condition::kStale);
  read.facts.consumed = HasTrue((*approval)->status(), api::condition::kConsumed);
  read.approval = *std::move(approval);
  return read;
}

absl::Status MarkConsumed(const StoredApproval& approval, Pass& pass) {
  api::PtahMigrationApproval next = *approval;
  SetDecision(api::condition::kConsumed, true, api::reason::kDispatchCommitted, pass.NowMs(),
              approval->metadata().generation(), next.mutable_status());
  return pass.client().Patch(approval, std::move(next), api::Subresource::kStatus).status();
}

absl::Status MarkPlanApprovalsStale(const std::string& plan_uid, absl::string_view reason,
                                    Pass& pass) {
  if (plan_uid.empty()) return absl::OkStatus();
  absl::StatusOr<std::vector<StoredApproval>> approvals = OldestFirst(pass);
  if (!approvals.ok()) return approvals.status();
  for (const StoredApproval& approval : *approvals) {
    if (approval->spec().plan_ref().uid() != plan_uid ||
        approval->spec().migration_ref().uid() != pass.metadata().uid() ||
        HasTrue(approval->status(), api::condition::kStale) ||
        HasTrue(approval->status(), api::condition::kConsumed)) {
      continue;
    }
    pass.client().Journal("D-12");
    if (absl::Status marked = MarkStale(approval, reason, pass); !marked.ok()) return marked;
  }
  return absl::OkStatus();
}

}  // namespace lifecycle::migration
