// A claim and the Job it built, for the tests of what a Job has to be.

#ifndef LIFECYCLE_RULES_JOB_FIXTURE_H_
#define LIFECYCLE_RULES_JOB_FIXTURE_H_

#include <optional>
#include <string>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/rules/job_claim.h"

namespace lifecycle::rules {

// The values a ClaimIdentity points at, so that a test can change one and ask again.
struct JobFixture {
  Family family = Family::kSchema;
  std::string owner_namespace, owner_name, owner_uid;
  std::string type, id, job_name, recorded_uid, epoch, input_fingerprint;
  api::AdmissionSnapshot snapshot;
  std::optional<int64_t> started_at_ms;
  bool has_plan = false;
  std::string plan_name, plan_uid, plan_fingerprint, plan_content, plan_epoch, plan_ptah_version;
  int64_t plan_state_version = 0;
  api::ExecutionBinding binding;
  bool binding_given = true;
  api::Job built;      // As the builder made it.
  api::Job submitted;  // As a webhook sees its create.
  api::Job stored;     // As it is read back.

  // Asks Match about `job`.
  std::optional<Mismatch> MatchJob(MatchMode mode, const api::Job& job) const;
  // Asks about the Job as that mode finds it.
  std::optional<Mismatch> MatchOwn(MatchMode mode) const;
  const api::Job& JobOf(MatchMode mode) const;
};

// A schema's or a migration's claim of the type, dispatched.
JobFixture FixtureOf(Family family, const std::string& type);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_JOB_FIXTURE_H_
