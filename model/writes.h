// The registry of durable writes: which entries of the specification's list one stored change is.
//
// A write is named by what changed, the family and what was stored before, never by who says so:
// the code under test does not name its writes. One patch can be several entries. A change of a
// manager's that is none of them is a finding, "unlisted write".
//
// Answers: spec 04; design.md, "Which durable write a request is".

#ifndef MODEL_WRITES_H_
#define MODEL_WRITES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/api/door.h"
#include "sim/interner.h"

namespace model {

inline constexpr int kWriteCount = 58;

// A set of the entries W-01 to W-58.
class WriteSet {
 public:
  constexpr WriteSet() = default;
  constexpr WriteSet(int number) : bits_(uint64_t{1} << number) {}  // NOLINT: W-12 is WriteSet(12).
  constexpr bool Has(int number) const { return (bits_ >> number & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr WriteSet operator|(WriteSet other) const { return FromBits(bits_ | other.bits_); }
  constexpr WriteSet& operator|=(WriteSet other) { return *this = *this | other; }
  constexpr uint64_t bits() const { return bits_; }
  static constexpr WriteSet FromBits(uint64_t bits) {
    WriteSet set;
    set.bits_ = bits;
    return set;
  }
  friend bool operator==(const WriteSet&, const WriteSet&) = default;
  friend auto operator<=>(const WriteSet&, const WriteSet&) = default;

 private:
  uint64_t bits_ = 0;
};

// Returns "W-12".
std::string WriteName(int number);
// Returns "W-12" or "W-21+W-20", lowest first; "unlisted" for the empty set.
std::string WriteNames(WriteSet writes);

// What the pass that made a write has done so far; it tells a Record from an adoption.
struct WriteContext {
  bool created_in_this_pass = false;  // The pass sent the create of the Job whose UID it records.
};

// Returns the entries that the change from `before` to `after` is. `before` is null for a create;
// `after` is null for an object that is gone.
WriteSet WritesOf(const lifecycle::api::Request& request, sim::Handle before, sim::Handle after,
                  const WriteContext& context);

// Returns the row of the newer page's own table that an entry belongs to, 1 to 12; 0 for none.
int PageRowOf(int number);

}  // namespace model

#endif  // MODEL_WRITES_H_
