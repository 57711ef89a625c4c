// What a request says must hold of the stored object, and what the answer is when it does not.
//
// Answers: api-server.md, "Versions", "Names and identity".

#ifndef SIM_PRECONDITIONS_H_
#define SIM_PRECONDITIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/door.h"
#include "sim/world.h"

namespace sim {

// Judges an update, patch or delete against what is stored. Errors: Conflict; Invalid for an update
// that has to carry a version and does not.
absl::Status CheckPreconditions(const lifecycle::api::Request& request, const Entry& entry);

// Judges whether the body is about the object that the request names. Errors: BadRequest.
absl::Status CheckBody(const lifecycle::api::Request& request);

// What a request refers to by UID: its precondition, or for an update the object it carries.
const std::string& UidOf(const lifecycle::api::Request& request);

// The conflict of an update whose UID is not the stored one; `stored` is empty when nothing is.
absl::Status UpdateUidConflict(const lifecycle::api::Key& key, absl::string_view wanted,
                               absl::string_view stored);

}  // namespace sim

#endif  // SIM_PRECONDITIONS_H_
