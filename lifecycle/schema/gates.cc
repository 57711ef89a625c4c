#include "lifecycle/schema/gates.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/census.h"
#include "lifecycle/rules/exclude_rule.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/decide.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/plan_object.h"

namespace lifecycle::schema {
namespace {

using dispatch::StepResult;

// What closes approval admission and shows why, for a schema that may not go on.
void ShowBlocked(Pass& pass, absl::string_view reason, absl::string_view why,
                 api::PtahSchemaStatus& next) {
  next.set_phase(api::phase::kBlocked);
  next.set_observed_generation(pass.metadata().generation());
  pass.SetCondition(api::condition::kApprovalRequired, false, reason, why, next);
  pass.SetCondition(api::condition::kReady, false, reason, why, next);
}

bool ShowsUnsupportedEngine(const Pass& pass) {
  const auto& conditions = pass.status().conditions();
  return pass.status().phase() == api::phase::kBlocked &&
         pass.status().observed_generation() == pass.metadata().generation() &&
         std::any_of(conditions.begin(), conditions.end(), [&](const api::Condition& condition) {
           return condition.type() == api::condition::kEngineSupported &&
                  condition.status() == api::condition_status::kFalse &&
                  condition.observed_generation() == pass.metadata().generation();
         });
}

PassResult ShowUnsupportedEngine(Pass& pass) {
  constexpr const char* kReason = api::reason::kUnsupportedEngine;
  return NowOr(pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    ShowBlocked(pass, kReason, pass.spec().target().engine(), next);
    next.clear_next_reconciliation_time_ms();
    pass.SetCondition(api::condition::kEngineSupported, false, kReason, "", next);
    pass.SetCondition(api::condition::kPlanReady, false, kReason, "", next);
  }));
}

const std::string* FirstInvalidExclusion(const Pass& pass) {
  for (const std::string& pattern : pass.spec().policy().exclude()) {
    if (!rules::IsExcludePattern(pattern)) return &pattern;
  }
  return nullptr;
}

}  // namespace

StepResult HoldEngine(Pass& pass) {
  if (rules::IsSupportedEngine(pass.spec().target().engine())) return std::nullopt;
  pass.client().Journal("B-9");
  if (!ShowsUnsupportedEngine(pass)) return ShowUnsupportedEngine(pass);
  const absl::StatusOr<bool> marked = MarkOneOfUnsupportedEngine(pass);
  if (!marked.ok()) return PassResult::Error(marked.status());
  if (*marked) return PassResult::Now();
  const absl::Status cleared =
      pass.WriteStatus([](api::PtahSchemaStatus& next) { next.clear_plan(); });
  return cleared.ok() ? PassResult::Done() : PassResult::Error(cleared);
}

StepResult HoldExclusions(Pass& pass) {
  const std::string* invalid = FirstInvalidExclusion(pass);
  if (invalid == nullptr) return std::nullopt;
  pass.client().Journal("B-10");
  return FailAndKeepClaim(pass,
                          absl::StrCat("policy.exclude holds what is no pattern: ", *invalid));
}

StepResult HoldPolicy(Pass& pass) {
  const api::SourceRecord& source = pass.status().source();
  if (!source.verified()) return std::nullopt;
  const absl::StatusOr<std::optional<PolicyIdentity>> policy = ReadPolicy(pass);
  if (!policy.ok()) return PassResult::Error(policy.status());
  const PolicyIdentity verified = {source.verification_policy_uid(),
                                   source.verification_policy_digest()};
  if (*policy && **policy == verified) return std::nullopt;
  pass.client().Journal("B-12");
  return DropChangedPolicy(pass);
}

StepResult HoldRealm(Pass& pass) {
  const absl::StatusOr<std::optional<dispatch::CensusRefusal>> refusal =
      dispatch::TakeCensus(dispatch::ClaimantOf(pass), pass.context());
  if (!refusal.ok()) return PassResult::Error(refusal.status());
  if (!*refusal) return std::nullopt;
  pass.client().Journal("B-14");
  const absl::Status written = pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    ShowBlocked(pass, (*refusal)->reason, (*refusal)->message, next);
    next.set_next_reconciliation_time_ms((*refusal)->recheck_at_ms);
  });
  return written.ok() ? WaitForRefresh(pass) : PassResult::Error(written);
}

}  // namespace lifecycle::schema
