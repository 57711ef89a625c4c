#include "sim/kubelet.h"

#include "gtest/gtest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr WorldRules kQuiet{
    .kills = false, .lose_logs = false, .late_clock = false, .slow_runs = false};

WorldRules With(bool WorldRules::*rule) {
  WorldRules rules = kQuiet;
  rules.*rule = true;
  return rules;
}

api::FrameFailure FailureIn(const ActorWorld& at) {
  const TestJob job;
  return api::ParseFrame(at.Log(), {.operation = job.operation, .operation_id = job.operation_id})
      .failure;
}

api::Answer ReadLog(const ActorWorld& at) {
  return at.server.Log(at.world, {.namespace_ = "test",
                                  .pod = at.ThePod()->metadata().name(),
                                  .container = api::kExecutorContainer});
}

// A migration that claims the test's Job: only what a claim still asks about is worth harming.
void Claim(ActorWorld& at) {
  auto migration = std::make_shared<api::PtahMigration>();
  migration->mutable_metadata()->set_namespace_("test");
  migration->mutable_metadata()->set_name("m");
  at.Add(migration);
  auto claimed =
      std::make_shared<api::PtahMigration>(*at.world.Get<api::PtahMigration>("test", "m"));
  claimed->mutable_status()->mutable_active_operation()->set_job_name("apply");
  claimed->mutable_status()->mutable_active_operation()->set_id(TestJob().operation_id);
  ASSERT_TRUE(Update(at.server, at.world, "test", claimed, api::Subresource::kStatus).status.ok());
}

void RunTheJob(ActorWorld& at) {
  Claim(at);
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");
}

TEST(LogTest, IsNotHarmedInAQuietWorld) {
  ActorWorld at(kQuiet);
  RunTheJob(at);
  EXPECT_FALSE(at.Find(StepKind::kLoseLog).has_value());
}

TEST(LogTest, ThatIsHeldBackCannotBeReadForNowAndIsWholeAfterwards) {
  ActorWorld at(With(&WorldRules::slow_logs));
  RunTheJob(at);
  const std::string whole = at.Log();
  EXPECT_EQ(at.Find(StepKind::kLoseLog, "slow")->cost, 1);
  at.Take(StepKind::kLoseLog, "slow");
  const api::Answer held = ReadLog(at);
  EXPECT_FALSE(held.status.ok());
  EXPECT_FALSE(api::IsNotFound(held.status)) << "NotFound would say that it is gone for good";
  EXPECT_TRUE(at.TheOperation().disturbed);

  EXPECT_EQ(at.Find(StepKind::kLoseLog, "back")->cost, 0);
  at.Take(StepKind::kLoseLog, "back");
  EXPECT_EQ(ReadLog(at).bytes, whole);
}

TEST(LogTest, ThatIsHeldBackLooksTheSameWhateverItHolds) {
  ActorWorld at(With(&WorldRules::slow_logs));
  RunTheJob(at);
  at.Take(StepKind::kLoseLog, "slow");
  const Hash128 view = ViewDigest(at.world, {});
  at.world.logs.Edit(at.ThePod()->metadata().uid()).content = {1, 2};
  EXPECT_EQ(ViewDigest(at.world, {}), view);
}

TEST(LogTest, ThatIsCutLacksTheEndOfItsFrame) {
  ActorWorld at(With(&WorldRules::cut_logs));
  RunTheJob(at);
  at.Take(StepKind::kLoseLog, "cut");
  EXPECT_EQ(FailureIn(at), api::FrameFailure::kIncomplete);
  EXPECT_FALSE(at.Find(StepKind::kLoseLog).has_value()) << "once is enough";
}

TEST(LogTest, ThatIsMixedUpHoldsAWholeFrameOfAnotherAttempt) {
  ActorWorld at(With(&WorldRules::foreign_frames));
  RunTheJob(at);
  at.Take(StepKind::kLoseLog, "foreign");
  EXPECT_EQ(FailureIn(at), api::FrameFailure::kWrongAttempt);
  EXPECT_FALSE(at.Find(StepKind::kLoseLog).has_value());
}

TEST(LogTest, ThatNoClaimAsksAboutIsLeftAlone) {
  ActorWorld at(With(&WorldRules::cut_logs));
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");
  EXPECT_FALSE(at.Find(StepKind::kLoseLog).has_value());
}

TEST(RunnerTest, ThatSpeaksAnotherProtocolStartsNothingAndSaysSo) {
  ActorWorld at(With(&WorldRules::protocol_mismatch));
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.Find(StepKind::kRun, "mismatch")->cost, 1);
  at.Take(StepKind::kRun, "mismatch");
  EXPECT_EQ(FailureIn(at), api::FrameFailure::kProtocolMismatch);
  EXPECT_EQ(at.TerminationMessage(), "");
  EXPECT_EQ(at.TheDatabase().files[0].committed, 0);
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kFailed);
  EXPECT_FALSE(CanRun(at.world, at.TheOperation()));
}

TEST(EvictionTest, DeletesThePodAndItsKubeletStopsItWhenItGetsToIt) {
  ActorWorld at(With(&WorldRules::evictions));
  at.UseMigration({{.statements = 3, .transactional = false}});
  Claim(at);
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.Find(StepKind::kKillPod, "evict")->cost, 1);
  at.Take(StepKind::kKillPod, "evict");

  ASSERT_NE(at.ThePod(), nullptr);
  EXPECT_NE(at.ThePod()->metadata().deletion_timestamp_ms(), 0);
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kRunning);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation())) << "its child runs on meanwhile";
  EXPECT_TRUE(at.Find(StepKind::kRun, "finish").has_value());
  EXPECT_FALSE(at.Find(StepKind::kKillPod, "evict").has_value());

  at.Take(StepKind::kKillPod, "grace");
  EXPECT_EQ(at.ThePod(), nullptr) << "and its log with it";
  EXPECT_TRUE(at.world.logs.empty());
  at.Take(StepKind::kFinishJob);
  EXPECT_EQ(at.TheJob()->status().conditions(0).type(), api::condition::kJobFailed);
}

}  // namespace
}  // namespace sim
