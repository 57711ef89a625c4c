// The nine steps that take a claim whose Job does not exist yet to its one permitted create.
//
// The order is decided here once, for both families: each step's durable write is made before the
// next step starts, so every state in which a Job may exist carries the whole account of what
// authorized it. A family supplies only what differs: how it authorizes, what its Job is, how it
// spends an approval, and what becomes of a claim whose dispatch fails.
//
// The order is read from the design and really followed: a step does its own work wherever it
// stands, from what the steps before it left. Record writes the UID of the Job that was read back,
// or, standing before Confirm, of the create's answer; Confirm standing before Create finds nothing
// and returns that error; Create standing before Mark creates unmarked.
//
// Answers: spec 02, E; spec 05, 4; the newer page, "The dispatch sequence".

#ifndef LIFECYCLE_DISPATCH_DRIVER_H_
#define LIFECYCLE_DISPATCH_DRIVER_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/dispatch/context.h"
#include "lifecycle/rules/dispatch_failure.h"

namespace lifecycle::dispatch {

// What a family supplies. A method that returns a StepResult goes on with nullopt; a PassResult is
// how the pass ends, its writes already made.
class FamilyDispatch : public ClaimHolder {
 public:
  // E-1. Re-reads everything the claim was decided from. Writes nothing when it passes; a refusal
  // retires the undispatched claim and ends the pass.
  virtual StepResult Authorize() = 0;

  // E-3. Writes what the Job reads besides the Job. Only a schema Apply has anything to stage.
  virtual StepResult Stage() { return std::nullopt; }

  // E-4.2. Builds the claim's Job, with the snapshot's digest where the claim has one, and what
  // stands in the way of building it ends the pass.
  virtual StepResult Build(api::Job& job) = 0;

  // E-4.3. Resolves the Pod admission envelope of the built Job.
  virtual absl::StatusOr<api::AdmissionSnapshot> ResolveSnapshot(const api::Job& job) = 0;

  // E-4, Refuse (spec 03, 4.4): the claim's Job cannot be judged.
  virtual api::PassResult Refuse(rules::JobRefusal refusal, const absl::Status& why) = 0;

  // E-5. Spends the approval of a mutating claim. Called for mutating claims only.
  virtual StepResult Consume() = 0;

  // E-6. Adds what the mark's patch carries besides dispatchStarted.
  virtual void AddToMark(api::ActiveOperation&) const {}

  // I: the outcome of a mutating claim is unknown. `job` is the Job in hand, null when there is
  // none whose UID may be recorded. `why` is a message for people.
  virtual api::PassResult Unaccounted(const api::Stored<api::Job>* job, absl::string_view why) = 0;

  // F-8: a read-only claim runs again under a new attempt. `job` as above.
  virtual api::PassResult RetryReadOnly(const api::Stored<api::Job>* job,
                                        absl::string_view why) = 0;
};

// Runs the steps in `context.design.order`. Called with an undispatched claim, or a read-only one,
// when no Job stands under its name (verdict Dispatch).
// Errors (in the result): a mutating claim that may have dispatched is refused before any step
// (E-0); any API error, with the claim kept.
api::PassResult Dispatch(FamilyDispatch& family, const Context& context);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_DRIVER_H_
