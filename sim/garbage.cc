// Garbage collection: dependents all of whose owners are gone.

#include <algorithm>
#include <string>
#include <vector>

#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "sim/api_server.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// An owner is looked for by UID under its name, in the dependent's own namespace: a reference into
// another namespace refers to nothing.
bool OwnerExists(const World& world, const api::Key& dependent, const api::OwnerReference& owner) {
  const std::optional<api::Kind> kind = api::KindByName(owner.kind());
  if (!kind.has_value()) return true;  // Not a kind of this world: nobody here can say it is gone.
  const std::string& namespace_ = api::IsNamespaced(*kind) ? dependent.namespace_ : std::string();
  const Entry* entry = world.Find(api::Key{*kind, namespace_, owner.name()});
  return entry != nullptr && api::MetaOf(*entry->object->message).uid() == owner.uid();
}

// Whether the object can be collected and is not being deleted yet.
bool IsGarbage(const World& world, const StoredObject& object) {
  const api::ObjectMeta& meta = api::MetaOf(*object.message);
  if (meta.owner_references().empty() || meta.deletion_timestamp_ms() != 0) return false;
  return std::none_of(
      meta.owner_references().begin(), meta.owner_references().end(),
      [&](const api::OwnerReference& owner) { return OwnerExists(world, object.key, owner); });
}

std::vector<Handle> GarbageOf(const World& world) {
  std::vector<Handle> garbage;
  for (const Entry& entry : world.objects) {
    if (IsGarbage(world, *entry.object)) garbage.push_back(entry.object);
  }
  std::sort(garbage.begin(), garbage.end(), [](Handle a, Handle b) {
    if (a->key.namespace_ != b->key.namespace_) return a->key.namespace_ < b->key.namespace_;
    if (a->key.name != b->key.name) return a->key.name < b->key.name;
    return a->key.kind < b->key.kind;
  });
  return garbage;
}

}  // namespace

bool ApiServer::HasGarbage(const World& world) const { return !GarbageOf(world).empty(); }

std::vector<api::Key> ApiServer::Garbage(const World& world) const {
  std::vector<api::Key> keys;
  for (const Handle object : GarbageOf(world)) keys.push_back(object->key);
  return keys;
}

void ApiServer::Collect(World& world, const api::Key& key) const {
  api::Request request;
  request.verb = api::Verb::kDelete;
  request.key = key;
  request.uid = api::MetaOf(*world.Find(key)->object->message).uid();
  request.sender = kGarbageCollectorUser;
  Store(world, Admitted{.request = request});
}

void ApiServer::CollectGarbage(World& world) const {
  // What an owner owned is garbage only once the owner is gone: each round is one generation.
  for (std::vector<Handle> garbage = GarbageOf(world); !garbage.empty();
       garbage = GarbageOf(world)) {
    for (const Handle object : garbage) Collect(world, object->key);
  }
}

}  // namespace sim
