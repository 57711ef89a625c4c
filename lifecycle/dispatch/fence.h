// The fence in front of state that a newer manager wrote.
//
// A manager that does not know what a later one meant by a record must not touch the resource that
// holds it: no finalizer, no Lease, no binding, no claim, and no release either. So every pass asks
// here first, after its first direct read and after any later one; and the same question is asked
// of every stored object when a manager starts and before the CRDs are changed, so that an upgrade
// fails as a whole while the release in force keeps running.
//
// Answers, B-2, C-2; spec 03, 14; S-42.

#ifndef LIFECYCLE_DISPATCH_FENCE_H_
#define LIFECYCLE_DISPATCH_FENCE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/context.h"

namespace lifecycle::dispatch {

// OK when every fenced field of the object was written by a manager whose state version is at most
// `supported`. A record that is absent holds nothing to refuse. Errors: FailedPrecondition, which
// names the object and the version found.
absl::Status StateSupported(const api::PtahSchema& schema, int64_t supported);
absl::Status StateSupported(const api::PtahMigration& migration, int64_t supported);
absl::Status StateSupported(const api::PtahSchemaPlan& plan, int64_t supported);
absl::Status StateSupported(const api::PtahMigrationPlan& plan, int64_t supported);

// R-1, of one pass over a resource of either family: StateSupported for this manager, and said in
// the journal where it refuses. The pass ends with the error and has written nothing.
template <class Resource>
absl::Status FencePass(const Resource& resource, const Context& context) {
  absl::Status supported = StateSupported(resource, context.configuration.controller_state_version);
  if (!supported.ok()) context.client.Journal("R-1");
  return supported;
}

// R-1, at startup and before every update of the CRDs: the same of every stored object of the four
// kinds that carry a version, in every namespace, by direct lists. Errors: FailedPrecondition for
// the first object that a newer manager wrote; the API server's when a list failed, which proves
// nothing and so refuses as well.
absl::Status CheckStoredState(api::Client& client, int64_t supported);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_FENCE_H_
