// What a restore from a backup does: an object comes back as it was, but for what a server sets.
//
// Private to the actors. It goes past admission, as the tools that do it may.

#ifndef SIM_BACKUP_H_
#define SIM_BACKUP_H_

#include <memory>
#include <utility>

#include "lifecycle/api/check.h"
#include "lifecycle/api/meta.pb.h"
#include "sim/actor.h"

namespace sim {

// Deletes the object and brings it back under another UID, and for those that had one with the
// status it had. Returns it as stored. The key is of an Object that is stored.
template <class Object>
lifecycle::api::MessagePtr BringBack(const ApiServer& server, World& world,
                                     const lifecycle::api::Key& key) {
  auto object = std::make_shared<Object>(world.Find(key)->object->As<Object>());
  if (object->metadata().finalizers_size() > 0) {
    // Whoever restores does not wait for a finalizer either.
    auto bare = std::make_shared<Object>(*object);
    bare->mutable_metadata()->clear_finalizers();
    Update(server, world, kRestoreUser, std::move(bare), lifecycle::api::Subresource::kMain);
  }
  Remove(server, world, key);
  object->mutable_metadata()->clear_uid();
  object->mutable_metadata()->clear_generation();
  const lifecycle::api::Answer answer = Restore(server, world, std::move(object));
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
  return answer.stored.object;
}

}  // namespace sim

#endif  // SIM_BACKUP_H_
