#include "lifecycle/migration/rotation.h"

#include <optional>
#include <utility>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/binding.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/migration/approvals.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/rules/binding_rule.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;

// Under the old binding; asks for the pass that moves the epoch, as a status write wakes nobody.
PassResult RecordRunFirst(Pass& pass) {
  const absl::StatusOr<std::optional<api::Stored<api::Job>>> job =
      dispatch::ReadClaimedJob(pass.client(), pass.metadata(), pass.claim());
  if (!job.ok()) return PassResult::Error(job.status());
  pass.client().Journal("I-3 rotated");
  const PassResult recorded = RecordUncertainRun(
      *job ? &**job : nullptr, "the execution binding was rotated under the run", "", pass);
  return recorded.status.ok() ? PassResult::Now() : recorded;
}

// W-46, and W-38 where nothing was bound before: one patch.
PassResult Rotate(bool drop_claim, Pass& pass) {
  if (pass.status().has_plan()) {
    absl::Status marked = MarkPlanApprovalsStale(pass.status().plan().uid(),
                                                 api::reason::kExecutionBindingChanged, pass);
    if (!marked.ok()) return PassResult::Error(marked);
  }
  api::ExecutionBinding binding =
      dispatch::NewBinding(pass.client(), pass.metadata().uid(), pass.context().configuration);
  const bool starts_over = drop_claim || pass.status().has_plan();
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const auto edit = [&](api::PtahMigrationStatus& status) {
    *status.mutable_execution_binding() = std::move(binding);
    status.clear_plan();
    if (starts_over) ShowPhase(api::phase::kPending, moment, status);
  };
  const absl::Status written =
      drop_claim ? RetireClaim({.disposition = rules::Disposition::kDiscard}, edit, pass)
                 : pass.WriteStatus(edit);
  return written.ok() ? PassResult::Now() : PassResult::Error(written);
}

}  // namespace

StepResult HoldBinding(Pass& pass) {
  const bool mutating_and_dispatched =
      pass.has_claim() && pass.operation().mutating && dispatch::MayHaveDispatched(pass.claim());
  const rules::MigrationBindingAction action = rules::DecideMigrationBinding(
      {.binding_current = dispatch::IsInForce(pass.binding(), pass.context().configuration),
       .claim_present = pass.has_claim(),
       .mutating_and_dispatched = mutating_and_dispatched});
  if (action == rules::MigrationBindingAction::kNothing) return std::nullopt;
  pass.client().Journal("C-6");
  pass.client().Journal("M-0");
  pass.client().Journal("M-10");
  switch (action) {
    case rules::MigrationBindingAction::kUnresolvedRunFirst:
      return RecordRunFirst(pass);
    case rules::MigrationBindingAction::kRotateAndDropClaim:
      return Rotate(/*drop_claim=*/true, pass);
    case rules::MigrationBindingAction::kRotate:
    case rules::MigrationBindingAction::kNothing:
      break;
  }
  return Rotate(/*drop_claim=*/false, pass);
}

}  // namespace lifecycle::migration
