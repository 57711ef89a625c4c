// The manager's writes that publish a schema's plan and project it.
//
// Answers: spec 01, 3, 12.2 rows 3 to 5; S-08, S-50.

#ifndef LIFECYCLE_ADMISSION_SCHEMA_PLAN_H_
#define LIFECYCLE_ADMISSION_SCHEMA_PLAN_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::admission {

// OK only for the plan that the schema's active Plan claim has just computed, recording this
// manager.
absl::Status ReviewSchemaPlan(const api::PtahSchemaPlan& plan, const api::DirectReader& reader,
                              const api::Configuration& configuration);

// OK only for a chunk that its plan's manifest lists. A successor may finish what a predecessor
// began.
absl::Status ReviewChunk(const api::PtahSchemaPlanChunk& chunk, const api::DirectReader& reader);

// OK only for a projection of the plan an undispatched Apply claim is about to run.
absl::Status ReviewProjection(const api::ConfigMap& projection, const api::DirectReader& reader);

// Returns the plan status.plan names when the object, its chunks and its projection are all this
// plan's. Errors: PermissionDenied that says what is not.
absl::StatusOr<std::shared_ptr<const api::PtahSchemaPlan>> ReadProjectedPlan(
    const api::PtahSchema& schema, const api::DirectReader& reader);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_SCHEMA_PLAN_H_
