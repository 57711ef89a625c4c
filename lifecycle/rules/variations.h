// Every way to change one field of a message, by reflection: for tests that no field is forgotten.

#ifndef LIFECYCLE_RULES_VARIATIONS_H_
#define LIFECYCLE_RULES_VARIATIONS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace google::protobuf {
class Message;
}

namespace lifecycle::rules {

struct Variation {
  std::string path;  // "spec.template.spec.containers[0].image", and what was done to it.
  std::unique_ptr<google::protobuf::Message> message;
};

// Returns a copy of `message` for each single change: a scalar set to another value or cleared, a
// message made to appear or disappear, an element added, dropped or swapped with the next, an entry
// of a map added, dropped or given another value; in every message inside as well.
std::vector<Variation> VariationsOf(const google::protobuf::Message& message);
// Only those of them whose place in that list `wanted` holds for: the others are never made.
std::vector<Variation> VariationsOf(const google::protobuf::Message& message,
                                    absl::FunctionRef<bool(size_t index)> wanted);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_VARIATIONS_H_
