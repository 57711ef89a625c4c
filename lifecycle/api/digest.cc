#include "lifecycle/api/digest.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"

namespace lifecycle::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;
using ProtoMessage = google::protobuf::Message;

constexpr absl::string_view kDigestPrefix = "sha256:";
constexpr absl::string_view kEpochPrefix = "v1-";
constexpr size_t kDigestHex = 64;
constexpr size_t kEpochHex = 32;

bool IsLowerHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

bool IsPrefixedHex(absl::string_view text, absl::string_view prefix, size_t digits) {
  return absl::ConsumePrefix(&text, prefix) && text.size() == digits && IsLowerHex(text);
}

// A scalar of any type that is not text, as one number. Floating point has no place here.
int64_t Number(const ProtoMessage& message, const FieldDescriptor* field) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->GetInt32(message, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->GetInt64(message, field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->GetUInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<int64_t>(reflection->GetUInt64(message, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, field) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->GetEnumValue(message, field);
    default:
      STOPGAP_UNREACHABLE(field->full_name());
  }
}

int64_t RepeatedNumber(const ProtoMessage& message, const FieldDescriptor* field, int index) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->GetRepeatedInt32(message, field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->GetRepeatedInt64(message, field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->GetRepeatedUInt32(message, field, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return static_cast<int64_t>(reflection->GetRepeatedUInt64(message, field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetRepeatedBool(message, field, index) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->GetRepeatedEnumValue(message, field, index);
    default:
      STOPGAP_UNREACHABLE(field->full_name());
  }
}

}  // namespace

std::string Sha256(absl::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  // Looking the algorithm up costs as much as hashing a short text, so it is done once.
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  const bool digested =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                 nullptr, sha256, nullptr) == 1;
  STOPGAP_CHECK(digested, "SHA-256 failed");
  return digest;
}

std::string Sha256Hex(absl::string_view bytes) { return HexLower(Sha256(bytes)); }

std::string DigestOf(absl::string_view bytes) {
  return absl::StrCat(kDigestPrefix, Sha256Hex(bytes));
}

bool IsDigest(absl::string_view text) { return IsPrefixedHex(text, kDigestPrefix, kDigestHex); }

bool IsEpoch(absl::string_view text) { return IsPrefixedHex(text, kEpochPrefix, kEpochHex); }

bool IsPinnedImage(absl::string_view text) {
  if (text.size() > 512 || std::any_of(text.begin(), text.end(), absl::ascii_isspace)) return false;
  const size_t at = text.find('@');
  return at != absl::string_view::npos && at > 0 && IsDigest(text.substr(at + 1));
}

std::string DigestBytes(absl::string_view digest) {
  STOPGAP_CHECK(IsDigest(digest), digest);
  return absl::HexStringToBytes(absl::StripPrefix(digest, kDigestPrefix));
}

std::string EpochOf(absl::string_view sixteen_bytes) {
  STOPGAP_CHECK(sixteen_bytes.size() == kEpochHex / 2, "an epoch is made of 16 bytes");
  return absl::StrCat(kEpochPrefix, HexLower(sixteen_bytes));
}

std::string HexLower(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

std::string Base32Lower(absl::string_view bytes) {
  constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
  std::string text;
  uint32_t buffer = 0;
  int bits = 0;
  for (const char byte : bytes) {
    buffer = (buffer << 8 | static_cast<unsigned char>(byte)) & 0xFFFF;
    for (bits += 8; bits >= 5; bits -= 5) text += kAlphabet[buffer >> (bits - 5) & 31];
  }
  if (bits > 0) text += kAlphabet[buffer << (5 - bits) & 31];
  return text;
}

Encoder& Encoder::Int(int64_t value) {
  // The lowest byte first, on any machine. Written out, so that it is one store.
  const auto byte = [value](int i) {
    return static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  };
  const char bytes[8] = {byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7)};
  bytes_.append(bytes, sizeof bytes);
  return *this;
}

Encoder& Encoder::Text(absl::string_view text) {
  Int(static_cast<int64_t>(text.size()));
  bytes_.append(text.data(), text.size());
  return *this;
}

Encoder& Encoder::Message(const ProtoMessage& message) {
  Fields(message, FieldsOf(message.GetDescriptor()), Times::kKept);
  return *this;
}

Encoder& Encoder::MessageWithoutTimes(const ProtoMessage& message) {
  Fields(message, FieldsOf(message.GetDescriptor()), Times::kLeftOut);
  return *this;
}

// A present field is its number and its value; 0, which is no field's number, ends the message.
void Encoder::Fields(const ProtoMessage& message, const std::vector<Field>& fields, Times times) {
  const Reflection* reflection = message.GetReflection();
  for (const Field& field : fields) {
    if (!IsPresent(message, field)) continue;
    const FieldDescriptor* descriptor = field.descriptor;
    const bool is_text = descriptor->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    std::string scratch;
    Int(descriptor->number());
    switch (field.shape) {
      case Shape::kScalar:
        if (field.role != TIME_ROLE_UNSPECIFIED && times == Times::kLeftOut) break;
        if (is_text) {
          Text(reflection->GetStringReference(message, descriptor, &scratch));
        } else {
          Int(Number(message, descriptor));
        }
        break;
      case Shape::kMessage:
        Fields(reflection->GetMessage(message, descriptor), *field.below, times);
        break;
      case Shape::kRepeated: {
        const int size = reflection->FieldSize(message, descriptor);
        Int(size);
        for (int i = 0; i < size; ++i) {
          if (descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
            Fields(reflection->GetRepeatedMessage(message, descriptor, i), *field.below, times);
          } else if (is_text) {
            Text(reflection->GetRepeatedStringReference(message, descriptor, i, &scratch));
          } else {
            Int(RepeatedNumber(message, descriptor, i));
          }
        }
        break;
      }
      case Shape::kMap: {
        const std::vector<MapEntry> entries = SortedEntries(message, field);
        Int(static_cast<int64_t>(entries.size()));
        for (const MapEntry& entry : entries) Text(*entry.key).Text(*entry.value);
        break;
      }
    }
  }
  Int(0);
}

std::string CanonicalBytes(const ProtoMessage& message) {
  return Encoder().Message(message).bytes();
}

}  // namespace lifecycle::api
