// The execution binding: whether the one in force is this manager's, and making the next one.
//
// Four components bind, and the manager's own identity does not, so that a release that changes
// nothing a Job runs with keeps epoch, plan and approval. An epoch is fresh at every installation,
// also when the components return to what they once were: nothing made under an old one revives.
//
// Answers: spec 01, 1.3; spec 02, M-0; S-28, S-40.

#ifndef LIFECYCLE_DISPATCH_BINDING_H_
#define LIFECYCLE_DISPATCH_BINDING_H_

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/operation.pb.h"

namespace lifecycle::dispatch {

// True when the epoch is well formed and the four components are the configured ones.
bool IsInForce(const api::ExecutionBinding& binding, const api::Configuration& configuration);

// Returns a binding of the configured components under a new epoch. Draws one random token, for the
// resource with this UID.
api::ExecutionBinding NewBinding(api::Client& client, const std::string& resource_uid,
                                 const api::Configuration& configuration);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_BINDING_H_
