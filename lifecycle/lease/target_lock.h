// The database realm's Lease: taking it, renewing it, handing it back.
//
// One Lease per coordination digest, in one coordination namespace, shared by both families. Every
// acquisition under a new epoch is a new tenancy; a renewal keeps the epoch. A foreign holder is
// displaced only when this process has itself seen the identical record for its whole duration, on
// its own monotonic clock: no remote timestamp is ever compared with a clock of ours (S-12). That
// first sight lives in Memory, so a restarted process waits again.
//
// Answers: spec 03, 8; spec 01, 8; the newer page, "Bind the realm".

#ifndef LIFECYCLE_LEASE_TARGET_LOCK_H_
#define LIFECYCLE_LEASE_TARGET_LOCK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/operation.pb.h"

namespace lifecycle::lease {

// Who asks for which realm. The views outlive the call.
struct Request {
  absl::string_view coordination_digest;
  absl::string_view resource_uid;
  absl::string_view operation_id;
  int64_t duration_seconds = 0;           // Within the locker's bounds, spec 01, 14.
  absl::string_view expected_epoch = "";  // Empty: nothing is expected.
};

struct Acquisition {
  bool acquired = false;
  // Not acquired: how long until this process may find the holder lapsed, if nothing renews it.
  int64_t wait_ms = 0;
  // Acquired: the Lease's epoch now, and whether it is another tenancy than the expected one.
  std::string epoch = "";
  bool continuity_lost = false;
};

// Takes or renews the realm's Lease. Contention is no error.
// Errors: InvalidArgument for a malformed request; FailedPrecondition for a foreign holder without
// a valid duration or time (fail closed); Aborted when five attempts lost to other writers; any
// other answer of the API server.
absl::StatusOr<Acquisition> Acquire(api::Client& client, api::Memory& memory,
                                    absl::string_view coordination_namespace,
                                    const Request& request);

// Empties the Lease if holder and epoch are exactly the recorded ones; an absent Lease, another
// holder or another epoch is already released, which is success.
// Errors: InvalidArgument for an incomplete binding; Aborted after five attempts; any other answer
// of the API server.
absl::Status Release(api::Client& client, api::Memory& memory,
                     absl::string_view coordination_namespace, absl::string_view resource_uid,
                     const api::PendingLockRelease& release);

}  // namespace lifecycle::lease

#endif  // LIFECYCLE_LEASE_TARGET_LOCK_H_
