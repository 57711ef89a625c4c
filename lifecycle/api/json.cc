#include "lifecycle/api/json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/rfc3339.h"

namespace lifecycle::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string Quoted(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<int>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

std::string GoDuration(int64_t seconds) {
  std::string text;
  if (seconds >= 3600) absl::StrAppend(&text, seconds / 3600, "h");
  if (seconds >= 60) absl::StrAppend(&text, seconds / 60 % 60, "m");
  return absl::StrCat(text, seconds % 60, "s");
}

int64_t Integer(const Message& message, const FieldDescriptor* field, int i) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return i < 0 ? reflection->GetInt32(message, field)
                   : reflection->GetRepeatedInt32(message, field, i);
    case FieldDescriptor::CPPTYPE_INT64:
      return i < 0 ? reflection->GetInt64(message, field)
                   : reflection->GetRepeatedInt64(message, field, i);
    default:
      STOPGAP_UNREACHABLE(field->full_name());
  }
}

// A text as a JSON string: bytes have their own spelling.
std::string TextValue(const FieldDescriptor* field, absl::string_view text) {
  return field->type() == FieldDescriptor::TYPE_BYTES ? Quoted(absl::Base64Escape(text))
                                                      : Quoted(text);
}

// A single value that is no message (i < 0), or element `i` of a list of them.
std::string ScalarText(const Message& message, const Field& field, int i) {
  const Reflection* reflection = message.GetReflection();
  const FieldDescriptor* descriptor = field.descriptor;
  if (descriptor->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    std::string scratch;
    return TextValue(
        descriptor, i < 0
                        ? reflection->GetStringReference(message, descriptor, &scratch)
                        : reflection->GetRepeatedStringReference(message, descriptor, i, &scratch));
  }
  if (descriptor->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    const bool value = i < 0 ? reflection->GetBool(message, descriptor)
                             : reflection->GetRepeatedBool(message, descriptor, i);
    return value ? "true" : "false";
  }
  const int64_t value = Integer(message, descriptor, i);
  if (field.role != TIME_ROLE_UNSPECIFIED) return Quoted(FormatRfc3339(value));
  if (field.is_duration) return Quoted(GoDuration(value));
  return absl::StrCat(value);
}

class Writer {
 public:
  explicit Writer(JsonStyle style) : pretty_(style == JsonStyle::kPretty) {}

  void Object(const Message& message) {
    Open('{');
    if (const std::optional<Kind> kind = KindOfMessage(message)) {
      Name("apiVersion");
      text_ += Quoted(ApiVersionOf(*kind));
      Name("kind");
      text_ += Quoted(KindName(*kind));
    }
    for (const Field& field : FieldsOf(message.GetDescriptor())) {
      if (!IsPresent(message, field)) continue;
      Name(field.descriptor->json_name());
      Value(message, field);
    }
    Close('}');
  }

  std::string Take() { return std::move(text_); }

 private:
  void Value(const Message& message, const Field& field) {
    const Reflection* reflection = message.GetReflection();
    switch (field.shape) {
      case Shape::kScalar:
        text_ += ScalarText(message, field, -1);
        break;
      case Shape::kMessage:
        Object(reflection->GetMessage(message, field.descriptor));
        break;
      case Shape::kRepeated:
        List(message, field);
        break;
      case Shape::kMap:
        Map(message, field);
        break;
    }
  }

  void List(const Message& message, const Field& field) {
    const Reflection* reflection = message.GetReflection();
    const int size = reflection->FieldSize(message, field.descriptor);
    Open('[');
    for (int i = 0; i < size; ++i) {
      Element();
      if (field.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Object(reflection->GetRepeatedMessage(message, field.descriptor, i));
      } else {
        text_ += ScalarText(message, field, i);
      }
    }
    Close(']');
  }

  void Map(const Message& message, const Field& field) {
    const FieldDescriptor* value = field.descriptor->message_type()->map_value();
    Open('{');
    for (const MapEntry& entry : SortedEntries(message, field)) {
      Name(*entry.key);
      text_ += TextValue(value, *entry.value);
    }
    Close('}');
  }

  void Open(char bracket) {
    text_ += bracket;
    ++depth_;
    empty_ = true;
  }
  void Close(char bracket) {
    --depth_;
    if (!empty_) NewLine();
    text_ += bracket;
    empty_ = false;
  }
  void Element() {
    if (!empty_) text_ += ',';
    empty_ = false;
    NewLine();
  }
  void Name(absl::string_view name) {
    Element();
    absl::StrAppend(&text_, Quoted(name), pretty_ ? ": " : ":");
  }
  void NewLine() {
    if (pretty_) absl::StrAppend(&text_, "\n", std::string(2 * depth_, ' '));
  }

  const bool pretty_;
  std::string text_;
  int depth_ = 0;
  bool empty_ = true;  // Nothing is in the innermost bracket yet.
};

}  // namespace

std::string ToJson(const Message& message, JsonStyle style) {
  Writer writer(style);
  writer.Object(message);
  return writer.Take();
}

}  // namespace lifecycle::api
