// The Pod admission envelope: what shapes a Job's Pods besides the Job, read, bound and compared.
//
// An API server makes a Pod of more than its template: the service account it runs as, the limit
// ranges of its namespace, the class it runs in, the class that ranks it. A snapshot binds each of
// them as it stands when the claim's Job is built, by name, UID and version. Nothing is read again
// for a claim that has its snapshot: what moved since is seen where a Pod is admitted, and a Pod of
// anything else than what was bound is refused there.
//
// Answers: spec 01, 12.1, 12.3; spec 02, E-4.3.

#ifndef LIFECYCLE_DISPATCH_ENVELOPE_H_
#define LIFECYCLE_DISPATCH_ENVELOPE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/client.h"

namespace lifecycle::api {
class ActiveOperation;
class AdmissionSnapshot;
class Job;
class PodSpec;
}  // namespace lifecycle::api

namespace lifecycle::dispatch {

// Returns the envelope that the Pods of the claim's Job are held to. Errors: NotFound, as the
// server words it, when an object is missing that the Pods need; FailedPrecondition when what
// stands cannot be bound; any other ApiError means that nothing was learned.
absl::StatusOr<api::AdmissionSnapshot> ResolveSnapshot(const api::Job& job,
                                                       const api::ActiveOperation& claim,
                                                       api::Client& client);

// Judges whether what the snapshot binds still is what shapes the Job's Pods.
// Errors: FailedPrecondition says what moved; NotFound what is gone.
absl::Status HoldsStill(const api::AdmissionSnapshot& snapshot, const api::Job& job,
                        const api::DirectReader& reader);

// True when the Pod is what an API server makes of the template under what the snapshot binds: the
// names the template left open are filled in, a node may be assigned, and nothing else differs.
bool IsWithin(const api::AdmissionSnapshot& snapshot, const api::PodSpec& pod_template,
              const api::PodSpec& pod);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_ENVELOPE_H_
