#include "lifecycle/schema/approvals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/rules/approval_selection.h"

namespace lifecycle::schema {
namespace {

bool Has(const api::PtahSchemaApproval& approval, const char* condition) {
  return dispatch::IsTrue(approval.status().conditions(), condition);
}

// The plan contract itself is held by D-5.2, which comes before any approval is looked for.
bool Matches(const Pass& pass, const api::PtahSchemaApproval& approval) {
  const api::PtahSchemaApprovalSpec& spec = approval.spec();
  const api::PlanRecord& plan = *pass.plan();
  return spec.schema_ref().name() == pass.metadata().name() &&
         spec.schema_ref().uid() == pass.metadata().uid() &&
         spec.plan_ref().name() == plan.name() && spec.plan_ref().uid() == plan.uid() &&
         !spec.plan_fingerprint().empty() && spec.plan_fingerprint() == plan.fingerprint() &&
         !spec.approver().username().empty() && spec.approved_at_ms() != 0 &&
         !spec.mutation_request_uid().empty();
}

bool OlderFirst(const StoredApproval& a, const StoredApproval& b) {
  const int64_t at_a = a->metadata().creation_timestamp_ms();
  const int64_t at_b = b->metadata().creation_timestamp_ms();
  return at_a != at_b ? at_a < at_b : a->metadata().name() < b->metadata().name();
}

// The list may be old, so it only says whom to ask; what an approval says is read directly.
absl::StatusOr<std::vector<StoredApproval>> CandidatesOldestFirst(Pass& pass) {
  absl::StatusOr<std::vector<StoredApproval>> listed = pass.client().List<api::PtahSchemaApproval>(
      pass.metadata().namespace_(), api::Freshness::kCached);
  if (!listed.ok()) return listed.status();
  const std::string& name = pass.metadata().name();
  listed->erase(std::remove_if(listed->begin(), listed->end(),
                               [&](const StoredApproval& approval) {
                                 return approval->spec().schema_ref().name() != name;
                               }),
                listed->end());
  std::sort(listed->begin(), listed->end(), OlderFirst);
  return listed;
}

absl::Status WriteConditions(Pass& pass, const StoredApproval& approval, bool accepted, bool stale,
                             bool consumed, const char* reason) {
  api::PtahSchemaApproval next = *approval;
  auto& conditions = *next.mutable_status()->mutable_conditions();
  const auto set = [&](const char* type, bool value) {
    dispatch::SetCondition({.type = type,
                            .status = value,
                            .reason = reason,
                            .generation = next.metadata().generation(),
                            .now_ms = pass.NowMs()},
                           conditions);
  };
  set(api::condition::kAccepted, accepted);
  set(api::condition::kStale, stale);
  if (consumed) set(api::condition::kConsumed, true);
  next.mutable_status()->set_observed_generation(next.metadata().generation());
  return pass.client().Patch(approval, std::move(next), api::Subresource::kStatus).status();
}

absl::Status MarkStale(Pass& pass, const StoredApproval& approval, const char* reason) {
  if (Has(*approval, api::condition::kStale)) return absl::OkStatus();
  return WriteConditions(pass, approval, false, true, false, reason);
}

api::PlanApproval RecordOf(const api::PtahSchemaApproval& approval) {
  api::PlanApproval record;
  record.set_name(approval.metadata().name());
  record.set_uid(approval.metadata().uid());
  *record.mutable_approver() = approval.spec().approver();
  record.set_approved_at_ms(approval.spec().approved_at_ms());
  return record;
}

// Returns the approvals that name the plan, oldest first, by a direct list.
absl::StatusOr<std::vector<StoredApproval>> ApprovalsOf(Pass& pass, const api::RetiredPlan& plan) {
  absl::StatusOr<std::vector<StoredApproval>> listed =
      pass.client().List<api::PtahSchemaApproval>(pass.metadata().namespace_());
  if (!listed.ok()) return listed.status();
  listed->erase(std::remove_if(listed->begin(), listed->end(),
                               [&](const StoredApproval& approval) {
                                 const api::PtahSchemaApprovalSpec& spec = approval->spec();
                                 return spec.schema_ref().uid() != pass.metadata().uid() ||
                                        spec.plan_ref().name() != plan.name() ||
                                        spec.plan_ref().uid() != plan.uid() ||
                                        spec.plan_fingerprint() != plan.fingerprint();
                               }),
                listed->end());
  std::sort(listed->begin(), listed->end(), OlderFirst);
  return listed;
}

// Returns the approval of that name as it is now, nullopt when there is none.
absl::StatusOr<std::optional<StoredApproval>> Read(Pass& pass, const std::string& name) {
  absl::StatusOr<StoredApproval> read =
      pass.client().Get<api::PtahSchemaApproval>(pass.metadata().namespace_(), name);
  if (read.ok()) return std::optional<StoredApproval>(*std::move(read));
  if (api::IsNotFound(read.status())) return std::optional<StoredApproval>();
  return read.status();
}

}  // namespace

bool ApprovalIsRequired(const Pass& pass) {
  return pass.plan() != nullptr &&
         rules::ApprovalRequired(
             {.family = rules::Family::kSchema,
              .policy = pass.spec().policy().apply(),
              .destructive = pass.plan()->destructive(),
              .privilege_changes = pass.plan()->privilege_changes_size() > 0}) ==
             rules::ApplyPermission::kApprovalRequired;
}

absl::StatusOr<ApprovalChoice> SelectApproval(Pass& pass) {
  const absl::StatusOr<std::vector<StoredApproval>> listed = CandidatesOldestFirst(pass);
  if (!listed.ok()) return listed.status();
  std::vector<StoredApproval> approvals;
  std::vector<rules::SchemaCandidate> candidates;
  for (const StoredApproval& candidate : *listed) {
    absl::StatusOr<std::optional<StoredApproval>> read = Read(pass, candidate->metadata().name());
    if (!read.ok()) return read.status();
    if (!*read) {
      candidates.push_back({.gone = true});
      approvals.push_back(candidate);
      continue;
    }
    const api::PtahSchemaApproval& approval = ***read;
    candidates.push_back({.stale = Has(approval, api::condition::kStale),
                          .deleting = approval.metadata().deletion_timestamp_ms() != 0,
                          .consumed = Has(approval, api::condition::kConsumed),
                          .matches = Matches(pass, approval)});
    approvals.push_back(**std::move(read));
  }
  const rules::Selection selection = rules::SelectSchemaApproval(candidates);
  ApprovalChoice choice;
  absl::Status marked;
  switch (selection.action) {
    case rules::SelectionAction::kNone:
      break;
    case rules::SelectionAction::kChoose:
      choice.chosen = RecordOf(*approvals[selection.index]);
      break;
    case rules::SelectionAction::kMarkSuperseded:
      marked = MarkStale(pass, approvals[selection.index], api::reason::kSupersededApproval);
      choice.marked = true;
      break;
    case rules::SelectionAction::kMarkPlanNoLongerCurrent:
      marked = MarkStale(pass, approvals[selection.index], api::reason::kPlanNoLongerCurrent);
      choice.marked = true;
      break;
  }
  if (!marked.ok()) return marked;
  return choice;
}

absl::StatusOr<std::optional<StoredApproval>> ReadRecordedApproval(Pass& pass,
                                                                   ApprovalAsker asker) {
  if (!pass.plan()->has_approval()) return std::optional<StoredApproval>();
  const api::PlanApproval& record = pass.plan()->approval();
  absl::StatusOr<std::optional<StoredApproval>> read = Read(pass, record.name());
  if (!read.ok() || !*read) return read;
  const api::PtahSchemaApproval& approval = ***read;
  const bool valid = rules::RecordedApprovalValid(
      {.found = true,
       .uid_equal = approval.metadata().uid() == record.uid(),
       .deleting = approval.metadata().deletion_timestamp_ms() != 0,
       .stale = Has(approval, api::condition::kStale),
       .matches = Matches(pass, approval) && api::Equal(RecordOf(approval), record),
       .consumed = Has(approval, api::condition::kConsumed),
       .held_by_claim = asker == ApprovalAsker::kHoldingClaim});
  if (!valid) return std::optional<StoredApproval>();
  return read;
}

absl::Status SpendApproval(Pass& pass, const StoredApproval& approval) {
  if (Has(*approval, api::condition::kConsumed) && Has(*approval, api::condition::kAccepted)) {
    return absl::OkStatus();
  }
  return WriteConditions(pass, approval, true, false, true, api::reason::kDispatchCommitted);
}

absl::Status MarkRecordedApprovalStale(Pass& pass) {
  if (pass.plan() == nullptr || !pass.plan()->has_approval()) return absl::OkStatus();
  const api::PlanApproval& record = pass.plan()->approval();
  absl::StatusOr<std::optional<StoredApproval>> read = Read(pass, record.name());
  if (!read.ok()) return read.status();
  if (!*read || (**read)->metadata().uid() != record.uid()) return absl::OkStatus();
  return MarkStale(pass, **read, api::reason::kPlanNoLongerCurrent);
}

absl::Status SweepApprovals(Pass& pass, const api::RetiredPlan& plan) {
  const absl::StatusOr<std::vector<StoredApproval>> approvals = ApprovalsOf(pass, plan);
  if (!approvals.ok()) return approvals.status();
  for (const StoredApproval& approval : *approvals) {
    const absl::Status marked = MarkStale(pass, approval, api::reason::kExecutionBindingChanged);
    if (!marked.ok()) return marked;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> MarkOneOfUnsupportedEngine(Pass& pass) {
  if (pass.plan() == nullptr) return false;
  api::RetiredPlan plan;
  plan.set_name(pass.plan()->name());
  plan.set_uid(pass.plan()->uid());
  plan.set_fingerprint(pass.plan()->fingerprint());
  const absl::StatusOr<std::vector<StoredApproval>> approvals = ApprovalsOf(pass, plan);
  if (!approvals.ok()) return approvals.status();
  for (const StoredApproval& approval : *approvals) {
    if (Has(*approval, api::condition::kStale)) continue;
    const absl::Status marked = MarkStale(pass, approval, api::reason::kUnsupportedEngine);
    if (!marked.ok()) return marked;
    return true;
  }
  return false;
}

}  // namespace lifecycle::schema
