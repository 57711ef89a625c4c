// Random API objects for property tests, a function of one seed.

#ifndef LIFECYCLE_API_RANDOM_MESSAGE_H_
#define LIFECYCLE_API_RANDOM_MESSAGE_H_

#include <cstdint>
#include <memory>

#include "lifecycle/api/kind.h"

namespace google::protobuf {
class Message;
}

namespace lifecycle::api {

// Gives about `per_cent` of the fields of `message` random values; the others keep what they had.
// Values come from small ranges, so that two random messages often agree in some.
void Randomize(uint64_t seed, int per_cent, google::protobuf::Message* message);

// Returns a random object of some kind.
std::unique_ptr<google::protobuf::Message> RandomObject(uint64_t seed);

// Returns a copy of `object` with some fields changed: often none, sometimes most.
std::unique_ptr<google::protobuf::Message> RandomVariation(uint64_t seed,
                                                           const google::protobuf::Message& object);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_RANDOM_MESSAGE_H_
