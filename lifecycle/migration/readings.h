// The results of a migration's read-only operations.
//
// Every result is held to the claim it answers; one that does not fit costs another attempt and
// nothing else.
//
// Answers: spec 02, G-12, H-3; W-27, W-49.

#ifndef LIFECYCLE_MIGRATION_READINGS_H_
#define LIFECYCLE_MIGRATION_READINGS_H_

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Accounts a valid frame of a read-only claim, or runs the claim again. `succeeded`: the Job's own
// condition.
api::PassResult AccountReading(const api::Stored<api::Job>& job, const api::FramePayload& payload,
                               bool succeeded, Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_READINGS_H_
