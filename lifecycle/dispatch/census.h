// The realm census: may this resource claim its database beside the others that claim it?
//
// Taken from the cache, over the resources of both families, before a new claim and never for one
// already written. It is a promise to people (no two resources manage one database without both
// saying so), not a lock: two resources created at the same moment can each see themselves alone,
// and then the Lease serializes them. A suspended or deleting resource is not counted, though
// an Apply of it may still run; there too the Lease alone keeps the others off (O-6).
//
// Answers, B-14, C-12, O-6; spec 03, 13.

#ifndef LIFECYCLE_DISPATCH_CENSUS_H_
#define LIFECYCLE_DISPATCH_CENSUS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/dispatch/context.h"

namespace lifecycle::dispatch {

// The resource that asks, as its pass read it: not deleting and not suspended.
struct Claimant {
  const api::ObjectMeta& metadata;
  const api::TargetSpec& target;
  int64_t now_ms = 0;
  int64_t interval_ms = 0;         // The refresh interval, default filled in.
  int64_t stored_deadline_ms = 0;  // status.nextReconciliationTime; 0 when there is none.
  const Conditions& conditions;    // Looked at for the journal alone.
};

// The resource of a pass of either family.
template <class Pass>
Claimant ClaimantOf(Pass& pass) {
  return {.metadata = pass.metadata(),
          .target = pass.spec().target(),
          .now_ms = pass.NowMs(),
          .interval_ms = pass.IntervalMs(),
          .stored_deadline_ms = pass.status().next_reconciliation_time_ms(),
          .conditions = pass.status().conditions()};
}

struct CensusRefusal {
  std::string reason;  // api::reason::kRealmNotAuthorized or kRealmConflict.
  std::string message;
  // When the refusal is looked at again. The same while it stands, so that a refusal written
  // again is the same write, which is not sent.
  int64_t recheck_at_ms = 0;
};

// The realm's digest of a resource's own spec: what its Lease and its count are for.
std::string RealmDigest(const api::ObjectMeta& metadata, const api::TargetSpec& target);

// Returns nothing when the claimant is admitted. Errors: a read of the cache failed, so nothing is
// known and nothing may be claimed.
absl::StatusOr<std::optional<CensusRefusal>> TakeCensus(const Claimant& claimant,
                                                        const Context& context);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_CENSUS_H_
