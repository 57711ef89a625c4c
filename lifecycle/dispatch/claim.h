// A claim: the record that reserves one Job name before anything external happens.
//
// Made here for both families and every type, so that identity, name, deadlines and the expected
// Lease token are computed in one place. Writing it (two writes, finalizer first) is the family's.
//
// Answers: spec 02, D-2 to D-4, D-7, F-8; spec 01, 1.5.

#ifndef LIFECYCLE_DISPATCH_CLAIM_H_
#define LIFECYCLE_DISPATCH_CLAIM_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/rules/job_verdict.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::dispatch {

// What a claim's identity is made of. The views outlive the call.
struct ClaimIdentity {
  rules::Family family = rules::Family::kSchema;
  const api::ObjectMeta& resource;
  absl::string_view type;
  absl::string_view epoch;              // Of the execution binding.
  absl::string_view input_fingerprint;  // D-1.
  int64_t started_at_ms = 0;
};

// D-2. Returns a first attempt: id from the fingerprint and a fresh nonce, the name it reserves,
// epoch and start. Draws one random token.
api::ActiveOperation MakeClaim(api::Client& client, const ClaimIdentity& identity);

// D-7. Both deadlines of an Apply are its start plus `window_ms`.
void SetApplyDeadlines(int64_t window_ms, int64_t termination_grace_seconds,
                       api::ActiveOperation& claim);

// D-4. A realm-holding claim of its own starts with an expected token no Lease carries, made from
// its id, and with the duration its Lease will have.
void ExpectLease(int64_t lease_duration_seconds, api::ActiveOperation& claim);

// F-8, the claim's half: the next attempt under a new name, with no UID, marker or snapshot.
// Aborts for a claim that is not known to be read-only; its caller refuses that with an error.
// `admission_snapshot_refreshed` and, for a claim of its own, the Lease are the caller's to judge.
void MakeNextAttempt(rules::Family family, const api::ObjectMeta& resource,
                     api::ActiveOperation& claim);

// Spec 03, 2.
bool MayHaveDispatched(const api::ActiveOperation& claim);

// Reads the Job under the claim's reserved name, directly; nothing when none stands there. Errors:
// the read failed, so nothing is known.
absl::StatusOr<std::optional<api::Stored<api::Job>>> ReadClaimedJob(
    api::Client& client, const api::ObjectMeta& resource, const api::ActiveOperation& claim);

// F-1. `job` is null when no Job stands under the claim's name. `claim` is of a known type.
rules::JobJudgement JudgeJob(rules::Family family, const api::ObjectMeta& resource,
                             const api::ActiveOperation& claim, const api::Job* job);

// Says in the journal which doubt a Job that does not pass for its claim's costs (F-1): a mutating
// claim its account, a read-only one its attempt.
void TellOfDoubt(rules::JobCause cause, bool mutating, api::Client& client);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_CLAIM_H_
