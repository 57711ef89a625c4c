// A fingerprint: the digest of a versioned tuple of values.
//
// Claims, plans, policies and realms are all compared by what they were decided from. Every value
// carries its length or has one width, and the tuple begins with what it is a fingerprint of and in
// which version, so two tuples give one digest only if they are the same tuple of the same kind.
//
// What o'clock it is never enters one: a message's times are left out, and an instant that matters
// goes in relative to another.
//
// Answers: D-1, D-2; spec 01, 3.1, 4 and 6.

#ifndef LIFECYCLE_RULES_FINGERPRINT_H_
#define LIFECYCLE_RULES_FINGERPRINT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/api/digest.h"

namespace lifecycle::rules {

class Fingerprint {
 public:
  // `of` names the kind of tuple ("schema input"), `version` its shape.
  explicit Fingerprint(absl::string_view of, int64_t version = 1) { Text(of).Int(version); }

  Fingerprint& Int(int64_t value) {
    encoder_.Int(value);
    return *this;
  }
  Fingerprint& Bool(bool value) { return Int(value ? 1 : 0); }
  Fingerprint& Text(absl::string_view text) {
    encoder_.Text(text);
    return *this;
  }
  // Every present field but the values of its times; that a time is set is kept.
  Fingerprint& Message(const google::protobuf::Message& message) {
    encoder_.MessageWithoutTimes(message);
    return *this;
  }
  // A message that may be missing, which is not the same as an empty one.
  Fingerprint& Optional(const google::protobuf::Message* message) {
    Bool(message != nullptr);
    return message == nullptr ? *this : Message(*message);
  }
  // An instant, as the time from another one to it.
  Fingerprint& Instant(int64_t time_ms, int64_t since_ms) { return Int(time_ms - since_ms); }

  // A list of texts.
  template <class Texts>
  Fingerprint& List(const Texts& texts) {
    Int(texts.size());
    for (const auto& text : texts) Text(text);
    return *this;
  }

  // Returns "sha256:" and 64 hex digits.
  std::string Digest() const { return encoder_.Digest(); }

 private:
  api::Encoder encoder_;
};

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_FINGERPRINT_H_
