// What the API server answers when it does not do what it was asked.
//
// An error travels as an absl::Status whose payload holds the server's own {code, reason, message}.
// Every branch on an error goes through the functions below, because answers that look alike mean
// different things: a 500 that names a webhook was refused before storage, any other 500 may have
// been stored.
//
// Answers: spec 03, 4.1; api-server.md, "Errors by reason".

#ifndef LIFECYCLE_API_ERRORS_H_
#define LIFECYCLE_API_ERRORS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lifecycle::api {

// Reasons as a Kubernetes API server spells them (metav1.StatusReason).
inline constexpr char kAlreadyExists[] = "AlreadyExists";
inline constexpr char kConflict[] = "Conflict";
inline constexpr char kNotFound[] = "NotFound";
inline constexpr char kInvalid[] = "Invalid";
inline constexpr char kForbidden[] = "Forbidden";
inline constexpr char kUnauthorized[] = "Unauthorized";
inline constexpr char kTooManyRequests[] = "TooManyRequests";
inline constexpr char kTimeout[] = "Timeout";
inline constexpr char kServerTimeout[] = "ServerTimeout";
inline constexpr char kInternalError[] = "InternalError";
inline constexpr char kBadRequest[] = "BadRequest";

// The server's own words. `code` is the HTTP status, 0 when no answer came at all (connection lost,
// context cancelled); `reason` may be empty.
struct ApiError {
  int code = 0;
  std::string reason;
  std::string message;
  friend bool operator==(const ApiError&, const ApiError&) = default;
};

// Returns a Status that carries `error`. The absl code is chosen for printing only.
absl::Status ToStatus(const ApiError& error);

// Returns what the server said, or nullopt for a status that is OK or did not come from the server.
std::optional<ApiError> ApiErrorOf(const absl::Status& status);

// NotFound (404): the read or write saw no such object; nothing was stored.
bool IsNotFound(const absl::Status& status);
// Conflict (409): the precondition failed; nothing was stored.
bool IsConflict(const absl::Status& status);
// AlreadyExists (409): something holds the name, perhaps one's own earlier write.
bool IsAlreadyExists(const absl::Status& status);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_ERRORS_H_
