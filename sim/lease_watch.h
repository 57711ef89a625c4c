// What a rival sees of the Lease it waits for: since when the stored record stands unchanged.
//
// A rival is a claimant like any other: it takes a foreign Lease only after it has watched the
// identical record for its whole duration. It never looks away, so it has seen a record since it
// was written, and what it remembers is the instant at which that record lapses.
//
// Answers: spec 05, S-12.

#ifndef SIM_LEASE_WATCH_H_
#define SIM_LEASE_WATCH_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/api/core.pb.h"
#include "sim/world.h"

namespace sim {

// The Lease of a realm, by its coordination digest (spec 01, 8).
std::string LeaseNameOf(absl::string_view coordination_digest);

// The epoch of the Lease's acquisition; empty when it has none.
std::string EpochOf(const lifecycle::api::Lease& lease);

// Tells the rivals that `after` was stored now. Anything but a Lease is none of their business. A
// Lease that a scenario laid down was written at no time a rival knows, so it never lapses for one
// until it is written again.
void WatchLease(World& world, Handle after);

}  // namespace sim

#endif  // SIM_LEASE_WATCH_H_
