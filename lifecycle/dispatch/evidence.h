// What a dispatched Job left to be read: its Pods, the executor's log, its frame or the summary
// that stands in, and whether anything it started may still write.
//
// Pods are attributed by the exact owner reference (Job name, Job UID), never by labels, from a
// direct list. Evidence is only ever trusted from exactly one Pod whose executor terminated.
//
// Answers: spec 01, 10, 11; spec 02, G-3 to G-7, G-11; spec 03, 9, 10.1, 17, 18.

#ifndef LIFECYCLE_DISPATCH_EVIDENCE_H_
#define LIFECYCLE_DISPATCH_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/timing.h"

namespace lifecycle::api {
class ActiveOperation;
class AdmissionSnapshot;
class Job;
class Pod;
class PodTemplateSpec;
class PendingObservation;
}  // namespace lifecycle::api

namespace lifecycle::dispatch {

inline constexpr int kPodUidsMax = 8;

// Which Job's Pods are meant. An empty UID names no Job, and then nothing is attributed.
struct JobIdentity {
  std::string namespace_;
  std::string name;
  std::string uid;
};

// Returns the Pods whose single owner reference is exactly that Job, controller and blocking,
// sorted by (UID, name). Errors: the list could not be read.
absl::StatusOr<std::vector<api::Stored<api::Pod>>> PodsOf(api::Client& client,
                                                          const JobIdentity& job);

// True when the Pod has reached Succeeded or Failed: no process of it can send anything more.
bool HasStopped(const api::Pod& pod);

enum class EvidenceProblem {
  kNone,
  kMultiplicity,  // More than one Pod.
  kIntent,        // A Pod with no UID, no snapshot, or one the envelope does not accept.
};

struct PodEvidence {
  std::vector<std::string> pod_uids;  // The first kPodUidsMax, sorted.
  int64_t pod_count = 0;
  EvidenceProblem problem = EvidenceProblem::kNone;
  // The one Pod, when there is exactly one and it has no problem.
  std::string pod_name;
  std::string pod_uid;
  bool trusted = false;             // Its executor terminated.
  std::string termination_message;  // Only when trusted.
  bool all_stopped = true;          // Every Pod counted has stopped.

  // Exactly one accepted Pod terminated: the executor's end is proven.
  bool ExecutorEndProven() const {
    return problem == EvidenceProblem::kNone && pod_count == 1 && trusted;
  }
};

// Reads the evidence of one Job's Pods, held to `snapshot` (the claim's) and, where a Job is in
// hand, to its template. `live` may be null. Errors: the list could not be read.
absl::StatusOr<PodEvidence> CollectPodEvidence(api::Client& client, const JobIdentity& job,
                                               const api::AdmissionSnapshot& snapshot,
                                               const api::PodTemplateSpec* live);

// Merges what was seen into a proof's record (10.1): sorted union, first eight kept, a count that
// never decreases, OutcomeUnknown for good as soon as it exceeds one. Returns whether it grew.
bool MergePodEvidence(const PodEvidence& seen, api::PendingObservation& record);

// The executor's log (G-6).
struct LogReading {
  enum class State {
    kRead,
    kRetry,  // The read failed and may yet succeed; wait `retry_after_ms`.
    kLost,   // Stands in for "no frame".
  };
  State state = State::kLost;
  std::string text;
  int64_t retry_after_ms = 0;
};
LogReading ReadExecutorLog(api::Client& client, api::Memory& memory, const api::Timing& timing,
                           const JobIdentity& job, const PodEvidence& evidence);

// Whether anything the claim dispatched may still write (03, 9), for a migration's Apply, at
// `now_ms` of this node's wall clock. `in_hand` is the Job this pass read under the claim's name,
// or null. A read that could not say counts as yes.
bool DispatchedApplyMayStillWrite(api::Client& client, absl::string_view namespace_,
                                  const api::ActiveOperation& claim, const api::Job* in_hand,
                                  int64_t now_ms);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_EVIDENCE_H_
