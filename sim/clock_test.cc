#include "sim/clock.h"

#include <memory>

#include "gtest/gtest.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/actor_testing.h"
#include "sim/edits.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr int64_t kNow = kTestStartMs;

Process Manager() {
  Process process;
  process.name = "manager";
  process.started_ms = kNow - 100;
  Work work;
  work.resource = {api::Kind::kPtahSchema, "test", "s"};
  work.due.when = Due::When::kNever;
  process.work = {work};
  return process;
}

// A world of one process whose one resource is due as told.
ActorWorld& WithDue(ActorWorld& at, Due due) {
  at.world.processes = {Manager()};
  at.world.processes[0].work[0].due = due;
  return at;
}

bool IsFirstDue(const ActorWorld& at) {
  const Process& process = at.world.processes[0];
  return IsDue(at.world, process, process.work[0]);
}

void AddSchema(ActorWorld& at, const api::PtahSchemaStatus& status) {
  auto schema = std::make_shared<api::PtahSchema>();
  schema->mutable_metadata()->set_namespace_("test");
  schema->mutable_metadata()->set_name("s");
  at.Add(schema);
  auto next = std::make_shared<api::PtahSchema>(*at.world.Get<api::PtahSchema>("test", "s"));
  *next->mutable_status() = status;
  ASSERT_TRUE(Update(at.server, at.world, "test", next, api::Subresource::kStatus).status.ok());
}

TEST(ClockTest, HasNowhereToGoInAWorldWithoutTimes) {
  ActorWorld at;
  EXPECT_EQ(NextClockTarget(at.world), std::nullopt);
  EXPECT_FALSE(at.Find(StepKind::kAdvanceClock).has_value());
}

TEST(ClockTest, MovesToTheEarliestDeadlineOfAResource) {
  ActorWorld at;
  api::PtahSchemaStatus status;
  status.set_next_reconciliation_time_ms(kNow + 600'000);
  status.mutable_pending_observation()->set_observe_after_ms(kNow + 930'000);
  AddSchema(at, status);
  EXPECT_EQ(NextClockTarget(at.world), kNow + 600'000);
  at.Take(StepKind::kAdvanceClock);
  EXPECT_EQ(at.world.now_ms, kNow + 600'000);
  EXPECT_EQ(NextClockTarget(at.world), kNow + 930'000);
}

TEST(ClockTest, ADeadlineIsReachedByEachProcessOnItsOwnWallClock) {
  ActorWorld at;
  api::PtahSchemaStatus status;
  status.set_next_reconciliation_time_ms(kNow + 600'000);
  AddSchema(at, status);
  at.world.processes = {Manager()};
  at.world.processes[0].work[0].due.when = Due::When::kNever;
  at.world.processes[0].wall_offset_ms = 5'000;
  EXPECT_EQ(NextClockTarget(at.world), kNow + 595'000);
}

TEST(ClockTest, ARequeueIsATargetAndAPollThatReadTheSameIsNot) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kAt, .at_ms = kNow + 5'000});
  EXPECT_EQ(NextClockTarget(at.world), kNow + 5'000);
  WithDue(at, {.when = Due::When::kParked, .at_ms = kNow + 5'000, .seen = ContentDigest(at.world)});
  EXPECT_EQ(NextClockTarget(at.world), std::nullopt);
  EXPECT_FALSE(IsFirstDue(at));
}

TEST(ClockTest, AParkedPollIsDueAtItsTimeOnceSomethingChanged) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kParked, .at_ms = kNow + 5'000, .seen = ContentDigest(at.world)});
  at.AddJob();
  EXPECT_EQ(NextClockTarget(at.world), kNow + 5'000);
  EXPECT_FALSE(IsFirstDue(at)) << "a requeue is a lower bound";
  at.world.now_ms = kNow + 5'000;
  EXPECT_TRUE(IsFirstDue(at));
}

TEST(ClockTest, AParkedPollIsDueWhenALaterTargetCame) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kParked, .at_ms = kNow + 5'000, .seen = ContentDigest(at.world)});
  at.world.now_ms = kNow + 900'000;
  EXPECT_TRUE(IsFirstDue(at));
}

TEST(ClockTest, AStoppedProcessIsDueForNothingAndSetsNoTarget) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kAt, .at_ms = kNow + 5'000});
  at.world.processes[0].running = false;
  EXPECT_EQ(NextClockTarget(at.world), std::nullopt);
  at.world.now_ms = kNow + 5'000;
  EXPECT_FALSE(IsFirstDue(at));
}

TEST(ClockTest, AForeignLeaseLapsesOnTheMonotonicClockOfWhoWatchesIt) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kNever});
  api::LeaseObservation seen;
  seen.duration_seconds = 960;
  seen.first_seen_ms = 40;
  at.world.processes[0].memory.Edit().leases["ptah-t-x"] = seen;
  EXPECT_EQ(NextClockTarget(at.world), kNow - 100 + 40 + 960'000);
}

TEST(ClockTest, FailuresToReadALogEndInALossAfterTheWindow) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kNever});
  at.world.processes[0].memory.Edit().log_failures["pod"] = {.first_failed_ms = 100};
  EXPECT_EQ(NextClockTarget(at.world), kNow + 120'000);
}

TEST(ClockTest, MovesForFreeOnlyInAWorldThatWouldDoNothingElse) {
  ActorWorld at;
  WithDue(at, {.when = Due::When::kAt, .at_ms = kNow + 5'000});
  EXPECT_EQ(at.Find(StepKind::kAdvanceClock)->cost, 0);
  at.AddJob();
  EXPECT_EQ(at.Find(StepKind::kAdvanceClock)->cost, 1) << "the Job's Pod could start first";
}

TEST(ClockTest, IsNeverLateWhereTheScenarioForbidsIt) {
  ActorWorld at({.late_clock = false});
  WithDue(at, {.when = Due::When::kNow});
  at.AddJob();
  EXPECT_FALSE(at.Find(StepKind::kAdvanceClock).has_value());
}

TEST(ClockTest, WaitsForAPersonWhoCouldHelpUnlessPeopleAreSlow) {
  for (const bool slow : {false, true}) {
    ActorWorld at({.late_clock = false, .slow_people = slow});
    WithDue(at, {.when = Due::When::kAt, .at_ms = kNow + 5'000});
    AddSchema(at, {});
    at.world.processes[0].work[0].due = {.when = Due::When::kAt, .at_ms = kNow + 5'000};
    at.world.person.Edit(act::kShare) = 1;
    ASSERT_TRUE(at.Find(StepKind::kPerson, act::kShare).has_value());
    const std::optional<WorldStep> clock = at.Find(StepKind::kAdvanceClock);
    ASSERT_EQ(clock.has_value(), slow);
    if (slow) {
      EXPECT_EQ(clock->cost, 0) << "nobody did anything wrong";
    }
  }
}

TEST(ClockTest, GoesThroughARunsDeadlines) {
  ActorWorld at;
  at.AddJob({.window_ms = 900'000, .deadline_seconds = 5'000});
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(NextClockTarget(at.world), kNow + 900'000) << "no child is started after it";
  at.Take(StepKind::kRun, "pause", 0);
  at.world.now_ms = kNow + 900'000;
  EXPECT_EQ(NextClockTarget(at.world), kNow + 920'000) << "the child is killed";
}

}  // namespace
}  // namespace sim
