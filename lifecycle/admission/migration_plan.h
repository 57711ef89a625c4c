// The manager's publication of a migration's plan.
//
// Answers: spec 01, 4, 12.2 row 6; W-51.

#ifndef LIFECYCLE_ADMISSION_MIGRATION_PLAN_H_
#define LIFECYCLE_ADMISSION_MIGRATION_PLAN_H_

#include "absl/status/status.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/migration.pb.h"

namespace lifecycle::admission {

// OK only for a plan that the migration's stored status derives again, which is why the status is
// stored first.
absl::Status ReviewMigrationPlan(const api::PtahMigrationPlan& plan,
                                 const api::DirectReader& reader,
                                 const api::Configuration& configuration);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_MIGRATION_PLAN_H_
