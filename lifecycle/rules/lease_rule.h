// The database realm's Lease: who may take it, what a claim does with the answer, when a foreign
// holder has expired, and how it is given back.
//
// Nothing fences the holder of a Lease, so expiry is measured from this process's own first sight
// of the exact foreign record, on its own monotonic clock. No remote timestamp is ever compared
// with a local clock; a restarted process waits the full duration again.
//
// Answers: spec 03, 8; spec 01, 8; E-2, L-6.

#ifndef LIFECYCLE_RULES_LEASE_RULE_H_
#define LIFECYCLE_RULES_LEASE_RULE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/memory.h"

namespace lifecycle::rules {

// Whole seconds. A migration with the longest window (24 h) needs 24 h and 2 min (spec 06, E-5).
inline constexpr int64_t kLeaseDurationMinSeconds = 5;
inline constexpr int64_t kLeaseDurationMaxSeconds = 24 * 3600 + 120;
inline constexpr int kLeaseAttempts = 5;

// 8.1 Acquire --------------------------------------------------------------------------------

// The parts of a stored Lease that the decision needs.
struct StoredLease {
  absl::string_view holder = "";  // Empty: released, or never held.
  absl::string_view epoch = "";   // The annotation, as stored.
  bool timing_valid = true;       // A positive duration, and a timestamp.
};

struct LeaseRequest {
  absl::string_view coordination_digest = "";
  absl::string_view coordination_namespace = "";
  absl::string_view holder = "";
  int64_t duration_ms = 0;
  absl::string_view expected_epoch = "";  // May be empty.
};

// Errors: InvalidArgument says what is malformed; such a request touches nothing.
absl::Status ValidateLeaseRequest(const LeaseRequest& request);

enum class LeaseStep {
  kCreate,     // New random epoch, transitions 0.
  kTake,       // Update: our holder, new random epoch, transitions + 1.
  kRenew,      // Update: renew time and duration, epoch kept.
  kContended,  // Nothing is written; wait `wait_ms`.
  kMalformed,  // Nothing is written: fail closed with an error.
};

struct LeaseDecision {
  LeaseStep step = LeaseStep::kMalformed;
  bool continuity_lost = false;  // Of the acquisition the step makes, if it lands.
  int64_t wait_ms = 0;
  friend bool operator==(const LeaseDecision&, const LeaseDecision&) = default;
};

// Decides one attempt. `stored` is nullopt when there is no Lease; `observed_remaining_ms` is what
// ObserveForeign said, looked at for a foreign holder only.
LeaseDecision DecideAcquire(const std::optional<StoredLease>& stored, const LeaseRequest& request,
                            int64_t observed_remaining_ms);

// What one attempt's write came to.
enum class LeaseWrite { kOk, kLostRace, kOtherError };  // Lost: AlreadyExists, Conflict, NotFound.
enum class AttemptResult { kDone, kReadAgain, kConcurrentUpdate, kError };

// `attempt` counts from 1. The release (8.4) follows the same rule.
AttemptResult AfterLeaseWrite(LeaseWrite write, int attempt);

// 8.2 The claim's use of the result ----------------------------------------------------------

enum class LeasePass { kProceeds, kEndsRequeueNow, kEndsRequeueLater };

struct LeaseUseFacts {
  bool contended = false;
  bool epoch_equal = false;  // The result's epoch is the recorded one.
  bool continuity_lost = false;
  bool recorded_empty = false;
  bool may_have_dispatched = false;
  // A claim that serves a proof: the pending observation names another, non-empty epoch.
  bool proof_epoch_differs = false;
};

struct LeaseUse {
  bool write_epoch = false;   // leaseEpoch = the Lease's; for a proof, in both records.
  bool latch = false;         // leaseContinuityLost = true: no result of this claim may be read.
  bool demote_proof = false;  // outcome OutcomeUnknown, planRequired false.
  LeasePass pass = LeasePass::kEndsRequeueLater;
  friend bool operator==(const LeaseUse&, const LeaseUse&) = default;
};

LeaseUse UseOfLease(const LeaseUseFacts& facts);

// A proof without a claim (J-1).
struct ProofLeaseFacts {
  bool contended = false;
  bool epoch_equal = false;
  bool continuity_lost = false;
};
LeaseUse UseOfProofLease(const ProofLeaseFacts& facts);

// 8.3 Foreign expiry -------------------------------------------------------------------------

struct ForeignExpiry {
  int64_t remaining_ms = 0;
  // What this process remembers from now on; nullopt forgets.
  std::optional<api::LeaseObservation> memory = std::nullopt;
  friend bool operator==(const ForeignExpiry&, const ForeignExpiry&) = default;
};

// `stored` is the foreign record as read (its first_seen_ms is ignored), nullopt when the Lease is
// absent, empty or our own. `now_ms` is this process's monotonic clock.
ForeignExpiry ObserveForeign(const std::optional<api::LeaseObservation>& stored,
                             const std::optional<api::LeaseObservation>& memory, int64_t now_ms);

// 8.4 Release --------------------------------------------------------------------------------

struct ReleaseFacts {
  bool request_has_epoch = false;
  bool stored = false;
  bool holder_equal = false;
  bool epoch_equal = false;
};

enum class ReleaseStep {
  kError,
  kNothingToDo,  // Success: already released, or somebody else's.
  kEmptyHolder,  // Update: holder empty, renew time advanced, epoch left.
};

ReleaseStep DecideRelease(const ReleaseFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_LEASE_RULE_H_
