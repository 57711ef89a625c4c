// Cow: a value that copies share until one of them edits it.
//
// Copying a World happens at every step, changing one part of it seldom, so the parts that are made
// of strings are held in these: a copy is a pointer, and a digest of the content is computed once
// for all copies. A world belongs to one thread, so the count of sharers is a plain integer.

#ifndef SIM_COW_H_
#define SIM_COW_H_

#include <cstdint>
#include <utility>

#include "sim/hash.h"

namespace sim {

template <class T>
class Cow {
 public:
  Cow() = default;
  Cow(T value) : node_(new Node{std::move(value)}) {}  // NOLINT: a Cow stands for its value.
  Cow(const Cow& other) : node_(other.node_) {
    if (node_ != nullptr) ++node_->sharers;
  }
  Cow(Cow&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Cow& operator=(const Cow& other) {
    Cow copy(other);
    std::swap(node_, copy.node_);
    return *this;
  }
  Cow& operator=(Cow&& other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Cow() {
    if (node_ != nullptr && --node_->sharers == 0) delete node_;
  }

  const T& operator*() const { return node_ == nullptr ? Default() : node_->value; }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT: a Cow reads as its value.

  // Returns the value for changing; copies that shared it keep what they had. The reference is good
  // until this Cow is next copied: a change through it afterwards would be a change of the copy
  // too.
  T& Edit() {
    if (node_ == nullptr) {
      node_ = new Node{T{}};
    } else if (node_->sharers > 1) {
      Node* own = new Node{node_->value};
      --node_->sharers;
      node_ = own;
    }
    node_->has_digest = false;
    return node_->value;
  }

  // Returns `compute(value)`, which must depend on the value alone and always be the same function.
  // It is called once for all sharers.
  template <class Compute>
  Hash128 Digest(Compute compute) const {
    if (node_ == nullptr) return compute(Default());
    if (!node_->has_digest) {
      node_->digest = compute(node_->value);
      node_->has_digest = true;
    }
    return node_->digest;
  }

  friend bool operator==(const Cow& a, const Cow& b) { return a.node_ == b.node_ || *a == *b; }

 private:
  struct Node {
    T value;
    uint32_t sharers = 1;
    bool has_digest = false;
    Hash128 digest{};
  };

  static const T& Default() {
    static const T* const value = new T{};
    return *value;
  }

  Node* node_ = nullptr;
};

}  // namespace sim

#endif  // SIM_COW_H_
