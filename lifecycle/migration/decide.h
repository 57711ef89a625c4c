// What a migration without a claim does next: by its published plan, its phase and its deadline.
//
// Answers: spec 02, C-13, C-14, D-6; W-53.

#ifndef LIFECYCLE_MIGRATION_DECIDE_H_
#define LIFECYCLE_MIGRATION_DECIDE_H_

#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// C-13, C-14. Always ends the pass.
api::PassResult ChooseClaim(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_DECIDE_H_
