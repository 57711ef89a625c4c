// Whether the Job that stands under a claim's reserved name is that claim's: both families and the
// driver ask here, and the answer is rules::Match's, which the webhook asks too.
//
// A reader that can rebuild the Job holds it to the rebuild. One that cannot, because the inputs
// moved since dispatch, holds it to what the claim fixes: the envelope.
//
// Answers: spec 02, E-8b, F-4; spec 03, 7.3.

#ifndef LIFECYCLE_DISPATCH_HOLD_H_
#define LIFECYCLE_DISPATCH_HOLD_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::api {
class ActiveOperation;
class ExecutionBinding;
class Job;
class ObjectMeta;
class PlanRecord;
class PtahSchema;
}  // namespace lifecycle::api

namespace lifecycle::dispatch {

// The claim and what stands around it. Nothing is owned.
struct ClaimContext {
  rules::Family family;
  const api::ObjectMeta& owner;  // The resource's metadata.
  const api::ActiveOperation& claim;
  const api::ExecutionBinding& binding;   // The one in force.
  const api::PlanRecord* plan = nullptr;  // Schema Apply only: status.plan.
};

// All of these return OK when the Job is the claim's, and FailedPrecondition that says why not.

// The read-back of a create this pass made (E-8b): `expected` is the very Job that was sent.
absl::Status HoldReadBack(const ClaimContext& context, const api::Job& stored,
                          const api::Job& expected);

// Adoption and supervision while the inputs still hold (F-4). `rebuilt` is the result of building
// the Job again: an error (the plan is gone, say) holds nothing. The manager identity is taken from
// the live template first.
absl::Status HoldToRebuild(const ClaimContext& context, const api::Job& live,
                           absl::StatusOr<api::Job> rebuilt);

// Adoption and supervision once the inputs moved, and the cleanup TTL (F-4, I-2): labels,
// annotations, epoch, and the template against the snapshot.
absl::Status HoldToEnvelope(const ClaimContext& context, const api::Job& live);

// The Job a rotation of a schema's binding left behind (M-7), for adoption and the cleanup TTL: the
// kept read-only claim's, or the Apply's that only the pending observation still carries. There is
// no binding in force for it; its epoch is held to the retirement record, and so are its name and,
// once it is known, its UID. The webhook asks the same (spec 01, 12.2).
absl::Status HoldRetiredReading(const api::PtahSchema& schema, const api::Job& live);
absl::Status HoldRetiredApply(const api::PtahSchema& schema, const api::Job& live);

// What the webhook holds a submitted create to (spec 01, 12.2).
absl::Status HoldSubmitted(const ClaimContext& context, const api::Job& submitted,
                           const api::Job& expected);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_HOLD_H_
