// Suspension: no new Job, and no loss of one that may change the database.
//
// A suspended schema drops what it can drop (a claim that dispatched nothing, a reading of its own)
// and keeps what it owes: a dispatched Apply is supervised to its end, and a proof keeps its realm
// while its next Job waits for resumption. A proof Job that runs already is harvested.
//
// Answers: spec 02, B-13, B-20.6, J-2, O-1, O-3 to O-5; W-24, W-29; S-36.

#ifndef LIFECYCLE_SCHEMA_SUSPENSION_H_
#define LIFECYCLE_SCHEMA_SUSPENSION_H_

#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// B-13. Ends the pass where the spec suspends. `pass` has neither claim nor proof.
dispatch::StepResult SuspendAtRest(Pass& pass);

// O-1: the claim goes as a discard and hands its realm back. `pass` has a claim that dispatched
// nothing, or a read-only one beside no proof.
PassResult SuspendClaim(Pass& pass);

// J-2. Ends the pass where the spec suspends, with the proof's realm renewed by this pass.
dispatch::StepResult SuspendProof(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_SUSPENSION_H_
