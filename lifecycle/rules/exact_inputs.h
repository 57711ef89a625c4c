// Holds a digest to a written list of what it is made of: for tests that no input is forgotten, and
// that nothing else is one.

#ifndef LIFECYCLE_RULES_EXACT_INPUTS_H_
#define LIFECYCLE_RULES_EXACT_INPUTS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace google::protobuf {
class Message;
}

namespace lifecycle::rules {

// Changes one field of `message` at a time, and returns the first change that `digest` should have
// shown and did not, or showed and should not have; empty when it is made of exactly these fields,
// named as "spec.policy.exclude", each with all that is in it. Values of times are no input
// (fingerprint.h). A field must be there to be changed: give a message that has all of them.
std::string OtherInputs(const google::protobuf::Message& message,
                        const std::vector<std::string>& fields,
                        absl::FunctionRef<std::string(const google::protobuf::Message&)> digest);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_EXACT_INPUTS_H_
