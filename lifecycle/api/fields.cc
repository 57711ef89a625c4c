#include "lifecycle/api/fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "lifecycle/api/check.h"

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

std::vector<Field> ReadFields(const Descriptor* descriptor) {
  std::vector<Field> fields;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const google::protobuf::FieldOptions& options = field->options();
    fields.push_back(Field{field, ShapeOf(field), options.GetExtension(time_role),
                           options.GetExtension(since_cap_ms), options.GetExtension(is_duration)});
  }
  std::sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) {
    return a.descriptor->number() < b.descriptor->number();
  });
  return fields;
}

// Entries are read through the repeated form, the only public one that reflection has of a map.
const Message& EntryAt(const Message& message, const Field& field, int index) {
  return message.GetReflection()->GetRepeatedMessage(message, field.descriptor, index);
}

MapEntry ReadEntry(const Message& entry, std::string* scratch) {
  const Descriptor* descriptor = entry.GetDescriptor();
  const FieldDescriptor* key = descriptor->map_key();
  const FieldDescriptor* value = descriptor->map_value();
  STOPGAP_CHECK(key->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
                    value->cpp_type() == FieldDescriptor::CPPTYPE_STRING,
                descriptor->full_name());
  const Reflection* reflection = entry.GetReflection();
  return MapEntry{&reflection->GetStringReference(entry, key, scratch),
                  &reflection->GetStringReference(entry, value, scratch)};
}

int FindIndex(const Message& message, const Field& field, const std::string& key) {
  std::string scratch;
  const int size = message.GetReflection()->FieldSize(message, field.descriptor);
  for (int i = 0; i < size; ++i) {
    if (*ReadEntry(EntryAt(message, field, i), &scratch).key == key) return i;
  }
  return -1;
}

}  // namespace

const std::vector<Field>& FieldsOf(const Descriptor* descriptor) {
  // Only looked up, never walked, so its order decides nothing. The values are a function of the
  // descriptor alone, so runs that share them share no state. Never freed: references stay valid.
  static thread_local auto* const cache =
      new absl::flat_hash_map<const Descriptor*, std::unique_ptr<const std::vector<Field>>>();
  std::unique_ptr<const std::vector<Field>>& fields = (*cache)[descriptor];
  if (fields == nullptr) fields = std::make_unique<std::vector<Field>>(ReadFields(descriptor));
  return *fields;
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
  const Reflection* reflection = message.GetReflection();
  return field.descriptor->is_repeated() ? reflection->FieldSize(message, field.descriptor) > 0
                                         : reflection->HasField(message, field.descriptor);
}

std::vector<MapEntry> SortedEntries(const Message& message, const Field& field) {
  std::string scratch;
  std::vector<MapEntry> entries;
  const int size = message.GetReflection()->FieldSize(message, field.descriptor);
  entries.reserve(size);
  for (int i = 0; i < size; ++i) {
    entries.push_back(ReadEntry(EntryAt(message, field, i), &scratch));
  }
  std::sort(entries.begin(), entries.end(),
            [](const MapEntry& a, const MapEntry& b) { return *a.key < *b.key; });
  return entries;
}

const std::string* FindEntry(const Message& message, const Field& field, const std::string& key) {
  const int index = FindIndex(message, field, key);
  if (index < 0) return nullptr;
  std::string scratch;
  return ReadEntry(EntryAt(message, field, index), &scratch).value;
}

void SetEntry(Message* message, const Field& field, const std::string& key,
              const std::string* value) {
  const Reflection* reflection = message->GetReflection();
  const int index = FindIndex(*message, field, key);
  if (value == nullptr) {
    if (index < 0) return;
    const int last = reflection->FieldSize(*message, field.descriptor) - 1;
    if (index != last) reflection->SwapElements(message, field.descriptor, index, last);
    reflection->RemoveLast(message, field.descriptor);
    return;
  }
  Message* entry = index < 0 ? reflection->AddMessage(message, field.descriptor)
                             : reflection->MutableRepeatedMessage(message, field.descriptor, index);
  const Descriptor* descriptor = entry->GetDescriptor();
  entry->GetReflection()->SetString(entry, descriptor->map_key(), key);
  entry->GetReflection()->SetString(entry, descriptor->map_value(), *value);
}

}  // namespace lifecycle::api
