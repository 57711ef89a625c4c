// The proof a schema's Apply leaves: under the Apply's own Lease, nothing overtakes it.
//
// While the record stands its realm is renewed on every pass, no proof is claimed while an Apply
// Pod may still run or before the horizon, and the only claims written are the Observe and the Plan
// that settle it.
//
// Answers: spec 02, J-1 to J-5; spec 03, 8.2, 10; W-31, W-32; S-46, S-47.

#ifndef LIFECYCLE_SCHEMA_PROOF_H_
#define LIFECYCLE_SCHEMA_PROOF_H_

#include "absl/status/statusor.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// J. Always ends the pass. `pass` has a pendingObservation and no claim.
PassResult WorkOnProof(Pass& pass);

// J-1. Renews the realm for the proof. Goes on when it is held under the record's epoch.
dispatch::StepResult RenewProof(Pass& pass);

// J-3, the Pod fence: whether an Apply Pod of the record may still run. Merges what it saw into the
// record where that grew (W-31). A Job that a rotation's record names is worked off first, and then
// the answer is yes for this pass (M-7). Errors: the Pods could not be listed, or the merge not
// written.
absl::StatusOr<bool> ApplyPodMayRun(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_PROOF_H_
