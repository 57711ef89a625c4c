// A migration that is being deleted: what it still holds is ended, and then it is let go.
//
// The one thing waited for is an executor: a claim whose Apply may still write keeps the resource,
// and its realm renewed, for as long as that takes. The record of an unresolved run goes with the
// object and does not hold it, so its loss is announced first, as nothing is left to say so
// afterwards.
//
// Answers: C-4, N-2, L-10, S-23; spec 06, E 13; W-58, W-30.

#ifndef LIFECYCLE_MIGRATION_DELETION_H_
#define LIFECYCLE_MIGRATION_DELETION_H_

#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Of a migration that carries a deletion timestamp and owes no release. Always ends the pass.
api::PassResult FinishDeletion(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_DELETION_H_
