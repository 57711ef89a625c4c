// The manager's writes of Jobs: the one create of a claim, and the cleanup TTL.
//
// Answers: spec 01, 12.2 rows 1 and 2; spec 03, 7.3; S-20, S-44.

#ifndef LIFECYCLE_ADMISSION_JOB_WRITES_H_
#define LIFECYCLE_ADMISSION_JOB_WRITES_H_

#include "absl/status/status.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/core.pb.h"

namespace lifecycle::admission {

// OK only for a Job that one current resource's claim reserves, has not recorded yet, and would
// build just so.
absl::Status ReviewJobCreate(const api::Job& job, const api::DirectReader& reader,
                             const api::Configuration& configuration);

// OK only for the transition of the cleanup TTL from absent to 300, and only on the Job its claim
// names, or on the ended Job that a schema's retirement record names.
absl::Status ReviewJobUpdate(const api::Job& before, const api::Job& after,
                             const api::DirectReader& reader);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_JOB_WRITES_H_
