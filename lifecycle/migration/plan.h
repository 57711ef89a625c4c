// A migration's plan: built from a reading, published under a name its own fingerprint gives it,
// and held to what stands whenever a claim is decided from it.
//
// A plan is evidence and never permission: every claim re-reads it, and one binding that moved
// drops it whole.
//
// Answers: spec 01, 4, 12.2; spec 02, D-6, K-3; W-51.

#ifndef LIFECYCLE_MIGRATION_PLAN_H_
#define LIFECYCLE_MIGRATION_PLAN_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

inline constexpr int64_t kPlanContractVersion = 1;
inline constexpr int kPlanMigrationsMax = 256;

using StoredPlan = api::Stored<api::PtahMigrationPlan>;
using Pending = google::protobuf::RepeatedPtrField<api::PlannedMigration>;

// Returns the plan that `migration`'s stored evidence, this sequence and this policy make: spec,
// name and owner, without a creation time.
api::PtahMigrationPlan BuildPlan(const api::PtahMigration& migration, const Pending& pending,
                                 const VerificationPolicy& policy,
                                 const api::Configuration& configuration);

// Returns why `plan` is no longer what the migration's own status and spec support; empty when it
// is. The policy object is not looked at.
std::string PlanMoved(const api::PtahMigrationPlan& plan, const api::PtahMigration& migration);

// What re-reading a plan and the policy object it names came to.
struct PlanReading {
  std::optional<StoredPlan> plan;  // Set when everything it was computed under still holds.
  std::string moved;               // Otherwise why not, for people.
};

// D-6, E-1: re-reads the plan named, and the verification policy. Errors: a read failed.
absl::StatusOr<PlanReading> ReadCurrentPlan(const api::ObjectRef& ref, Pass& pass);

// W-51: publishes a plan; one that stands under the name already is taken when it is this very
// decision. Errors: the API server's, or AlreadyExists when something else holds the name.
absl::StatusOr<StoredPlan> PublishPlan(api::PtahMigrationPlan plan, Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_PLAN_H_
