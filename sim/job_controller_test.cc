#include "sim/job_controller.h"

#include <algorithm>
#include <memory>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

std::shared_ptr<api::ConfigMap> PlanChunk() {
  auto chunk = std::make_shared<api::ConfigMap>();
  chunk->mutable_metadata()->set_namespace_("test");
  chunk->mutable_metadata()->set_name("chunk");
  return chunk;
}

// What the manager does with a Job it has accounted for.
void SetTtl(ActorWorld& at) {
  auto job = std::make_shared<api::Job>(*at.TheJob());
  job->mutable_spec()->set_ttl_seconds_after_finished(300);
  ASSERT_TRUE(Update(at.server, at.world, "test", job, api::Subresource::kMain).status.ok());
}

TEST(JobControllerTest, AStoredJobsPodIsCreatedAndRunningInOneStep) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);

  const api::Pod& pod = *at.ThePod();
  const api::Job& job = *at.TheJob();
  EXPECT_EQ(pod.metadata().name(), PodNameOf(job, 0));
  EXPECT_TRUE(ControlledBy(pod.metadata(), job.metadata().uid()));
  ASSERT_EQ(pod.metadata().owner_references_size(), 1);
  EXPECT_TRUE(pod.metadata().owner_references(0).block_owner_deletion());
  EXPECT_EQ(pod.status().phase(), api::pod_phase::kRunning);
  EXPECT_TRUE(ExecutorStatusOf(pod)->state().has_running());
  EXPECT_EQ(job.status().active(), 1);
  EXPECT_EQ(job.status().start_time_ms(), kTestStartMs);
  EXPECT_EQ(at.TheOperation().pods, Count::kOne);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
}

TEST(JobControllerTest, ThePodCarriesItsTemplatesLabelsAndSpec) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);

  const api::PodTemplateSpec& made_of = at.TheJob()->spec().template_();
  for (const auto& [key, value] : made_of.metadata().labels()) {
    EXPECT_EQ(at.ThePod()->metadata().labels().at(key), value);
  }
  EXPECT_EQ(at.ThePod()->spec().containers_size(), made_of.spec().containers_size());
}

TEST(JobControllerTest, AJobIsCompleteOnceItsPodSucceeded) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_FALSE(at.Find(StepKind::kFinishJob).has_value());
  at.Take(StepKind::kRun, "finish");
  EXPECT_FALSE(IsFinished(*at.TheJob(), nullptr));
  at.Take(StepKind::kFinishJob);

  int64_t finished_ms = 0;
  ASSERT_TRUE(IsFinished(*at.TheJob(), &finished_ms));
  EXPECT_EQ(finished_ms, at.world.now_ms);
  EXPECT_EQ(at.TheJob()->status().conditions(0).type(), api::condition::kJobComplete);
}

TEST(JobControllerTest, AFailedPodFailsTheJobAndHasNoSuccessor) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kKillPod, "hard", 0);
  at.Take(StepKind::kFinishJob);

  EXPECT_EQ(at.TheJob()->status().conditions(0).type(), api::condition::kJobFailed);
  EXPECT_EQ(at.TheJob()->status().conditions(0).reason(), api::reason::kBackoffLimitExceeded);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
}

TEST(JobControllerTest, AJobPastItsDeadlineHasItsPodStopped) {
  ActorWorld at;
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.AddJob({.window_ms = 900'000, .deadline_seconds = 60});
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "pause", 1);
  EXPECT_FALSE(at.Find(StepKind::kFinishJob, "deadline").has_value());
  at.Take(StepKind::kAdvanceClock);
  ASSERT_EQ(at.world.now_ms, kTestStartMs + 60'000);
  at.Take(StepKind::kFinishJob, "deadline");

  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kFailed);
  EXPECT_EQ(at.ThePod()->status().reason(), api::reason::kDeadlineExceeded);
  EXPECT_EQ(at.TheJob()->status().conditions(0).reason(), api::reason::kDeadlineExceeded);
  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kPartial);
}

TEST(JobControllerTest, APodWaitsForTheVolumeItMounts) {
  ActorWorld at;
  at.AddJob({.mounts = "chunk"});
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kPending);
  EXPECT_TRUE(at.world.runs.empty());
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));

  at.Add(PlanChunk());
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kRunning);
  EXPECT_EQ(at.world.runs.size(), 1u);
}

