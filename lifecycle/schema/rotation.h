// The execution binding of a schema: the first one, and its rotation when the components this
// manager runs with are others.
//
// The write that installs a new epoch takes the plan out of status and names, in one record, what
// the old epoch leaves: the plan whose approvals are still to be swept, and the Job that may still
// run. A dispatched Apply never loses its account to an upgrade, it becomes a proof in that same
// write. While the record stands no other rotation starts, so it always describes one epoch.
//
// Answers: spec 02, B-5, M-0 to M-5, M-8; spec 03, 16.1, 16.2; W-38, W-39; S-28, S-29, S-41.

#ifndef LIFECYCLE_SCHEMA_ROTATION_H_
#define LIFECYCLE_SCHEMA_ROTATION_H_

#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// B-5. Goes on when the binding in force is this manager's and nothing of a retired one is left, or
// when what is left is an Apply's Job, which the proof works off (M-8).
dispatch::StepResult HoldBinding(Pass& pass);

// True when status.plan is of the binding in force; without a plan nothing differs.
bool PlanIsInForce(const Pass& pass);

// M-4. Ends the pass. The claim, if any, is read-only, undispatched or of an unknown type.
// Errors (in the result): FailedPrecondition while an earlier rotation is not worked off (S-29).
PassResult RotateBinding(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_ROTATION_H_
