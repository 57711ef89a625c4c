// What a migration supplies to the nine steps of a dispatch.
//
// Answers: spec 02, E-1, E-4, E-5, D-7; spec 03, 4.4, 12.4.

#ifndef LIFECYCLE_MIGRATION_DISPATCH_H_
#define LIFECYCLE_MIGRATION_DISPATCH_H_

#include <optional>

#include "lifecycle/dispatch/driver.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/migration/plan.h"

namespace lifecycle::migration {

class MigrationDispatch final : public dispatch::FamilyDispatch {
 public:
  explicit MigrationDispatch(Pass& pass) : pass_(pass) {}

  // ClaimHolder.
  rules::Family family() const override { return rules::Family::kMigration; }
  const api::ObjectMeta& metadata() const override { return pass_.metadata(); }
  const api::ActiveOperation& claim() const override { return pass_.claim(); }
  const api::ExecutionBinding& binding() const override { return pass_.binding(); }
  absl::Status WriteClaim(dispatch::ClaimEdit edit) override { return pass_.WriteClaim(edit); }

  // FamilyDispatch.
  dispatch::StepResult Authorize() override;
  dispatch::StepResult Build(api::Job& job) override;
  absl::StatusOr<api::AdmissionSnapshot> ResolveSnapshot(const api::Job& job) override;
  api::PassResult Refuse(rules::JobRefusal refusal, const absl::Status& why) override;
  dispatch::StepResult Consume() override;
  api::PassResult Unaccounted(const api::Stored<api::Job>* job, absl::string_view why) override;
  api::PassResult RetryReadOnly(const api::Stored<api::Job>* job, absl::string_view why) override;

 private:
  dispatch::StepResult AuthorizeInputs();
  dispatch::StepResult AuthorizePlan();
  dispatch::StepResult AuthorizeApproval();
  dispatch::StepResult WaitForPods();

  Pass& pass_;
  std::optional<StoredPlan> plan_;  // As Authorize read it in this pass.
};

// Rebuilds the Job of the claim as it stands, for whoever holds a Job to it (F-4). Errors:
// FailedPrecondition when it cannot be built (the plan is gone or was replaced); an API error when
// a read failed.
absl::StatusOr<api::Job> RebuildJob(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_DISPATCH_H_
