// Reading what a terminal Job left: its one Pod, the log, the frame.
//
// A terminal Job is not an outcome. The account comes from a frame bound to the claim's attempt, in
// the log of the one Pod that the persisted envelope accepts and whose executor terminated. Doubt
// costs a read-only claim another attempt and an Apply its account.
//
// Answers: spec 02, G; spec 03, 4.3, 17; S-16, S-30, S-35, S-48.

#ifndef LIFECYCLE_SCHEMA_HARVEST_H_
#define LIFECYCLE_SCHEMA_HARVEST_H_

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// G. `job` is terminal and passed for the claim's in this pass; `inputs_hold` says whether what the
// claim was decided from still stands. Always ends the pass.
PassResult Harvest(Pass& pass, api::Stored<api::Job> job, bool inputs_hold);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_HARVEST_H_
