// Reading what a terminal Job left: its one Pod, the executor's log, the frame in it.
//
// A terminal Job is not an outcome. The account comes from a frame bound to the claim's attempt, in
// the log of the one Pod that the claim's envelope accepts and whose executor terminated. Doubt
// costs a read-only claim another attempt and a mutating one its account. How far the evidence is
// believed is decided here, once for both families; a family supplies what a believed frame comes
// to, and what becomes of a claim whose result cannot be believed.
//
// Answers: spec 02, G-2 to G-8; spec 03, 4.3, 17; S-16, S-30, S-35, S-48.

#ifndef LIFECYCLE_DISPATCH_HARVEST_H_
#define LIFECYCLE_DISPATCH_HARVEST_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/dispatch/context.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/dispatch_failure.h"
#include "lifecycle/rules/frame_wait.h"

namespace lifecycle::dispatch {

// One terminal Job being read in one pass. Every function that returns a PassResult ends the pass.
class Harvest {
 public:
  virtual ~Harvest() = default;

  // G-3 to G-8. The job was held to its claim in this pass, and the claim's inputs still hold.
  api::PassResult Read();

  // G-2: whatever the Job says, a result of moved inputs is not read.
  api::PassResult SettleMovedInputs();

 protected:
  // Nothing is owned; everything outlives the harvest. `job` is the claim's own, and has ended.
  Harvest(const ClaimHolder& holder, const api::Stored<api::Job>& job, const Context& context)
      : holder_(holder), job_(job), context_(context), end_(EndOf(*job)) {}

  // The instant of the pass.
  virtual int64_t NowMs() = 0;
  // A valid frame of this operation and attempt, from the one trusted Pod.
  virtual api::PassResult UseFrame(const api::FramePayload& frame) = 0;
  // G-11. Ends the pass where something else accounts for the run although no frame could be read;
  // asked for mutating claims. `log` is what could be read of it.
  virtual StepResult StandIn(const api::FrameResult& frame, const std::string& log);
  // What becomes of the claim: its outcome is unknown (I), it runs again (F-8), or it goes and
  // nothing of it is read (G-2, read-only).
  virtual api::PassResult Unaccounted(absl::string_view why) = 0;
  virtual api::PassResult Retry(absl::string_view why) = 0;
  virtual api::PassResult Discard(absl::string_view why) = 0;

  // 4.3: disposes of the claim as the fault says, for this family and operation.
  api::PassResult Judge(rules::HarvestFault fault, absl::string_view why);

  const JobEnd& end() const { return end_; }
  // Null until the Pods were listed, and for inputs that moved, when they never are.
  const PodEvidence* evidence() const { return evidence_ ? &*evidence_ : nullptr; }
  // What a frame or a summary of this attempt has to say of itself.
  api::FrameExpectation Expectation() const;

 private:
  JobIdentity Identity() const;
  bool PodMayYetShow();
  // A Pod that came and went is counted by its Job: more than one that ended is more than one Pod.
  void CountPodsThatWent();
  std::optional<int64_t> AgeMs();
  api::PassResult ReadLog();
  api::PassResult ReadFrame(const std::string& log);
  api::PassResult JudgeUnread(const api::FrameResult& frame, const std::string& log);
  rules::HarvestDisposition DispositionOf(rules::HarvestFault fault) const;
  void Warn(absl::string_view reason, absl::string_view message);

  const ClaimHolder& holder_;
  const api::Stored<api::Job>& job_;
  const Context& context_;
  const JobEnd end_;
  std::optional<PodEvidence> evidence_;
};

// What became of parsing the frame, as far as waiting and the summary are concerned.
rules::FrameOutcome OutcomeOf(const api::FrameResult& frame);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_HARVEST_H_
