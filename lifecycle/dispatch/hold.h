// Whether the Job that stands under a claim's reserved name is that claim's: both families and the
// driver ask here, and the answer is rules::Match's, which the webhook asks too.
//
// What each of them holds it to stands in rules/job_holding.h: an asker that can rebuild the Job
// compares it with that, and one that cannot, because the inputs moved since dispatch, holds it to
// what the claim fixes: the envelope.
//
// Answers: spec 02, E-8b, F-4; spec 03, 7.3.

#ifndef LIFECYCLE_DISPATCH_HOLD_H_
#define LIFECYCLE_DISPATCH_HOLD_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/rules/job_holding.h"
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

// All of these return OK when the Job is the claim's by what the asker holds it to, and
// FailedPrecondition that says why not.

// For an asker that compares with `built`: the Job as it was sent, or as it is built again. An
// error (the plan is gone, say) holds nothing.
absl::Status HoldToBuilt(rules::JobAsker asker, const ClaimContext& context, const api::Job& job,
                         absl::StatusOr<api::Job> built);

// For an asker that has nothing to build it from: labels, annotations, epoch, and the template
// against the snapshot.
absl::Status HoldToEnvelope(rules::JobAsker asker, const ClaimContext& context,
                            const api::Job& job);

// The Job a rotation of a schema's binding left behind (M-7): the kept read-only claim's, or the
// Apply's that only the pending observation still carries. The retirement record has to name it,
// with its UID once that is known.
absl::Status HoldRetiredReading(rules::JobAsker asker, const api::PtahSchema& schema,
                                const api::Job& live);
absl::Status HoldRetiredApply(rules::JobAsker asker, const api::PtahSchema& schema,
                              const api::Job& live);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_HOLD_H_
