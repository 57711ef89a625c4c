// The identity of a state, and the table that turns it into a small number.
//
// A key is a fingerprint of a state's content, made by the system that is explored. Two states with
// one key are one state to the engine, so a key must hold all that can affect the future and
// nothing else. With 128 bits, a million states collide with a probability below 10^-26.
#ifndef MODEL_ENGINE_KEY_H_
#define MODEL_ENGINE_KEY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace model {

// A state's fingerprint: of content, never of addresses or handles. {0, 0} stands for "no state".
struct Key128 {
  uint64_t hi = 0;
  uint64_t lo = 0;
  friend auto operator<=>(const Key128&, const Key128&) = default;
};

// The key as 32 lower-case hexadecimal digits, and back. ParseKey returns nothing for other text.
std::string KeyText(Key128 key);
std::optional<Key128> ParseKey(absl::string_view text);

// Numbers keys 0, 1, 2, ... in the order in which they are first seen. Open addressing over 8-byte
// slots (a number and a tag of the key), so a probe for a new key rarely touches the keys
// themselves. Costs 16 bytes a key plus 11 to 23 bytes of slots.
class KeyIndex {
 public:
  KeyIndex();

  struct Numbered {
    uint32_t number;
    bool is_new;
  };
  // Returns the number of `key`, giving it the next one if it has none.
  Numbered Intern(Key128 key);

  // Returns the number of `key`, or nothing if it was never seen.
  std::optional<uint32_t> Find(Key128 key) const;

  Key128 KeyOf(uint32_t number) const { return keys_[number]; }
  size_t size() const { return keys_.size(); }

  // Bytes in use: a figure of the content alone, so that it is the same on every run and machine.
  size_t bytes() const { return keys_.size() * sizeof(Key128) + slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t number_plus_one = 0;  // 0: the slot is free.
    uint32_t tag = 0;
  };

  size_t SlotOf(Key128 key, uint64_t mixed) const;
  void Grow();

  std::vector<Key128> keys_;
  std::vector<Slot> slots_;  // A power of two, at most 7/10 full.
};

}  // namespace model

#endif  // MODEL_ENGINE_KEY_H_
