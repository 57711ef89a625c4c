#include "sim/rival.h"

#include <memory>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "sim/actor_testing.h"
#include "sim/database.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// A world with a rival for the test database's realm.
class RivalTest : public ::testing::Test {
 protected:
  RivalTest() { AddRival(at_); }

  static void AddRival(ActorWorld& at) {
    Rival rival;
    rival.coordination_digest = at.TheDatabase().coordination_digest;
    rival.holder = "ptah-h-rival";
    rival.rounds_left = 1;
    at.world.rivals = {rival};
  }

  api::Key LeaseKey() const {
    return {api::Kind::kLease, "ptah-system", LeaseNameOf(at_.TheDatabase().coordination_digest)};
  }
  const api::Lease& Lease() const { return at_.world.Find(LeaseKey())->object->As<api::Lease>(); }

  // Somebody else takes the Lease, or renews it.
  void HoldLease(const std::string& holder, int64_t seconds) {
    const Entry* entry = at_.world.Find(LeaseKey());
    auto lease = entry == nullptr ? std::make_shared<api::Lease>()
                                  : std::make_shared<api::Lease>(entry->object->As<api::Lease>());
    lease->mutable_metadata()->set_namespace_(LeaseKey().namespace_);
    lease->mutable_metadata()->set_name(LeaseKey().name);
    lease->mutable_spec()->set_holder_identity(holder);
    lease->mutable_spec()->set_lease_duration_seconds(seconds);
    lease->mutable_spec()->set_renew_time_ms(at_.world.now_ms);
    if (entry == nullptr) {
      at_.Add(lease);
    } else {
      ASSERT_TRUE(Update(at_.server, at_.world, "x", lease, api::Subresource::kMain).status.ok());
    }
  }

  const OperationTruth* Round() const {
    return at_.world.truth.operations.Get(RivalOperationId(0, at_.world.rivals[0]));
  }

  ActorWorld at_;
};

TEST_F(RivalTest, TakesARealmThatNobodyHolds) {
  at_.Take(StepKind::kRival, "acquire");
  EXPECT_EQ(Lease().spec().holder_identity(), "ptah-h-rival");
  EXPECT_EQ(Lease().spec().lease_transitions(), 0);
  EXPECT_FALSE(Lease().metadata().annotations().at(api::annotation::kLeaseEpoch).empty());
  ASSERT_NE(Round(), nullptr);
  EXPECT_TRUE(CanRun(at_.world, *Round()));
}

TEST_F(RivalTest, TakesAReleasedLeaseUnderANewEpoch) {
  HoldLease("", 960);
  at_.Take(StepKind::kRival, "acquire");
  EXPECT_EQ(Lease().spec().holder_identity(), "ptah-h-rival");
  EXPECT_EQ(Lease().spec().lease_transitions(), 1);
}

TEST_F(RivalTest, LeavesAHeldLeaseUntilItStoodUnchangedForItsDuration) {
  HoldLease("ptah-h-other", 960);
  EXPECT_FALSE(at_.Find(StepKind::kRival).has_value());
  at_.world.now_ms += 500'000;
  HoldLease("ptah-h-other", 960);
  EXPECT_EQ(NextClockTarget(at_.world), at_.world.now_ms + 960'000);
  at_.world.now_ms += 500'000;
  EXPECT_FALSE(at_.Find(StepKind::kRival).has_value()) << "it was renewed meanwhile";
  at_.Take(StepKind::kAdvanceClock);
  at_.Take(StepKind::kRival, "acquire");
  EXPECT_EQ(Lease().spec().holder_identity(), "ptah-h-rival");
}

TEST_F(RivalTest, RunsOnceAndGivesTheLeaseBack) {
  at_.Take(StepKind::kRival, "acquire");
  const OperationTruth round = *Round();
  at_.Take(StepKind::kRival, "run");
  EXPECT_EQ(at_.TheDatabase().last_changed_by, round.id);
  EXPECT_FALSE(CanRun(at_.world, round));
  at_.Take(StepKind::kRival, "release");
  EXPECT_EQ(Lease().spec().holder_identity(), "");
  EXPECT_FALSE(at_.Find(StepKind::kRival).has_value()) << "it has no round left";
  EXPECT_FALSE(at_.world.truth.operations.contains(round.id));
}

TEST_F(RivalTest, TakesTwoStepsWhenAnExecutorOfOursCouldOverlap) {
  at_.AddJob();
  at_.Take(StepKind::kRival, "acquire");
  const OperationTruth round = *Round();
  at_.Take(StepKind::kRival, "begin");
  EXPECT_TRUE(CanRun(at_.world, round));
  at_.Take(StepKind::kStartPod);
  EXPECT_EQ(at_.Find(StepKind::kRun, "pause", 1)->cost, 0) << "ours runs step by step meanwhile";
  at_.Take(StepKind::kRival, "end");
  EXPECT_FALSE(CanRun(at_.world, round));
}

TEST_F(RivalTest, EndsBeforeItsLeaseCouldLapse) {
  at_.AddJob({.window_ms = 5'000'000, .deadline_seconds = 9'000});
  at_.Take(StepKind::kRival, "acquire");
  const OperationTruth round = *Round();
  at_.Take(StepKind::kRival, "begin");
  at_.Take(StepKind::kAdvanceClock);
  EXPECT_EQ(at_.world.now_ms, kTestStartMs + 900'000);
  EXPECT_FALSE(CanRun(at_.world, round));
}

TEST_F(RivalTest, ARivalThatLostItsLeaseDoesNotRun) {
  at_.Take(StepKind::kRival, "acquire");
  HoldLease("ptah-h-other", 960);
  EXPECT_FALSE(at_.Find(StepKind::kRival, "run").has_value());
  at_.Take(StepKind::kRival, "release");
  EXPECT_EQ(Lease().spec().holder_identity(), "ptah-h-other");
}

TEST(RivalHistoryTest, AppliesTheNextMigrationOnlyWhereTheScenarioLetsIt) {
  for (const bool moves : {false, true}) {
    ActorWorld at({.rival_moves_history = moves});
    Rival rival;
    rival.coordination_digest = at.TheDatabase().coordination_digest;
    rival.holder = "ptah-h-rival";
    rival.rounds_left = 1;
    at.world.rivals = {rival};
    at.Take(StepKind::kRival, "acquire");
    ASSERT_EQ(at.Find(StepKind::kRival, "move-history").has_value(), moves);
    if (!moves) continue;
    at.Take(StepKind::kRival, "move-history");
    EXPECT_TRUE(PendingFiles(at.TheDatabase()).empty());
  }
}

}  // namespace
}  // namespace sim
