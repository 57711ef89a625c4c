// Showing that a Pod of a running Job is not one its claim's envelope accepts.
//
// A report and nothing more: the claim stands, and what the Pod did is judged when its Job is read.
//
// Answers: spec 02, F-6; spec 01, 12.3.

#ifndef LIFECYCLE_SCHEMA_REFUSED_PODS_H_
#define LIFECYCLE_SCHEMA_REFUSED_PODS_H_

#include "absl/status/status.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// Writes the condition where it changed. A list that fails says nothing and is not an error: the
// next pass looks again. Errors: of the write.
absl::Status ReportRefusedPods(Pass& pass, const api::Job& job);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_REFUSED_PODS_H_
