#include "lifecycle/migration/run_report.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/rules/settle_rule.h"

namespace lifecycle::migration {
namespace {

rules::SettleFacts FactsOf(const api::FramePayload& payload, const api::ActiveOperation& claim) {
  rules::SettleFacts facts;
  facts.report_present = payload.has_migration_run();
  facts.reported = rules::RunOutcomeOf(payload.migration_run().outcome());
  facts.uncertain = payload.uncertain() || rules::LeavesUnresolvedRun(facts.reported);
  facts.coordination_equal = payload.coordination_digest() == claim.coordination_digest();
  facts.target_equal = payload.target_identity_digest() == claim.target_identity_digest();
  return facts;
}

std::string MessageOf(const api::FramePayload& payload, absl::string_view note) {
  return absl::StrCat(payload.error().message(),
                      payload.error().message().empty() || note.empty() ? "" : "; ", note);
}

}  // namespace

api::PassResult SettleRun(const api::Stored<api::Job>& job, const api::FramePayload& payload,
                          absl::string_view note, Pass& pass) {
  const rules::SettleFacts facts = FactsOf(payload, pass.claim());
  if (!facts.report_present) {
    pass.client().Journal("I-3 no report");
    return RecordUncertainRun(&job, "the run reported nothing of itself",
                              payload.target_identity_digest(), pass);
  }
  if (!facts.uncertain && !(facts.coordination_equal && facts.target_equal)) {
    pass.client().Journal("I-3 other database");
    return RecordUncertainRun(&job, "the run reached another database than its plan's",
                              payload.target_identity_digest(), pass);
  }
  RunAccount account;
  account.outcome = rules::SettleRun(facts).outcome;
  account.reported_target = payload.target_identity_digest();
  account.applied_versions.assign(payload.migration_run().applied().begin(),
                                  payload.migration_run().applied().end());
  account.message = MessageOf(payload, note);
  return AccountRun(job, account, pass);
}

api::FramePayload PayloadOf(const api::TerminationSummary& summary) {
  api::FramePayload payload;
  payload.set_protocol_version(summary.protocol_version());
  payload.set_operation(summary.operation());
  payload.set_operation_id(summary.operation_id());
  payload.set_mutation_started(summary.mutation_started());
  payload.set_uncertain(summary.uncertain());
  payload.set_coordination_digest(summary.coordination_digest());
  payload.set_target_identity_digest(summary.target_identity_digest());
  if (!summary.error_code().empty()) payload.mutable_error()->set_code(summary.error_code());
  if (!summary.has_migration()) return payload;
  api::MigrationRunReport* run = payload.mutable_migration_run();
  run->set_outcome(summary.migration().outcome());
  const int64_t count = summary.migration().applied_count();
  if (count == 1 || count == 2) run->add_applied(summary.migration().first_applied());
  if (count == 2) run->add_applied(summary.migration().last_applied());
  return payload;
}

std::string RangeOf(const api::TerminationSummary& summary) {
  const api::SummaryMigration& migration = summary.migration();
  if (migration.applied_count() <= 2) return "";
  return absl::StrCat(migration.applied_count(), " migrations applied, from ",
                      migration.first_applied(), " to ", migration.last_applied());
}

}  // namespace lifecycle::migration
