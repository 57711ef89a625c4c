// What becomes of a claim, and of the plan behind it, when what they were decided from moved.
//
// Nothing here may touch a mutating claim that may have dispatched: that one is accounted for
// (outcome.h), never discarded. Each function makes its writes, hands back what it owes and ends
// the pass.
//
// Answers: spec 02, D-7 to D-10, F-7, F-8, E-4 (Refuse); spec 03, 4.4; W-04, W-24, W-25, W-28.

#ifndef LIFECYCLE_SCHEMA_DISCARD_H_
#define LIFECYCLE_SCHEMA_DISCARD_H_

#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// D-8: the plan is stale, with or without a claim.
PassResult DropStalePlan(Pass& pass, absl::string_view why);

// D-8 for a plan one of whose projections cannot be written: the same evidence would publish the
// same plan under the same names, so what follows is paced by the failure interval.
PassResult DropPlanWithOccupiedName(Pass& pass);

// D-9: the verification policy moved; the artifact has to be verified again.
PassResult DropChangedPolicy(Pass& pass);

// D-10: the recorded approval is not valid; the plan stays and waits for another.
PassResult DropInvalidApproval(Pass& pass);

// D-7: an undispatched Apply whose window has passed; the plan stays and is decided on again.
PassResult DropLateApply(Pass& pass);

// F-7: a read-only claim whose reading would be of something else.
PassResult DiscardReading(Pass& pass, absl::string_view why);

// F-8: a read-only claim runs again under a new attempt, after the retry delay. `job` is the
// claim's own Job, which gets its cleanup TTL first, or null.
PassResult RetryReading(Pass& pass, const api::Stored<api::Job>* job, absl::string_view why);

// W-28: the operation failed; the claim, if any, is kept and tried again after the retry delay.
PassResult FailAndKeepClaim(Pass& pass, absl::string_view why);

// W-17: the cleanup TTL, from absent to 300; one that is set already counts as met. `job` is what
// is stored afterwards.
absl::Status SetCleanupTtl(Pass& pass, api::Stored<api::Job>& job);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_DISCARD_H_
