// A 128-bit hash of content: the state fingerprint's own arithmetic, the same on every machine.
//
// Not cryptographic: it tells states of one exploration apart. It reads values field by field in a
// fixed order, never memory, and no address or handle may be fed to it.

#ifndef SIM_HASH_H_
#define SIM_HASH_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace sim {

struct Hash128 {
  uint64_t hi = 0;
  uint64_t lo = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

// Absorbs values in order; two sequences of calls give one hash only if they are the same sequence
// (apart from collisions). Texts are length-prefixed.
class Hasher {
 public:
  Hasher& Int(uint64_t value) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(value ^ hi_) * (lo_ ^ UINT64_C(0x9E3779B97F4A7C15));
    hi_ = Rotate(hi_ + value * UINT64_C(0xC2B2AE3D27D4EB4F), 29) ^
          static_cast<uint64_t>(product >> 64);
    lo_ = Rotate(lo_ ^ value, 31) * UINT64_C(0x9E3779B185EBCA87) + static_cast<uint64_t>(product);
    return *this;
  }
  Hasher& Bool(bool value) { return Int(value ? 2 : 1); }
  Hasher& Hash(const Hash128& value) { return Int(value.hi).Int(value.lo); }
  Hasher& Text(absl::string_view text) {
    const char* const data = text.data();
    const size_t size = text.size();
    Int(size);
    size_t at = 0;
    for (; at + 8 <= size; at += 8) Int(EightBytes(data + at));
    if (at == size) return *this;
    const size_t past = at + 8 - size;
    return Int(size < 8 ? FewBytes(data, size) : EightBytes(data + size - 8) >> (8 * past));
  }
  Hash128 Finish() const {
    return Hash128{Mix(hi_ ^ Rotate(lo_, 32)), Mix(lo_ + UINT64_C(0x165667B19E3779F9) * hi_)};
  }

 private:
  static uint64_t Rotate(uint64_t value, int by) { return (value << by) | (value >> (64 - by)); }
  static uint64_t Mix(uint64_t value) {
    value ^= value >> 33;
    value *= UINT64_C(0xFF51AFD7ED558CCD);
    value ^= value >> 33;
    value *= UINT64_C(0xC4CEB9FE1A85EC53);
    return value ^ (value >> 33);
  }
  // Bytes as a number, the first lowest, on any machine. Written out, so that it is one load.
  static uint64_t EightBytes(const char* data) {
    const auto byte = [data](int i) {
      return static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
    };
    return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);
  }
  static uint64_t FewBytes(const char* data, size_t bytes) {
    uint64_t value = 0;
    for (size_t at = 0; at < bytes; ++at) {
      value |= static_cast<uint64_t>(static_cast<unsigned char>(data[at])) << (8 * at);
    }
    return value;
  }

  uint64_t hi_ = UINT64_C(0x243F6A8885A308D3);
  uint64_t lo_ = UINT64_C(0x13198A2E03707344);
};

}  // namespace sim

#endif  // SIM_HASH_H_
