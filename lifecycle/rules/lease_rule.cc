#include "lifecycle/rules/lease_rule.h"

#include <algorithm>

#include "lifecycle/api/digest.h"

namespace lifecycle::rules {
namespace {

bool IsNamespace(absl::string_view text) {
  if (text.empty() || text.size() > 63 || text.front() == '-' || text.back() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

LeaseDecision Taking(LeaseStep step, const LeaseRequest& request) {
  return {.step = step, .continuity_lost = !request.expected_epoch.empty()};
}

LeaseDecision OwnLease(const StoredLease& stored, const LeaseRequest& request) {
  if (!api::IsEpoch(stored.epoch)) return Taking(LeaseStep::kTake, request);
  // Even a lapsed Lease is continuous, provided nobody took it.
  const bool expected = request.expected_epoch.empty() || request.expected_epoch == stored.epoch;
  return {.step = LeaseStep::kRenew, .continuity_lost = !expected};
}

// Every field but the time of our own first sight.
bool SameRecord(api::LeaseObservation a, const api::LeaseObservation& b) {
  a.first_seen_ms = b.first_seen_ms;
  return a == b;
}

}  // namespace

absl::Status ValidateLeaseRequest(const LeaseRequest& request) {
  if (!api::IsDigest(request.coordination_digest)) {
    return absl::InvalidArgumentError("lease request: malformed coordination digest");
  }
  if (!IsNamespace(request.coordination_namespace)) {
    return absl::InvalidArgumentError("lease request: malformed coordination namespace");
  }
  if (request.holder.empty()) {
    return absl::InvalidArgumentError("lease request: no holder identity");
  }
  if (request.duration_ms % 1000 != 0) {
    return absl::InvalidArgumentError("lease request: duration is not in whole seconds");
  }
  const int64_t seconds = request.duration_ms / 1000;
  if (seconds < kLeaseDurationMinSeconds || seconds > kLeaseDurationMaxSeconds) {
    return absl::InvalidArgumentError("lease request: duration out of bounds");
  }
  if (!request.expected_epoch.empty() && !api::IsEpoch(request.expected_epoch)) {
    return absl::InvalidArgumentError("lease request: malformed expected epoch");
  }
  return absl::OkStatus();
}

LeaseDecision DecideAcquire(const std::optional<StoredLease>& stored, const LeaseRequest& request,
                            int64_t observed_remaining_ms) {
  if (!stored) return Taking(LeaseStep::kCreate, request);
  if (stored->holder.empty()) return Taking(LeaseStep::kTake, request);
  if (stored->holder == request.holder) return OwnLease(*stored, request);
  if (!stored->timing_valid) return {.step = LeaseStep::kMalformed};
  if (observed_remaining_ms > 0) {
    return {.step = LeaseStep::kContended, .wait_ms = observed_remaining_ms};
  }
  return Taking(LeaseStep::kTake, request);
}

AttemptResult AfterLeaseWrite(LeaseWrite write, int attempt) {
  switch (write) {
    case LeaseWrite::kOk:
      return AttemptResult::kDone;
    case LeaseWrite::kLostRace:
      return attempt < kLeaseAttempts ? AttemptResult::kReadAgain
                                      : AttemptResult::kConcurrentUpdate;
    case LeaseWrite::kOtherError:
      break;
  }
  return AttemptResult::kError;
}

LeaseUse UseOfLease(const LeaseUseFacts& facts) {
  if (facts.contended) return {.pass = LeasePass::kEndsRequeueLater};
  const bool changed = !facts.epoch_equal || facts.continuity_lost;
  if (!changed && !facts.proof_epoch_differs) return {.pass = LeasePass::kProceeds};
  return {.write_epoch = true,
          .latch = facts.recorded_empty || facts.may_have_dispatched || facts.proof_epoch_differs,
          .demote_proof = facts.proof_epoch_differs,
          .pass = LeasePass::kEndsRequeueNow};
}

LeaseUse UseOfProofLease(const ProofLeaseFacts& facts) {
  if (facts.contended) return {.pass = LeasePass::kEndsRequeueLater};
  if (facts.epoch_equal && !facts.continuity_lost) return {.pass = LeasePass::kProceeds};
  return {.write_epoch = true, .demote_proof = true, .pass = LeasePass::kEndsRequeueNow};
}

ForeignExpiry ObserveForeign(const std::optional<api::LeaseObservation>& stored,
                             const std::optional<api::LeaseObservation>& memory, int64_t now_ms) {
  if (!stored) return {};
  const int64_t duration_ms = stored->duration_seconds * 1000;
  if (!memory || !SameRecord(*memory, *stored) || now_ms < memory->first_seen_ms) {
    ForeignExpiry first{.remaining_ms = duration_ms, .memory = stored};
    first.memory->first_seen_ms = now_ms;
    return first;
  }
  const int64_t elapsed_ms = now_ms - memory->first_seen_ms;
  if (elapsed_ms >= duration_ms) return {};
  return {.remaining_ms = duration_ms - elapsed_ms, .memory = memory};
}

ReleaseStep DecideRelease(const ReleaseFacts& facts) {
  if (!facts.request_has_epoch) return ReleaseStep::kError;
  if (!facts.stored || !facts.holder_equal || !facts.epoch_equal) return ReleaseStep::kNothingToDo;
  return ReleaseStep::kEmptyHolder;
}

}  // namespace lifecycle::rules
