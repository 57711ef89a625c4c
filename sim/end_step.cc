// What ends a step: everything that differs without a difference is made the same.

#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// ---- Versions ----

api::Key LeaseKey(const Process& process, const std::string& name) {
  return api::Key{api::Kind::kLease, process.configuration->coordination_namespace, name};
}

// Calls `visit(key, version)` for every version that somebody other than the store holds.
template <class Visit>
void ForEachHeld(const World& world, Visit visit) {
  const auto in_stored = [&](const api::AnyStored& stored) {
    if (stored.object != nullptr) visit(api::KeyOf(*stored.object), stored.version);
  };
  for (const Process& process : world.processes) {
    for (const auto& [name, lease] : process.memory->leases) {
      visit(LeaseKey(process, name), lease.version);
    }
    if (process.cache != nullptr) {
      for (const Entry& entry : *process.cache) visit(entry.object->key, entry.version);
    }
    for (const Work& work : process.work) {
      if (work.paused == nullptr) continue;
      for (const api::Answer& answer : work.paused->answers) {
        in_stored(answer.stored);
        for (const api::AnyStored& one : answer.list) in_stored(one);
      }
    }
  }
  for (const InFlight& one : world.in_flight) {
    if (one.request.version != 0) visit(one.request.key, one.request.version);
  }
}

// Replaces each of them by what `rank(key, version)` returns. What is shared with other worlds is
// copied first.
template <class Rank>
void RewriteMemory(Process& process, Rank rank) {
  const auto& leases = process.memory->leases;
  const bool changes = std::any_of(leases.begin(), leases.end(), [&](const auto& one) {
    return rank(LeaseKey(process, one.first), one.second.version) != one.second.version;
  });
  if (!changes) return;
  for (auto& [name, lease] : process.memory.Edit().leases) {
    lease.version = rank(LeaseKey(process, name), lease.version);
  }
}

template <class Rank>
void RewriteCache(Process& process, Rank rank) {
  if (process.cache == nullptr) return;
  std::vector<Entry> next = *process.cache;
  for (Entry& entry : next) entry.version = rank(entry.object->key, entry.version);
  process.cache = std::make_shared<const std::vector<Entry>>(std::move(next));
}

template <class Rank>
std::shared_ptr<const PausedPass> Rewritten(const PausedPass& paused, Rank rank) {
  auto next = std::make_shared<PausedPass>(paused);
  const auto in_stored = [&](api::AnyStored& stored) {
    if (stored.object != nullptr) stored.version = rank(api::KeyOf(*stored.object), stored.version);
  };
  for (api::Answer& answer : next->answers) {
    in_stored(answer.stored);
    for (api::AnyStored& one : answer.list) in_stored(one);
  }
  return next;
}

template <class Rank>
void RewriteHeld(World& world, Rank rank) {
  for (Process& process : world.processes) {
    RewriteMemory(process, rank);
    RewriteCache(process, rank);
    for (Work& work : process.work) {
      if (work.paused != nullptr) work.paused = Rewritten(*work.paused, rank);
    }
  }
  for (InFlight& one : world.in_flight) {
    if (one.request.version != 0) one.request.version = rank(one.request.key, one.request.version);
  }
}

// Where somebody holds a version, what counts is which of them are equal and which came later. What
// an admission snapshot may bind keeps its own: a snapshot holds it as text, under a digest.
void RenumberVersions(World& world) {
  std::map<api::Key, std::vector<api::Version>> held;
  ForEachHeld(world,
              [&](const api::Key& key, api::Version version) { held[key].push_back(version); });
  for (auto& [key, versions] : held) {
    if (const Entry* entry = world.Find(key); entry != nullptr) versions.push_back(entry->version);
    std::sort(versions.begin(), versions.end());
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  }
  const auto rank = [&](const api::Key& key, api::Version version) -> api::Version {
    if (api::ShapesPods(key.kind)) return version;
    const auto found = held.find(key);
    if (found == held.end()) return 1;
    const auto at = std::lower_bound(found->second.begin(), found->second.end(), version);
    return at - found->second.begin() + 1;
  };
  for (Entry& entry : world.objects) {
    entry.version = rank(entry.object->key, entry.version);
  }
  if (!held.empty()) RewriteHeld(world, rank);
}

// ---- Logs ----

void DropLogsOfGonePods(World& world) {
  if (world.logs.empty()) return;
  world.logs.EraseIf([&](const std::string& pod_uid, const PodLog&) {
    return std::none_of(world.objects.begin(), world.objects.end(), [&](const Entry& entry) {
      return entry.object->key.kind == api::Kind::kPod &&
             entry.object->As<api::Pod>().metadata().uid() == pod_uid;
    });
  });
}

// ---- Due ----

// A poll, or a pass that failed, waits for what it read last to change. Once something has
// happened, which it was that it read no longer counts, and a parked poll is due at its time again.
void NoticeThatSomethingHappened(World& world) {
  const bool anybody_waits =
      std::any_of(world.processes.begin(), world.processes.end(), [](const Process& process) {
        return std::any_of(process.work.begin(), process.work.end(),
                           [](const Work& work) { return work.due.seen != Hash128{}; });
      });
  if (!anybody_waits) return;
  const Hash128 content = ContentDigest(world);
  for (Process& process : world.processes) {
    for (Work& work : process.work) {
      Due& due = work.due;
      if (due.when == Due::When::kNever) {
        due = Due{.when = due.when};
      } else if (due.seen != content) {
        due.seen = Hash128{};
        if (due.when == Due::When::kParked) due.when = Due::When::kAt;
      }
    }
  }
}

// Which request was sent first counts for nobody.
void SortInFlight(World& world, const DigestOptions& options) {
  if (world.in_flight.size() < 2) return;
  std::stable_sort(
      world.in_flight.begin(), world.in_flight.end(), [&](const InFlight& a, const InFlight& b) {
        return RequestDigest(a, world.now_ms, options) < RequestDigest(b, world.now_ms, options);
      });
}

}  // namespace

api::Version LargestHeldVersion(const World& world, const api::Key& key) {
  api::Version largest = world.removed_version;
  ForEachHeld(world, [&](const api::Key& of, api::Version version) {
    if (of == key) largest = std::max(largest, version);
  });
  return largest;
}

void EndStep(World& world, const DigestOptions& options) {
  world.removed_version = 0;
  CountFlying(world);
  DropLogsOfGonePods(world);
  ForgetSettled(world);
  if (!options.exact) RenumberVersions(world);
  SortInFlight(world, options);
  NoticeThatSomethingHappened(world);
}

}  // namespace sim
