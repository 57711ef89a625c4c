#include "sim/api_server.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/time_fields.h"
#include "sim/api_errors.h"
#include "sim/message_walk.h"
#include "sim/names.h"
#include "sim/object_rules.h"
#include "sim/truth.h"
#include "sim/validation.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using google::protobuf::Message;

api::AnyStored Stored(const Entry& entry) {
  return api::AnyStored{entry.object->message, entry.version};
}

api::Answer ErrorAnswer(absl::Status status) {
  api::Answer answer;
  answer.status = std::move(status);
  return answer;
}

// A world as a webhook reads it.
class WorldReader final : public api::DirectReader {
 public:
  explicit WorldReader(const World& world) : world_(world) {}

  api::AnyStored Read(const api::Key& key) const override {
    const Entry* entry = world_.Find(key);
    return entry == nullptr ? api::AnyStored{} : Stored(*entry);
  }
  std::vector<api::AnyStored> List(api::Kind kind, const std::string& namespace_) const override {
    std::vector<api::AnyStored> list;
    for (const Entry& entry : world_.objects) {
      if (entry.object->key.kind != kind) continue;
      if (namespace_.empty() || entry.object->key.namespace_ == namespace_) {
        list.push_back(Stored(entry));
      }
    }
    return list;
  }
  int64_t WallMs() const override { return world_.now_ms; }

 private:
  const World& world_;
};

// The request's own UID, which admission stamps on a person's decision and nothing else looks at.
std::string RequestUid(const World& world, const api::Request& request) {
  if (request.verb != api::Verb::kCreate || !api::CreationOrderMatters(request.key.kind)) return "";
  api::Key key = request.key;
  absl::StrAppend(&key.name, "/request");
  return NextUid(world, key);
}

bool IsKubelet(const std::string& sender) { return sender == kKubelet; }

// ---- Preconditions ----

constexpr char kUidMismatch[] = "metadata.uid: Invalid value: field is immutable";

// What an update refers to by UID: its precondition, or the object it carries.
const std::string& UidOf(const api::Request& request) {
  if (!request.uid.empty() || request.verb != api::Verb::kUpdate) return request.uid;
  return api::MetaOf(*request.body).uid();
}

absl::Status UpdateUidConflict(const api::Key& key, absl::string_view wanted,
                               absl::string_view stored) {
  return ConflictError(key, absl::StrCat("Precondition failed: UID in precondition: ", wanted,
                                         ", UID in object meta: ", stored));
}

// Leases are too young to be updated without a version, like every custom kind.
bool AcceptsUpdateWithoutVersion(api::Kind kind) {
  return !api::IsCustom(kind) && kind != api::Kind::kLease;
}

absl::Status CheckUpdate(const api::Request& request, const Entry& entry) {
  const std::string& uid = UidOf(request);
  const std::string& stored = api::MetaOf(*entry.object->message).uid();
  if (!uid.empty() && uid != stored) return UpdateUidConflict(request.key, uid, stored);
  if (request.version == 0 && !AcceptsUpdateWithoutVersion(request.key.kind)) {
    return InvalidError(request.key,
                        "metadata.resourceVersion: Invalid value: 0x0: must be specified for an "
                        "update");
  }
  if (request.version != 0 && request.version != entry.version) return ModifiedError(request.key);
  return absl::OkStatus();
}

absl::Status CheckPatch(const api::Request& request, const Entry& entry) {
  if (request.version != 0 && request.version != entry.version) return ModifiedError(request.key);
  // A UID in a patch is a change of it: checked like any other value.
  if (!request.uid.empty() && request.uid != api::MetaOf(*entry.object->message).uid()) {
    return InvalidError(request.key, kUidMismatch);
  }
  return absl::OkStatus();
}

absl::Status CheckDelete(const api::Request& request, const Entry& entry) {
  const std::string& stored = api::MetaOf(*entry.object->message).uid();
  if (!request.uid.empty() && request.uid != stored) {
    return ConflictError(request.key,
                         absl::StrCat("the UID in the precondition (", request.uid,
                                      ") does not match the UID in record (", stored,
                                      "). The object might have been deleted and then recreated"));
  }
  if (request.version != 0 && request.version != entry.version) {
    return ConflictError(
        request.key, absl::StrCat("the ResourceVersion in the precondition (", request.version,
                                  ") does not match the ResourceVersion in record (", entry.version,
                                  "). The object might have been modified"));
  }
  return absl::OkStatus();
}

