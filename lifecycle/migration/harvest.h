// Reading what a terminal Job left: an Apply's account, or the result of a read-only operation.
//
// A terminal Job is not an outcome. The account comes from a result frame out of the log of exactly
// one Pod that the claim's envelope accepts and whose executor terminated.
//
// Answers: spec 02, G-1 to G-12, H-3; spec 03, 4.3, 17, 18, 19.

#ifndef LIFECYCLE_MIGRATION_HARVEST_H_
#define LIFECYCLE_MIGRATION_HARVEST_H_

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// `job` is the claim's recorded Job, held to the claim in this pass, and has ended.
api::PassResult Harvest(const api::Stored<api::Job>& job, bool inputs_hold, Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_HARVEST_H_
