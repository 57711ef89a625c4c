#include "lifecycle/rules/create_class.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "lifecycle/api/errors.h"

namespace lifecycle::rules {
namespace {

// Authentication, authorization, validation, malformed, absent or terminating namespace.
constexpr int kRefusals[] = {400, 401, 403, 404, 405, 406, 413, 415, 422};

// True when `message` holds `before`, a non-empty quoted name, then `after`.
bool NamesAWebhook(absl::string_view message, absl::string_view before, absl::string_view after) {
  const size_t start = message.find(before);
  if (start == absl::string_view::npos) return false;
  const absl::string_view rest = message.substr(start + before.size());
  const size_t end = rest.find('"');
  return end != absl::string_view::npos && end > 0 && absl::StartsWith(rest.substr(end + 1), after);
}

// A webhook denies with the code it chose, so a denial is known by the server's own wording.
bool WebhookDenied(const CreateAnswer& answer) {
  return answer.code >= 400 &&
         NamesAWebhook(answer.message, "admission webhook \"", " denied the request");
}

bool WebhookCouldNotBeCalled(const CreateAnswer& answer) {
  return answer.code == 500 && answer.reason == api::kInternalError &&
         NamesAWebhook(answer.message, "failed calling webhook \"", "");
}

bool EndedBeforeStorage(const CreateAnswer& answer) {
  if (WebhookDenied(answer) || WebhookCouldNotBeCalled(answer)) return true;
  if (answer.code == 429) return answer.reason == api::kTooManyRequests;
  return std::find(std::begin(kRefusals), std::end(kRefusals), answer.code) != std::end(kRefusals);
}

}  // namespace

CreateClass ClassifyCreate(const CreateAnswer& answer) {
  if (!answer.answered) return CreateClass::kAmbiguous;
  if (answer.code == 200 || answer.code == 201) return CreateClass::kStored;
  if (answer.code == 409 && answer.reason == api::kAlreadyExists) {
    return CreateClass::kAlreadyExists;
  }
  if (!EndedBeforeStorage(answer) || answer.earlier_attempt_unanswered) {
    return CreateClass::kAmbiguous;
  }
  return CreateClass::kRefusedBeforeStoring;
}

CreateClass ClassifyCreate(const absl::Status& status) {
  if (status.ok()) return CreateClass::kStored;
  const std::optional<api::ApiError> error = api::ApiErrorOf(status);
  if (!error || error->code == 0) return CreateClass::kAmbiguous;
  return ClassifyCreate(
      CreateAnswer{.code = error->code, .reason = error->reason, .message = error->message});
}

}  // namespace lifecycle::rules
