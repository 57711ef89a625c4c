// Admission: what a server makes of a request before it stores anything.

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/time_fields.h"
#include "sim/api_errors.h"
#include "sim/api_server.h"
#include "sim/names.h"
#include "sim/object_rules.h"
#include "sim/pod_admission.h"
#include "sim/preconditions.h"
#include "sim/validation.h"
#include "sim/world_reader.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using google::protobuf::Message;

// The request's own UID, which admission stamps on a person's decision and nothing else looks at.
std::string RequestUid(const World& world, const api::Request& request) {
  if (request.verb != api::Verb::kCreate || !api::CreationOrderMatters(request.key.kind)) return "";
  api::Key key = request.key;
  absl::StrAppend(&key.name, "/request");
  return NextUid(world, key);
}

bool IsKubelet(const std::string& sender) { return sender == kKubelet; }

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
  if (request.key.kind == api::Kind::kPod && !reviewed) {
    absl::StatusOr<api::MessagePtr> pod = AdmitPod(world, request);
    if (!pod.ok()) return pod.status();
    admitted.request.body = *std::move(pod);
  }
  admitted.after = Created(world, admitted.request);
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

}  // namespace sim
