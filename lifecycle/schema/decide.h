// What a published plan may do now: be applied, wait for a person, or be dropped.
//
// Every binding is read again, directly. Reserving an approval and claiming under it are separate
// passes, so that a claim is taken from one consistent snapshot.
//
// Answers: spec 02, D-5; W-03, W-29.

#ifndef LIFECYCLE_SCHEMA_DECIDE_H_
#define LIFECYCLE_SCHEMA_DECIDE_H_

#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// D-5. Always ends the pass. `pass` has neither claim nor proof.
PassResult DecideOnPlan(Pass& pass);

// True when the deadline of the full refresh is set and has passed.
bool RefreshDue(Pass& pass);

// The phase a published plan is left in by the spec's policy: AwaitingApproval, ReadyToApply, or
// Blocked when the policy does not let it be applied at all.
const char* PhaseOfPlan(const Pass& pass, const api::PlanRecord& plan);

// Ends a pass that waits for the refresh deadline, or only for a watch where none is set.
PassResult WaitForRefresh(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_DECIDE_H_