absl::Status CheckPreconditions(const api::Request& request, const Entry& entry) {
  switch (request.verb) {
    case api::Verb::kUpdate:
      return CheckUpdate(request, entry);
    case api::Verb::kPatch:
      return CheckPatch(request, entry);
    case api::Verb::kDelete:
      return CheckDelete(request, entry);
    case api::Verb::kCreate:
      break;
  }
  return absl::OkStatus();
}

// The body must be about the object that the request names.
absl::Status CheckBody(const api::Request& request) {
  const api::ObjectMeta& meta = api::MetaOf(*request.body);
  if (meta.name() != request.key.name) {
    return BadRequestError(absl::StrCat("the name of the object (", meta.name(),
                                        ") does not match the name on the URL (", request.key.name,
                                        ")"));
  }
  if (meta.namespace_() != request.key.namespace_) {
    return BadRequestError(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return absl::OkStatus();
}

// ---- Deletion ----

// A Pod that may run somewhere is given time; the kubelet's own delete is the end of it.
int64_t GraceSeconds(const StoredObject& object, const std::string& sender) {
  if (object.key.kind != api::Kind::kPod || IsKubelet(sender)) return 0;
  const api::Pod& pod = object.As<api::Pod>();
  if (pod.spec().node_name().empty()) return 0;
  if (pod.status().phase() == api::pod_phase::kSucceeded ||
      pod.status().phase() == api::pod_phase::kFailed) {
    return 0;
  }
  return pod.spec().termination_grace_period_seconds();
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
  api::Answer answer;
  if (log->text != nullptr) answer.bytes = *log->text;
  return answer;
}

// ---- Admission ----

absl::Status ApiServer::Review(const World& world, const api::Request& request,
                               const Message* before, api::MessagePtr* after,
                               absl::FunctionRef<absl::Status()> validate) const {
  if (webhooks_.empty()) return validate();
  const WorldReader reader(world);
  api::AdmissionRequest review;
  review.verb = request.verb;
  review.key = request.key;
  review.subresource = request.subresource;
  if (before != nullptr) review.before = world.Find(request.key)->object->message;
  review.sender = request.sender;
  review.request = RequestUid(world, request);

  // Mutating, then schema, then validating. A webhook answers both at once; it is asked a second
  // time only about an object that was changed after it answered.
  std::vector<api::AdmissionAnswer> answers;
  bool mutated = false;
  for (const api::Admission* webhook : webhooks_) {
    review.after = *after;
    answers.push_back(webhook->Review(review, reader));
    if (answers.back().mutated == nullptr) continue;
    *after = answers.back().mutated;
    mutated = true;
  }
  if (absl::Status status = validate(); !status.ok()) return status;
  for (size_t i = 0; i < webhooks_.size(); ++i) {
    if (mutated) {
      review.after = *after;
      answers[i] = webhooks_[i]->Review(review, reader);
    }
    if (!answers[i].status.ok()) return WebhookRefusal(answers[i].status);
  }
  return absl::OkStatus();
}

Handle ApiServer::Created(const World& world, const api::Request& request) const {
  const std::string uid = NextUid(world, request.key);
  const Hash128 recipe = Hasher()
                             .Int(2)
                             .Hash(ExactHashOf(*request.body))
                             .Text(uid)
                             .Int(static_cast<uint64_t>(world.now_ms))
                             .Finish();
  if (const Handle known = interner_.Recall(recipe); known != nullptr) return known;
  const Handle made = interner_.Intern(
      request.key.kind, CreatedObject(request.key.kind, *request.body, uid, world.now_ms));
  interner_.Remember(recipe, made);
  return made;
}

Handle ApiServer::Changed(const World& world, Handle before, const api::Request& request) const {
  Hasher hasher;
  switch (request.verb) {
    case api::Verb::kPatch:
      return interner_.Patched(before, request);
    case api::Verb::kUpdate: {
      hasher.Int(3).Hash(before->exact).Int(static_cast<uint64_t>(request.subresource));
      const Hash128 recipe = hasher.Hash(ExactHashOf(*request.body)).Finish();
      if (const Handle known = interner_.Recall(recipe); known != nullptr) return known;
      const Handle made = interner_.Intern(
          before->key.kind, UpdatedObject(*before->message, *request.body, request.subresource));
      interner_.Remember(recipe, made);
      return made;
    }
    case api::Verb::kDelete:
      return Deleted(world, before, request.sender);
    case api::Verb::kCreate:
      break;
  }
  STOPGAP_CHECK(false, "a create changes nothing that is there");
}

Handle ApiServer::Deleted(const World& world, Handle before, const std::string& sender) const {
  const api::ObjectMeta& meta = api::MetaOf(*before->message);
  const int64_t grace_seconds = GraceSeconds(*before, sender);
  const bool stays = !meta.finalizers().empty() || grace_seconds > 0;
  if (!stays) return nullptr;
  // What is being deleted already may only be given less time.
  if (meta.deletion_timestamp_ms() != 0 && grace_seconds >= meta.deletion_grace_period_seconds()) {
    return before;
  }
  return interner_.Intern(before->key.kind,
                          MarkedForDeletion(*before->message, world.now_ms, grace_seconds));
}

absl::StatusOr<Admitted> ApiServer::AdmitCreate(const World& world, const api::Request& request,
                                                bool reviewed) const {
  if (request.version != 0 || !api::MetaOf(*request.body).resource_version().empty()) {
    return PlainServerError("resourceVersion should not be set on objects to be created");
  }
  if (absl::Status status = CheckBody(request); !status.ok()) return status;
  Admitted admitted{.request = request};
  admitted.after = Created(world, request);
  api::MessagePtr after = admitted.after->message;
  const auto validate = [&] { return ValidateCreate(request.key, *after); };
  absl::Status status = reviewed ? validate() : Review(world, request, nullptr, &after, validate);
  if (!status.ok()) return status;
  if (after != admitted.after->message) {
    admitted.request.body = after;
    admitted.after = Created(world, admitted.request);
  }
  return admitted;
}

absl::StatusOr<Admitted> ApiServer::AdmitChange(const World& world, const api::Request& request,
                                                bool reviewed) const {
  const bool of_status = request.subresource == api::Subresource::kStatus;
  if (of_status && !api::HasStatusSubresource(request.key.kind)) return NoSuchResourceError();
  const Entry* entry = world.Find(request.key);
  if (entry == nullptr) {
    if (request.verb != api::Verb::kUpdate) return NotFoundError(request.key);
    if (!UidOf(request).empty()) return UpdateUidConflict(request.key, UidOf(request), "");
    if (request.key.kind != api::Kind::kLease) return NotFoundError(request.key);
    // Leases alone may be created by an update.
    api::Request create = request;
    create.verb = api::Verb::kCreate;
    create.version = 0;
    return AdmitCreate(world, create, reviewed);
  }
  if (absl::Status status = CheckPreconditions(request, *entry); !status.ok()) return status;
  const bool has_body = request.verb != api::Verb::kDelete;
  if (has_body) {
    if (absl::Status status = CheckBody(request); !status.ok()) return status;
  }
  const StoredObject& before = *entry->object;
  if (has_body && !of_status) {
    absl::Status status = ValidateServerMetadata(request.key, *before.message, request);
    if (!status.ok()) return status;
  }
  Admitted admitted{.request = request, .before = entry->object};
  admitted.after = Changed(world, entry->object, request);
  // A delete has nothing that would be stored.
  api::MessagePtr after = has_body ? admitted.after->message : nullptr;
  const api::MessagePtr unreviewed = after;
  const auto validate = [&]() -> absl::Status {
    if (!has_body || of_status || after == before.message) return absl::OkStatus();
    return ValidateChange(request.key, *before.message, *after);
  };
  absl::Status status =
      reviewed ? validate() : Review(world, request, before.message.get(), &after, validate);
  if (!status.ok()) return status;
  if (has_body && after != unreviewed) {
    // What a webhook made of it is stored as if it had been sent whole.
    admitted.request.verb = api::Verb::kUpdate;
    admitted.request.body = after;
    admitted.request.version = entry->version;
    admitted.after = Changed(world, entry->object, admitted.request);
  }
  return admitted;
}

absl::StatusOr<Admitted> ApiServer::Admit(const World& world, const api::Request& request) const {
  return request.verb == api::Verb::kCreate ? AdmitCreate(world, request, false)
                                            : AdmitChange(world, request, false);
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
  ObserveStore(world, nullptr, object, &admitted.request);
  WakeWatchers(world, nullptr, object);
  api::Answer answer;
  answer.stored = Stored(entry);
  return answer;
}

void ApiServer::Remove(World& world, Handle object, const api::Request* request) const {
  world.removed_version = std::max(world.removed_version, world.Find(object->key)->version);
  world.Erase(object->key);
  ObserveStore(world, object, nullptr, request);
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
    Remove(world, before, &admitted.request);
    return answer;
  }
  const Entry next{after, entry->version + 1};
  answer.stored = Stored(next);
  *entry = next;
  if (IsReadyToGo(*after->message)) {
    Remove(world, after, &admitted.request);
    return answer;
  }
  ObserveStore(world, before, after, &admitted.request);
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
