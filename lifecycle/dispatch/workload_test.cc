#include "lifecycle/dispatch/workload.h"

#include <string>

#include "gtest/gtest.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/dispatch/workload_samples.h"
#include "lifecycle/rules/admission_snapshot.h"

namespace lifecycle::dispatch {
namespace {

api::Job MigrationApply(const samples::MigrationApply& sample) {
  return *BuildMigrationJob(sample.migration, sample.claim(), &sample.plan, sample.configuration);
}

const api::EnvVar* FindEnv(const api::Job& job, const char* name) {
  for (const api::EnvVar& one : job.spec().template_().spec().containers(0).env()) {
    if (one.name() == name) return &one;
  }
  return nullptr;
}

TEST(WorkloadTest, AMigrationApplyIsShapedAsTheSpecificationSays) {
  const samples::MigrationApply sample;
  const api::Job job = MigrationApply(sample);
  EXPECT_EQ(job.metadata().name(), sample.claim().job_name());
  EXPECT_EQ(job.metadata().owner_references(0).uid(), "migration-uid");
  EXPECT_TRUE(job.metadata().owner_references(0).controller());
  EXPECT_TRUE(job.metadata().owner_references(0).block_owner_deletion());
  EXPECT_EQ(job.spec().backoff_limit(), 0);
  EXPECT_EQ(job.spec().parallelism(), 1);
  EXPECT_EQ(job.spec().completions(), 1);
  EXPECT_FALSE(job.spec().has_ttl_seconds_after_finished());
  // The window, and the Job's minute of grace.
  EXPECT_EQ(job.spec().active_deadline_seconds(), 900 + 60);
  const api::PodSpec& pod = job.spec().template_().spec();
  EXPECT_EQ(pod.restart_policy(), "Never");
  EXPECT_EQ(pod.termination_grace_period_seconds(), 30);
  EXPECT_TRUE(pod.has_automount_service_account_token());
  EXPECT_FALSE(pod.automount_service_account_token());
  EXPECT_EQ(pod.containers(0).name(), api::kExecutorContainer);
  EXPECT_EQ(pod.containers(0).termination_message_policy(), "File");
}

TEST(WorkloadTest, AMutatingPodIsToldItsDeadlinesAndItsSequence) {
  const samples::MigrationApply sample;
  const api::Job job = MigrationApply(sample);
  EXPECT_EQ(FindEnv(job, api::kEnvOperation)->value(), "migration-apply");
  EXPECT_EQ(FindEnv(job, api::kEnvOperationId)->value(), sample.claim().id());
  EXPECT_EQ(FindEnv(job, api::kEnvCoordinationDigest)->value(),
            sample.claim().coordination_digest());
  EXPECT_EQ(FindEnv(job, api::kEnvDispatchNotAfter)->time_ms(),
            sample.claim().dispatch_not_after_ms());
  EXPECT_EQ(FindEnv(job, api::kEnvExecutionNotAfter)->time_ms(),
            sample.claim().execution_not_after_ms());
  EXPECT_EQ(FindEnv(job, api::kEnvTerminationGrace)->value(), "30");
  EXPECT_EQ(FindEnv(job, api::kEnvExpectSequence)->value(), "3:c3,4:c4");
}

TEST(WorkloadTest, AReadOnlyPodIsToldNoDeadlineAndBearsNoMutatingMark) {
  samples::MigrationApply sample;
  sample.migration.mutable_status()->mutable_active_operation()->set_type("History");
  const api::Job job =
      *BuildMigrationJob(sample.migration, sample.claim(), nullptr, sample.configuration);
  EXPECT_EQ(FindEnv(job, api::kEnvDispatchNotAfter), nullptr);
  EXPECT_EQ(FindEnv(job, api::kEnvExpectSequence), nullptr);
  EXPECT_EQ(job.metadata().annotations().count(api::annotation::kSafeToEvict), 0u);
}

TEST(WorkloadTest, AnApplyWithoutItsPlanOrDeadlinesCannotBeBuilt) {
  samples::MigrationApply sample;
  EXPECT_FALSE(
      BuildMigrationJob(sample.migration, sample.claim(), nullptr, sample.configuration).ok());
  sample.migration.mutable_status()->mutable_active_operation()->clear_execution_not_after_ms();
  EXPECT_FALSE(
      BuildMigrationJob(sample.migration, sample.claim(), &sample.plan, sample.configuration).ok());
}

TEST(WorkloadTest, AnUnknownTypeHasNoJob) {
  samples::MigrationApply sample;
  sample.migration.mutable_status()->mutable_active_operation()->set_type("Rewind");
  EXPECT_FALSE(
      BuildMigrationJob(sample.migration, sample.claim(), &sample.plan, sample.configuration).ok());
}

TEST(WorkloadTest, ASchemaApplyMountsOneConfigMapAChunkAndNamesItsPlan) {
  const samples::SchemaApply sample;
  const api::Job job =
      *BuildSchemaJob(sample.schema, sample.claim(), &sample.plan, sample.configuration);
  EXPECT_EQ(job.spec().active_deadline_seconds(), 900);
  const api::Volume* plan = nullptr;
  for (const api::Volume& volume : job.spec().template_().spec().volumes()) {
    if (volume.name() == api::kPlanVolume) plan = &volume;
  }
  ASSERT_NE(plan, nullptr);
  ASSERT_EQ(plan->projected().sources_size(), 2);
  EXPECT_EQ(plan->projected().sources(0).config_map().name(), "plan-000");
  EXPECT_EQ(plan->projected().sources(1).config_map().name(), "plan-001");
  EXPECT_EQ(job.metadata().annotations().at(api::annotation::kPlanFingerprint),
            sample.plan.spec().fingerprint());
  EXPECT_EQ(job.spec().template_().metadata().annotations().at(api::annotation::kPlanContentDigest),
            sample.plan.spec().content_digest());
}

TEST(WorkloadTest, BuildingTwiceGivesTheSameJob) {
  const samples::MigrationApply sample;
  EXPECT_TRUE(api::Equal(MigrationApply(sample), MigrationApply(sample)));
}

TEST(WorkloadTest, NoTextAndNoDigestDependsOnTheTimeOfDay) {
  samples::MigrationApply early;
  samples::MigrationApply late;
  api::ActiveOperation& claim = *late.migration.mutable_status()->mutable_active_operation();
  constexpr int64_t kLaterMs = 86'400'000;
  claim.set_started_at_ms(claim.started_at_ms() + kLaterMs);
  claim.set_dispatch_not_after_ms(claim.dispatch_not_after_ms() + kLaterMs);
  claim.set_execution_not_after_ms(claim.execution_not_after_ms() + kLaterMs);
  const api::Job a = MigrationApply(early);
  const api::Job b = MigrationApply(late);
  EXPECT_EQ(TemplateDigestOf(a, early.claim()), TemplateDigestOf(b, late.claim()));
  EXPECT_EQ(api::Encoder().MessageWithoutTimes(a).bytes(),
            api::Encoder().MessageWithoutTimes(b).bytes());
}

TEST(WorkloadTest, ADeadlineThatMovesAgainstTheClaimMovesTheTemplateDigest) {
  const samples::MigrationApply sample;
  api::Job job = MigrationApply(sample);
  const std::string before = TemplateDigestOf(job, sample.claim());
  for (api::EnvVar& one : *job.mutable_spec()
                               ->mutable_template_()
                               ->mutable_spec()
                               ->mutable_containers(0)
                               ->mutable_env()) {
    if (one.name() == api::kEnvDispatchNotAfter) one.set_time_ms(one.time_ms() + 1);
  }
  EXPECT_NE(TemplateDigestOf(job, sample.claim()), before);
}

TEST(WorkloadTest, TheResolvedSnapshotIsValidAndPinsTheTemplate) {
  const samples::MigrationApply sample;
  const api::Job job = MigrationApply(sample);
  const api::AdmissionSnapshot snapshot = samples::SnapshotOf(job, sample.claim());
  EXPECT_TRUE(rules::ValidateSnapshot(snapshot).ok());
  EXPECT_EQ(snapshot.template_digest(), TemplateDigestOf(job, sample.claim()));
}

TEST(WorkloadTest, TheSnapshotAnnotationIsNoPartOfTheTemplateDigest) {
  samples::MigrationApply sample;
  const std::string without = TemplateDigestOf(MigrationApply(sample), sample.claim());
  sample.TakeSnapshot();
  EXPECT_EQ(TemplateDigestOf(MigrationApply(sample), sample.claim()), without);
}

TEST(WorkloadTest, TheManagerIdentityTakenFromALiveTemplateIsAllThatDiffers) {
  const samples::MigrationApply sample;
  samples::MigrationApply upgraded;
  upgraded.configuration.controller_image = samples::Pinned('d');
  upgraded.configuration.controller_revision = "r2";
  upgraded.configuration.runner_image = samples::Pinned('e');
  const api::Job live = MigrationApply(sample);
  api::Job expected = MigrationApply(upgraded);
  ASSERT_FALSE(api::Equal(expected, live));
  TakeManagerIdentity(live.spec().template_(), expected);
  EXPECT_TRUE(api::Equal(expected, live));
}

TEST(WorkloadTest, AnotherBuildersTemplateIsAnotherOneWhoeverItSaysBuiltIt) {
  const samples::MigrationApply sample;
  samples::MigrationApply rebuilt;
  rebuilt.configuration.builder_revision = 2;
  const api::Job live = MigrationApply(sample);
  api::Job expected = MigrationApply(rebuilt);
  EXPECT_NE(TemplateDigestOf(expected, sample.claim()), TemplateDigestOf(live, sample.claim()));
  TakeManagerIdentity(live.spec().template_(), expected);
  EXPECT_FALSE(api::Equal(expected, live));
}

TEST(WorkloadTest, TheDispatcherIsReadOffTheTemplate) {
  const samples::MigrationApply sample;
  const api::ManagerRecord manager = DispatchedBy(MigrationApply(sample).spec().template_());
  EXPECT_EQ(manager.controller_image(), sample.configuration.controller_image);
  EXPECT_EQ(manager.controller_revision(), sample.configuration.controller_revision);
  EXPECT_EQ(manager.controller_state_version(), 1);
  EXPECT_EQ(manager.ptah_version(), sample.configuration.ptah_version);
}

TEST(WorkloadTest, AJobHasEndedWhenATerminalConditionIsTrue) {
  api::Job job;
  EXPECT_FALSE(EndOf(job).terminal);
  api::JobCondition* condition = job.mutable_status()->add_conditions();
  condition->set_type("Failed");
  condition->set_status("False");
  EXPECT_FALSE(EndOf(job).terminal);
  condition->set_status("True");
  condition->set_last_transition_time_ms(7);
  EXPECT_TRUE(EndOf(job).terminal);
  EXPECT_FALSE(EndOf(job).succeeded);
  EXPECT_EQ(EndOf(job).at_ms, 7);
  condition->set_type("Complete");
  EXPECT_TRUE(EndOf(job).succeeded);
}

}  // namespace
}  // namespace lifecycle::dispatch
