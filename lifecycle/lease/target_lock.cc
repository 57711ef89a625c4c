#include "lifecycle/lease/target_lock.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/identity.h"
#include "lifecycle/api/names.h"
#include "lifecycle/rules/lease_rule.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::lease {
namespace {

using StoredLease = std::optional<api::Stored<api::Lease>>;

absl::string_view EpochOf(const api::Lease& lease) {
  const auto& annotations = lease.metadata().annotations();
  const auto found = annotations.find(api::annotation::kLeaseEpoch);
  return found == annotations.end() ? absl::string_view() : absl::string_view(found->second);
}

// A foreign holder counts only with a duration and a time; without them it could never lapse.
bool TimingValid(const api::LeaseSpec& spec) {
  return spec.lease_duration_seconds() > 0 &&
         (spec.renew_time_ms() != 0 || spec.acquire_time_ms() != 0);
}

api::LeaseObservation ObservationOf(const api::Stored<api::Lease>& lease) {
  api::LeaseObservation seen;
  seen.version = lease.version;
  seen.uid = lease->metadata().uid();
  seen.holder = lease->spec().holder_identity();
  seen.duration_seconds = lease->spec().lease_duration_seconds();
  seen.acquire_time_ms = lease->spec().acquire_time_ms();
  seen.renew_time_ms = lease->spec().renew_time_ms();
  seen.transitions = lease->spec().lease_transitions();
  return seen;
}

// What a write to the Lease came to: lost races are read again.
rules::LeaseWrite Outcome(const absl::Status& status) {
  if (status.ok()) return rules::LeaseWrite::kOk;
  const bool lost =
      api::IsConflict(status) || api::IsAlreadyExists(status) || api::IsNotFound(status);
  return lost ? rules::LeaseWrite::kLostRace : rules::LeaseWrite::kOtherError;
}

// Neither time ever moves backwards relative to what is stored, whatever this node's clock says.
void Renew(int64_t now_ms, int64_t duration_seconds, api::LeaseSpec& spec) {
  spec.set_lease_duration_seconds(duration_seconds);
  spec.set_renew_time_ms(std::max(now_ms, spec.renew_time_ms()));
}

// One realm, for the length of one call.
class Lock {
 public:
  Lock(api::Client& client, api::Memory& memory, absl::string_view coordination_namespace,
       std::string name)
      : client_(client),
        memory_(memory),
        namespace_(coordination_namespace),
        name_(std::move(name)) {}

  // Errors: any but NotFound, which is an absent Lease.
  absl::StatusOr<StoredLease> Read() {
    absl::StatusOr<api::Stored<api::Lease>> read = client_.Get<api::Lease>(namespace_, name_);
    if (read.ok()) return StoredLease(*std::move(read));
    if (api::IsNotFound(read.status())) return StoredLease();
    return read.status();
  }

  // How long the foreign holder may still be there, by this process's own watch; 0 once the same
  // record stood for its whole duration.
  int64_t ObserveForeign(const api::Stored<api::Lease>& lease) {
    const auto known = memory_.leases.find(name_);
    std::optional<api::LeaseObservation> before;
    if (known != memory_.leases.end()) before = known->second;
    rules::ForeignExpiry expiry =
        rules::ObserveForeign(ObservationOf(lease), before, client_.MonotonicMs());
    if (expiry.memory) {
      memory_.leases[name_] = *std::move(expiry.memory);
    } else {
      Forget();
    }
    return expiry.remaining_ms;
  }
  void Forget() { memory_.leases.erase(name_); }

  absl::Status Create(const rules::LeaseRequest& request, const std::string& epoch) {
    api::Lease lease;
    api::ObjectMeta& meta = *lease.mutable_metadata();
    meta.set_namespace_(namespace_);
    meta.set_name(name_);
    (*meta.mutable_labels())[api::label::kManagedBy] = api::label::kManagedByValue;
    (*meta.mutable_labels())[api::label::kCoordination] = api::label::kDatabaseTarget;
    (*meta.mutable_annotations())[api::annotation::kLeaseEpoch] = epoch;
    api::LeaseSpec& spec = *lease.mutable_spec();
    const int64_t now_ms = client_.WallMs();
    spec.set_holder_identity(std::string(request.holder));
    spec.set_acquire_time_ms(now_ms);
    spec.set_lease_transitions(0);
    Renew(now_ms, request.duration_ms / 1000, spec);
    return client_.Create(std::move(lease)).status();
  }

