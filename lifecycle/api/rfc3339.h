// Instants as Kubernetes writes them: RFC 3339 in UTC, computed without a time zone or a clock.
//
// Milliseconds since the Unix epoch. A fraction is written only when there is one, as three digits,
// so that a value has one spelling.

#ifndef LIFECYCLE_API_RFC3339_H_
#define LIFECYCLE_API_RFC3339_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace lifecycle::api {

// Returns such as "2024-01-01T00:00:30Z" or "2024-01-01T00:00:30.250Z". Years 1 to 9999.
std::string FormatRfc3339(int64_t ms);

// Inverse of FormatRfc3339: nullopt for anything that it does not write.
std::optional<int64_t> ParseRfc3339(absl::string_view text);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_RFC3339_H_
