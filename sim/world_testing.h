// A world for tests of the store: an API server without webhooks, and short ways to write to it.

#ifndef SIM_WORLD_TESTING_H_
#define SIM_WORLD_TESTING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/api_server.h"
#include "sim/interner.h"
#include "sim/truth.h"
#include "sim/world.h"

namespace sim {

// Returns an object of T with a name, in namespace "ns" unless its kind has none.
template <class T>
T Named(const std::string& name) {
  T object;
  object.mutable_metadata()->set_name(name);
  if (lifecycle::api::IsNamespaced(lifecycle::api::KindOf<T>())) {
    object.mutable_metadata()->set_namespace_("ns");
  }
  return object;
}

// Makes `owner` the controller of `object`.
template <class Owner, class T>
void SetOwner(const Owner& owner, T* object) {
  auto* reference = object->mutable_metadata()->add_owner_references();
  reference->set_api_version(lifecycle::api::ApiVersionOf(lifecycle::api::KindOf<Owner>()));
  reference->set_kind(lifecycle::api::KindName(lifecycle::api::KindOf<Owner>()));
  reference->set_name(owner.metadata().name());
  reference->set_uid(owner.metadata().uid());
  reference->set_controller(true);
  reference->set_block_owner_deletion(true);
}

struct TestStore {
  Interner interner;
  ApiServer server;
  World world;

  explicit TestStore(std::vector<const lifecycle::api::Admission*> webhooks = {})
      : server(interner, std::move(webhooks)) {
    world.now_ms = 1'000'000;
  }

  template <class T>
  static lifecycle::api::Request CreateRequest(const T& object) {
    lifecycle::api::Request request;
    request.verb = lifecycle::api::Verb::kCreate;
    request.key = lifecycle::api::KeyOf(object);
    request.body = std::make_shared<T>(object);
    request.sender = "tester";
    return request;
  }
  // The changed fields are those of `subresource` in which `next` differs from what is stored.
  template <class T>
  lifecycle::api::Request PatchRequest(
      const T& next,
      lifecycle::api::Subresource subresource = lifecycle::api::Subresource::kMain) const {
    lifecycle::api::Request request;
    request.verb = lifecycle::api::Verb::kPatch;
    request.key = lifecycle::api::KeyOf(next);
    request.subresource = subresource;
    request.body = std::make_shared<T>(next);
    request.sender = "tester";
    if (const Entry* entry = world.Find(request.key); entry != nullptr) {
      request.changed = lifecycle::api::Diff(*entry->object->message, next);
      request.version = entry->version;
    }
    return request;
  }
  template <class T>
  lifecycle::api::Request UpdateRequest(
      const T& next,
      lifecycle::api::Subresource subresource = lifecycle::api::Subresource::kMain) const {
    lifecycle::api::Request request = PatchRequest(next, subresource);
    request.verb = lifecycle::api::Verb::kUpdate;
    request.changed.clear();
    return request;
  }
  template <class T>
  static lifecycle::api::Request DeleteRequest(const std::string& name) {
    lifecycle::api::Request request;
    request.verb = lifecycle::api::Verb::kDelete;
    request.key = lifecycle::api::KeyOf(Named<T>(name));
    request.sender = "tester";
    return request;
  }

  lifecycle::api::Answer Send(const lifecycle::api::Request& request) {
    return server.Write(world, request);
  }
  // Returns the object as stored; an error aborts.
  template <class T>
  T Create(const T& object) {
    return Result<T>(Send(CreateRequest(object)));
  }
  template <class T>
  T Patch(const T& next) {
    return Result<T>(Send(PatchRequest(next)));
  }
  template <class T>
  T PatchStatus(const T& next) {
    return Result<T>(Send(PatchRequest(next, lifecycle::api::Subresource::kStatus)));
  }
  template <class T>
  void Delete(const std::string& name) {
    Require(Send(DeleteRequest<T>(name)).status);
  }

  // Returns what is stored, or nullptr.
  template <class T>
  const T* Get(const std::string& name) const {
    const Entry* entry = world.Find(lifecycle::api::KeyOf(Named<T>(name)));
    return entry == nullptr ? nullptr : &entry->object->As<T>();
  }
  template <class T>
  lifecycle::api::Version VersionOf(const std::string& name) const {
    const Entry* entry = world.Find(lifecycle::api::KeyOf(Named<T>(name)));
    return entry == nullptr ? 0 : entry->version;
  }

  static void Require(const absl::Status& status);

 private:
  template <class T>
  static T Result(const lifecycle::api::Answer& answer) {
    Require(answer.status);
    return static_cast<const T&>(*answer.stored.object);
  }
};

// Returns a manager process that has not looked at anything yet, and a resource it works on.
Process Manager();
Work WorkOn(const lifecycle::api::Key& resource);

// Returns what the server said as "409 Conflict", or "OK".
std::string Said(const absl::Status& status);

}  // namespace sim

#endif  // SIM_WORLD_TESTING_H_