  // Takes a released or lapsed Lease under a new epoch.
  absl::Status Take(const api::Stored<api::Lease>& stored, const rules::LeaseRequest& request,
                    const std::string& epoch) {
    api::Lease next = *stored;
    (*next.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] = epoch;
    api::LeaseSpec& spec = *next.mutable_spec();
    const int64_t now_ms = client_.WallMs();
    spec.set_holder_identity(std::string(request.holder));
    spec.set_acquire_time_ms(std::max(now_ms, spec.acquire_time_ms()));
    spec.set_lease_transitions(NextTransition(spec.lease_transitions()));
    Renew(now_ms, request.duration_ms / 1000, spec);
    return Update(stored, std::move(next));
  }

  absl::Status RenewOwn(const api::Stored<api::Lease>& stored, int64_t duration_seconds) {
    api::Lease next = *stored;
    Renew(client_.WallMs(), duration_seconds, *next.mutable_spec());
    return Update(stored, std::move(next));
  }

  // The epoch stays, so that a repeated release of the same acquisition is recognised.
  absl::Status Empty(const api::Stored<api::Lease>& stored) {
    api::Lease next = *stored;
    api::LeaseSpec& spec = *next.mutable_spec();
    spec.set_holder_identity("");
    spec.set_renew_time_ms(std::max(client_.WallMs(), spec.renew_time_ms()));
    return Update(stored, std::move(next));
  }

 private:
  absl::Status Update(const api::Stored<api::Lease>& stored, api::Lease next) {
    return client_.Update(stored, std::move(next), api::Subresource::kMain).status();
  }

  static int64_t NextTransition(int64_t transitions) {
    return transitions == std::numeric_limits<int64_t>::max() ? transitions : transitions + 1;
  }

  api::Client& client_;
  api::Memory& memory_;
  const std::string namespace_;
  const std::string name_;
};

absl::Status ConcurrentUpdate() {
  return absl::AbortedError("the realm's Lease was changed by others at every attempt");
}

// One attempt to take or renew the realm: what was decided on what was read, and what the write of
// that decision came to.
struct Attempt {
  rules::LeaseDecision decision;
  std::string epoch = "";  // Of the acquisition, if the write landed.
  absl::Status written = absl::OkStatus();
};

class Acquiring {
 public:
  Acquiring(api::Client& client, Lock& lock, absl::string_view resource_uid,
            const rules::LeaseRequest& wanted)
      : client_(client), lock_(lock), resource_uid_(resource_uid), wanted_(wanted) {}

  // Errors: the Lease could not be read.
  absl::StatusOr<Attempt> TryOnce() {
    const absl::StatusOr<StoredLease> read = lock_.Read();
    if (!read.ok()) return read.status();
    const StoredLease& stored = *read;
    std::optional<rules::StoredLease> facts;
    if (stored) {
      facts = rules::StoredLease{.holder = (*stored)->spec().holder_identity(),
                                 .epoch = EpochOf(**stored),
                                 .timing_valid = TimingValid((*stored)->spec())};
    }
    Attempt attempt;
    attempt.decision = rules::DecideAcquire(facts, wanted_, RemainingMs(stored, facts));
    switch (attempt.decision.step) {
      case rules::LeaseStep::kContended:
      case rules::LeaseStep::kMalformed:
        break;
      case rules::LeaseStep::kRenew:
        attempt.epoch = std::string(facts->epoch);
        attempt.written = lock_.RenewOwn(*stored, wanted_.duration_ms / 1000);
        break;
      case rules::LeaseStep::kCreate:
        attempt.epoch = NewEpoch();
        attempt.written = lock_.Create(wanted_, attempt.epoch);
        break;
      case rules::LeaseStep::kTake:
        attempt.epoch = NewEpoch();
        attempt.written = lock_.Take(*stored, wanted_, attempt.epoch);
        break;
    }
    return attempt;
  }

 private:
  // How long a foreign holder may still be there; whatever else stands there is not remembered.
  int64_t RemainingMs(const StoredLease& stored, const std::optional<rules::StoredLease>& facts) {
    const bool foreign = facts && !facts->holder.empty() && facts->holder != wanted_.holder;
    if (foreign && facts->timing_valid) return lock_.ObserveForeign(*stored);
    lock_.Forget();
    return 0;
  }

