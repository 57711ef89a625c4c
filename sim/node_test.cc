#include "sim/node.h"

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "sim/actor_testing.h"
#include "sim/kubelet.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr WorldRules kLosesNodes{
    .kills = false, .lose_logs = false, .late_clock = false, .lost_nodes = true};

// A migration's Apply of three statements whose node is lost after the first.
void LoseIt(ActorWorld& at, const char* how) {
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "pause", 1);
  at.Take(StepKind::kNode, how);
}

void ForgetIt(ActorWorld& at) {
  at.world.now_ms += kNodeForgottenAfterMs;
  at.Take(StepKind::kNode, "fail");
  at.Take(StepKind::kNode, "forget");
}

TEST(NodeTest, IsNotLostInAQuietWorld) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_FALSE(at.Find(StepKind::kNode).has_value());
}

TEST(NodeTest, OutOfReachLeavesItsPodAsItWasWhileTheExecutorGoesOn) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
  at.Take(StepKind::kRun, "finish");

  EXPECT_TRUE(at.TheDatabase().files[0].recorded);
  EXPECT_TRUE(at.TheOperation().finished_ok);
  EXPECT_FALSE(CanRun(at.world, at.TheOperation()));
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kRunning) << "nobody heard of its end";
  EXPECT_FALSE(at.Find(StepKind::kFinishJob).has_value());
}

TEST(NodeTest, OutOfReachLooksTheSameWhetherTheExecutorIsDead) {
  ActorWorld goes_on(kLosesNodes);
  LoseIt(goes_on, "lose");
  ActorWorld dead(kLosesNodes);
  LoseIt(dead, "die");
  EXPECT_EQ(ViewDigest(goes_on.world, {}), ViewDigest(dead.world, {}));
  EXPECT_NE(TruthDigest(goes_on.world, {}), TruthDigest(dead.world, {}));
  EXPECT_FALSE(CanRun(dead.world, dead.TheOperation()));
}

TEST(NodeTest, OutOfReachServesNoLog) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  at.Take(StepKind::kRun, "finish");
  EXPECT_TRUE(at.world.logs.Get(at.ThePod()->metadata().uid())->unreadable);
  EXPECT_FALSE(at.Find(StepKind::kLoseLog).has_value()) << "it comes back with its node only";
}

TEST(NodeTest, ThatReturnsReportsItsPodAgain) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  at.Take(StepKind::kNode, "return");
  at.Take(StepKind::kRun, "finish");
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kSucceeded);
  EXPECT_TRUE(at.Frame().has_value());
}

TEST(NodeTest, IsGivenUpAfterAWhileAlthoughTheProcessStillRuns) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  EXPECT_FALSE(at.Find(StepKind::kNode, "fail").has_value());
  EXPECT_EQ(NextClockTarget(at.world), kTestStartMs + kNodeForgottenAfterMs);
  at.world.now_ms += kNodeForgottenAfterMs;
  at.Take(StepKind::kNode, "fail");
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kFailed);
  EXPECT_EQ(ExecutorStatusOf(*at.ThePod())->state().has_terminated(), false);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));

  at.Take(StepKind::kNode, "forget");
  EXPECT_EQ(at.ThePod(), nullptr);
  ASSERT_EQ(at.world.runs.size(), 1u);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
}

TEST(NodeTest, ForgottenWithItsPodAProcessGoesOnAndNobodyHearsOfIt) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  ForgetIt(at);
  at.Take(StepKind::kRun, "finish");
  EXPECT_TRUE(at.TheDatabase().files[0].recorded);
  EXPECT_TRUE(at.world.runs.empty());
  EXPECT_TRUE(at.world.logs.empty());
  EXPECT_FALSE(CanRun(at.world, at.TheOperation()));
}

TEST(NodeTest, ForgottenWithItsPodAProcessIsEndedByItsOwnClock) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  ForgetIt(at);
  at.Take(StepKind::kRun, "pause", 1);
  at.Take(StepKind::kFinishJob);
  EXPECT_EQ(at.Find(StepKind::kAdvanceClock)->cost, 0) << "nobody waits for it";
  const int64_t killed_at_ms = ExecutionHorizonMs(at.TheOperation());
  while (at.world.now_ms < killed_at_ms) {
    ASSERT_EQ(at.world.runs.size(), 1u);
    EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
    at.world.now_ms = *NextClockTarget(at.world);
    EndOverdueRuns(at.server, at.world);
    EndStep(at.world, {});
  }
  EXPECT_TRUE(at.world.runs.empty());
  EXPECT_FALSE(at.TheDatabase().files[0].recorded);
  EXPECT_EQ(at.TheDatabase().files[0].committed, 2);
}

TEST(NodeTest, ARunIsTheSameStateHoweverLongAgoTheWorldBegan) {
  ActorWorld at(kLosesNodes);
  LoseIt(at, "lose");
  World later = at.world;
  const Hash128 truth = TruthDigest(later, {});
  later.now_ms += 1;
  EXPECT_NE(TruthDigest(later, {}), truth) << "the cluster gives it up a moment sooner";
  later.runs[0].Edit().lost_at_ms += 1;
  for (const auto& [id, operation] : at.world.truth.operations) {
    later.truth.operations.Edit(id).dispatch_not_after_ms += 1;
    later.truth.operations.Edit(id).execution_not_after_ms += 1;
  }
  EXPECT_EQ(TruthDigest(later, {}), truth);
}

TEST(NodeTest, AReaderLosesItsNodeInItsFirstAttemptOnly) {
  ActorWorld at(kLosesNodes);
  TestJob reader{.operation = api::runner_operation::kMigrationHistory};
  at.AddJob(reader);
  at.Take(StepKind::kStartPod);
  EXPECT_TRUE(at.Find(StepKind::kNode, "lose").has_value());
  at.world.truth.operations.Edit(reader.operation_id).job_names.push_back("again");
  EXPECT_FALSE(at.Find(StepKind::kNode).has_value());
}

}  // namespace
}  // namespace sim
