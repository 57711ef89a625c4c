// A schema that is deleted at each point of a claim's life.

#include <gtest/gtest.h>

#include "lifecycle/api/names.h"
#include "lifecycle/schema/schema_scene.h"

namespace lifecycle::schema {
namespace {

constexpr const char* kNamespace = SchemaScene::kNamespace;

// The object is gone once nothing holds it; the door of these tests keeps it.
bool MayGo(const SchemaScene& scene) { return scene.schema().metadata().finalizers().empty(); }

TEST(DeletionTest, ASchemaThatNothingHoldsIsLeftAlone) {
  SchemaScene scene("Always");
  scene.Delete();
  const api::PassResult result = scene.Pass();
  EXPECT_FALSE(result.requeue_after_ms.has_value());
  EXPECT_TRUE(scene.door.writes().empty());
}

TEST(DeletionTest, AnUndispatchedClaimIsDiscardedAndItsRealmHandedBack) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  }));
  scene.Delete();
  ASSERT_TRUE(scene.PassUntil([&] { return MayGo(scene); }));
  EXPECT_TRUE(scene.Followed("N-1.1e"));
  EXPECT_TRUE(scene.Followed("N-1.3"));
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_EQ(scene.failed_passes, 0);
}

TEST(DeletionTest, AReadingThatHoldsNoRealmIsNotWaitedFor) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Resolve") && !scene.status().active_operation().job_uid().empty();
  }));
  scene.Delete();
  scene.Pass();
  scene.Pass();
  EXPECT_TRUE(MayGo(scene));
}

TEST(DeletionTest, ARunningApplyIsWaitedForUnderItsLeaseAndLeavesItsRecord) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.Delete();
  scene.door.ForgetWrites();
  const api::PassResult result = scene.Pass();
  EXPECT_EQ(result.requeue_after_ms, 5'000);
  EXPECT_TRUE(scene.Followed("N-1.1c"));
  EXPECT_EQ(scene.door.writes().size(), 1u);  // The Lease is renewed.
  EXPECT_TRUE(scene.HasClaim("Apply"));

  scene.RunJobs();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("N-1.1d"));
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_FALSE(MayGo(scene));
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  // Its one trusted Pod has terminated, so there is no horizon to wait for.
  EXPECT_EQ(scene.status().pending_observation().observe_after_ms(), 0);
  EXPECT_FALSE(scene.RealmIsFree());

  ASSERT_TRUE(scene.PassUntil([&] { return MayGo(scene); }));
  EXPECT_TRUE(scene.Followed("N-1.2"));
  EXPECT_FALSE(scene.status().has_pending_observation());
  EXPECT_FALSE(scene.status().has_applied());
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kObserve), 0);
  EXPECT_EQ(scene.failed_passes, 0);
}

TEST(DeletionTest, AMarkedApplyWithoutAJobHoldsTheSchemaUntilTheHorizon) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  }));
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->set_dispatch_started(true);
  });
  const int64_t horizon_ms = scene.status().active_operation().execution_not_after_ms() + 30'000;
  scene.Delete();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("N-1.1b"));
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_EQ(scene.status().pending_observation().observe_after_ms(), horizon_ms);
  ASSERT_TRUE(scene.PassUntil([&] { return MayGo(scene); }));
  EXPECT_GE(scene.door.wall_ms, horizon_ms);
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(DeletionTest, NothingIsRecordedOfALostApplyWhileAnotherHoldsTheRealm) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.RivalTakesRealm();
  scene.door.Erase<api::Job>(kNamespace, scene.status().active_operation().job_name());
  scene.Delete();
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Apply"));
}

TEST(DeletionTest, APodThatMayStillRunHoldsTheSchema) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  const std::string job = scene.status().active_operation().job_name();
  scene.RunJobs();
  scene.EditPod(job, [](api::Pod& pod) {
    pod.mutable_status()->set_phase(api::pod_phase::kRunning);
    pod.mutable_status()->clear_container_statuses();
  });
  scene.Delete();
  scene.Pass();
  ASSERT_TRUE(scene.status().has_pending_observation());
  scene.door.wall_ms = scene.status().pending_observation().observe_after_ms() + 1;
  for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(scene.Pass().requeue_after_ms, 5'000);
  EXPECT_FALSE(MayGo(scene));
  scene.EditPod(job,
                [](api::Pod& pod) { pod.mutable_status()->set_phase(api::pod_phase::kFailed); });
  ASSERT_TRUE(scene.PassUntil([&] { return MayGo(scene); }));
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(DeletionTest, AClaimThatLostItsRealmIsSettledFirst) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->set_lease_continuity_lost(true);
  });
  scene.Delete();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("N-1.1a"));
  EXPECT_TRUE(scene.status().has_pending_observation());
}

TEST(DeletionTest, AProofClaimGoesFirstAndItsProofIsAbandoned) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunUntil([&] { return scene.HasClaim("Observe"); }));
  ASSERT_TRUE(
      scene.PassUntil([&] { return !scene.status().active_operation().job_uid().empty(); }));
  scene.Delete();
  scene.Pass();
  ASSERT_TRUE(scene.RunUntil([&] { return MayGo(scene); }));
  EXPECT_TRUE(scene.Followed("N-1.1c"));
  EXPECT_TRUE(scene.Followed("N-1.1e"));
  EXPECT_TRUE(scene.Followed("N-1.2"));
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_FALSE(scene.status().has_applied());
}

TEST(DeletionTest, AClaimOfAnUnknownTypeGoesAndReleasesNothing) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->set_type("Vacuum"); });
  scene.Delete();
  ASSERT_TRUE(scene.PassUntil([&] { return MayGo(scene); }));
  EXPECT_FALSE(scene.RealmIsFree());
}

// Whatever write a process stops at, the schema goes in the end and the realm with it.
TEST(DeletionTest, EndsAfterAStopAtEveryDurableWrite) {
  for (int boundary = 0;; ++boundary) {
    SCOPED_TRACE(boundary);
    SchemaScene scene("Always");
    ASSERT_TRUE(scene.RunToRecordedApply());
    scene.Delete();
    scene.RunJobs();
    scene.door.ForgetWrites();
    bool stopped = false;
    scene.door.refuse = [&](const api::Request&) {
      stopped = stopped || static_cast<int>(scene.door.writes().size()) == boundary;
      return stopped ? absl::UnavailableError("the process is gone") : absl::OkStatus();
    };
    for (int pass = 0; pass < 20 && !stopped && !MayGo(scene); ++pass) scene.Pass();
    if (!stopped) break;
    scene.door.refuse = nullptr;
    scene.Restart();
    ASSERT_TRUE(scene.PassUntil([&] { return MayGo(scene); }));
    EXPECT_TRUE(scene.IsSettled());
    EXPECT_TRUE(scene.RealmIsFree());
  }
}

}  // namespace
}  // namespace lifecycle::schema
