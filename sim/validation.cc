#include "sim/validation.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/map.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/realm.pb.h"
#include "sim/api_errors.h"
#include "sim/object_rules.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using google::protobuf::Message;

// A Job's name becomes a label of its Pods.
constexpr size_t kLabelValueMax = 63;
constexpr size_t kNameMax = 253;

absl::Status ImmutableField(const api::Key& key, absl::string_view field) {
  return InvalidError(key, absl::StrCat(field, ": Invalid value: field is immutable"));
}

absl::Status ValidateOwners(const api::Key& key, const api::ObjectMeta& meta) {
  const api::OwnerReference* controller = nullptr;
  for (const api::OwnerReference& owner : meta.owner_references()) {
    const auto empty = [&](absl::string_view field) {
      return InvalidError(key, absl::StrCat("metadata.ownerReferences.", field,
                                            ": Invalid value: \"\": must not be empty"));
    };
    if (owner.api_version().empty()) return empty("apiVersion");
    if (owner.kind().empty()) return empty("kind");
    if (owner.name().empty()) return empty("name");
    if (owner.uid().empty()) return empty("uid");
    if (!owner.controller()) continue;
    if (controller != nullptr) {
      return InvalidError(
          key, absl::StrCat("metadata.ownerReferences: Invalid value: Only one reference can have "
                            "Controller set to true. Found \"true\" in references for ",
                            controller->kind(), "/", controller->name(), " and ", owner.kind(), "/",
                            owner.name()));
    }
    controller = &owner;
  }
  return absl::OkStatus();
}

// Kinds whose spec says once and for all what it says.
bool HasImmutableSpec(api::Kind kind) {
  switch (kind) {
    case api::Kind::kPtahSchemaPlan:
    case api::Kind::kPtahSchemaPlanChunk:
    case api::Kind::kPtahMigrationPlan:
    case api::Kind::kPtahSchemaApproval:
    case api::Kind::kPtahMigrationApproval:
    case api::Kind::kPtahMigrationRunAcknowledgment:
      return true;
    case api::Kind::kPtahSchema:
    case api::Kind::kPtahMigration:
    case api::Kind::kPtahRealm:
    case api::Kind::kConfigMap:
    case api::Kind::kLease:
    case api::Kind::kJob:
    case api::Kind::kPod:
    case api::Kind::kServiceAccount:
    case api::Kind::kLimitRange:
    case api::Kind::kRuntimeClass:
    case api::Kind::kPriorityClass:
      return false;
  }
  return false;
}

absl::Status ValidateFinalizers(const api::Key& key, const api::ObjectMeta& before,
                                const api::ObjectMeta& after) {
  if (before.deletion_timestamp_ms() == 0) return absl::OkStatus();
  for (const std::string& finalizer : after.finalizers()) {
    if (std::find(before.finalizers().begin(), before.finalizers().end(), finalizer) ==
        before.finalizers().end()) {
      return InvalidError(
          key, absl::StrCat("metadata.finalizers: Forbidden: no new finalizers can be added if the "
                            "object is being deleted, found new finalizers []string{\"",
                            finalizer, "\"}"));
    }
  }
  return absl::OkStatus();
}

template <class Value>
bool SameMap(const google::protobuf::Map<std::string, Value>& a,
             const google::protobuf::Map<std::string, Value>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& entry) {
           const auto found = b.find(entry.first);
           return found != b.end() && found->second == entry.second;
         });
}

absl::Status ValidateConfigMap(const api::Key& key, const api::ConfigMap& before,
                               const api::ConfigMap& after) {
  if (!before.immutable()) return absl::OkStatus();
  const auto forbidden = [&](absl::string_view field) {
    return InvalidError(
        key, absl::StrCat(field, ": Forbidden: field is immutable when `immutable` is set"));
  };
  if (!after.immutable()) return forbidden("immutable");
  if (!SameMap(before.data(), after.data())) return forbidden("data");
  if (!SameMap(before.binary_data(), after.binary_data())) return forbidden("binaryData");
  return absl::OkStatus();
}

absl::Status ValidateJob(const api::Key& key, const api::Job& before, const api::Job& after) {
  if (!api::Equal(before.spec().template_(), after.spec().template_())) {
    return ImmutableField(key, "spec.template");
  }
  if (!api::Equal(before.spec().selector(), after.spec().selector())) {
    return ImmutableField(key, "spec.selector");
  }
  if (before.spec().completions() != after.spec().completions()) {
    return ImmutableField(key, "spec.completions");
  }
  if (before.spec().completion_mode() != after.spec().completion_mode()) {
    return ImmutableField(key, "spec.completionMode");
  }
  return absl::OkStatus();
}

// A scheduler may bind a Pod to a node once; what it runs stays what it was made with.
absl::Status ValidatePod(const api::Key& key, const api::Pod& before, const api::Pod& after) {
  api::PodSpec was = before.spec();
  if (was.node_name().empty()) was.set_node_name(after.spec().node_name());
  if (api::Equal(was, after.spec())) return absl::OkStatus();
  return InvalidError(key,
                      "spec: Forbidden: pod updates may not change fields other than "
                      "`spec.containers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`");
}

