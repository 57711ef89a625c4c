#include "lifecycle/rules/realm_census.h"

#include <algorithm>

namespace lifecycle::rules {

CensusVerdict VerdictOfCensus(const CensusFacts& facts) {
  if (facts.names_realm && !(facts.realm_exists && facts.lists_namespace && facts.engine_equal)) {
    return CensusVerdict::kRealmNotAuthorized;
  }
  if (facts.claimants <= 1) return CensusVerdict::kAdmitted;
  const bool exclusive = facts.names_realm && !facts.shared;
  if (exclusive || facts.without_shared_realm > 0) return CensusVerdict::kRealmConflict;
  return CensusVerdict::kAdmitted;
}

int64_t RefusalDeadline(const RecheckFacts& facts) {
  // One that was set before the refusal may be an interval away, too late to notice a grant.
  if (facts.stored_deadline_ms > facts.now_ms) {
    return std::min(facts.stored_deadline_ms, facts.now_ms + facts.recheck_max_ms);
  }
  const bool shorter = facts.interval_ms > 0 && facts.interval_ms <= facts.recheck_max_ms;
  return facts.now_ms + (shorter ? facts.interval_ms : facts.recheck_max_ms);
}

}  // namespace lifecycle::rules
