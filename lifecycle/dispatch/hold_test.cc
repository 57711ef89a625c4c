#include "lifecycle/dispatch/hold.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/workload_samples.h"

namespace lifecycle::dispatch {
namespace {

using samples::Digest;
using samples::Epoch;
using samples::MigrationApply;
using samples::SchemaApply;

ClaimContext ContextOf(const MigrationApply& sample) {
  return {.family = rules::Family::kMigration,
          .owner = sample.migration.metadata(),
          .claim = sample.claim(),
          .binding = sample.migration.status().execution_binding()};
}

ClaimContext ContextOf(const SchemaApply& sample) {
  return {.family = rules::Family::kSchema,
          .owner = sample.schema.metadata(),
          .claim = sample.claim(),
          .binding = sample.schema.status().execution_binding(),
          .plan = &sample.schema.status().plan()};
}

// What the API server makes of a submitted Job.
api::Job Stored(api::Job job) {
  job.mutable_metadata()->set_uid("job-uid");
  for (auto* labels :
       {job.mutable_spec()->mutable_selector()->mutable_match_labels(),
        job.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels()}) {
    (*labels)[api::label::kControllerUid] = "job-uid";
  }
  return job;
}

TEST(HoldTest, AReadBackJobIsTheOneThatWasSent) {
  MigrationApply migration;
  migration.TakeSnapshot();
  const api::Job sent = migration.Build();
  EXPECT_EQ(HoldToBuilt(rules::JobAsker::kReadBack, ContextOf(migration), Stored(sent), sent),
            absl::OkStatus());
  SchemaApply schema;
  schema.TakeSnapshot();
  EXPECT_EQ(HoldToBuilt(rules::JobAsker::kReadBack, ContextOf(schema), Stored(schema.Build()),
                        schema.Build()),
            absl::OkStatus());
}

TEST(HoldTest, AJobIsHeldToTheEnvelopeWithoutARebuild) {
  MigrationApply migration;
  migration.TakeSnapshot();
  EXPECT_EQ(HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(migration),
                           Stored(migration.Build())),
            absl::OkStatus());
  SchemaApply schema;
  schema.TakeSnapshot();
  EXPECT_EQ(
      HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(schema), Stored(schema.Build())),
      absl::OkStatus());
}

TEST(HoldTest, ASubmittedJobIsHeldAsTheWebhookSeesIt) {
  MigrationApply sample;
  sample.TakeSnapshot();
  api::Job submitted = sample.Build();
  submitted.mutable_metadata()->set_uid("assigned-before-admission");
  EXPECT_EQ(
      HoldToBuilt(rules::JobAsker::kWebhookCreate, ContextOf(sample), submitted, sample.Build()),
      absl::OkStatus());
  submitted.mutable_spec()->set_ttl_seconds_after_finished(300);
  EXPECT_FALSE(
      HoldToBuilt(rules::JobAsker::kWebhookCreate, ContextOf(sample), submitted, sample.Build())
          .ok());
}

TEST(HoldTest, AClaimWithoutASnapshotHoldsNoJob) {
  const MigrationApply sample;
  EXPECT_FALSE(
      HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(sample), Stored(sample.Build()))
          .ok());
}

TEST(HoldTest, AManagerThatOnlyChangedItsIdentityAdoptsItsPredecessorsJob) {
  MigrationApply predecessor;
  predecessor.TakeSnapshot();
  const api::Job live = Stored(predecessor.Build());
  MigrationApply successor = predecessor;
  successor.configuration.controller_image = samples::Pinned('d');
  successor.configuration.controller_revision = "r2";
  successor.configuration.runner_image = samples::Pinned('e');
  EXPECT_FALSE(
      HoldToBuilt(rules::JobAsker::kReadBack, ContextOf(successor), live, successor.Build()).ok());
  EXPECT_EQ(
      HoldToBuilt(rules::JobAsker::kInputsHold, ContextOf(successor), live, successor.Build()),
      absl::OkStatus());
}

template <class Sample>
void ExpectAnotherBuilderDoesNotHold(Sample predecessor) {
  predecessor.TakeSnapshot();
  const api::Job live = Stored(predecessor.Build());
  Sample successor = predecessor;
  successor.configuration.builder_revision = 2;
  EXPECT_FALSE(
      HoldToBuilt(rules::JobAsker::kInputsHold, ContextOf(successor), live, successor.Build())
          .ok());
  EXPECT_FALSE(HoldToBuilt(rules::JobAsker::kWebhookCreate, ContextOf(successor),
                           predecessor.Build(), successor.Build())
                   .ok());
  // What the claim fixes without a rebuild, the Job has all the same: it may be cleaned up.
  EXPECT_EQ(HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(successor), live),
            absl::OkStatus());
}

TEST(HoldTest, AManagerThatBuildsAnotherJobDoesNotHoldItsPredecessors) {
  ExpectAnotherBuilderDoesNotHold(MigrationApply());
  ExpectAnotherBuilderDoesNotHold(SchemaApply());
}

TEST(HoldTest, AJobThatCannotBeRebuiltIsNotHeld) {
  MigrationApply sample;
  sample.TakeSnapshot();
  EXPECT_EQ(HoldToBuilt(rules::JobAsker::kInputsHold, ContextOf(sample), Stored(sample.Build()),
                        absl::FailedPreconditionError("the plan is gone"))
                .message(),
            "the plan is gone");
}

