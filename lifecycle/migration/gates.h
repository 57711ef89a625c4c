// What keeps a migration from claiming anything new: an engine this manager cannot work for,
// suspension, and a realm it may not share.
//
// Each shows itself in status once and claims nothing. None is ever asked about a claim that is
// already written, and none is read for a safety decision.
//
// Answers: C-10 to C-12, O-2, Q-4; W-29.

#ifndef LIFECYCLE_MIGRATION_GATES_H_
#define LIFECYCLE_MIGRATION_GATES_H_

#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Each goes on when the resource may claim, and otherwise ends the pass.

// C-10. Nothing but an edit of the spec can change it, so the pass asks for no other.
dispatch::StepResult GateEngine(Pass& pass);
// C-11. Resuming is an edit of the spec, and wakes the resource.
dispatch::StepResult GateSuspension(Pass& pass);
// C-12. Looked at again at the refusal's deadline.
dispatch::StepResult GateCensus(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_GATES_H_
