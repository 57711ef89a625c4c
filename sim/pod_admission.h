// What the admission plugins of an API server make of a Pod that is created, before any webhook is
// asked.
//
// The account and the class that ranks a Pod are filled in where it names none, and a Pod whose
// account, class or runtime class is not there is refused. Whoever made it, such as the Job
// controller, tries again.
//
// No limit range of a modelled namespace and no runtime class asks anything of a Pod, so there is
// nothing else of theirs to put into one.
//
// Answers: api-server.md, "Admission".

#ifndef SIM_POD_ADMISSION_H_
#define SIM_POD_ADMISSION_H_

#include "absl/status/statusor.h"
#include "lifecycle/api/door.h"
#include "sim/world.h"

namespace sim {

// Returns the Pod that the request creates as the plugins let it through. Errors: Forbidden.
absl::StatusOr<lifecycle::api::MessagePtr> AdmitPod(const World& world,
                                                    const lifecycle::api::Request& create);

}  // namespace sim

#endif  // SIM_POD_ADMISSION_H_
