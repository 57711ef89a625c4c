#include "lifecycle/api/errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lifecycle::api {
namespace {

constexpr char kPayloadUrl[] = "operator.ptah.run/api-error";

absl::StatusCode PrintableCode(const ApiError& error) {
  switch (error.code) {
    case 0:
      return absl::StatusCode::kUnavailable;
    case 400:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 409:
      return error.reason == kAlreadyExists ? absl::StatusCode::kAlreadyExists
                                            : absl::StatusCode::kAborted;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return absl::StatusCode::kInternal;
  }
}

bool HasReason(const absl::Status& status, int code, absl::string_view reason) {
  if (status.ok()) return false;
  const std::optional<ApiError> error = ApiErrorOf(status);
  return error && error->code == code && error->reason == reason;
}

}  // namespace

absl::Status ToStatus(const ApiError& error) {
  absl::Status status(PrintableCode(error), error.message);
  status.SetPayload(kPayloadUrl, absl::Cord(absl::StrCat(error.code, "\n", error.reason)));
  return status;
}

std::optional<ApiError> ApiErrorOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('\n', 1));
  ApiError error;
  if (!absl::SimpleAtoi(parts.first, &error.code)) return std::nullopt;
  error.reason = std::string(parts.second);
  error.message = std::string(status.message());
  return error;
}

bool IsNotFound(const absl::Status& status) { return HasReason(status, 404, kNotFound); }
bool IsConflict(const absl::Status& status) { return HasReason(status, 409, kConflict); }
bool IsAlreadyExists(const absl::Status& status) { return HasReason(status, 409, kAlreadyExists); }

}  // namespace lifecycle::api
