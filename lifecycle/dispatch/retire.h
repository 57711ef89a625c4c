// Retiring a claim: which release the write that drops it owes, and handing the realm back.
//
// The release is staged in the same status patch that drops the claim (or that removes the last
// record holding the realm), and the Lease is touched only after that patch. A stop between the two
// leaves the record, which the top of the next pass performs; the other order would hand the
// database back under a claim that still reads as live.
//
// Answers: spec 02, L-1 to L-7; spec 03, 6; W-22, W-23.

#ifndef LIFECYCLE_DISPATCH_RETIRE_H_
#define LIFECYCLE_DISPATCH_RETIRE_H_

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/context.h"
#include "lifecycle/lease/target_lock.h"
#include "lifecycle/rules/retirement.h"

namespace lifecycle::dispatch {

// Everything as it stood BEFORE the write that retires.
struct Retirement {
  rules::Family family = rules::Family::kSchema;
  const api::ActiveOperation& claim;
  const api::PendingObservation* proof = nullptr;  // Null when none was stored.
  bool ends_proof = false;                         // The write removes the proof.
  rules::Disposition disposition = rules::Disposition::kUnaccounted;
  // Schema: false. Migration: asked before the write, false for an accounted run.
  bool may_still_write = false;
};

// Returns the release the write owes, or nothing (L-1). A claim without an epoch owes none.
std::optional<api::PendingLockRelease> OwedRelease(const Retirement& retirement);

// The release that ends a proof without a claim (deletion).
api::PendingLockRelease ReleaseOfProof(const api::PendingObservation& proof);

// Stages `owed` in a status that is about to be written. Errors: FailedPrecondition while another
// release is pending (L-5: a schema fails the pass, a migration reports it and writes on).
template <class Status>
absl::Status StageRelease(std::optional<api::PendingLockRelease> owed, Status& status) {
  if (!owed) return absl::OkStatus();
  if (status.has_pending_lock_release()) {
    return absl::FailedPreconditionError("another release of a realm is still pending");
  }
  *status.mutable_pending_lock_release() = *std::move(owed);
  return absl::OkStatus();
}

// L-6: empties the Lease `resource` owes back, then clears the record (W-22, W-23). Does nothing
// when no release is pending. On success `resource` is what is stored now; on an error the record
// stays and a later pass repeats the release, which is then a no-op.
template <class Resource>
absl::Status PerformRelease(const Context& context, api::Stored<Resource>& resource) {
  if (!resource->status().has_pending_lock_release()) return absl::OkStatus();
  context.client.Journal("L-6");
  absl::Status released =
      lease::Release(context.client, context.memory, context.configuration.coordination_namespace,
                     resource->metadata().uid(), resource->status().pending_lock_release());
  if (!released.ok()) return released;
  Resource next = *resource;
  next.mutable_status()->clear_pending_lock_release();
  auto stored = context.client.Patch(resource, std::move(next), api::Subresource::kStatus);
  if (!stored.ok()) return stored.status();
  resource = *std::move(stored);
  return absl::OkStatus();
}

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_RETIRE_H_
