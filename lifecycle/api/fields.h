// A message's fields as our own walks need them: in number order, with our options read once.
//
// Encoding, comparing, patching and printing all walk messages by descriptor. The library's own
// listing is sorted by nothing we promise, its maps have no order at all, and reading an option is
// slow; this is the one place that knows.

#ifndef LIFECYCLE_API_FIELDS_H_
#define LIFECYCLE_API_FIELDS_H_

#include <google/protobuf/map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lifecycle/api/time.pb.h"

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace lifecycle::api {

enum class Shape { kScalar, kMessage, kRepeated, kMap };

// All our maps are from text to text (or bytes).
using Texts = google::protobuf::Map<std::string, std::string>;

struct Field {
  const google::protobuf::FieldDescriptor* descriptor = nullptr;
  Shape shape = Shape::kScalar;
  TimeRole role = TIME_ROLE_UNSPECIFIED;  // Anything else: the field is a time in milliseconds.
  int64_t since_cap_ms = 0;
  bool is_duration = false;
  bool is_shown_count = false;
  // Of a message or a list of messages: the fields of those; else null.
  const std::vector<Field>* below = nullptr;
  // Of a map: how its message gives it out. Reflection itself has only a repeated form of a map,
  // which it makes anew for every copy of a message.
  const Texts& (*map)(const google::protobuf::Message& message) = nullptr;
  Texts* (*mutable_map)(google::protobuf::Message* message) = nullptr;
};

// Returns the fields of a message type in number order. Cached; the reference stays valid.
const std::vector<Field>& FieldsOf(const google::protobuf::Descriptor* descriptor);

// Returns the Field of a descriptor.
const Field& FieldOf(const google::protobuf::FieldDescriptor* descriptor);

// True when the field holds something: a set message or `optional`, a scalar other than zero, a
// list or map that is not empty.
bool IsPresent(const google::protobuf::Message& message, const Field& field);

// One entry of a map with text keys; `value` is text too (all our maps are), and lives as long as
// the map is not changed.
struct MapEntry {
  const std::string* key;
  const std::string* value;
};

// Returns a map's entries by key.
std::vector<MapEntry> SortedEntries(const google::protobuf::Message& message, const Field& field);

// Returns one entry's value, or nullptr when the key is not there.
const std::string* FindEntry(const google::protobuf::Message& message, const Field& field,
                             const std::string& key);
// Sets, adds or (`value` null) removes one entry.
void SetEntry(google::protobuf::Message* message, const Field& field, const std::string& key,
              const std::string* value);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_FIELDS_H_