  // Drawn once a call, however often it races.
  const std::string& NewEpoch() {
    if (new_epoch_.empty()) {
      new_epoch_ = rules::EpochFromRandom(client_.Random16(resource_uid_, "lease epoch"));
    }
    return new_epoch_;
  }

  api::Client& client_;
  Lock& lock_;
  const absl::string_view resource_uid_;
  const rules::LeaseRequest& wanted_;
  std::string new_epoch_;
};

}  // namespace

absl::StatusOr<Acquisition> Acquire(api::Client& client, api::Memory& memory,
                                    absl::string_view coordination_namespace,
                                    const Request& request) {
  const std::string holder = rules::HolderIdentity(request.resource_uid, request.operation_id);
  const rules::LeaseRequest wanted = {.coordination_digest = request.coordination_digest,
                                      .coordination_namespace = coordination_namespace,
                                      .holder = holder,
                                      .duration_ms = request.duration_seconds * 1000,
                                      .expected_epoch = request.expected_epoch};
  const absl::Status valid = rules::ValidateLeaseRequest(wanted);
  if (!valid.ok()) return valid;
  Lock lock(client, memory, coordination_namespace, rules::LeaseName(request.coordination_digest));
  Acquiring acquiring(client, lock, request.resource_uid, wanted);
  for (int number = 1;; ++number) {
    absl::StatusOr<Attempt> attempt = acquiring.TryOnce();
    if (!attempt.ok()) return attempt.status();
    const rules::LeaseDecision& decision = attempt->decision;
    if (decision.step == rules::LeaseStep::kContended) {
      return Acquisition{.acquired = false, .wait_ms = decision.wait_ms};
    }
    if (decision.step == rules::LeaseStep::kMalformed) {
      return absl::FailedPreconditionError(
          "the realm's Lease has a holder without a valid duration or time");
    }
    switch (rules::AfterLeaseWrite(Outcome(attempt->written), number)) {
      case rules::AttemptResult::kDone:
        return Acquisition{.acquired = true,
                           .epoch = std::move(attempt->epoch),
                           .continuity_lost = decision.continuity_lost};
      case rules::AttemptResult::kReadAgain:
        break;
      case rules::AttemptResult::kConcurrentUpdate:
        return ConcurrentUpdate();
      case rules::AttemptResult::kError:
        return attempt->written;
    }
  }
}

absl::Status Release(api::Client& client, api::Memory& memory,
                     absl::string_view coordination_namespace, absl::string_view resource_uid,
                     const api::PendingLockRelease& release) {
  if (!api::IsDigest(release.coordination_digest()) || release.operation_id().empty()) {
    return absl::InvalidArgumentError("an incomplete binding releases nothing");
  }
  const std::string holder = rules::HolderIdentity(resource_uid, release.operation_id());
  Lock lock(client, memory, coordination_namespace,
            rules::LeaseName(release.coordination_digest()));
  for (int attempt = 1;; ++attempt) {
    const absl::StatusOr<StoredLease> read = lock.Read();
    if (!read.ok()) return read.status();
    const StoredLease& stored = *read;
    const rules::ReleaseStep step = rules::DecideRelease(
        {.request_has_epoch = !release.lease_epoch().empty(),
         .stored = stored.has_value(),
         .holder_equal = stored && (*stored)->spec().holder_identity() == holder,
         .epoch_equal = stored && EpochOf(**stored) == release.lease_epoch()});
    if (step == rules::ReleaseStep::kError) {
      return absl::InvalidArgumentError("a release names no epoch");
    }
    if (step == rules::ReleaseStep::kNothingToDo) return absl::OkStatus();
    const absl::Status written = lock.Empty(*stored);
    switch (rules::AfterLeaseWrite(Outcome(written), attempt)) {
      case rules::AttemptResult::kDone:
        return absl::OkStatus();
      case rules::AttemptResult::kReadAgain:
        break;
      case rules::AttemptResult::kConcurrentUpdate:
        return ConcurrentUpdate();
      case rules::AttemptResult::kError:
        return written;
    }
  }
}

}  // namespace lifecycle::lease
