#include "lifecycle/api/fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/operation.pb.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Shape ShapeOf(const FieldDescriptor* field) {
  if (field->is_map()) return Shape::kMap;
  if (field->is_repeated()) return Shape::kRepeated;
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ? Shape::kMessage : Shape::kScalar;
}

// How the one map field of a message type, or one of several, is reached.
struct MapAccess {
  const FieldDescriptor* field;
  const Texts& (*map)(const Message&);
  Texts* (*mutable_map)(Message*);
};

#define STOPGAP_MAP(Type, name)                                                              \
  MapAccess {                                                                                \
    Type::descriptor()->FindFieldByLowercaseName(#name),                                     \
        [](const Message& m) -> const Texts& { return static_cast<const Type&>(m).name(); }, \
        [](Message* m) { return static_cast<Type*>(m)->mutable_##name(); }                   \
  }

const MapAccess& AccessTo(const FieldDescriptor* field) {
  static const auto* const all = new std::vector<MapAccess>{
      STOPGAP_MAP(ObjectMeta, labels),
      STOPGAP_MAP(ObjectMeta, annotations),
      STOPGAP_MAP(PodTemplateMeta, labels),
      STOPGAP_MAP(PodTemplateMeta, annotations),
      STOPGAP_MAP(LabelSelector, match_labels),
      STOPGAP_MAP(PodSpec, node_selector),
      STOPGAP_MAP(ResourceRequirements, requests),
      STOPGAP_MAP(ResourceRequirements, limits),
      STOPGAP_MAP(PodMetadata, labels),
      STOPGAP_MAP(PodMetadata, annotations),
      STOPGAP_MAP(ExecutionSpec, node_selector),
      STOPGAP_MAP(ConfigMap, data),
      STOPGAP_MAP(ConfigMap, binary_data),
      STOPGAP_MAP(LimitRangeItem, max),
      STOPGAP_MAP(LimitRangeItem, min),
      // protoc gives a word of the language another name.
      MapAccess{LimitRangeItem::descriptor()->FindFieldByLowercaseName("default"),
                [](const Message& m) -> const Texts& {
                  return static_cast<const LimitRangeItem&>(m).default_();
                },
                [](Message* m) { return static_cast<LimitRangeItem*>(m)->mutable_default_(); }},
      STOPGAP_MAP(LimitRangeItem, default_request),
      STOPGAP_MAP(LimitRangeItem, max_limit_request_ratio),
      STOPGAP_MAP(RuntimeClassOverhead, pod_fixed),
      STOPGAP_MAP(RuntimeClassScheduling, node_selector),
  };
  for (const MapAccess& access : *all) {
    if (access.field == field) return access;
  }
  STOPGAP_UNREACHABLE(field->full_name());
}

#undef STOPGAP_MAP

std::vector<Field> ReadFields(const Descriptor* descriptor) {
  std::vector<Field> fields;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* descriptor_of = descriptor->field(i);
    const google::protobuf::FieldOptions& options = descriptor_of->options();
    Field field;
    field.descriptor = descriptor_of;
    field.shape = ShapeOf(descriptor_of);
    field.role = options.GetExtension(time_role);
    field.since_cap_ms = options.GetExtension(since_cap_ms);
    field.is_duration = options.GetExtension(is_duration);
    field.is_shown_count = options.GetExtension(is_shown_count);
    if (field.shape == Shape::kMap) {
      const MapAccess& access = AccessTo(descriptor_of);
      field.map = access.map;
      field.mutable_map = access.mutable_map;
    } else if (descriptor_of->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      field.below = &FieldsOf(descriptor_of->message_type());
    }
    fields.push_back(field);
  }
  std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) {
    return a.descriptor->number() < b.descriptor->number();
  });
  return fields;
}

}  // namespace

const std::vector<Field>& FieldsOf(const Descriptor* descriptor) {
  // Only looked up, never walked, so its order decides nothing. The values are a function of the
  // descriptor alone, so runs that share them share no state. Never freed: references stay valid.
  static thread_local auto* const cache =
      new absl::flat_hash_map<const Descriptor*, std::unique_ptr<const std::vector<Field>>>();
  const auto found = cache->find(descriptor);
  if (found != cache->end()) return *found->second;
  // The types below are read first, and may move what the cache holds.
  auto fields = std::make_unique<const std::vector<Field>>(ReadFields(descriptor));
  return *cache->emplace(descriptor, std::move(fields)).first->second;
}

const Field& FieldOf(const FieldDescriptor* descriptor) {
  const std::vector<Field>& fields = FieldsOf(descriptor->containing_type());
  const auto found = std::find_if(fields.begin(), fields.end(), [descriptor](const Field& field) {
    return field.descriptor == descriptor;
  });
  STOPGAP_CHECK(found != fields.end(), descriptor->full_name());
  return *found;
}

bool IsPresent(const Message& message, const Field& field) {
  if (field.map != nullptr) return !field.map(message).empty();
  const Reflection* reflection = message.GetReflection();
  return field.shape == Shape::kRepeated ? reflection->FieldSize(message, field.descriptor) > 0
                                         : reflection->HasField(message, field.descriptor);
}

std::vector<MapEntry> SortedEntries(const Message& message, const Field& field) {
  const Texts& map = field.map(message);
  std::vector<MapEntry> entries;
  entries.reserve(map.size());
  for (const auto& [key, value] : map) entries.push_back(MapEntry{&key, &value});
  std::sort(entries.begin(), entries.end(),
            [](const MapEntry& a, const MapEntry& b) { return *a.key < *b.key; });
  return entries;
}

const std::string* FindEntry(const Message& message, const Field& field, const std::string& key) {
  const Texts& map = field.map(message);
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

void SetEntry(Message* message, const Field& field, const std::string& key,
              const std::string* value) {
  Texts* const map = field.mutable_map(message);
  if (value == nullptr) {
    map->erase(key);
  } else {
    (*map)[key] = *value;
  }
}

}  // namespace lifecycle::api
