// Whether a resource may claim its realm beside the others that claim it.
//
// The verdict is symmetric: in a conflict every claimant is refused, so nobody wins by being first.
//
// Answers: spec 03, 13.

#ifndef LIFECYCLE_RULES_REALM_CENSUS_H_
#define LIFECYCLE_RULES_REALM_CENSUS_H_

#include <cstdint>

namespace lifecycle::rules {

struct CensusFacts {
  bool names_realm = false;  // target.realmRef rather than a key.
  bool realm_exists = false;
  bool lists_namespace = false;
  bool engine_equal = false;  // As engine families.
  bool shared = false;        // spec.sharing is Shared; anything else is Exclusive.
  int64_t claimants = 1;      // Admitted, not deleting, not suspended, same digest; self included.
  int64_t without_shared_realm = 0;  // Of those, the ones that do not say sharedRealm.
};

enum class CensusVerdict { kAdmitted, kRealmConflict, kRealmNotAuthorized };

CensusVerdict VerdictOfCensus(const CensusFacts& facts);

// When a refusal is looked at again, in milliseconds: the stored deadline while it lies in the
// future (0: none), else `now` plus the interval; in either case at most `recheck_max_ms` from now.
struct RecheckFacts {
  int64_t now_ms = 0;
  int64_t stored_deadline_ms = 0;
  int64_t interval_ms = 0;
  int64_t recheck_max_ms = 60'000;
};
int64_t RefusalDeadline(const RecheckFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_REALM_CENSUS_H_
