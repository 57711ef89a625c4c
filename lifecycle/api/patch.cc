#include "lifecycle/api/patch.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"

namespace lifecycle::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// True when `prefix` is `path` or one of the messages around it.
bool IsPrefix(absl::string_view prefix, absl::string_view path) {
  return absl::StartsWith(path, prefix) &&
         (path.size() == prefix.size() || path[prefix.size()] == '.' || path[prefix.size()] == '[');
}

// The library's bytes of a message, its maps by key. Within one program these are canonical, which
// is all that a comparison needs; what is kept or shown is written by our own encoder.
void WriteBytes(const Message& message, size_t size, std::string& bytes) {
  bytes.resize(size);
  google::protobuf::io::ArrayOutputStream array(bytes.data(), static_cast<int>(size));
  google::protobuf::io::CodedOutputStream out(&array);
  out.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&out);
}

// Whether two messages of one type are equal. To write both costs a fraction of a walk by
// descriptor.
bool SameMessage(const Message& a, const Message& b) {
  const size_t size = a.ByteSizeLong();
  if (size != b.ByteSizeLong()) return false;
  // Only while the call lasts; kept so that a comparison allocates nothing.
  static thread_local std::string bytes_a, bytes_b;
  WriteBytes(a, size, bytes_a);
  WriteBytes(b, size, bytes_b);
  return bytes_a == bytes_b;
}

