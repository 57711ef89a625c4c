#include "model/engine/key.h"

#include <cstdio>

#include "model/engine/require.h"

namespace model {
namespace {

// Keys may be as plain as {0, 7} in a small system, so the table mixes them itself (the finalizer
// of MurmurHash3). Only look-ups depend on it: numbers follow the order of first sight.
uint64_t Mix(Key128 key) {
  uint64_t h = key.lo ^ (key.hi * 0x9e3779b97f4a7c15u);
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

std::optional<uint64_t> ParseHex16(absl::string_view text) {
  uint64_t value = 0;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace

std::string KeyText(Key128 key) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(key.hi),
                static_cast<unsigned long long>(key.lo));
  return text;
}

std::optional<Key128> ParseKey(absl::string_view text) {
  if (text.size() != 32) return std::nullopt;
  const auto hi = ParseHex16(text.substr(0, 16));
  const auto lo = ParseHex16(text.substr(16));
  if (!hi || !lo) return std::nullopt;
  return Key128{*hi, *lo};
}

KeyIndex::KeyIndex() : slots_(64) {}

size_t KeyIndex::SlotOf(Key128 key, uint64_t mixed) const {
  const size_t mask = slots_.size() - 1;
  const uint32_t tag = static_cast<uint32_t>(mixed >> 32);
  for (size_t i = mixed & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.number_plus_one == 0) return i;
    if (slot.tag == tag && keys_[slot.number_plus_one - 1] == key) return i;
  }
}

KeyIndex::Numbered KeyIndex::Intern(Key128 key) {
  const uint64_t mixed = Mix(key);
  Slot& slot = slots_[SlotOf(key, mixed)];
  if (slot.number_plus_one != 0) return {slot.number_plus_one - 1, false};
  Require(keys_.size() < 0x3fffffff, "more than 2^30 states");
  keys_.push_back(key);
  const uint32_t number = static_cast<uint32_t>(keys_.size() - 1);
  slot = {number + 1, static_cast<uint32_t>(mixed >> 32)};
  if (keys_.size() * 10 > slots_.size() * 7) Grow();
  return {number, true};
}

std::optional<uint32_t> KeyIndex::Find(Key128 key) const {
  const Slot& slot = slots_[SlotOf(key, Mix(key))];
  if (slot.number_plus_one == 0) return std::nullopt;
  return slot.number_plus_one - 1;
}

void KeyIndex::Grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  for (size_t number = 0; number < keys_.size(); ++number) {
    const uint64_t mixed = Mix(keys_[number]);
    slots_[SlotOf(keys_[number], mixed)] = {static_cast<uint32_t>(number + 1),
                                            static_cast<uint32_t>(mixed >> 32)};
  }
}

}  // namespace model
