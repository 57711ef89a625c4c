// A pass over a migration that has a claim.
//
// Answers: spec 02, C-20, F-1 to F-6; W-07, W-16.

#ifndef LIFECYCLE_MIGRATION_ACTIVE_H_
#define LIFECYCLE_MIGRATION_ACTIVE_H_

#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Dispatches the claim, supervises its Job, or settles it. Always ends the pass.
api::PassResult ReconcileActive(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_ACTIVE_H_
