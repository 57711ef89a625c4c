// The strict reader: FromJson of json.h.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/rfc3339.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Reads "1h2m3s" as GoDuration writes it, and any other sum of whole hours, minutes and seconds.
bool ParseGoDuration(absl::string_view text, int64_t* seconds) {
  *seconds = 0;
  if (text.empty()) return false;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    int64_t count = 0;
    if (digits == text.size() || digits > 9 || !absl::SimpleAtoi(text.substr(0, digits), &count)) {
      return false;
    }
    const char unit = text[digits];
    if (unit != 'h' && unit != 'm' && unit != 's') return false;
    *seconds += count * (unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
    text.remove_prefix(digits + 1);
  }
  return true;
}

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::Status Read(Message* message) {
    message->Clear();
    Object(message);
    Space();
    if (error_.empty() && at_ != text_.size()) Fail("text after the value");
    return error_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(error_);
  }

 private:
  void Object(Message* message) {
    const std::optional<Kind> kind = KindOfMessage(*message);
    std::set<std::string> seen;
    Members([&](const std::string& name) {
      if (!seen.insert(name).second) return Fail(absl::StrCat("field ", name, " is repeated"));
      if (kind.has_value() && name == "apiVersion") return Exactly(ApiVersionOf(*kind));
      if (kind.has_value() && name == "kind") return Exactly(KindName(*kind));
      const FieldDescriptor* field = FieldByName(message->GetDescriptor(), name);
      if (field == nullptr) return Fail(absl::StrCat("unknown field ", name));
      Value(message, FieldOf(field));
    });
  }

  static const FieldDescriptor* FieldByName(const Descriptor* descriptor, absl::string_view name) {
    for (const Field& field : FieldsOf(descriptor)) {
      if (field.descriptor->json_name() == name) return field.descriptor;
    }
    return nullptr;
  }

  void Value(Message* message, const Field& field) {
    const Reflection* reflection = message->GetReflection();
    switch (field.shape) {
      case Shape::kScalar:
        return Scalar(message, field, false);
      case Shape::kMessage:
        return Object(reflection->MutableMessage(message, field.descriptor));
      case Shape::kRepeated:
        return List(message, field);
      case Shape::kMap:
        return Map(message, field);
    }
  }

  void List(Message* message, const Field& field) {
    if (!Expect('[') || Accept(']')) return;
    do {
      if (field.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Object(message->GetReflection()->AddMessage(message, field.descriptor));
      } else {
        Scalar(message, field, true);
      }
    } while (error_.empty() && Accept(','));
    Expect(']');
  }

  void Map(Message* message, const Field& field) {
    Members([&](const std::string& key) {
      if (FindEntry(*message, field, key) != nullptr) {
        return Fail(absl::StrCat("key ", key, " is repeated"));
      }
      const std::string value = Text(field.descriptor->message_type()->map_value());
      if (error_.empty()) SetEntry(message, field, key, &value);
    });
  }

  void Scalar(Message* message, const Field& field, bool add) {
    const Reflection* reflection = message->GetReflection();
    const FieldDescriptor* descriptor = field.descriptor;
    switch (descriptor->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text = Text(descriptor);
        return add ? reflection->AddString(message, descriptor, text)
                   : reflection->SetString(message, descriptor, text);
      }
      case FieldDescriptor::CPPTYPE_BOOL: {
        const bool value = Boolean();
        return add ? reflection->AddBool(message, descriptor, value)
                   : reflection->SetBool(message, descriptor, value);
      }
      case FieldDescriptor::CPPTYPE_INT32: {
        const int64_t value = Number(field);
        if (value != static_cast<int32_t>(value)) return Fail("the number is too large");
        return add ? reflection->AddInt32(message, descriptor, static_cast<int32_t>(value))
                   : reflection->SetInt32(message, descriptor, static_cast<int32_t>(value));
      }
      case FieldDescriptor::CPPTYPE_INT64: {
        const int64_t value = Number(field);
        return add ? reflection->AddInt64(message, descriptor, value)
                   : reflection->SetInt64(message, descriptor, value);
      }
      default:
        STOPGAP_UNREACHABLE(descriptor->full_name());
    }
  }

  // A number, or a time or a length of time, which are strings.
  int64_t Number(const Field& field) {
    if (field.role != TIME_ROLE_UNSPECIFIED) {
      const std::optional<int64_t> ms = ParseRfc3339(String());
      if (!ms.has_value()) Fail("not a time");
      return ms.value_or(0);
    }
    int64_t value = 0;
    if (field.is_duration) {
      if (!ParseGoDuration(String(), &value)) Fail("not a length of time");
      return value;
    }
    Space();
    const size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const size_t digits = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const bool leading_zero = at_ - digits > 1 && text_[digits] == '0';
    if (at_ == digits || leading_zero ||
        !absl::SimpleAtoi(text_.substr(begin, at_ - begin), &value)) {
      Fail("not a whole number");
    }
    return value;
  }

  bool Boolean() {
    Space();
    for (const bool value : {true, false}) {
      const absl::string_view word = value ? "true" : "false";
      if (absl::StartsWith(text_.substr(at_), word)) {
        at_ += word.size();
        return value;
      }
    }
    Fail("neither true nor false");
    return false;
  }

  // A text, or bytes in base64.
  std::string Text(const FieldDescriptor* descriptor) {
    std::string text = String();
    if (descriptor->type() != FieldDescriptor::TYPE_BYTES) return text;
    std::string bytes;
    if (!absl::Base64Unescape(text, &bytes)) Fail("not base64");
    return bytes;
  }

  void Exactly(absl::string_view wanted) {
    if (String() != wanted) Fail(absl::StrCat("expected ", wanted));
  }

  // Calls `member` at the value of each member of an object.
  template <class F>
  void Members(F member) {
    if (!Expect('{') || Accept('}')) return;
    do {
      const std::string name = String();
      if (Expect(':')) member(name);
    } while (error_.empty() && Accept(','));
    Expect('}');
  }

  std::string String() {
    std::string value;
    if (!Expect('"')) return value;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (static_cast<unsigned char>(c) < 0x20) Fail("a control character in a string");
      if (c == '\\') {
        Escape(&value);
      } else {
        value += c;
      }
    }
    if (at_ == text_.size()) {
      Fail("a string does not end");
    } else {
      ++at_;
    }
    return value;
  }

  void Escape(std::string* value) {
    constexpr absl::string_view kNames = "\"\\/bfnrt";
    constexpr absl::string_view kValues = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) return;
    const char name = text_[at_++];
    if (name == 'u') return UnicodeEscape(value);
    const size_t index = kNames.find(name);
    if (index == absl::string_view::npos) return Fail("no such escape");
    *value += kValues[index];
  }

  // Only control characters are ever written so, and only those are read.
  void UnicodeEscape(std::string* value) {
    const absl::string_view digits = text_.substr(at_, 4);
    uint32_t code = 0;
    if (digits.size() != 4 || !absl::SimpleHexAtoi(digits, &code) || code >= 0x80) {
      return Fail("an escape that is not one of ASCII");
    }
    at_ += 4;
    *value += static_cast<char>(code);
  }

  bool Expect(char wanted) {
    if (!error_.empty()) return false;
    if (Accept(wanted)) return true;
    Fail(absl::StrCat("expected ", std::string(1, wanted)));
    return false;
  }

  bool Accept(char wanted) {
    Space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void Space() {
    while (at_ < text_.size() && absl::StrContains(" \t\r\n", text_[at_])) ++at_;
  }

  // Keeps the first problem; reading stops at the next step that looks.
  void Fail(absl::string_view problem) {
    if (error_.empty()) error_ = absl::StrCat("JSON, at byte ", at_, ": ", problem);
  }

  absl::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

}  // namespace

absl::Status FromJson(absl::string_view text, Message* message) {
  return Reader(text).Read(message);
}

}  // namespace lifecycle::api
