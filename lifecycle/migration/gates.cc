#include "lifecycle/migration/gates.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/census.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;

}  // namespace

StepResult GateEngine(Pass& pass) {
  const std::string& engine = pass.spec().target().engine();
  if (rules::IsSupportedEngine(engine)) return std::nullopt;
  pass.client().Journal("C-10");
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    status.set_observed_generation(moment.generation);
    status.clear_next_reconciliation_time_ms();
    ShowBlocked(api::reason::kUnsupportedEngine,
                absl::StrCat("no engine ", engine, " is supported"), moment, status);
  });
  return written.ok() ? PassResult::Done() : PassResult::Error(written);
}

StepResult GateSuspension(Pass& pass) {
  if (!pass.spec().suspend()) return std::nullopt;
  pass.client().Journal("C-11");
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    status.set_observed_generation(moment.generation);
    status.clear_next_reconciliation_time_ms();
    ShowPhase(api::phase::kSuspended, moment, status);
  });
  return written.ok() ? PassResult::Done() : PassResult::Error(written);
}

StepResult GateCensus(Pass& pass) {
  const absl::StatusOr<std::optional<dispatch::CensusRefusal>> census =
      dispatch::TakeCensus(dispatch::ClaimantOf(pass), pass.context());
  if (!census.ok()) return PassResult::Error(census.status());
  if (!*census) return std::nullopt;
  pass.client().Journal("C-12");
  const dispatch::CensusRefusal& refusal = **census;
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    status.set_observed_generation(moment.generation);
    status.set_next_reconciliation_time_ms(refusal.recheck_at_ms);
    ShowBlocked(refusal.reason, refusal.message, moment, status);
  });
  if (!written.ok()) return PassResult::Error(written);
  return PassResult::After(refusal.recheck_at_ms - moment.now_ms);
}

}  // namespace lifecycle::migration
