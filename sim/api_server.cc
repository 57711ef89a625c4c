#include "sim/api_server.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "sim/api_errors.h"
#include "sim/names.h"
#include "sim/object_rules.h"
#include "sim/preconditions.h"
#include "sim/truth.h"
#include "sim/world_reader.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

api::AnyStored Stored(const Entry& entry) {
  return api::AnyStored{entry.object->message, entry.version};
}

api::Answer ErrorAnswer(absl::Status status) {
  api::Answer answer;
  answer.status = std::move(status);
  return answer;
}

}  // namespace

ApiServer::ApiServer(Interner& interner, std::vector<const api::Admission*> webhooks)
    : interner_(interner), webhooks_(std::move(webhooks)) {}

// ---- Reads ----

api::Answer ApiServer::Read(const World& world, const api::ReadQuestion& question) const {
  const Entry* entry = world.Find(question.key);
  if (entry == nullptr) return ErrorAnswer(NotFoundError(question.key));
  api::Answer answer;
  answer.stored = Stored(*entry);
  return answer;
}

api::Answer ApiServer::List(const World& world, const api::ListQuestion& question) const {
  api::Answer answer;
  answer.list = WorldReader(world).List(question.kind, question.namespace_);
  return answer;
}

api::Answer ApiServer::Log(const World& world, const api::LogQuestion& question) const {
  const api::Key key{api::Kind::kPod, question.namespace_, question.pod};
  const Entry* entry = world.Find(key);
  if (entry == nullptr) return ErrorAnswer(NotFoundError(key));
  const api::Pod& pod = entry->object->As<api::Pod>();
  const auto& containers = pod.spec().containers();
  if (std::none_of(containers.begin(), containers.end(), [&](const api::Container& container) {
        return container.name() == question.container;
      })) {
    return ErrorAnswer(BadRequestError(
        absl::StrCat("container ", question.container, " is not valid for pod ", question.pod)));
  }
  const PodLog* log = world.logs.Get(pod.metadata().uid());
  if (log == nullptr) {
    return ErrorAnswer(
        BadRequestError(absl::StrCat("container \"", question.container, "\" in pod \"",
                                     question.pod, "\" is waiting to start: ContainerCreating")));
  }
  if (log->lost) return ErrorAnswer(NoSuchResourceError());
  if (log->unreadable) {
    return ErrorAnswer(PlainServerError(absl::StrCat("Get \"https://", pod.spec().node_name(),
                                                     ":10250/containerLogs/", question.pod,
                                                     "\": dial tcp: i/o timeout")));
  }
  api::Answer answer;
  if (log->text != nullptr) answer.bytes = *log->text;
  return answer;
}

// ---- Storage ----

api::Answer ApiServer::StoreCreate(World& world, const Admitted& admitted) const {
  const api::Key& key = admitted.request.key;
  if (world.Find(key) != nullptr) return ErrorAnswer(AlreadyExistsError(key));
  // Its UID and time are those of the moment it is stored, whenever it was admitted.
  const bool is_current = admitted.after != nullptr && admitted.after->created_ms == world.now_ms &&
                          api::MetaOf(*admitted.after->message).uid() == NextUid(world, key);
  const Handle object = is_current ? admitted.after : Created(world, admitted.request);
  const Entry entry{object, LargestHeldVersion(world, key) + 1};
  world.Put(entry);
  ObserveStore(world, nullptr, object);
  WakeWatchers(world, nullptr, object);
  api::Answer answer;
  answer.stored = Stored(entry);
  return answer;
}

void ApiServer::Remove(World& world, Handle object) const {
  world.removed_version = std::max(world.removed_version, world.Find(object->key)->version);
  world.Erase(object->key);
  ObserveStore(world, object, nullptr);
  WakeWatchers(world, object, nullptr);
}

api::Answer ApiServer::StoreChange(World& world, const Admitted& admitted) const {
  Entry* entry = world.Find(admitted.request.key);
  const Handle before = admitted.before;
  const Handle after = admitted.after;
  api::Answer answer;
  if (after == before) {  // Nothing to write: no version, no watch.
    answer.stored = Stored(*entry);
    return answer;
  }
  if (after == nullptr) {
    answer.stored = Stored(*entry);
    Remove(world, before);
    return answer;
  }
  const Entry next{after, entry->version + 1};
  answer.stored = Stored(next);
  *entry = next;
  if (IsReadyToGo(*after->message)) {
    Remove(world, after);
    return answer;
  }
  ObserveStore(world, before, after);
  WakeWatchers(world, before, after);
  return answer;
}

api::Answer ApiServer::Store(World& world, const Admitted& admitted) const {
  if (admitted.request.verb == api::Verb::kCreate) return StoreCreate(world, admitted);
  const Entry* entry = world.Find(admitted.request.key);
  const bool as_admitted = entry != nullptr && entry->object == admitted.before &&
                           CheckPreconditions(admitted.request, *entry).ok();
  if (as_admitted) return StoreChange(world, admitted);
  const bool reviewed = admitted.before == nullptr;
  absl::StatusOr<Admitted> again = AdmitChange(world, admitted.request, reviewed);
  if (!again.ok()) return ErrorAnswer(again.status());
  return again->request.verb == api::Verb::kCreate ? StoreCreate(world, *again)
                                                   : StoreChange(world, *again);
}

api::Answer ApiServer::Write(World& world, const api::Request& request) const {
  absl::StatusOr<Admitted> admitted = Admit(world, request);
  if (!admitted.ok()) return ErrorAnswer(admitted.status());
  return Store(world, *admitted);
}

}  // namespace sim
