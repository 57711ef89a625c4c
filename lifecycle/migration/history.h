// What a reading of the revision table comes to: progress, a refusal, or the settlement of an
// uncertain run.
//
// The reading takes no Lease and authorizes no write. It can be stale; every Apply is held to its
// sequence by the database's own lock, so a stale reading cannot become a replay.
//
// Answers: spec 02, K-1 to K-4; spec 03, 11; W-49 to W-52.

#ifndef LIFECYCLE_MIGRATION_HISTORY_H_
#define LIFECYCLE_MIGRATION_HISTORY_H_

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Returns why a History result cannot be taken for this claim's; empty when it can.
std::string RefuseHistory(const api::FramePayload& payload, const Pass& pass);

// K-3: stores an accepted reading and what follows from it. `job` is the claim's, ended.
api::PassResult AccountHistory(const api::Stored<api::Job>& job, const api::FramePayload& payload,
                               Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_HISTORY_H_
