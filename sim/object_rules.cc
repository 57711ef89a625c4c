#include "sim/object_rules.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "sim/interner.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int64_t kDefaultGraceSeconds = 30;

std::unique_ptr<Message> Copy(const Message& message) {
  std::unique_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  return copy;
}

const FieldDescriptor* StatusField(const Message& message) {
  return message.GetDescriptor()->FindFieldByName("status");
}

// Gives `to` the status of `from`, absent included.
void TakeStatus(const Message& from, Message* to) {
  const FieldDescriptor* status = StatusField(from);
  if (status == nullptr) return;
  to->GetReflection()->ClearField(to, status);
  if (!from.GetReflection()->HasField(from, status)) return;
  to->GetReflection()
      ->MutableMessage(to, status)
      ->CopyFrom(from.GetReflection()->GetMessage(from, status));
}

// Metadata that only the server sets, besides what Create gives.
bool IsServerField(absl::string_view name) {
  return name == "name" || name == "namespace" || name == "uid" || name == "resource_version" ||
         name == "generation" || name == "creation_timestamp_ms" ||
         name == "deletion_timestamp_ms" || name == "deletion_grace_period_seconds";
}

void TakeServerMetadata(const api::ObjectMeta& from, api::ObjectMeta* to) {
  to->set_name(from.name());
  to->set_namespace_(from.namespace_());
  to->set_uid(from.uid());
  to->clear_resource_version();
  to->set_generation(from.generation());
  to->set_creation_timestamp_ms(from.creation_timestamp_ms());
  to->set_deletion_timestamp_ms(from.deletion_timestamp_ms());
  to->clear_deletion_grace_period_seconds();
  if (from.has_deletion_grace_period_seconds()) {
    to->set_deletion_grace_period_seconds(from.deletion_grace_period_seconds());
  }
}

bool ClientMayPatch(const api::FieldPath& path, bool to_status, bool has_status) {
  const std::string& root = path.fields.front()->name();
  if (to_status) return root == "status";
  if (root == "status") return !has_status;
  if (root != "metadata") return true;
  return path.fields.size() > 1 && !IsServerField(path.fields[1]->name());
}

// The generation counts changes of the spec (design of the API: "desired state").
void CountGeneration(const Message& base, Message* next) {
  const api::Kind kind = *api::KindOfMessage(base);
  if (!HasGeneration(kind) || SameSpec(base, *next)) return;
  api::MutableMetaOf(next)->set_generation(api::MetaOf(base).generation() + 1);
}

void DefaultPodSpec(api::PodSpec* spec) {
  if (!spec->has_termination_grace_period_seconds()) {
    spec->set_termination_grace_period_seconds(kDefaultGraceSeconds);
  }
  // The deprecated alias, which the API server keeps equal.
  if (!spec->service_account_name().empty()) {
    spec->set_service_account(spec->service_account_name());
  }
}

void SetLabelIfAbsent(const std::string& key, const std::string& value,
                      google::protobuf::Map<std::string, std::string>* labels) {
  labels->insert({key, value});
}

// The selector and the labels that make a Job's Pods its own.
void GenerateSelector(const std::string& uid, api::Job* job) {
  if (job->spec().manual_selector()) return;
  auto* labels = job->mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels();
  SetLabelIfAbsent(api::label::kLegacyJobName, job->metadata().name(), labels);
  SetLabelIfAbsent(api::label::kJobName, job->metadata().name(), labels);
  SetLabelIfAbsent(api::label::kLegacyControllerUid, uid, labels);
  SetLabelIfAbsent(api::label::kControllerUid, uid, labels);
  SetLabelIfAbsent(api::label::kControllerUid, uid,
                   job->mutable_spec()->mutable_selector()->mutable_match_labels());
}

void PrepareJob(const std::string& uid, api::Job* job) {
  GenerateSelector(uid, job);
  DefaultPodSpec(job->mutable_spec()->mutable_template_()->mutable_spec());
}

void PreparePod(api::Pod* pod) {
  DefaultPodSpec(pod->mutable_spec());
  pod->mutable_status()->set_phase(api::pod_phase::kPending);
}

}  // namespace

