// API objects as JSON, shaped as Kubernetes shapes it, and the strict reading of it.
//
// People read objects this way, a migration carries a copy of its unresolved run this way, and
// frames and summaries travel this way. The text is a function of the value: fields in number
// order, maps by key, no spelling left open.
//
// Answers: spec 01, 2.8 (the copy is read strictly), 11.1 and 11.2 (frame and summary).

#ifndef LIFECYCLE_API_JSON_H_
#define LIFECYCLE_API_JSON_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}

namespace lifecycle::api {

enum class JsonStyle {
  kCompact,  // One line, no spaces.
  kPretty,   // Two spaces a level, no newline at the end.
};

// Returns `message` as JSON. Absent fields are left out, times are RFC 3339, lengths of time are
// Go's
// ("10m0s"), bytes are base64, all integers are numbers. An object of a Kind opens with apiVersion
// and kind.
std::string ToJson(const google::protobuf::Message& message, JsonStyle style = JsonStyle::kCompact);

// Replaces `message` by what `text` says. Strict: an unknown or repeated field, a value of another
// type, a null, or anything after the value is an InvalidArgument that says where. Whitespace
// between tokens is allowed. apiVersion and kind of an object must be its own.
absl::Status FromJson(absl::string_view text, google::protobuf::Message* message);

// Returns what a write changed, in one line for a timeline: `phase "Pending" -> "Applying",
// +activeOperation{type "Apply", ...}, activeOperation.jobUID "" -> "uid-1"`. Both are of one type.
// "status." is left out; long texts are cut. Empty when nothing changed.
std::string DescribeChange(const google::protobuf::Message& base,
                           const google::protobuf::Message& next);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_JSON_H_
