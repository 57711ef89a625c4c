// A schema that is suspended at each point of a claim's life, and what it does on resumption.

#include <gtest/gtest.h>

#include "lifecycle/api/names.h"
#include "lifecycle/schema/schema_scene.h"

namespace lifecycle::schema {
namespace {

constexpr const char* kNamespace = SchemaScene::kNamespace;

TEST(SuspensionTest, ASchemaAtRestIsShownSuspendedOnceAndClaimsNothing) {
  SchemaScene scene("Always");
  scene.Suspend();
  const api::PassResult result = scene.Pass();
  EXPECT_FALSE(result.requeue_after_ms.has_value());
  EXPECT_EQ(scene.status().phase(), api::phase::kSuspended);
  EXPECT_EQ(scene.status().observed_generation(), 2);
  EXPECT_TRUE(scene.Followed("B-13"));
  scene.door.ForgetWrites();
  scene.Pass();
  EXPECT_TRUE(scene.door.writes().empty());
}

TEST(SuspensionTest, AResumedSchemaStartsTheChainAnew) {
  SchemaScene scene("Always");
  scene.Suspend();
  scene.Pass();
  scene.Suspend(false);
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

TEST(SuspensionTest, AnUndispatchedApplyIsDiscardedAndItsRealmHandedBack) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  }));
  EXPECT_FALSE(scene.RealmIsFree());
  scene.Suspend();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("O-1"));
  EXPECT_TRUE(scene.IsSettled());
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_EQ(scene.status().phase(), api::phase::kSuspended);
  EXPECT_TRUE(scene.status().has_plan());
}

TEST(SuspensionTest, ADispatchedReadingIsDiscarded) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Resolve") && !scene.status().active_operation().job_uid().empty();
  }));
  scene.Suspend();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("B-20.6"));
  EXPECT_TRUE(scene.IsSettled());
  EXPECT_EQ(scene.status().phase(), api::phase::kSuspended);
}

TEST(SuspensionTest, ADispatchedApplyIsSupervisedAndItsResultIsNotRead) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.Suspend();
  scene.door.ForgetWrites();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("O-3"));
  EXPECT_TRUE(scene.HasClaim("Apply"));
  EXPECT_EQ(scene.door.writes().size(), 1u);  // The Lease is renewed.
  scene.RunJobs();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("O-4"));
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
}

TEST(SuspensionTest, AProofWaitsForResumptionUnderItsLease) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.Suspend();
  scene.RunJobs();
  ASSERT_TRUE(scene.PassUntil([&] { return scene.status().has_pending_observation(); }));
  while (!scene.Followed("J-2")) scene.Pass();
  EXPECT_EQ(scene.status().phase(), api::phase::kSuspended);
  scene.door.ForgetWrites();
  const api::PassResult result = scene.Pass();
  EXPECT_EQ(result.requeue_after_ms, 5'000);
  EXPECT_EQ(scene.door.writes().size(), 1u);  // The Lease is renewed.
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.RealmIsFree());
  scene.Suspend(false);
  EXPECT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(SuspensionTest, AProofJobThatRunsIsHarvestedAndNoOtherIsClaimed) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunUntil([&] {
    return scene.HasClaim("Observe") && !scene.status().active_operation().job_uid().empty();
  }));
  scene.Suspend();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().pending_observation().plan_required(); }));
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(scene.Followed("J-2"));
}

// The proof's record owns the realm, not its claim: nothing is handed back with the claim.
TEST(SuspensionTest, AProofClaimThatDispatchedNothingGoesAndTheProofKeepsItsRealm) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunUntil([&] { return scene.HasClaim("Observe"); }));
  ASSERT_TRUE(scene.status().active_operation().job_uid().empty());
  scene.Suspend();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("O-1"));
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_TRUE(scene.status().has_pending_observation());
  EXPECT_FALSE(scene.RealmIsFree());
}

TEST(SuspensionTest, AnEditDuringAnApplyLeavesItsOutcomeUnknown) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.set_interval_seconds(60); });
  scene.RunJobs();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("O-5"));
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
}

TEST(SuspensionTest, ARetryThatWaitsIsDiscardedWithoutWaitingForItsTime) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  scene.report = [](api::FramePayload& frame) { frame.mutable_error()->set_code("Unreachable"); };
  ASSERT_TRUE(scene.RunUntil([&] {
    return scene.HasClaim("Resolve") && scene.status().active_operation().attempt() == 2;
  }));
  scene.Suspend();
  scene.door.wall_ms = scene.status().next_reconciliation_time_ms() - 1;
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_EQ(scene.status().phase(), api::phase::kSuspended);
}

}  // namespace
}  // namespace lifecycle::schema
