// CowMap: a small map from text whose entries copies share until one of them edits it.
//
// Reads like a const std::map, in key order. Copying one copies a pointer an entry.

#ifndef SIM_COW_MAP_H_
#define SIM_COW_MAP_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "sim/cow.h"

namespace sim {

template <class T>
class CowMap {
 public:
  using value_type = std::pair<const std::string, T>;

 private:
  using Slots = std::vector<Cow<value_type>>;

 public:
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = CowMap::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    const_iterator() = default;
    reference operator*() const { return **slot_; }
    pointer operator->() const { return &**slot_; }
    const_iterator& operator++() {
      ++slot_;
      return *this;
    }
    const_iterator operator++(int) { return const_iterator(slot_++); }
    friend bool operator==(const const_iterator&, const const_iterator&) = default;

   private:
    friend class CowMap;
    explicit const_iterator(typename Slots::const_iterator slot) : slot_(slot) {}
    typename Slots::const_iterator slot_;
  };
  using iterator = const_iterator;

  const_iterator begin() const { return const_iterator(slots_.begin()); }
  const_iterator end() const { return const_iterator(slots_.end()); }
  size_t size() const { return slots_.size(); }
  bool empty() const { return slots_.empty(); }

  const_iterator find(absl::string_view key) const {
    const auto slot = Lower(slots_, key);
    return slot != slots_.end() && (*slot)->first == key ? const_iterator(slot) : end();
  }
  bool contains(absl::string_view key) const { return find(key) != end(); }
  // Returns the value, or nullptr.
  const T* Get(absl::string_view key) const {
    const const_iterator found = find(key);
    return found == end() ? nullptr : &found->second;
  }

  // Returns the value for changing, a new one when there is none. See Cow::Edit.
  T& Edit(absl::string_view key) {
    auto slot = Lower(slots_, key);
    if (slot == slots_.end() || (*slot)->first != key) {
      slot = slots_.insert(slot, Cow<value_type>(value_type(std::string(key), T{})));
    }
    return slot->Edit().second;
  }
  // Removes the entry if there is one.
  void Erase(absl::string_view key) {
    const auto slot = Lower(slots_, key);
    if (slot != slots_.end() && (*slot)->first == key) slots_.erase(slot);
  }
  // Removes the entries that `condition(key, value)` holds for.
  template <class Condition>
  void EraseIf(Condition condition) {
    slots_.erase(std::remove_if(slots_.begin(), slots_.end(),
                                [&](const Cow<value_type>& slot) {
                                  return condition(slot->first, slot->second);
                                }),
                 slots_.end());
  }

  // Calls `visit(hash, value)` for every entry in key order; `hash` is of `compute(key, value)`,
  // computed once for all sharers of an entry. See Cow::Digest.
  template <class Compute, class Visit>
  void ForEachDigest(Compute compute, Visit visit) const {
    for (const Cow<value_type>& slot : slots_) {
      visit(
          slot.Digest([&](const value_type& entry) { return compute(entry.first, entry.second); }),
          slot->second);
    }
  }

  friend bool operator==(const CowMap&, const CowMap&) = default;

 private:
  template <class S>
  static auto Lower(S& slots, absl::string_view key) {
    return std::lower_bound(
        slots.begin(), slots.end(), key,
        [](const Cow<value_type>& slot, absl::string_view k) { return slot->first < k; });
  }

  Slots slots_;
};

}  // namespace sim

#endif  // SIM_COW_MAP_H_
