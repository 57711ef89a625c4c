// The times inside an object, by role, and an object's content without them.
//
// A world is interned by content apart from its times, with the times beside, so that the clock
// moving on does not make every object another one. For that the two halves must be exact: equal
// EncodeWithoutTimes and an equal list from ForEachTime is an equal object, and nothing else.
//
// Answers: design.md, "Time is absolute in objects and relative in the key".

#ifndef LIFECYCLE_API_TIME_FIELDS_H_
#define LIFECYCLE_API_TIME_FIELDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/time.pb.h"

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

namespace lifecycle::api {

struct TimeField {
  // In JSON names, elements of lists without an index: "status.conditions.lastTransitionTime".
  std::string path;
  TimeRole role = TIME_ROLE_UNSPECIFIED;
  // For SINCE: elapsed times beyond it are one.
  int64_t since_cap_ms = 0;
  friend bool operator==(const TimeField&, const TimeField&) = default;
};

// Returns every time a message of the type can hold, in field order. Cached.
const std::vector<TimeField>& TimeFieldsOf(const google::protobuf::Descriptor* descriptor);

// Calls `visit` for every time that is set, in field order, list elements in list order. `value_ms`
// is never 0. The TimeField lives as long as the program.
void ForEachTime(const google::protobuf::Message& message,
                 absl::FunctionRef<void(const TimeField& field, int64_t value_ms)> visit);

// Writes everything but the values of times. Which times are set is kept.
//
// One time stands in a text: `recordedAt` in the JSON that a migration carries as a copy of its
// unresolved run. It is visited and left out like the others; whether it equals the record's own is
// written instead, because that is what it is compared with (P-3).
void EncodeWithoutTimes(const google::protobuf::Message& message, Encoder& out);

// True for approvals and acknowledgments: of several, the oldest wins, so the order of their
// creation times is part of a state although the times are only shown.
bool CreationOrderMatters(Kind kind);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_TIME_FIELDS_H_
