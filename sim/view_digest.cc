// The digest of what a fresh process can tell apart, and the state key.
//
// Each digest reads field by field in a fixed order, and never a handle. Times count by how far
// they are from now, so that a world and the same world an hour later are one state. A struct is
// taken apart by structured bindings wherever it can be: a field that is added later is a compile
// error here, and not a difference between states that nobody sees.

#include <string>
#include <vector>

#include "lifecycle/api/kind.h"
#include "lifecycle/api/time_fields.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// Of several approvals or acknowledgments the oldest wins, so their order counts although their
// times do not.
void AbsorbCreationOrder(const std::vector<Entry>& objects, Hasher& hasher) {
  for (const Entry& entry : objects) {
    const StoredObject& object = *entry.object;
    if (!api::CreationOrderMatters(object.key.kind)) continue;
    uint64_t older = 0;
    for (const Entry& other : objects) {
      if (other.object->key.kind == object.key.kind &&
          other.object->created_ms < object.created_ms) {
        ++older;
      }
    }
    hasher.Int(older);
  }
}

void AbsorbObjects(const std::vector<Entry>& objects, Hasher& hasher) {
  hasher.Int(objects.size());
  for (const Entry& entry : objects) hasher.Hash(entry.object->content);
  AbsorbCreationOrder(objects, hasher);
}

void AbsorbObjectTimes(const std::vector<Entry>& objects, int64_t now_ms,
                       const DigestOptions& options, Hasher& hasher) {
  for (const Entry& entry : objects) {
    if (entry.object->times_matter || options.exact) {
      AbsorbTimes(entry.object->times, now_ms, options.exact, hasher);
    }
  }
}

void AbsorbLogs(const World& world, Hasher& hasher) {
  hasher.Int(world.logs.size());
  world.logs.ForEachDigest(
      [](const std::string& pod_uid, const PodLog& log) {
        const auto& [text, content, lost, unreadable, harmed] = log;
        static_cast<void>(harmed);
        Hasher hasher;
        hasher.Text(pod_uid).Bool(lost).Bool(unreadable);
        // Nobody can tell what a log holds that cannot be read.
        if (!unreadable) hasher.Bool(text != nullptr).Hash(content);
        return hasher.Finish();
      },
      [&](const Hash128& digest, const PodLog&) { hasher.Hash(digest); });
}

}  // namespace

Hash128 ContentDigest(const World& world) {
  Hasher hasher;
  AbsorbObjects(world.objects, hasher);
  AbsorbLogs(world, hasher);
  return hasher.Finish();
}

Hash128 ViewDigest(const World& world, const DigestOptions& options) {
  Hasher hasher;
  AbsorbObjects(world.objects, hasher);
  AbsorbLogs(world, hasher);
  AbsorbObjectTimes(world.objects, world.now_ms, options, hasher);
  if (options.exact) hasher.Int(static_cast<uint64_t>(world.now_ms));
  return hasher.Finish();
}

Hash128 EntriesDigest(const std::vector<Entry>& entries, int64_t now_ms,
                      const DigestOptions& options) {
  Hasher hasher;
  AbsorbObjects(entries, hasher);
  AbsorbObjectTimes(entries, now_ms, options, hasher);
  for (const Entry& entry : entries) hasher.Int(static_cast<uint64_t>(entry.version));
  return hasher.Finish();
}

Hash128 StateKey(const World& world, const DigestOptions& options) {
  return Hasher()
      .Hash(ViewDigest(world, options))
      .Hash(MemoryDigest(world, options))
      .Hash(TruthDigest(world, options))
      .Finish();
}

}  // namespace sim
