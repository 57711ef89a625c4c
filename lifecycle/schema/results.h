// What an accepted reading writes: the result and the end of its claim in one patch.
//
// Answers: spec 02, G-12, H-3; W-26, W-37. A reading that serves a proof is settled in
// settlement.h.

#ifndef LIFECYCLE_SCHEMA_RESULTS_H_
#define LIFECYCLE_SCHEMA_RESULTS_H_

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// True for a frame whose refusal is itself the answer: a verification that refused the artifact, a
// plan that would touch a protected table.
bool IsAccountedRefusal(const Pass& pass, const api::FramePayload& frame);

// The result of a read-only claim whose frame is its own. Validated against the claim first; a
// mismatch runs the claim again (F-8). Always ends the pass.
PassResult AcceptReading(Pass& pass, api::Stored<api::Job>& job, const api::FramePayload& frame);

// Returns status.target as an accepted Observe found it.
api::TargetRecord TargetRecordOf(const Pass& pass, const api::FramePayload& frame, int64_t now_ms);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_RESULTS_H_
