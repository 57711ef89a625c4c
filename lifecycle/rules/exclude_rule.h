// Whether an entry of `policy.exclude` can be understood at all.
//
// An entry is a pattern over qualified object names, with `*`, `?` and `[...]` as in a shell and a
// backslash before a character that is meant literally. An entry that says nothing, or that leaves
// a bracket or an escape open, is refused before it reaches a Job: read as "excludes nothing" it
// would let an Apply drop what a person meant to keep.
//
// Answers: spec 02, B-10 (which entries are invalid is inferred; no page says so).

#ifndef LIFECYCLE_RULES_EXCLUDE_RULE_H_
#define LIFECYCLE_RULES_EXCLUDE_RULE_H_

#include "absl/strings/string_view.h"

namespace lifecycle::rules {

constexpr bool IsExcludePattern(absl::string_view pattern) {
  if (pattern.empty()) return false;
  bool in_class = false;
  bool class_is_empty = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    // No name holds a blank or a control character; the bytes of other scripts are above them.
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7F) return false;
    if (c == '\\' && ++i == pattern.size()) return false;
    if (c == '[' && !in_class) {
      in_class = class_is_empty = true;
    } else if (c == ']' && in_class && !class_is_empty) {
      in_class = false;
    } else {
      class_is_empty = false;
    }
  }
  return !in_class;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_EXCLUDE_RULE_H_
