#include "sim/executor_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

// Takes the first step that fits, and returns the rules followed in it, such as "U-1 U-5".
std::string Followed(ActorWorld& at, StepKind kind, const std::string& what = "",
                     std::optional<int32_t> option = std::nullopt) {
  const std::optional<WorldStep> step = at.Find(kind, what, option);
  EXPECT_TRUE(step.has_value()) << what;
  const World before = at.world;
  at.actors.Take(at.world, *step);
  std::string names;
  for (const ExecutorRule& followed : ExecutorRulesOf(before, at.world, *step)) {
    names += (names.empty() ? "" : " ") + std::string(followed.rule);
  }
  return names;
}

TEST(ExecutorRulesTest, AnUndisturbedRunIsToldEverythingAndReports) {
  ActorWorld at;
  at.AddJob();
  EXPECT_EQ(Followed(at, StepKind::kStartPod), "");
  EXPECT_EQ(Followed(at, StepKind::kRun, "finish"), "U-1 U-5");
}

TEST(ExecutorRulesTest, AChildThatWouldStartTooLateIsRefused) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.world.now_ms = kTestStartMs + TestJob{}.window_ms;
  EXPECT_EQ(Followed(at, StepKind::kRun, "finish", 0), "U-1 U-2 U-5");
}

TEST(ExecutorRulesTest, AHistoryThatMovedIsRefused) {
  ActorWorld at;
  at.UseMigration({{}, {}});
  at.AddJob();
  at.world.truth.databases[0].Edit().files[0].recorded = true;
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(Followed(at, StepKind::kRun, "finish", 0), "U-1 U-4 U-5");
}

TEST(ExecutorRulesTest, AChildThatStandsIsEndedByTheClockAlone) {
  ActorWorld at;
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(Followed(at, StepKind::kRun, "pause", 1), "U-1");
  EXPECT_EQ(Followed(at, StepKind::kAdvanceClock), "") << "it is asked to stop";
  EXPECT_EQ(Followed(at, StepKind::kAdvanceClock), "U-3 U-5");
}

TEST(ExecutorRulesTest, AStopSignalLeavesTimeForTheFrameAndAKillDoesNot) {
  for (const std::string how : {"grace", "hard"}) {
    ActorWorld at;
    at.AddJob();
    at.Take(StepKind::kStartPod);
    at.Take(StepKind::kRun, "pause", 1);
    EXPECT_EQ(Followed(at, StepKind::kKillPod, how), how == "grace" ? "U-5 U-6" : "");
  }
}

TEST(ExecutorRulesTest, ARunOfASchemaRunsTheMountedPlan) {
  ActorWorld at;
  at.UseSchema(2);
  TestJob job;
  job.operation = "apply";
  job.plan_digest = "sha256:" + std::string(64, '1');
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  const std::optional<WorldStep> step = at.Find(StepKind::kRun, "finish");
  const World before = at.world;
  at.actors.Take(at.world, *step);
  EXPECT_EQ(ExecutorRulesOf(before, at.world, *step),
            (std::vector<ExecutorRule>{
                {Family::kSchema, "U-1"}, {Family::kSchema, "U-4"}, {Family::kSchema, "U-5"}}));
}

}  // namespace
}  // namespace sim
