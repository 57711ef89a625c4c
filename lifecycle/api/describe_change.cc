// What a write changed, for a person: DescribeChange of json.h.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/rfc3339.h"

namespace lifecycle::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kTextMax = 24;
constexpr size_t kShownOfLongText = 15;  // "sha256:" and eight digits.
constexpr size_t kFieldsShownOfMessage = 3;

std::string ShortText(absl::string_view text) {
  return text.size() <= kTextMax ? absl::StrCat("\"", text, "\"")
                                 : absl::StrCat("\"", text.substr(0, kShownOfLongText), "...\"");
}

std::string ShortScalar(const Message& message, const Field& field) {
  const Reflection* reflection = message.GetReflection();
  std::string scratch;
  switch (field.descriptor->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return ShortText(reflection->GetStringReference(message, field.descriptor, &scratch));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, field.descriptor) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(reflection->GetInt32(message, field.descriptor));
    case FieldDescriptor::CPPTYPE_INT64: {
      const int64_t value = reflection->GetInt64(message, field.descriptor);
      if (field.role == TIME_ROLE_UNSPECIFIED) return absl::StrCat(value);
      return value == 0 ? "none" : FormatRfc3339(value);
    }
    default:
      return "";
  }
}

// "{type "Apply", id "sha256:0123456...", ...}"
std::string ShortMessage(const Message& message) {
  std::vector<std::string> shown;
  bool more = false;
  for (const Field& field : FieldsOf(message.GetDescriptor())) {
    if (!IsPresent(message, field)) continue;
    if (field.shape != Shape::kScalar || shown.size() == kFieldsShownOfMessage) {
      more = true;
      continue;
    }
    shown.push_back(absl::StrCat(field.descriptor->json_name(), " ", ShortScalar(message, field)));
  }
  if (more) shown.push_back("...");
  return absl::StrCat("{", absl::StrJoin(shown, ", "), "}");
}

std::string ShortList(const Message& message, const Field& field) {
  const Reflection* reflection = message.GetReflection();
  std::vector<std::string> shown;
  const int size = reflection->FieldSize(message, field.descriptor);
  for (int i = 0; i < size; ++i) {
    switch (field.descriptor->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        shown.push_back(ShortMessage(reflection->GetRepeatedMessage(message, field.descriptor, i)));
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        shown.push_back(ShortText(reflection->GetRepeatedString(message, field.descriptor, i)));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        shown.push_back(absl::StrCat(reflection->GetRepeatedInt64(message, field.descriptor, i)));
        break;
      default:
        shown.push_back("?");
    }
  }
  return absl::StrCat("[", absl::StrJoin(shown, ", "), "]");
}

// The message that holds the last field of `path`, or a default one where it is absent.
const Message& ParentOf(const FieldPath& path, const Message& root) {
  const Message* message = &root;
  for (size_t i = 0; i + 1 < path.fields.size(); ++i) {
    message = &message->GetReflection()->GetMessage(*message, path.fields[i]);
  }
  return *message;
}

std::string StatusOf(const Condition* condition) {
  return condition == nullptr ? "none" : condition->status();
}

const Condition* FindCondition(const Message& parent, const FieldDescriptor* field,
                               const std::string& type) {
  const Reflection* reflection = parent.GetReflection();
  for (int i = 0; i < reflection->FieldSize(parent, field); ++i) {
    const auto& condition =
        static_cast<const Condition&>(reflection->GetRepeatedMessage(parent, field, i));
    if (condition.type() == type) return &condition;
  }
  return nullptr;
}

// One item a condition whose status or reason changed: "conditions[Ready] True -> False (Blocked)".
void DescribeConditions(const Message& base, const Message& next, const FieldDescriptor* field,
                        const std::string& name, std::vector<std::string>* items) {
  const Reflection* reflection = next.GetReflection();
  const size_t before = items->size();
  for (int i = 0; i < reflection->FieldSize(next, field); ++i) {
    const auto& now = static_cast<const Condition&>(reflection->GetRepeatedMessage(next, field, i));
    const Condition* was = FindCondition(base, field, now.type());
    if (was != nullptr && was->status() == now.status() && was->reason() == now.reason()) continue;
    items->push_back(
        absl::StrCat(name, "[", now.type(), "] ", StatusOf(was), " -> ", now.status(),
                     now.reason().empty() ? "" : absl::StrCat(" (", now.reason(), ")")));
  }
  // Only a message, a time or a removal: worth a word, not a list.
  if (items->size() == before) items->push_back(absl::StrCat(name, " refreshed"));
}

std::string DescribeEntry(const std::string& name, const std::string* was, const std::string* now) {
  if (was == nullptr) return absl::StrCat("+", name, " ", ShortText(*now));
  if (now == nullptr) return absl::StrCat("-", name);
  return absl::StrCat(name, " ", ShortText(*was), " -> ", ShortText(*now));
}

void DescribePath(const FieldPath& path, const Message& base, const Message& next,
                  std::vector<std::string>* items) {
  const Field& field = FieldOf(path.fields.back());
  const Message& was = ParentOf(path, base);
  const Message& now = ParentOf(path, next);
  const std::string full = path.ToString();
  const std::string name(absl::StripPrefix(full, "status."));
  if (path.map_key.has_value()) {
    items->push_back(DescribeEntry(name, FindEntry(was, field, *path.map_key),
                                   FindEntry(now, field, *path.map_key)));
  } else if (field.shape == Shape::kScalar) {
    items->push_back(
        absl::StrCat(name, " ", ShortScalar(was, field), " -> ", ShortScalar(now, field)));
  } else if (field.shape == Shape::kMessage) {
    items->push_back(
        IsPresent(now, field)
            ? absl::StrCat("+", name,
                           ShortMessage(now.GetReflection()->GetMessage(now, field.descriptor)))
            : absl::StrCat("-", name));
  } else if (field.descriptor->message_type() == Condition::descriptor()) {
    DescribeConditions(was, now, field.descriptor, name, items);
  } else {
    items->push_back(absl::StrCat(name, " ", ShortList(was, field), " -> ", ShortList(now, field)));
  }
}

}  // namespace

std::string DescribeChange(const Message& base, const Message& next) {
  std::vector<std::string> items;
  for (const FieldPath& path : Diff(base, next)) DescribePath(path, base, next, &items);
  return absl::StrJoin(items, ", ");
}

}  // namespace lifecycle::api
