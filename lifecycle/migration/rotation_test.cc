#include "lifecycle/migration/rotation.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/scene.h"

namespace lifecycle::migration {
namespace {

class RotationTest : public ::testing::Test {
 protected:
  const std::string& Epoch() const { return scene_.status().execution_binding().epoch(); }
  // The next pass is a manager's that runs another executor.
  void Upgrade() { scene_.configuration.executor_image = OtherImage(); }
  static std::string OtherImage() { return "registry.example/executor@" + TestDigest('7'); }
  static bool Has(const api::DecisionStatus& status, const char* type) {
    for (const api::Condition& condition : status.conditions()) {
      if (condition.type() == type) return condition.status() == "True";
    }
    return false;
  }
  int StatusWritesSince(size_t before) const {
    int found = 0;
    for (size_t i = before; i < scene_.store.changes().size(); ++i) {
      found += scene_.store.changes()[i].find("patch status migration/m") != std::string::npos;
    }
    return found;
  }

  Scene scene_{"OnApproval"};
};

TEST_F(RotationTest, AnotherManagerIdentityBindsNothing) {
  const std::string epoch = Epoch();
  scene_.configuration.controller_image = OtherImage();
  scene_.configuration.controller_revision = "next";
  scene_.configuration.runner_image = OtherImage();
  scene_.Pass();
  EXPECT_EQ(Epoch(), epoch);
  EXPECT_EQ(scene_.claim().type(), api::operation::kApply);
}

TEST_F(RotationTest, APlanGoesInTheWriteThatMovesTheEpochAndItsApprovalGoesStaleBefore) {
  const std::string epoch = Epoch();
  Upgrade();
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 0);
  EXPECT_NE(Epoch(), epoch);
  EXPECT_EQ(scene_.status().execution_binding().executor_image(), OtherImage());
  EXPECT_FALSE(scene_.status().has_plan());
  EXPECT_EQ(scene_.status().phase(), api::phase::kPending);
  EXPECT_TRUE(Has(scene_.approval().status(), api::condition::kStale));
  ASSERT_EQ(scene_.store.changes().size(), 2u) << ::testing::PrintToString(scene_.store.changes());
  EXPECT_NE(scene_.store.changes().front().find("approval/ok"), std::string::npos);
}

TEST_F(RotationTest, ReturningToTheOldComponentsRevivesNothing) {
  const std::string first = Epoch();
  const api::Configuration old = scene_.configuration;
  Upgrade();
  scene_.Pass();
  scene_.configuration = old;
  scene_.Pass();
  EXPECT_NE(Epoch(), first);
  scene_.Pass();
  EXPECT_EQ(scene_.claim().type(), api::operation::kResolve);
}

TEST_F(RotationTest, AnUndispatchedApplyGoesWithItsRealmInOneWrite) {
  while (scene_.store.List(api::Kind::kLease, "").empty()) scene_.Pass();
  ASSERT_EQ(scene_.claim().type(), api::operation::kApply);
  ASSERT_FALSE(scene_.claim().dispatch_started());
  const std::string epoch = Epoch();
  Upgrade();
  const size_t before = scene_.store.changes().size();
  scene_.Pass();
  EXPECT_NE(Epoch(), epoch);
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_FALSE(scene_.status().has_plan());
  EXPECT_FALSE(scene_.status().has_unresolved_run());
  // The rotation, and the release's end.
  EXPECT_EQ(StatusWritesSince(before), 2) << ::testing::PrintToString(scene_.store.changes());
  const auto lease = scene_.store.List(api::Kind::kLease, "").front();
  EXPECT_EQ(static_cast<const api::Lease&>(*lease.object).spec().holder_identity(), "");
}

TEST_F(RotationTest, ADispatchedApplyLeavesItsRecordUnderTheOldBindingAndThenTheEpochMoves) {
  scene_.PassUntilRecorded();
  const std::string epoch = Epoch();
  const std::string operation = scene_.claim().id();
  Upgrade();
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 0);
  EXPECT_EQ(Epoch(), epoch);
  EXPECT_EQ(scene_.status().unresolved_run().operation_id(), operation);
  EXPECT_FALSE(scene_.status().has_active_operation());
  // Its executor may still write, so the realm is left to lapse.
  EXPECT_FALSE(scene_.status().has_pending_lock_release());

  EXPECT_EQ(scene_.Pass().requeue_after_ms, 0);
  EXPECT_NE(Epoch(), epoch);
  EXPECT_TRUE(scene_.status().has_unresolved_run());
  EXPECT_EQ(scene_.status().phase(), api::phase::kBlocked);
}

TEST_F(RotationTest, AReadingInFlightIsDroppedAndTakenAgainUnderTheNewEpoch) {
  scene_.EditMigration(
      [](api::PtahMigration& migration) { migration.mutable_metadata()->set_generation(2); });
  scene_.PassUntilClaimed(api::operation::kResolve);
  scene_.PassUntilRecorded();
  const std::string job = scene_.claim().job_name();
  Upgrade();
  scene_.Pass();
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_TRUE(scene_.store.Has({api::Kind::kJob, "app", job}));
  scene_.PassUntilClaimed(api::operation::kResolve);
  EXPECT_EQ(scene_.claim().execution_binding_id(), Epoch());
}

TEST_F(RotationTest, AClaimOfAnUnknownTypeIsRetiredAndReleasesNothing) {
  scene_.PassUntilRecorded();
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->set_type("Repair");
  });
  Upgrade();
  scene_.Pass();
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_FALSE(scene_.status().has_unresolved_run());
  const auto lease = scene_.store.List(api::Kind::kLease, "").front();
  EXPECT_NE(static_cast<const api::Lease&>(*lease.object).spec().holder_identity(), "");
}

TEST_F(RotationTest, AMalformedEpochIsReplaced) {
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_execution_binding()->set_epoch("v1-short");
  });
  scene_.Pass();
  EXPECT_NE(Epoch(), "v1-short");
  EXPECT_FALSE(scene_.status().has_plan());
}

}  // namespace
}  // namespace lifecycle::migration