TEST(JobControllerTest, APodThatNeverStartedFailsAtTheDeadline) {
  ActorWorld at;
  at.AddJob({.mounts = "chunk", .deadline_seconds = 60});
  at.Take(StepKind::kStartPod);
  at.world.now_ms += 60'000;
  at.Take(StepKind::kFinishJob, "deadline");

  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kFailed);
  EXPECT_TRUE(IsFinished(*at.TheJob(), nullptr));
}

TEST(CollectionTest, AJobGoesWithItsPodsAndLogsWhenItsTtlIsOver) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");
  at.Take(StepKind::kFinishJob);
  SetTtl(at);
  EXPECT_FALSE(at.Find(StepKind::kCollect).has_value());
  at.world.now_ms += 300'000;
  at.Take(StepKind::kCollect, "ttl");

  EXPECT_EQ(at.TheJob(), nullptr);
  EXPECT_EQ(at.ThePod(), nullptr);
  EXPECT_TRUE(at.world.logs.empty());
  EXPECT_TRUE(at.world.runs.empty());
}

TEST(CollectionTest, DeletingAJobDoesNotStopItsPodAtThatMoment) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  ASSERT_TRUE(Delete(at.server, at.world, "test", api::KeyOf(*at.TheJob())).status.ok());
  at.Take(StepKind::kCollect, "garbage");

  ASSERT_NE(at.ThePod(), nullptr);
  EXPECT_NE(at.ThePod()->metadata().deletion_timestamp_ms(), 0);
  EXPECT_TRUE(at.Find(StepKind::kRun, "finish").has_value()) << "its child may still run";
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));

  at.Take(StepKind::kKillPod, "grace", 0);
  EXPECT_EQ(at.ThePod(), nullptr);
  EXPECT_FALSE(CanRun(at.world, at.TheOperation()));
}

// ---- What a quiet world does not do ----

TEST(SecondPodTest, IsNotStartedInAQuietWorld) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
}

TEST(SecondPodTest, RunsBesideTheFirstUnderTheSameJob) {
  ActorWorld at({.kills = false, .late_clock = false, .second_pods = true});
  at.UseSchema(3);
  TestJob job{.operation = api::runner_operation::kApply};
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "pause", 1);
  EXPECT_EQ(at.Find(StepKind::kStartPod, "second")->cost, 1);
  at.Take(StepKind::kStartPod, "second");

  EXPECT_EQ(at.TheOperation(job).pods, Count::kMore);
  EXPECT_EQ(at.TheOperation(job).effect[0].committed, 1) << "what the first did stays known";
  EXPECT_EQ(PodsOf(at.world, *at.TheJob()).size(), 2u);
  EXPECT_EQ(at.TheJob()->status().active(), 2);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value()) << "two are enough";
}

TEST(SecondPodTest, OfAMigrationIsKeptOutByTheDatabasesOwnLock) {
  ActorWorld at({.kills = false, .late_clock = false, .second_pods = true});
  at.UseMigration({{.statements = 3, .transactional = true}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "pause", 1);
  const std::string first = at.ThePod()->metadata().name();
  at.Take(StepKind::kStartPod, "second");
  for (const WorldStep& step : at.Offer()) {
    if (step.kind == StepKind::kRun && step.target.name != first && step.what == "finish") {
      EXPECT_EQ(step.option, 0);
      at.Take(step);
      break;
    }
  }
  EXPECT_EQ(at.TheDatabase().files[0].committed, 0);
  EXPECT_EQ(at.TheOperation().effect.size(), 1u);
}

TEST(SecondPodTest, IsDeletedWhenTheFirstDecidesTheJobAndRunsOnMeanwhile) {
  ActorWorld at({.late_clock = false, .second_pods = true});
  at.UseSchema(3);
  TestJob job{.operation = api::runner_operation::kApply};
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kKillPod, "hard", 1);
  at.Take(StepKind::kStartPod, "second");
  at.Take(StepKind::kFinishJob);
  EXPECT_EQ(at.TheJob()->status().conditions(0).type(), api::condition::kJobFailed);
  EXPECT_EQ(at.TheJob()->status().failed(), 2) << "what is gone later has been counted";
  EXPECT_TRUE(CanRun(at.world, at.TheOperation(job)));
  at.Take(StepKind::kRun, "pause", 1);
  EXPECT_EQ(at.TheDatabase().in_force, 2);
  at.Take(StepKind::kKillPod, "grace");
  EXPECT_FALSE(CanRun(at.world, at.TheOperation(job)));
}

