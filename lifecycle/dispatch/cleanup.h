// The cleanup TTL of a finished Job: the one field of a stored Job the manager ever changes.
//
// It lets the cluster collect what no pass needs to read again, so it is set before the write that
// ends the claim: a stop between the two leaves the same Job to be read, and the other order would
// leave a Job nobody comes back for.
//
// Answers: spec 01, 9 "cleanup TTL"; W-17, S-16, S-20.

#ifndef LIFECYCLE_DISPATCH_CLEANUP_H_
#define LIFECYCLE_DISPATCH_CLEANUP_H_

#include "absl/status/statusor.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/dispatch/context.h"

namespace lifecycle::dispatch {

// W-17: from absent to 300 seconds; one that is set already counts as met. The caller has held the
// Job to its claim: the webhook refuses it for any other. Returns the Job as stored afterwards.
absl::StatusOr<api::Stored<api::Job>> SetCleanupTtl(const api::Stored<api::Job>& job,
                                                    const Context& context,
                                                    api::Site site = api::Site::Here());

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_CLEANUP_H_
