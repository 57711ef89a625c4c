// Taking and renewing the realm for a claim.
//
// The claim records which acquisition it depends on, so an acquisition under another epoch is
// silently adopted before dispatch and the end of the claim's readability after it.
//
// Answers: spec 02, E-2, F-5; spec 03, 8.2; the newer page, "Bind the realm".

#ifndef LIFECYCLE_DISPATCH_REALM_H_
#define LIFECYCLE_DISPATCH_REALM_H_

#include <cstdint>

#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/dispatch/context.h"

namespace lifecycle::dispatch {

// Takes or renews the realm for a claim that holds it. Goes on when the Lease is held under the
// epoch the claim records; ends the pass when it is contended (requeue after the wait), when an
// epoch had to be written (requeue now), or on an error.
StepResult TakeRealm(ClaimHolder& holder, const Context& context);

// How long a contended realm is left alone: `wait_ms` within the bounds of spec 01, 14.
int64_t ContentionWaitMs(int64_t wait_ms, const api::Timing& timing);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_REALM_H_
