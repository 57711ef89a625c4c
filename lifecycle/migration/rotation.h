// The execution binding of a migration: the first one, and its rotation when the components this
// manager runs with are others.
//
// A dispatched Apply never loses its account to an upgrade: its record is written first, under the
// binding it ran under, and the epoch moves in the next pass. Everything else of the old epoch goes
// in the one write that installs the new one, so nothing is left behind to be worked off. An
// unresolved run is nothing of an epoch, and stays.
//
// Answers: C-6, M-0, M-10, D-12; spec 03, 16.3; W-38, W-46.

#ifndef LIFECYCLE_MIGRATION_ROTATION_H_
#define LIFECYCLE_MIGRATION_ROTATION_H_

#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Goes on when the binding in force is this manager's. The manager's own identity binds nothing.
dispatch::StepResult HoldBinding(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_ROTATION_H_
