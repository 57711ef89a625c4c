#include "sim/world.h"

#include <algorithm>

namespace sim {
namespace {

namespace api = lifecycle::api;

template <class Objects>
auto LowerBound(Objects& objects, const api::Key& key) {
  return std::lower_bound(
      objects.begin(), objects.end(), key,
      [](const Entry& entry, const api::Key& k) { return entry.object->key < k; });
}

}  // namespace

const Entry* World::Find(const api::Key& key) const {
  const auto found = LowerBound(objects, key);
  return found != objects.end() && found->object->key == key ? &*found : nullptr;
}

Entry* World::Find(const api::Key& key) {
  return const_cast<Entry*>(static_cast<const World*>(this)->Find(key));
}

void World::Put(const Entry& entry) {
  const auto found = LowerBound(objects, entry.object->key);
  if (found != objects.end() && found->object->key == entry.object->key) {
    *found = entry;
  } else {
    objects.insert(found, entry);
  }
}

void World::Erase(const api::Key& key) {
  const auto found = LowerBound(objects, key);
  if (found != objects.end() && found->object->key == key) objects.erase(found);
}

}  // namespace sim