TEST(SecondPodTest, MayReplaceOneThatIsForgotten) {
  ActorWorld at({.kills = false, .late_clock = false, .second_pods = true, .lost_nodes = true});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kNode, "lose");
  at.world.now_ms += kNodeForgottenAfterMs;
  at.Take(StepKind::kNode, "fail");
  at.Take(StepKind::kNode, "forget");
  at.Take(StepKind::kStartPod, "second");
  EXPECT_EQ(at.world.runs.size(), 2u);
  EXPECT_EQ(at.TheOperation().pods, Count::kMore);
}

TEST(LingeringPodTest, OutlivesItsJobAtTheDeadline) {
  ActorWorld at({.late_clock = false, .lingering_pods = true});
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.AddJob({.window_ms = 900'000, .deadline_seconds = 60});
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "pause", 1);
  at.world.now_ms += 60'000;
  EXPECT_EQ(at.Find(StepKind::kFinishJob, "linger")->cost, 1);
  at.Take(StepKind::kFinishJob, "linger");

  EXPECT_TRUE(IsFinished(*at.TheJob(), nullptr));
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kRunning);
  EXPECT_NE(at.ThePod()->metadata().deletion_timestamp_ms(), 0);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
  at.Take(StepKind::kKillPod, "grace");
  EXPECT_EQ(at.ThePod(), nullptr);
}

TEST(CollectionTest, PiecewiseTheTtlTakesThePodsBeforeTheJob) {
  ActorWorld at({.late_clock = false, .piecewise_ttl = true});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");
  at.Take(StepKind::kFinishJob);
  SetTtl(at);
  at.world.now_ms += 300'000;
  EXPECT_FALSE(at.Find(StepKind::kCollect, "ttl").has_value());
  at.Take(StepKind::kCollect, "ttl-pods");
  EXPECT_EQ(at.ThePod(), nullptr);
  ASSERT_NE(at.TheJob(), nullptr) << "a reader finds the Job without its evidence";
  at.Take(StepKind::kCollect, "ttl");
  EXPECT_EQ(at.TheJob(), nullptr);
}

TEST(CollectionTest, PiecewiseGarbageGoesInAnyOrder) {
  ActorWorld at({.late_clock = false, .piecewise_garbage = true});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");
  ASSERT_TRUE(Delete(at.server, at.world, "test", api::KeyOf(*at.TheJob())).status.ok());
  at.Take(StepKind::kCollect, "one");
  EXPECT_EQ(at.ThePod(), nullptr);
  EXPECT_FALSE(at.Find(StepKind::kCollect).has_value());
}

// What the Pod needs and finds missing.
void TakeAccountAway(ActorWorld& at) {
  Delete(at.server, at.world, "test", {api::Kind::kServiceAccount, "test", "default"});
}
void BringAccountBack(ActorWorld& at) {
  auto account = std::make_shared<api::ServiceAccount>();
  account->mutable_metadata()->set_namespace_("test");
  account->mutable_metadata()->set_name("default");
  at.Add(std::move(account));
}

TEST(JobControllerTest, AJobWhosePodIsRefusedHasBegunAndTriesAgainWhenItWouldNotBe) {
  ActorWorld at;
  at.AddJob();
  TakeAccountAway(at);
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.ThePod(), nullptr);
  EXPECT_EQ(at.TheJob()->status().active(), 0);
  EXPECT_EQ(at.TheJob()->status().start_time_ms(), kTestStartMs);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());

  at.world.now_ms += 1000;
  BringAccountBack(at);
  at.Take(StepKind::kStartPod);
  ASSERT_NE(at.ThePod(), nullptr);
  EXPECT_EQ(at.TheJob()->status().active(), 1);
  EXPECT_EQ(at.TheJob()->status().start_time_ms(), kTestStartMs);
}

TEST(JobControllerTest, AJobThatNeverHadAPodFailsAtItsDeadlineAndStartsNoneAfterIt) {
  ActorWorld at;
  at.AddJob();
  TakeAccountAway(at);
  at.Take(StepKind::kStartPod);
  at.world.now_ms = *DeadlineOf(*at.TheJob());
  BringAccountBack(at);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
  at.Take(StepKind::kFinishJob, "deadline");
  EXPECT_TRUE(IsFinished(*at.TheJob(), nullptr));
  EXPECT_EQ(at.TheJob()->status().failed(), 0);
  EXPECT_EQ(at.TheJob()->status().conditions(0).reason(), api::reason::kDeadlineExceeded);
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
}

}  // namespace
}  // namespace sim
