#include "model/text_errors.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace model {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

std::string FieldsOf(const Descriptor* type) {
  std::vector<std::string> names;
  for (int i = 0; i < type->field_count(); ++i) names.push_back(type->field(i)->name());
  return absl::StrJoin(names, ", ");
}

// The first field of this name that holds an enumerator, here or further in.
const EnumDescriptor* EnumNamed(const Descriptor* type, absl::string_view field) {
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->name() == field && type->field(i)->enum_type() != nullptr) {
      return type->field(i)->enum_type();
    }
  }
  for (int i = 0; i < type->nested_type_count(); ++i) {
    if (const EnumDescriptor* found = EnumNamed(type->nested_type(i), field)) return found;
  }
  return nullptr;
}

std::string ValuesOf(const EnumDescriptor* type) {
  std::vector<std::string> names;
  for (int i = 0; i < type->value_count(); ++i) {
    if (!absl::EndsWith(type->value(i)->name(), "_UNSPECIFIED")) {
      names.push_back(type->value(i)->name());
    }
  }
  return absl::StrJoin(names, ", ");
}

std::string AboutNames(absl::string_view error, const Descriptor* root) {
  // What the parser quotes: the odd parts.
  const std::vector<std::string> parts = absl::StrSplit(error, '"');
  if (parts.size() < 4) return "";
  if (absl::StartsWith(error, "Message type ")) {
    const Descriptor* type = root->file()->pool()->FindMessageTypeByName(parts[1]);
    if (type == nullptr) return "";
    return absl::StrCat("expected a field of ", type->name(), " (", FieldsOf(type), "), got \"",
                        parts[3], "\"");
  }
  if (absl::StartsWith(error, "Unknown enumeration value ")) {
    const EnumDescriptor* type = EnumNamed(root, parts[3]);
    if (type == nullptr) return "";
    return absl::StrCat("expected ", parts[3], " to be one of ", ValuesOf(type), ", got \"",
                        parts[1], "\"");
  }
  if (absl::StartsWith(error, "Invalid value for boolean field ")) {
    return absl::StrCat("expected ", parts[1], " to be true or false, got \"", parts[3], "\"");
  }
  return "";
}

std::string AboutTokens(absl::string_view error) {
  if (error == "Unexpected end of string.") {
    return "expected a closing quote before the end of the file";
  }
  if (error == "String literals cannot cross line boundaries.") {
    return "expected a closing quote on this line";
  }
  if (absl::ConsumePrefix(&error, "Interpreting non ascii codepoint ")) {
    return absl::StrCat("expected a field's name in ASCII, got byte ",
                        absl::StripSuffix(error, "."));
  }
  if (absl::StartsWith(error, "Invalid control characters")) {
    return "expected text, got control characters";
  }
  if (absl::StartsWith(error, "Non-repeated field ")) {
    const std::vector<std::string> parts = absl::StrSplit(error, '"');
    return absl::StrCat("expected ", parts.size() > 1 ? parts[1] : "the field", " only once");
  }
  if (absl::StartsWith(error, "Expected ")) {
    return absl::StrCat("expected ", absl::StripSuffix(error.substr(9), "."));
  }
  return "";
}

// How many bytes a character has that starts with `byte`; 0: none starts so.
size_t LengthFrom(uint8_t byte) {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  if (byte >= 0xf0 && byte < 0xf5) return 4;
  return 0;
}

// Overlong forms, surrogates and what lies beyond Unicode show in the second byte.
bool MayFollow(uint8_t first, uint8_t second) {
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  if (first == 0xf4) return second < 0x90;
  return true;
}

bool IsCharacter(absl::string_view bytes) {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(bytes[at]); };
  for (size_t at = 1; at < bytes.size(); ++at) {
    if ((byte(at) & 0xc0) != 0x80) return false;
  }
  return bytes.size() < 2 || MayFollow(byte(0), byte(1));
}

}  // namespace

std::string ExpectedByParser(absl::string_view error, const Descriptor* root) {
  std::string expected = AboutNames(error, root);
  if (expected.empty()) expected = AboutTokens(error);
  if (expected.empty()) expected = absl::StrCat("expected text format: ", error);
  // What is quoted can be anything that stands in the file.
  std::replace_if(
      expected.begin(), expected.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return expected;
}

absl::string_view RefusedValue(absl::string_view error) {
  const std::vector<absl::string_view> parts = absl::StrSplit(error, '"');
  if (parts.size() < 4) return "";
  if (absl::StartsWith(error, "Unknown enumeration value ")) return parts[1];
  if (absl::StartsWith(error, "Invalid value for boolean field ")) return parts[3];
  return "";
}

std::optional<size_t> FirstNotUtf8(absl::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = LengthFrom(static_cast<uint8_t>(text[at]));
    if (length == 0 || at + length > text.size() || !IsCharacter(text.substr(at, length))) {
      return at;
    }
    at += length;
  }
  return std::nullopt;
}

int LineAt(absl::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

}  // namespace model
