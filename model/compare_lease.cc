// A takeover, and the same pass on a Lease that its holder has just renewed (S-12).

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "model/compare.h"
#include "model/objects.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// Of one scenario; a takeover is rare, and each is much like the others.
constexpr size_t kTakeoversMax = 200;
constexpr int64_t kRenewedAfterMs = 1'000;

bool TakesOver(const SentWrite& write) {
  if (!write.stored || write.request->key.kind != api::Kind::kLease || write.before == nullptr) {
    return false;
  }
  const std::string& foreign = write.before->As<api::Lease>().spec().holder_identity();
  const std::string& holder = write.after->As<api::Lease>().spec().holder_identity();
  return !foreign.empty() && !holder.empty() && foreign != holder;
}

// The world with the Lease as its holder would have renewed it.
sim::World Renewed(const sim::World& world, const api::Key& key, sim::Interner& interner) {
  sim::World renewed = world;
  const sim::Entry& stored = *world.Find(key);
  auto lease = std::make_shared<api::Lease>(stored.object->As<api::Lease>());
  lease->mutable_spec()->set_renew_time_ms(lease->spec().renew_time_ms() + kRenewedAfterMs);
  renewed.Put({.object = interner.Intern(api::Kind::kLease, std::move(lease)),
               .version = stored.version + 1});
  return renewed;
}

}  // namespace

void Comparer::Takeover(const SentWrite& write, const PassTrace& trace, Findings& findings) {
  if (!TakesOver(write) || trace.start->Find(write.request->key) == nullptr) return;
  if (!all_ && takeovers_ >= kTakeoversMax) return;
  ++takeovers_;
  const sim::World renewed = Renewed(*trace.start, write.request->key, interner_);
  const bool taken = ConclusionOf(runner_, renewed, trace.id).verdicts.Has(Verdict::kTakeOver);
  findings.Expect(Property::kS12, !taken, [&] {
    return absl::StrCat(api::ShortName(trace.resource),
                        ": takes the Lease over also when its holder has just renewed it");
  });
}

}  // namespace model
