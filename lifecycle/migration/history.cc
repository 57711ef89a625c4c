#include "lifecycle/migration/history.h"

#include <utility>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/approvals.h"
#include "lifecycle/migration/plan.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/rules/approval_selection.h"
#include "lifecycle/rules/history_verdict.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;

constexpr int kVersionsMax = 64;

void CopyVersions(const google::protobuf::RepeatedField<int64_t>& from,
                  google::protobuf::RepeatedField<int64_t>* to) {
  for (const int64_t version : from) {
    if (to->size() == kVersionsMax) return;
    to->Add(version);
  }
}

api::HistoryRecord RecordOf(const api::FramePayload& payload, int64_t now_ms) {
  const api::MigrationHistoryReport& report = payload.migration_history();
  api::HistoryRecord history;
  history.set_observed_at_ms(now_ms);
  history.set_contract_version(report.contract_version());
  history.set_current_version(report.current_version());
  history.set_checkpoint_version(report.checkpoint_version());
  history.set_applied_count(report.applied_count());
  history.set_pending_count(report.pending_size());
  history.set_fingerprint(report.fingerprint());
  history.set_target_identity_digest(payload.target_identity_digest());
  history.set_dirty(report.dirty());
  CopyVersions(report.modified_versions(), history.mutable_modified_versions());
  CopyVersions(report.out_of_order_versions(), history.mutable_out_of_order_versions());
  return history;
}

// K-2, in the fixed order of the table.
rules::HistoryVerdict Classify(const api::FramePayload& payload, const Pass& pass) {
  const api::MigrationHistoryReport& report = payload.migration_history();
  rules::HistoryFacts facts;
  facts.dirty = report.dirty();
  facts.modified = report.modified_versions_size() > 0;
  facts.out_of_order = report.out_of_order_versions_size() > 0;
  facts.unresolved_run = pass.status().has_unresolved_run();
  facts.settled = facts.unresolved_run &&
                  rules::SettledByReading(report.pending_size(),
                                          pass.status().unresolved_run().target_identity_digest(),
                                          payload.target_identity_digest());
  facts.ahead = report.current_version() > report.artifact_version();
  facts.pending = report.pending_size() > 0;
  return rules::VerdictOfHistory(facts);
}

// The settling write: the record goes and resolvedRun says which run it was (W-49).
void Settle(int64_t now_ms, api::PtahMigrationStatus& status) {
  if (!status.has_unresolved_run()) return;
  api::ResolvedRun* resolved = status.mutable_resolved_run();
  resolved->Clear();
  resolved->set_operation_id(status.unresolved_run().operation_id());
  resolved->set_outcome(status.unresolved_run().outcome());
  resolved->set_resolution(api::resolution::kHistoryRead);
  resolved->set_resolved_at_ms(now_ms);
  status.clear_unresolved_run();
}

void ShowVerdict(rules::HistoryVerdict verdict, const Moment& moment,
                 api::PtahMigrationStatus& status) {
  switch (verdict) {
    case rules::HistoryVerdict::kInSync:
      Settle(moment.now_ms, status);
      status.clear_plan();
      ShowInSync(moment, status);
      return;
    case rules::HistoryVerdict::kPlanning:
      ShowPhase(api::phase::kPlanning, moment, status);
      return;
    case rules::HistoryVerdict::kDirty:
    case rules::HistoryVerdict::kModified:
    case rules::HistoryVerdict::kOutOfOrder:
    case rules::HistoryVerdict::kUnresolved:
    case rules::HistoryVerdict::kAhead:
      break;
  }
  status.clear_plan();
  ShowBlocked(rules::HistoryBlockedReason(verdict), "", moment, status);
}

// W-51, W-52: the plan object, then the reference to it and the phase its policy gives it. The
// approvals of a plan it replaces go stale in between (D-12).
PassResult Publish(const Pending& pending, Pass& pass) {
  absl::StatusOr<std::optional<VerificationPolicy>> policy = ReadVerificationPolicy(pass);
  if (!policy.ok()) return PassResult::Error(policy.status());
  // Without a policy there is nothing to bind a plan to: the reading stands, the phase stays
  // Planning, and the next pass starts the chain again (D-6).
  if (!*policy) return PassResult::Now();
  api::PtahMigrationPlan plan =
      BuildPlan(pass.resource(), pending, **policy, pass.context().configuration);
  plan.mutable_spec()->set_created_at_ms(pass.NowMs());
  const absl::StatusOr<StoredPlan> published = PublishPlan(std::move(plan), pass);
  if (!published.ok()) return PassResult::Error(published.status());
  const std::string& uid = (*published)->metadata().uid();
  if (pass.status().has_plan() && pass.status().plan().uid() != uid) {
    absl::Status marked =
        MarkPlanApprovalsStale(pass.status().plan().uid(), api::reason::kPlanNoLongerCurrent, pass);
    if (!marked.ok()) return PassResult::Error(marked);
  }
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const bool approval_required =
      rules::ApprovalRequired(
          {.family = rules::Family::kMigration, .policy = pass.spec().policy().apply()}) ==
      rules::ApplyPermission::kApprovalRequired;
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    status.mutable_plan()->set_name((*published)->metadata().name());
    status.mutable_plan()->set_uid(uid);
    ShowPlan(approval_required, moment, status);
  });
  return written.ok() ? PassResult::Now() : PassResult::Error(written);
}

}  // namespace

std::string RefuseHistory(const api::FramePayload& payload, const Pass& pass) {
  if (!payload.has_migration_history()) return "the result holds no history";
  if (payload.coordination_digest() != pass.claim().coordination_digest()) {
    return "the result is of another realm";
  }
  if (!api::IsDigest(payload.target_identity_digest())) return "the result names no database";
  const api::MigrationHistoryReport& report = payload.migration_history();
  if (report.fingerprint().empty()) return "the history has no fingerprint";
  if (report.pending_size() > kPlanMigrationsMax) return "the history leaves too much pending";
  return "";
}

PassResult AccountHistory(const api::Stored<api::Job>& job, const api::FramePayload& payload,
                          Pass& pass) {
  pass.client().Journal("H-3");
  pass.client().Journal("K-3");
  if (absl::Status set = SetCleanupTtl(job, pass); !set.ok()) return PassResult::Error(set);
  pass.client().Journal("K-2");
  const rules::HistoryVerdict verdict = Classify(payload, pass);
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status stored = RetireClaim(
      {.disposition = rules::Disposition::kAccounted},
      [&](api::PtahMigrationStatus& status) {
        *status.mutable_history() = RecordOf(payload, moment.now_ms);
        status.set_next_reconciliation_time_ms(moment.now_ms + pass.IntervalMs());
        ShowVerdict(verdict, moment, status);
      },
      pass);
  if (!stored.ok()) return PassResult::Error(stored);
  if (verdict == rules::HistoryVerdict::kPlanning) {
    return Publish(payload.migration_history().pending(), pass);
  }
  pass.client().Journal("K-4");
  return PassResult::After(pass.IntervalMs());
}

}  // namespace lifecycle::migration
