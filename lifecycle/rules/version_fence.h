// The stored-state version fence: a manager touches no state a newer one wrote.
//
// Any refusal refuses the whole pass, before anything (finalizer, Lease, binding, claim) is
// written.
//
// Answers: spec 03, 14.

#ifndef LIFECYCLE_RULES_VERSION_FENCE_H_
#define LIFECYCLE_RULES_VERSION_FENCE_H_

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace lifecycle::rules {

// `stored` is nullopt when the record that holds the field is absent. 0 is a record that never had
// the field.
constexpr bool VersionAccepted(std::optional<int64_t> stored, int64_t supported) {
  return !stored || (*stored >= 0 && *stored <= supported);
}

// True when every fenced field of a resource is accepted.
constexpr bool PassAllowed(std::initializer_list<std::optional<int64_t>> stored,
                           int64_t supported) {
  for (const std::optional<int64_t>& version : stored) {
    if (!VersionAccepted(version, supported)) return false;
  }
  return true;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_VERSION_FENCE_H_
