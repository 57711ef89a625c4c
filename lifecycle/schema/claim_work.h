// A schema's claim as the dispatch driver sees it: what each of the nine steps is for this family.
//
// Answers: spec 02, E-1, E-3, E-4.2, E-5; spec 03, 4.4, 12.2.

#ifndef LIFECYCLE_SCHEMA_CLAIM_WORK_H_
#define LIFECYCLE_SCHEMA_CLAIM_WORK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/dispatch/driver.h"
#include "lifecycle/schema/pass.h"
#include "lifecycle/schema/plan_object.h"

namespace lifecycle::schema {

class ClaimWork final : public dispatch::FamilyDispatch {
 public:
  // `pass` has a claim and outlives this.
  explicit ClaimWork(Pass& pass) : pass_(pass) {}

  rules::Family family() const override { return rules::Family::kSchema; }
  const api::ObjectMeta& metadata() const override { return pass_.metadata(); }
  const api::ActiveOperation& claim() const override { return *pass_.claim(); }
  const api::ExecutionBinding& binding() const override {
    return pass_.status().execution_binding();
  }
  const api::PlanRecord* plan_record() const override {
    return operation().mutating ? pass_.plan() : nullptr;
  }
  const api::PendingObservation* proof() const override { return pass_.proof(); }

  absl::Status WriteClaim(dispatch::ClaimEdit edit) override;
  absl::Status WriteLeaseEpoch(const std::string& epoch, const rules::LeaseUse& use) override;

  dispatch::StepResult Authorize() override;
  dispatch::StepResult Stage() override;
  dispatch::StepResult Build(api::Job& job) override;
  absl::StatusOr<api::AdmissionSnapshot> ResolveSnapshot(const api::Job& job) override;
  api::PassResult Refuse(rules::JobRefusal refusal, const absl::Status& why) override;
  dispatch::StepResult Consume() override;
  api::PassResult Unaccounted(const api::Stored<api::Job>* job, absl::string_view why) override;
  api::PassResult RetryReadOnly(const api::Stored<api::Job>* job, absl::string_view why) override;

  // F-4. Returns the Job as this build makes it again for the claim. Errors: FailedPrecondition
  // when it cannot be rebuilt, which holds nothing. An answer of the API server that leaves the
  // question open ends the pass instead.
  dispatch::StepResult Rebuild(absl::StatusOr<api::Job>& rebuilt);

 private:
  dispatch::StepResult AuthorizeVerify();
  dispatch::StepResult AuthorizeApply();
  dispatch::StepResult WaitForPodsOfLostJob();
  // Reads the plan object once a pass; nullopt afterwards when it is gone.
  absl::Status ReadPlanOnce();
  // Reads and verifies the plan's bytes once a pass; nullopt afterwards when they do not hold.
  absl::Status ReadChunksOnce();

  Pass& pass_;
  bool plan_read_ = false;
  std::optional<StoredPlan> plan_;
  bool chunks_read_ = false;
  std::optional<std::vector<StoredChunk>> chunks_;
};

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_CLAIM_WORK_H_
