// A patch as the list of fields it changes, computed from descriptors.
//
// A write of the lifecycle is a JSON merge patch from what was read to what should be. Kept as
// paths, it can be applied without JSON, printed, and matched against the registry of durable
// writes, which knows each write by the fields it sets.
//
// Answers: spec 01, 0.2; api-server.md, "Patches".

#ifndef LIFECYCLE_API_PATCH_H_
#define LIFECYCLE_API_PATCH_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace lifecycle::api {

// One field of an object, from its root; the last may be one entry of a map.
struct FieldPath {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  std::optional<std::string> map_key;

  // Returns the path in JSON names, such as "status.activeOperation.jobUID" or
  // "metadata.annotations[operator.ptah.run/unresolved-run]".
  std::string ToString() const;
  // Returns the first name: "metadata", "spec", "status", or a built-in kind's own.
  const std::string& RootName() const;
  // True when the path is `path` (as ToString writes it) or lies under it.
  bool IsUnder(absl::string_view path) const;
  // True when a change here is a change of `path`: one is the other or lies under it.
  bool Touches(absl::string_view path) const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;
};

// Returns the paths of every field in which two messages of one type differ, in field order.
// Messages present on both sides are looked into; one that appears or disappears is one path, and
// so is a list. Maps differ by key. A top-level message that appears is looked into as well, so
// that the first status write of an object names its fields.
std::vector<FieldPath> Diff(const google::protobuf::Message& base,
                            const google::protobuf::Message& next);

// Gives `target` the values that `values` has at `paths`: absent there means deleted, lists are
// replaced whole, messages are merged field by field. All three are of one type.
void ApplyPatch(const std::vector<FieldPath>& paths, const google::protobuf::Message& values,
                google::protobuf::Message* target);

// True when two messages of one type hold the same values, presence included.
bool Equal(const google::protobuf::Message& a, const google::protobuf::Message& b);

// The same, leaving out the fields of these numbers (of `a` and `b` themselves, not of what they
// hold).
bool EqualApartFrom(const google::protobuf::Message& a, const google::protobuf::Message& b,
                    std::initializer_list<int> field_numbers);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_PATCH_H_
