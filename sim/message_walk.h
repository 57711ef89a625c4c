// One walk over a message that gives all that the world needs to know of it.
//
// Content and times are told apart as lifecycle/api/time_fields.h tells them apart, but hashed here
// directly and not by way of bytes, since every new object a run makes is walked once.

#ifndef SIM_MESSAGE_WALK_H_
#define SIM_MESSAGE_WALK_H_

#include <cstdint>
#include <vector>

#include "lifecycle/api/patch.h"
#include "sim/hash.h"
#include "sim/interner.h"

namespace sim {

struct Walked {
  Hash128 content;  // Everything but the values of times.
  Hash128 exact;    // Everything.
  std::vector<TimeValue> times;
  std::vector<uint64_t> mentions;  // Sorted, without repeats.
};

// Walks an API object.
Walked Walk(const google::protobuf::Message& object);

// Absorbs what a patch with these paths and values does: each path, and the value it sets there,
// times included, or that it deletes.
void AbsorbPatch(const std::vector<lifecycle::api::FieldPath>& paths,
                 const google::protobuf::Message& values, Hasher& hasher);

}  // namespace sim

#endif  // SIM_MESSAGE_WALK_H_
