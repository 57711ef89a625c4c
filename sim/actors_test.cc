#include "sim/actors.h"

#include <memory>
#include <set>

#include "gtest/gtest.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

TestJob Second() {
  TestJob job;
  job.name = "second";
  job.operation = api::runner_operation::kResolve;
  job.operation_id = api::DigestOf("second");
  return job;
}

Hash128 KeyOf(const World& world) { return StateKey(world, {}); }

TEST(ActorsTest, AQuietWorldOffersNothing) {
  ActorWorld at;
  EXPECT_TRUE(at.Offer().empty());
}

TEST(ActorsTest, OffersTheSameStepsInTheSameOrderEveryTime) {
  ActorWorld at;
  at.AddJob();
  at.AddJob(Second());
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.Offer(), at.Offer());
}

TEST(ActorsTest, EveryStepHasALabelOfItsOwn) {
  ActorWorld at;
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.AddJob();
  at.AddJob(Second());
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kStartPod);
  std::set<std::string> labels;
  for (const WorldStep& step : at.Offer()) {
    EXPECT_TRUE(labels.insert(step.label).second) << step.label;
  }
}

TEST(ActorsTest, ARunIsOfferedEveryEndItCanHave) {
  ActorWorld at({.late_clock = false});
  at.UseMigration({{.statements = 2}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  std::set<std::string> offered;
  for (const WorldStep& step : at.Offer()) {
    offered.insert(step.what + " " + std::to_string(step.option) + " " + std::to_string(step.cost));
  }
  EXPECT_EQ(offered,
            (std::set<std::string>{"finish 3 0", "pause 0 1", "pause 1 1", "pause 2 1", "hard 0 1",
                                   "hard 1 1", "hard 2 1", "hard 3 1", "grace 0 1", "grace 1 1",
                                   "grace 2 1", "unsummarized 3 1"}));
}

TEST(ActorsTest, OffersNoFaultThatTheScenarioForbids) {
  ActorWorld at({.kills = false, .lose_logs = false, .late_clock = false, .slow_runs = false});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  for (const WorldStep& step : at.Offer()) EXPECT_EQ(step.cost, 0) << step.label;
}

TEST(ActorsTest, AReaderIsDisturbedInItsFirstAttemptOnly) {
  ActorWorld at;
  at.AddJob(Second());
  at.Take(StepKind::kStartPod);
  EXPECT_TRUE(at.Find(StepKind::kKillPod).has_value());
  at.world.truth.operations.Edit(Second().operation_id).job_names.push_back("again");
  EXPECT_FALSE(at.Find(StepKind::kKillPod).has_value());
}

TEST(ActorsTest, IndependentStepsCommute) {
  ActorWorld at;
  at.AddJob();
  at.AddJob(Second());
  const std::vector<WorldStep> steps = at.Offer();
  ASSERT_EQ(steps[0].kind, StepKind::kStartPod);
  ASSERT_EQ(steps[1].kind, StepKind::kStartPod);
  const World before = at.world;

  at.Take(steps[0]);
  at.Take(steps[1]);
  const Hash128 one_way = KeyOf(at.world);
  at.world = before;
  at.Take(steps[1]);
  at.Take(steps[0]);
  EXPECT_EQ(KeyOf(at.world), one_way);
}

TEST(ActorsTest, ACopyOfAWorldIsLeftAloneByWhatHappensToTheOther) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  const World before = at.world;
  const Hash128 key = KeyOf(before);
  at.Take(StepKind::kKillPod, "hard", 1);
  EXPECT_EQ(KeyOf(before), key);
  EXPECT_NE(KeyOf(at.world), key);
}

TEST(DeliveryTest, ACreateInFlightIsStoredLaterOrLostForGood) {
  for (const bool stored : {true, false}) {
    ActorWorld at;
    api::Request create;
    create.verb = api::Verb::kCreate;
    auto job = std::make_shared<api::Job>();
    job->mutable_metadata()->set_namespace_("test");
    job->mutable_metadata()->set_name("late");
    create.key = api::KeyOf(*job);
    create.body = job;
    OperationTruth& operation = at.world.truth.operations.Edit("o");
    operation.id = "o";
    operation.mutating = true;
    operation.resource.namespace_ = "test";
    operation.job_names = {"late"};
    at.world.in_flight = {{.request = create, .admitted = true, .sender_gone = true}};
    CountFlying(at.world);
    ASSERT_EQ(at.world.truth.operations.Get("o")->flying, Count::kOne);

    at.Take(StepKind::kDeliver, stored ? "store" : "lose");
    EXPECT_EQ(at.TheJob() != nullptr, stored);
    EXPECT_TRUE(at.world.in_flight.empty());
    EXPECT_EQ(at.world.truth.operations.Get("o")->flying, Count::kNone);
    EXPECT_EQ(at.world.truth.operations.Get("o")->created, stored ? Count::kOne : Count::kNone);
  }
}

}  // namespace
}  // namespace sim
