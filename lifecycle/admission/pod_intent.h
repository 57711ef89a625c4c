// Whether a Pod of an operation's Job is what the claim's snapshot was resolved for.
//
// A cluster's own plugins change a Pod on its way in, so what runs is not what the Job's template
// says. The snapshot binds what they go by; once any of it has moved, the next Pod would be of
// another envelope than the one the claim recorded, and is refused. A Pod that no record speaks for
// is not judged: what is promised has to hold without that.
//
// Answers: spec 01, 12.3.

#ifndef LIFECYCLE_ADMISSION_POD_INTENT_H_
#define LIFECYCLE_ADMISSION_POD_INTENT_H_

#include "absl/status/status.h"
#include "lifecycle/api/admission.h"

namespace lifecycle::api {
class Pod;
}

namespace lifecycle::admission {

// Judges a Pod that is created, as the plugins let it through.
absl::Status ReviewPod(const api::Pod& pod, const api::DirectReader& reader);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_POD_INTENT_H_