api::MessagePtr CreatedObject(api::Kind kind, const Message& body, const std::string& uid,
                              int64_t now_ms) {
  std::unique_ptr<Message> object = Copy(body);
  if (api::HasStatusSubresource(kind)) {
    object->GetReflection()->ClearField(object.get(), StatusField(*object));
  }
  api::ObjectMeta* meta = api::MutableMetaOf(object.get());
  api::ObjectMeta server;
  server.set_name(meta->name());
  server.set_namespace_(meta->namespace_());
  server.set_uid(uid);
  server.set_generation(HasGeneration(kind) ? 1 : 0);
  server.set_creation_timestamp_ms(now_ms);
  TakeServerMetadata(server, meta);
  if (kind == api::Kind::kJob) PrepareJob(uid, static_cast<api::Job*>(object.get()));
  if (kind == api::Kind::kPod) PreparePod(static_cast<api::Pod*>(object.get()));
  return object;
}

api::MessagePtr UpdatedObject(const Message& base, const Message& body,
                              api::Subresource subresource) {
  if (subresource == api::Subresource::kStatus) {
    std::unique_ptr<Message> next = Copy(base);
    TakeStatus(body, next.get());
    return next;
  }
  std::unique_ptr<Message> next = Copy(body);
  if (api::HasStatusSubresource(*api::KindOfMessage(base))) TakeStatus(base, next.get());
  TakeServerMetadata(api::MetaOf(base), api::MutableMetaOf(next.get()));
  CountGeneration(base, next.get());
  return next;
}

api::MessagePtr PatchedObject(const Message& base, const api::Request& request) {
  const bool to_status = request.subresource == api::Subresource::kStatus;
  const bool has_status = api::HasStatusSubresource(*api::KindOfMessage(base));
  std::vector<api::FieldPath> paths;
  for (const api::FieldPath& path : request.changed) {
    if (ClientMayPatch(path, to_status, has_status)) paths.push_back(path);
  }
  std::unique_ptr<Message> next = Copy(base);
  api::ApplyPatch(paths, *request.body, next.get());
  if (!to_status) CountGeneration(base, next.get());
  return next;
}

api::MessagePtr MarkedForDeletion(const Message& base, int64_t now_ms, int64_t grace_seconds) {
  std::unique_ptr<Message> next = Copy(base);
  api::ObjectMeta* meta = api::MutableMetaOf(next.get());
  const bool is_new = meta->deletion_timestamp_ms() == 0;
  meta->set_deletion_timestamp_ms(now_ms + grace_seconds * 1000);
  meta->set_deletion_grace_period_seconds(grace_seconds);
  if (is_new && meta->generation() > 0) meta->set_generation(meta->generation() + 1);
  return next;
}

bool SameSpec(const Message& a, const Message& b) {
  const Reflection* reflection = a.GetReflection();
  for (const api::Field& field : api::FieldsOf(a.GetDescriptor())) {
    const std::string& name = field.descriptor->name();
    if (name == "metadata" || name == "status") continue;
    const bool present = api::IsPresent(a, field);
    if (present != api::IsPresent(b, field)) return false;
    if (!present) continue;
    if (field.shape != api::Shape::kMessage) {
      // A built-in kind without a spec, such as a ConfigMap: compared whole.
      api::FieldPath path;
      path.fields = {field.descriptor};
      std::unique_ptr<Message> only_a(a.New()), only_b(b.New());
      api::ApplyPatch({path}, a, only_a.get());
      api::ApplyPatch({path}, b, only_b.get());
      if (!api::Equal(*only_a, *only_b)) return false;
    } else if (!api::Equal(reflection->GetMessage(a, field.descriptor),
                           reflection->GetMessage(b, field.descriptor))) {
      return false;
    }
  }
  return true;
}

bool IsReadyToGo(const Message& object) {
  const api::ObjectMeta& meta = api::MetaOf(object);
  return meta.deletion_timestamp_ms() != 0 && meta.finalizers().empty() &&
         meta.deletion_grace_period_seconds() == 0;
}

}  // namespace sim