TEST(HoldTest, ACollectedJobStaysTheClaims) {
  MigrationApply sample;
  sample.TakeSnapshot();
  api::Job live = Stored(sample.Build());
  live.mutable_spec()->set_ttl_seconds_after_finished(300);
  EXPECT_EQ(HoldToBuilt(rules::JobAsker::kInputsHold, ContextOf(sample), live, sample.Build()),
            absl::OkStatus());
  EXPECT_EQ(HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(sample), live),
            absl::OkStatus());
}

struct Variation {
  const char* what;
  std::function<void(api::Job&)> apply;
  bool envelope_sees_it = true;
};

std::vector<Variation> JobVariations() {
  const auto pod = [](api::Job& job) {
    return job.mutable_spec()->mutable_template_()->mutable_spec();
  };
  return {
      {"the UID", [](api::Job& job) { job.mutable_metadata()->clear_uid(); }},
      {"the name", [](api::Job& job) { job.mutable_metadata()->set_name("other"); }},
      {"the owner",
       [](api::Job& job) {
         job.mutable_metadata()->mutable_owner_references(0)->set_uid("other");
       }},
      {"a second owner",
       [](api::Job& job) {
         *job.mutable_metadata()->add_owner_references() = job.metadata().owner_references(0);
       }},
      {"the operation id",
       [](api::Job& job) {
         (*job.mutable_metadata()->mutable_annotations())[api::annotation::kOperationId] =
             Digest('f');
       }},
      {"the epoch",
       [](api::Job& job) {
         (*job.mutable_metadata()->mutable_annotations())[api::annotation::kExecutionBindingId] =
             Epoch('f');
       }},
      {"the mutating mark",
       [](api::Job& job) {
         job.mutable_metadata()->mutable_annotations()->erase(api::annotation::kSafeToEvict);
       }},
      {"a label",
       [](api::Job& job) {
         (*job.mutable_metadata()->mutable_labels())[api::label::kOperation] = "history";
       }},
      {"the executor's image",
       [pod](api::Job& job) { pod(job)->mutable_containers(0)->set_image(samples::Pinned('f')); }},
      {"an instant",
       [pod](api::Job& job) {
         for (api::EnvVar& one : *pod(job)->mutable_containers(0)->mutable_env()) {
           if (one.time_ms() != 0) one.set_time_ms(one.time_ms() + 1);
         }
       }},
      {"the service-account token",
       [pod](api::Job& job) { pod(job)->set_automount_service_account_token(true); }},
      // The envelope does not compare the Job's own spec, only its template.
      {"the backoff limit", [](api::Job& job) { job.mutable_spec()->set_backoff_limit(1); }, false},
      {"the parallelism", [](api::Job& job) { job.mutable_spec()->set_parallelism(2); }, false},
      {"another TTL",
       [](api::Job& job) { job.mutable_spec()->set_ttl_seconds_after_finished(299); }, false},
  };
}

TEST(HoldTest, AJobThatDiffersInOneThingIsRefused) {
  MigrationApply sample;
  sample.TakeSnapshot();
  for (const Variation& variation : JobVariations()) {
    SCOPED_TRACE(variation.what);
    api::Job live = Stored(sample.Build());
    variation.apply(live);
    EXPECT_FALSE(
        HoldToBuilt(rules::JobAsker::kInputsHold, ContextOf(sample), live, sample.Build()).ok());
    EXPECT_EQ(HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(sample), live).ok(),
              !variation.envelope_sees_it);
  }
}

TEST(HoldTest, AClaimThatDiffersInOneThingRefusesTheJob) {
  using Claim = api::ActiveOperation;
  const std::vector<std::pair<const char*, std::function<void(Claim&)>>> variations = {
      {"id", [](Claim& claim) { claim.set_id(Digest('f')); }},
      {"job name", [](Claim& claim) { claim.set_job_name("other"); }},
      {"recorded UID", [](Claim& claim) { claim.set_job_uid("other"); }},
      {"epoch", [](Claim& claim) { claim.set_execution_binding_id(Epoch('f')); }},
      {"input fingerprint", [](Claim& claim) { claim.set_input_fingerprint(Digest('f')); }},
      {"type", [](Claim& claim) { claim.set_type("History"); }},
      {"snapshot",
       [](Claim& claim) { claim.mutable_admission_snapshot()->set_template_digest(Digest('f')); }},
      {"start", [](Claim& claim) { claim.set_started_at_ms(claim.started_at_ms() + 1); }},
  };
  for (const auto& [what, apply] : variations) {
    SCOPED_TRACE(what);
    MigrationApply sample;
    sample.TakeSnapshot();
    const api::Job live = Stored(sample.Build());
    apply(*sample.migration.mutable_status()->mutable_active_operation());
    EXPECT_FALSE(HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(sample), live).ok());
  }
}

TEST(HoldTest, AClaimOfAnotherEpochThanTheOneInForceHoldsNoJob) {
  MigrationApply sample;
  sample.TakeSnapshot();
  const api::Job live = Stored(sample.Build());
  sample.migration.mutable_status()->mutable_execution_binding()->set_epoch(Epoch('f'));
  EXPECT_FALSE(HoldToEnvelope(rules::JobAsker::kInputsMoved, ContextOf(sample), live).ok());
}

}  // namespace
}  // namespace lifecycle::dispatch
