#include "sim/api_errors.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/errors.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr char kModified[] =
    "the object has been modified; please apply your changes to the latest version and try again";

// ".batch", or nothing for the core group.
std::string GroupSuffix(api::Kind kind) {
  const absl::string_view version = api::ApiVersionOf(kind);
  const size_t slash = version.find('/');
  return slash == absl::string_view::npos ? "" : absl::StrCat(".", version.substr(0, slash));
}

absl::Status Error(int code, const char* reason, std::string message) {
  return api::ToStatus(api::ApiError{code, reason, std::move(message)});
}

}  // namespace

std::string ResourceName(api::Kind kind) {
  const std::string name = absl::AsciiStrToLower(api::KindName(kind));
  return absl::StrCat(name, name.back() == 's' ? "es" : "s", GroupSuffix(kind));
}

absl::Status NotFoundError(const api::Key& key) {
  return Error(404, api::kNotFound,
               absl::StrCat(ResourceName(key.kind), " \"", key.name, "\" not found"));
}

absl::Status NoSuchResourceError() {
  return Error(404, api::kNotFound, "the server could not find the requested resource");
}

absl::Status AlreadyExistsError(const api::Key& key) {
  return Error(409, api::kAlreadyExists,
               absl::StrCat(ResourceName(key.kind), " \"", key.name, "\" already exists"));
}

absl::Status ConflictError(const api::Key& key, absl::string_view why) {
  return Error(409, api::kConflict,
               absl::StrCat("Operation cannot be fulfilled on ", ResourceName(key.kind), " \"",
                            key.name, "\": ", why));
}

absl::Status ModifiedError(const api::Key& key) { return ConflictError(key, kModified); }

absl::Status InvalidError(const api::Key& key, absl::string_view why) {
  return Error(422, api::kInvalid,
               absl::StrCat(api::KindName(key.kind), GroupSuffix(key.kind), " \"", key.name,
                            "\" is invalid: ", why));
}

absl::Status ForbiddenError(const api::Key& key, absl::string_view why) {
  return Error(403, api::kForbidden,
               absl::StrCat(ResourceName(key.kind), " \"", key.name, "\" is forbidden: ", why));
}

absl::Status BadRequestError(absl::string_view why) {
  return Error(400, api::kBadRequest, std::string(why));
}

absl::Status WebhookRefusal(const absl::Status& refusal) {
  if (api::ApiErrorOf(refusal).has_value()) return refusal;
  return Error(403, api::kForbidden,
               absl::StrCat("admission webhook \"controller-writes.operator.ptah.run\" denied the "
                            "request: ",
                            refusal.message()));
}

absl::Status PlainServerError(absl::string_view message) {
  return Error(500, "", std::string(message));
}

}  // namespace sim