// Compares element `i` of both lists, or (i < 0) both single values.
bool SameElement(const Message& a, const Message& b, const Field& of, int i) {
  const FieldDescriptor* field = of.descriptor;
  const Reflection* reflection = a.GetReflection();
  std::string scratch_a, scratch_b;
#define STOPGAP_SAME(Type)                                                  \
  (i < 0                                                                    \
       ? reflection->Get##Type(a, field) == reflection->Get##Type(b, field) \
       : reflection->GetRepeated##Type(a, field, i) == reflection->GetRepeated##Type(b, field, i))
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return i < 0 ? reflection->GetStringReference(a, field, &scratch_a) ==
                         reflection->GetStringReference(b, field, &scratch_b)
                   : reflection->GetRepeatedStringReference(a, field, i, &scratch_a) ==
                         reflection->GetRepeatedStringReference(b, field, i, &scratch_b);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return i < 0 ? SameMessage(reflection->GetMessage(a, field), reflection->GetMessage(b, field))
                   : SameMessage(reflection->GetRepeatedMessage(a, field, i),
                                 reflection->GetRepeatedMessage(b, field, i));
    case FieldDescriptor::CPPTYPE_INT32:
      return STOPGAP_SAME(Int32);
    case FieldDescriptor::CPPTYPE_INT64:
      return STOPGAP_SAME(Int64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return STOPGAP_SAME(UInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return STOPGAP_SAME(UInt64);
    case FieldDescriptor::CPPTYPE_BOOL:
      return STOPGAP_SAME(Bool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return STOPGAP_SAME(EnumValue);
    default:
      STOPGAP_UNREACHABLE(field->full_name());
  }
#undef STOPGAP_SAME
}

bool SameMap(const Texts& a, const Texts& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a) {
    const auto found = b.find(key);
    if (found == b.end() || found->second != value) return false;
  }
  return true;
}

bool SameList(const Message& a, const Message& b, const Field& field) {
  const int size = a.GetReflection()->FieldSize(a, field.descriptor);
  if (size != b.GetReflection()->FieldSize(b, field.descriptor)) return false;
  for (int i = 0; i < size; ++i) {
    if (!SameElement(a, b, field, i)) return false;
  }
  return true;
}

// Present on both sides is known.
bool SameField(const Message& a, const Message& b, const Field& field) {
  switch (field.shape) {
    case Shape::kScalar:
    case Shape::kMessage:
      return SameElement(a, b, field, -1);
    case Shape::kRepeated:
      return SameList(a, b, field);
    case Shape::kMap:
      return SameMap(field.map(a), field.map(b));
  }
  STOPGAP_UNREACHABLE("no such shape");
}

// Collects differences; `prefix_` is the way from the root to the messages compared.
class Differ {
 public:
  void Compare(const Message& base, const Message& next, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      const bool before = IsPresent(base, field);
      const bool after = IsPresent(next, field);
      if (!before && !after) continue;
      if (field.shape == Shape::kMap) {
        CompareMaps(base, next, field);
      } else if (before && after) {
        CompareValues(base, next, field);
      } else {
        CompareOneSided(base, next, field, after);
      }
    }
  }
  std::vector<FieldPath> Take() { return std::move(paths_); }

 private:
  void CompareValues(const Message& base, const Message& next, const Field& field) {
    if (field.shape == Shape::kMessage) {
      Descend(base, next, field);
    } else if (!SameField(base, next, field)) {
      Add(field.descriptor, std::nullopt);
    }
  }

  void CompareOneSided(const Message& base, const Message& next, const Field& field, bool appears) {
    const size_t found = paths_.size();
    const bool is_root = prefix_.empty() && field.shape == Shape::kMessage;
    if (appears && is_root) Descend(base, next, field);
    // Nothing in it to name: the message itself is what is new.
    if (paths_.size() == found) Add(field.descriptor, std::nullopt);
  }

  void CompareMaps(const Message& base, const Message& next, const Field& field) {
    if (SameMap(field.map(base), field.map(next))) return;
    const std::vector<MapEntry> of_base = SortedEntries(base, field);
    const std::vector<MapEntry> of_next = SortedEntries(next, field);
    auto b = of_base.begin();
    auto n = of_next.begin();
    while (b != of_base.end() || n != of_next.end()) {
      const int order = b == of_base.end() ? 1 : n == of_next.end() ? -1 : b->key->compare(*n->key);
      if (order != 0 || *b->value != *n->value) {
        Add(field.descriptor, order <= 0 ? *b->key : *n->key);
      }
      if (order <= 0) ++b;
      if (order >= 0) ++n;
    }
  }

  void Descend(const Message& base, const Message& next, const Field& field) {
    const Reflection* reflection = base.GetReflection();
    const Message& before = reflection->GetMessage(base, field.descriptor);
    const Message& after = reflection->GetMessage(next, field.descriptor);
    if (SameMessage(before, after)) return;
    prefix_.push_back(field.descriptor);
    Compare(before, after, *field.below);
    prefix_.pop_back();
  }

  void Add(const FieldDescriptor* field, std::optional<std::string> map_key) {
    paths_.push_back(FieldPath{prefix_, std::move(map_key)});
    paths_.back().fields.push_back(field);
  }

  std::vector<const FieldDescriptor*> prefix_;
  std::vector<FieldPath> paths_;
};

void CopyScalar(const Message& from, const FieldDescriptor* field, Message* to) {
  const Reflection* reflection = from.GetReflection();
  std::string scratch;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(to, field,
                                   reflection->GetStringReference(from, field, &scratch));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(to, field, reflection->GetInt32(from, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetInt64(to, field, reflection->GetInt64(from, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(to, field, reflection->GetUInt32(from, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection->SetUInt64(to, field, reflection->GetUInt64(from, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(to, field, reflection->GetBool(from, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->SetEnumValue(to, field, reflection->GetEnumValue(from, field));
    default:
      STOPGAP_UNREACHABLE(field->full_name());
  }
}

void CopyList(const Message& from, const FieldDescriptor* field, Message* to) {
  const Reflection* reflection = from.GetReflection();
  reflection->ClearField(to, field);
  const int size = reflection->FieldSize(from, field);
  for (int i = 0; i < size; ++i) {
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        reflection->AddString(to, field, reflection->GetRepeatedString(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        reflection->AddMessage(to, field)->CopyFrom(reflection->GetRepeatedMessage(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_INT32:
        reflection->AddInt32(to, field, reflection->GetRepeatedInt32(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        reflection->AddInt64(to, field, reflection->GetRepeatedInt64(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        reflection->AddUInt32(to, field, reflection->GetRepeatedUInt32(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection->AddUInt64(to, field, reflection->GetRepeatedUInt64(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection->AddBool(to, field, reflection->GetRepeatedBool(from, field, i));
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection->AddEnumValue(to, field, reflection->GetRepeatedEnumValue(from, field, i));
        break;
      default:
        STOPGAP_UNREACHABLE(field->full_name());
    }
  }
}

void MergeField(const Message& from, const Field& field, Message* to);

// What a JSON merge patch does with an object that holds only what `from` holds.
void MergeAll(const Message& from, Message* to) {
  for (const Field& field : FieldsOf(from.GetDescriptor())) {
    if (IsPresent(from, field)) MergeField(from, field, to);
  }
}

void MergeField(const Message& from, const Field& field, Message* to) {
  const Reflection* reflection = from.GetReflection();
  switch (field.shape) {
    case Shape::kScalar:
      return CopyScalar(from, field.descriptor, to);
    case Shape::kMessage:
      return MergeAll(reflection->GetMessage(from, field.descriptor),
                      reflection->MutableMessage(to, field.descriptor));
    case Shape::kRepeated:
      return CopyList(from, field.descriptor, to);
    case Shape::kMap:
      for (const MapEntry& entry : SortedEntries(from, field)) {
        SetEntry(to, field, *entry.key, entry.value);
      }
  }
}

// Applies one path. `values` is null once some message on the way is absent in the patch's values.
void ApplyPath(const FieldPath& path, const Message* values, Message* target) {
  for (size_t i = 0; i + 1 < path.fields.size(); ++i) {
    const FieldDescriptor* field = path.fields[i];
    const Reflection* reflection = target->GetReflection();
    if (values != nullptr && !reflection->HasField(*values, field)) values = nullptr;
    // A deletion makes no messages on its way.
    if (values == nullptr && !reflection->HasField(*target, field)) return;
    if (values != nullptr) values = &reflection->GetMessage(*values, field);
    target = reflection->MutableMessage(target, field);
  }
  const Field& field = FieldOf(path.fields.back());
  if (path.map_key.has_value()) {
    SetEntry(target, field, *path.map_key,
             values == nullptr ? nullptr : FindEntry(*values, field, *path.map_key));
  } else if (values == nullptr || !IsPresent(*values, field)) {
    target->GetReflection()->ClearField(target, field.descriptor);
  } else {
    MergeField(*values, field, target);
  }
}

}  // namespace

std::string FieldPath::ToString() const {
  std::string text;
  for (const FieldDescriptor* field : fields) {
    absl::StrAppend(&text, text.empty() ? "" : ".", field->json_name());
  }
  if (map_key.has_value()) absl::StrAppend(&text, "[", *map_key, "]");
  return text;
}

const std::string& FieldPath::RootName() const { return fields.front()->json_name(); }

bool FieldPath::IsUnder(absl::string_view path) const { return IsPrefix(path, ToString()); }

bool FieldPath::Touches(absl::string_view path) const {
  const std::string text = ToString();
  return IsPrefix(path, text) || IsPrefix(text, path);
}

std::vector<FieldPath> Diff(const Message& base, const Message& next) {
  STOPGAP_CHECK(base.GetDescriptor() == next.GetDescriptor(), next.GetTypeName());
  Differ differ;
  differ.Compare(base, next, FieldsOf(base.GetDescriptor()));
  return differ.Take();
}

void ApplyPatch(const std::vector<FieldPath>& paths, const Message& values, Message* target) {
  STOPGAP_CHECK(values.GetDescriptor() == target->GetDescriptor(), values.GetTypeName());
  for (const FieldPath& path : paths) ApplyPath(path, &values, target);
}

bool Equal(const Message& a, const Message& b) {
  if (&a == &b) return true;
  STOPGAP_CHECK(a.GetDescriptor() == b.GetDescriptor(), b.GetTypeName());
  return SameMessage(a, b);
}

bool EqualApartFrom(const Message& a, const Message& b, std::initializer_list<int> field_numbers) {
  if (&a == &b) return true;
  STOPGAP_CHECK(a.GetDescriptor() == b.GetDescriptor(), b.GetTypeName());
  for (const Field& field : FieldsOf(a.GetDescriptor())) {
    const int number = field.descriptor->number();
    if (std::find(field_numbers.begin(), field_numbers.end(), number) != field_numbers.end()) {
      continue;
    }
    const bool present = IsPresent(a, field);
    if (present != IsPresent(b, field) || (present && !SameField(a, b, field))) return false;
  }
  return true;
}

}  // namespace lifecycle::api
