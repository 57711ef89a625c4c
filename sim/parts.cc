#include "sim/parts.h"

#include "lifecycle/api/kind.h"

namespace sim {
namespace {

// A world of nothing but what a reader sees of one part: its view is that part's digest.
World EmptyAt(const World& world) {
  World part;
  part.now_ms = world.now_ms;
  return part;
}

}  // namespace

std::vector<std::pair<std::string, Hash128>> PartDigests(const World& world,
                                                         const DigestOptions& options) {
  std::vector<std::pair<std::string, Hash128>> parts;
  for (auto at = world.objects.begin(); at != world.objects.end();) {
    const lifecycle::api::Kind kind = at->object->key.kind;
    World part = EmptyAt(world);
    for (; at != world.objects.end() && at->object->key.kind == kind; ++at) {
      part.objects.push_back(*at);
    }
    parts.emplace_back(lifecycle::api::ShortKindName(kind), ViewDigest(part, options));
  }
  if (!world.logs.empty()) {
    World part = EmptyAt(world);
    part.logs = world.logs;
    parts.emplace_back("logs", ViewDigest(part, options));
  }
  parts.emplace_back("memory", MemoryDigest(world, options));
  parts.emplace_back("truth", TruthDigest(world, options));
  return parts;
}

}  // namespace sim
