#include "sim/lease_watch.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"

namespace sim {

namespace api = lifecycle::api;

std::string LeaseNameOf(absl::string_view coordination_digest) {
  return absl::StrCat("ptah-t-", api::Base32Lower(api::DigestBytes(coordination_digest)));
}

std::string EpochOf(const api::Lease& lease) {
  const auto found = lease.metadata().annotations().find(api::annotation::kLeaseEpoch);
  return found == lease.metadata().annotations().end() ? "" : found->second;
}

void WatchLease(World& world, Handle after) {
  if (after == nullptr || after->key.kind != api::Kind::kLease) return;
  for (Rival& rival : world.rivals) {
    if (LeaseNameOf(rival.coordination_digest) != after->key.name) continue;
    const api::LeaseSpec& spec = after->As<api::Lease>().spec();
    const bool waits = rival.state == Rival::State::kIdle && rival.rounds_left > 0 &&
                       !spec.holder_identity().empty() && spec.holder_identity() != rival.holder;
    rival.lapse_at_ms = waits ? world.now_ms + spec.lease_duration_seconds() * 1000 : 0;
  }
}

}  // namespace sim
