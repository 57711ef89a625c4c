// The errors an API server answers with, in its own words.
//
// Code, reason and message are a real server's, because the lifecycle branches on them
// (lifecycle/api/errors.h) and a reader of a report should recognise them.

#ifndef SIM_API_ERRORS_H_
#define SIM_API_ERRORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/kind.h"

namespace sim {

// Returns "jobs.batch": the resource with its group, as errors name it.
std::string ResourceName(lifecycle::api::Kind kind);

absl::Status NotFoundError(const lifecycle::api::Key& key);
// 404 for a path the server does not serve, such as the status of a ConfigMap.
absl::Status NoSuchResourceError();
absl::Status AlreadyExistsError(const lifecycle::api::Key& key);
absl::Status ConflictError(const lifecycle::api::Key& key, absl::string_view why);
// The conflict of a version that is not the stored one.
absl::Status ModifiedError(const lifecycle::api::Key& key);
absl::Status InvalidError(const lifecycle::api::Key& key, absl::string_view why);
// 403: an admission plugin refused it.
absl::Status ForbiddenError(const lifecycle::api::Key& key, absl::string_view why);
absl::Status BadRequestError(absl::string_view why);
// What a webhook's refusal becomes, unless the webhook worded it as a server's error itself.
absl::Status WebhookRefusal(const absl::Status& refusal);
// 500 without a reason: what an error that has no better name becomes.
absl::Status PlainServerError(absl::string_view message);

}  // namespace sim

#endif  // SIM_API_ERRORS_H_