absl::Status ValidateRuntimeClass(const api::Key& key, const api::RuntimeClass& before,
                                  const api::RuntimeClass& after) {
  if (before.handler() == after.handler()) return absl::OkStatus();
  return ImmutableField(key, "handler");
}

absl::Status ValidatePriorityClass(const api::Key& key, const api::PriorityClass& before,
                                   const api::PriorityClass& after) {
  if (before.value() != after.value()) {
    return InvalidError(key, "value: Forbidden: may not be changed in an update.");
  }
  if (before.preemption_policy() == after.preemption_policy()) return absl::OkStatus();
  return ImmutableField(key, "preemptionPolicy");
}

}  // namespace

absl::Status ValidateCreate(const api::Key& key, const Message& object) {
  if (key.name.empty()) {
    return InvalidError(key, "metadata.name: Required value: name or generateName is required");
  }
  if (key.name.size() > kNameMax) {
    return InvalidError(key, "metadata.name: Invalid value: must be no more than 253 characters");
  }
  if (key.kind == api::Kind::kJob && key.name.size() > kLabelValueMax) {
    return InvalidError(key,
                        "spec.template.labels: Invalid value: must be no more than 63 characters");
  }
  return ValidateOwners(key, api::MetaOf(object));
}

absl::Status ValidateChange(const api::Key& key, const Message& before, const Message& after) {
  const api::ObjectMeta& was = api::MetaOf(before);
  const api::ObjectMeta& is = api::MetaOf(after);
  if (absl::Status status = ValidateOwners(key, is); !status.ok()) return status;
  if (absl::Status status = ValidateFinalizers(key, was, is); !status.ok()) return status;
  if (HasImmutableSpec(key.kind) && !SameSpec(before, after)) {
    return InvalidError(key, "spec: Invalid value: \"object\": spec is immutable");
  }
  switch (key.kind) {
    case api::Kind::kPtahRealm:
      if (static_cast<const api::PtahRealm&>(before).spec().engine() !=
          static_cast<const api::PtahRealm&>(after).spec().engine()) {
        return InvalidError(key, "spec.engine: Invalid value: \"string\": engine is immutable");
      }
      return absl::OkStatus();
    case api::Kind::kConfigMap:
      return ValidateConfigMap(key, static_cast<const api::ConfigMap&>(before),
                               static_cast<const api::ConfigMap&>(after));
    case api::Kind::kJob:
      return ValidateJob(key, static_cast<const api::Job&>(before),
                         static_cast<const api::Job&>(after));
    case api::Kind::kPod:
      return ValidatePod(key, static_cast<const api::Pod&>(before),
                         static_cast<const api::Pod&>(after));
    case api::Kind::kRuntimeClass:
      return ValidateRuntimeClass(key, static_cast<const api::RuntimeClass&>(before),
                                  static_cast<const api::RuntimeClass&>(after));
    case api::Kind::kPriorityClass:
      return ValidatePriorityClass(key, static_cast<const api::PriorityClass&>(before),
                                   static_cast<const api::PriorityClass&>(after));
    case api::Kind::kPtahSchema:
    case api::Kind::kPtahMigration:
    case api::Kind::kPtahSchemaPlan:
    case api::Kind::kPtahSchemaPlanChunk:
    case api::Kind::kPtahMigrationPlan:
    case api::Kind::kPtahSchemaApproval:
    case api::Kind::kPtahMigrationApproval:
    case api::Kind::kPtahMigrationRunAcknowledgment:
    case api::Kind::kLease:
    case api::Kind::kServiceAccount:
    case api::Kind::kLimitRange:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status ValidateServerMetadata(const api::Key& key, const Message& before,
                                    const api::Request& request) {
  const api::ObjectMeta& stored = api::MetaOf(before);
  const api::ObjectMeta& sent = api::MetaOf(*request.body);
  // Of a patch only the changed fields are sent.
  const auto is_sent = [&](int field_number) {
    if (request.verb != api::Verb::kPatch) return true;
    return std::any_of(
        request.changed.begin(), request.changed.end(), [&](const api::FieldPath& path) {
          return path.fields.size() == 2 &&
                 path.fields[1]->containing_type() == api::ObjectMeta::descriptor() &&
                 path.fields[1]->number() == field_number;
        });
  };
  if (sent.deletion_timestamp_ms() != 0 &&
      sent.deletion_timestamp_ms() != stored.deletion_timestamp_ms() &&
      is_sent(api::ObjectMeta::kDeletionTimestampMsFieldNumber)) {
    return ImmutableField(key, "metadata.deletionTimestamp");
  }
  if (sent.creation_timestamp_ms() != 0 &&
      sent.creation_timestamp_ms() != stored.creation_timestamp_ms() &&
      is_sent(api::ObjectMeta::kCreationTimestampMsFieldNumber)) {
    return ImmutableField(key, "metadata.creationTimestamp");
  }
  return absl::OkStatus();
}

}  // namespace sim
