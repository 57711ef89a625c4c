// Digests, and the canonical bytes they are taken of.
//
// Everything the lifecycle names by content (fingerprints, ids, Job names, holders) and everything
// the world tells apart by content goes through the Encoder: the library's own serialization
// promises no order, so it is never an identity.
//
// Answers: spec 01, 0.1 (digest, epoch, pinned image) and 8 (base32 names); D-1, D-2.

#ifndef LIFECYCLE_API_DIGEST_H_
#define LIFECYCLE_API_DIGEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}

namespace lifecycle::api {

struct Field;

// Returns the 32 bytes of SHA-256.
std::string Sha256(absl::string_view bytes);
// Returns SHA-256 as 64 lowercase hex digits.
std::string Sha256Hex(absl::string_view bytes);
// Returns "sha256:" and 64 lowercase hex digits: the form a digest has in every object.
std::string DigestOf(absl::string_view bytes);

// True for the form that DigestOf gives.
bool IsDigest(absl::string_view text);
// True for "v1-" and 32 lowercase hex digits, the form of an execution binding's and a Lease's
// epoch.
bool IsEpoch(absl::string_view text);
// True for a reference without whitespace that ends in "@sha256:" and 64 hex digits, at most 512
// long.
bool IsPinnedImage(absl::string_view text);

// Returns the 32 bytes that a digest spells. Aborts when `digest` is not one.
std::string DigestBytes(absl::string_view digest);
// Returns the epoch of 16 bytes. Aborts for any other number of them.
std::string EpochOf(absl::string_view sixteen_bytes);

std::string HexLower(absl::string_view bytes);
// RFC 4648 base32 in lower case without padding.
std::string Base32Lower(absl::string_view bytes);

// Writes values as bytes such that two sequences of calls give equal bytes only if they are the
// same sequence: integers have one width, texts and messages carry their length or end.
class Encoder {
 public:
  Encoder& Int(int64_t value);
  Encoder& Bool(bool value) { return Int(value ? 1 : 0); }
  Encoder& Text(absl::string_view text);
  // Every present field by number, lists in order, maps by key; equal messages of one type give
  // equal bytes, messages that differ in any value or presence do not.
  Encoder& Message(const google::protobuf::Message& message);
  // The same with every time field's value left out. That it is set is kept.
  Encoder& MessageWithoutTimes(const google::protobuf::Message& message);

  const std::string& bytes() const { return bytes_; }
  // Returns the digest of what was written so far.
  std::string Digest() const { return DigestOf(bytes_); }

 private:
  enum class Times { kKept, kLeftOut };
  void Fields(const google::protobuf::Message& message, const std::vector<Field>& fields,
              Times times);

  std::string bytes_;
};

// Returns Encoder().Message(message).bytes().
std::string CanonicalBytes(const google::protobuf::Message& message);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_DIGEST_H_
