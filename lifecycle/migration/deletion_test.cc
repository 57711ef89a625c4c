#include "lifecycle/migration/deletion.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "lifecycle/admission/operator_admission.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/scene.h"
#include "lifecycle/migration/unresolved_copy.h"

namespace lifecycle::migration {
namespace {

class DeletionTest : public ::testing::Test {
 protected:
  DeletionTest() { scene_.store.admission = &webhook_; }

  void Delete() {
    scene_.EditMigration([](api::PtahMigration& migration) {
      migration.mutable_metadata()->set_deletion_timestamp_ms(1);
    });
  }
  bool HasFinalizer() const { return scene_.migration().metadata().finalizers_size() > 0; }
  int Lost() const {
    int lost = 0;
    for (const std::string& reason : scene_.store.events()) lost += reason == "UnresolvedRunLost";
    return lost;
  }
  const api::Lease& Lease() const {
    return static_cast<const api::Lease&>(*scene_.store.List(api::Kind::kLease, "").front().object);
  }
  api::UnresolvedRun Record() const {
    api::UnresolvedRun record;
    record.set_outcome(api::run_outcome::kPartial);
    record.set_operation_id(TestDigest('e'));
    record.mutable_plan_ref()->set_name("plan");
    record.mutable_plan_ref()->set_uid("plan-uid");
    record.set_recorded_at_ms(5);
    return record;
  }

  admission::OperatorAdmission webhook_{api::DefaultConfiguration()};
  Scene scene_{"Always"};
};

TEST_F(DeletionTest, ARunningApplyIsWaitedForWithItsRealmRenewed) {
  scene_.PassUntilRecorded();
  Delete();
  const int64_t renewed_before_ms = Lease().spec().renew_time_ms();
  scene_.store.Advance(60'000);
  EXPECT_EQ(scene_.Pass().requeue_after_ms, scene_.timing.supervision_poll_ms);
  EXPECT_TRUE(scene_.status().has_active_operation());
  EXPECT_TRUE(HasFinalizer());
  EXPECT_GT(Lease().spec().renew_time_ms(), renewed_before_ms);
  EXPECT_EQ(scene_.store.journal().back(), "E-2a");
}

TEST_F(DeletionTest, AnApplyThatEndedIsRecordedAnnouncedAndLetGo) {
  scene_.PassUntilRecorded();
  scene_.EndJobWithFrame(scene_.RunFrame("applied", {3, 4}));
  Delete();
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 1'000);
  // The result is not read: the resource goes, and what it did is left unresolved.
  EXPECT_EQ(scene_.status().unresolved_run().outcome(), api::run_outcome::kUnknown);
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_FALSE(scene_.status().has_pending_lock_release());
  EXPECT_EQ(Lease().spec().holder_identity(), "");
  EXPECT_TRUE(HasFinalizer());
  EXPECT_EQ(Lost(), 0);

  const api::PassResult last = scene_.Pass();
  EXPECT_TRUE(last.status.ok());
  EXPECT_FALSE(last.requeue_after_ms.has_value());
  EXPECT_FALSE(HasFinalizer());
  EXPECT_EQ(Lost(), 1);
}

TEST_F(DeletionTest, AMissingJobIsWaitedForAsLongAsItsPodRuns) {
  scene_.PassUntilRecorded();
  const std::string name = scene_.claim().job_name();
  scene_.EndJob(false, "");
  api::Pod pod = scene_.store.At<api::Pod>("app", name + "-0");
  pod.mutable_status()->set_phase(api::pod_phase::kRunning);
  scene_.store.Put(pod);
  scene_.store.Remove({api::Kind::kJob, "app", name});
  Delete();
  EXPECT_EQ(scene_.Pass().requeue_after_ms, scene_.timing.supervision_poll_ms);
  EXPECT_TRUE(scene_.status().has_active_operation());

  pod.mutable_status()->set_phase(api::pod_phase::kFailed);
  scene_.store.Put(pod);
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 1'000);
  EXPECT_TRUE(scene_.status().has_unresolved_run());
}

TEST_F(DeletionTest, AnApplyThatDispatchedNothingIsDiscardedWithItsRealm) {
  while (scene_.status().phase() != api::phase::kApplying ||
         scene_.store.List(api::Kind::kLease, "").empty()) {
    scene_.Pass();
  }
  ASSERT_FALSE(scene_.claim().dispatch_started());
  Delete();
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 0);
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_FALSE(scene_.status().has_unresolved_run());
  EXPECT_EQ(Lease().spec().holder_identity(), "");
  scene_.Pass();
  EXPECT_FALSE(HasFinalizer());
  EXPECT_EQ(Lost(), 0);
}

TEST_F(DeletionTest, AMarkedApplyWhoseJobNeverWasLeavesItsRecord) {
  scene_.PassUntilRecorded();
  const std::string name = scene_.claim().job_name();
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->clear_job_uid();
  });
  scene_.store.Remove({api::Kind::kJob, "app", name});
  Delete();
  // A create whose answer was lost may still be stored: only the run's own clock ends the wait.
  EXPECT_EQ(scene_.Pass().requeue_after_ms, scene_.timing.supervision_poll_ms);
  EXPECT_FALSE(scene_.status().has_unresolved_run());
  scene_.store.Advance(scene_.claim().execution_not_after_ms() +
                       1000 * scene_.claim().termination_grace_period_seconds() -
                       scene_.store.wall_ms);
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 1'000);
  EXPECT_TRUE(scene_.status().has_unresolved_run());
  EXPECT_EQ(scene_.status().unresolved_run().job_name(), "");
}

TEST_F(DeletionTest, ReadOnlyAndUnknownClaimsAreDroppedAndReleaseNothing) {
  for (const char* type : {"History", "Repair"}) {
    SCOPED_TRACE(type);
    Scene scene("Always");
    scene.PassUntilRecorded();
    scene.EditMigration([&](api::PtahMigration& migration) {
      migration.mutable_status()->mutable_active_operation()->set_type(type);
      migration.mutable_metadata()->set_deletion_timestamp_ms(1);
    });
    EXPECT_EQ(scene.Pass().requeue_after_ms, 0);
    EXPECT_FALSE(scene.status().has_active_operation());
    EXPECT_FALSE(scene.status().has_pending_lock_release());
    EXPECT_FALSE(scene.status().has_unresolved_run());
  }
}

TEST_F(DeletionTest, AnUnresolvedRunKeepsTheFinalizerUntilItsLossIsAnnounced) {
  scene_.EditMigration([&](api::PtahMigration& migration) {
    *migration.mutable_status()->mutable_unresolved_run() = Record();
    (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
        WriteCopy(Record());
    migration.mutable_metadata()->add_finalizers(api::kMigrationFinalizer);
  });
  for (int pass = 0; pass < 3; ++pass) scene_.Pass();
  EXPECT_TRUE(HasFinalizer());
  EXPECT_EQ(Lost(), 0);
  Delete();
  scene_.Pass();
  EXPECT_EQ(Lost(), 1);
  EXPECT_FALSE(HasFinalizer());
}

TEST_F(DeletionTest, AReleaseThatIsOwedKeepsTheFinalizer) {
  scene_.PassUntilRecorded();
  scene_.EndJobWithFrame(scene_.RunFrame("applied", {3, 4}));
  Delete();
  scene_.store.refuse = [](const api::Request& request) {
    if (request.key.kind != api::Kind::kLease) return absl::OkStatus();
    return api::ToStatus({500, api::kInternalError, "not now"});
  };
  scene_.Pass();
  ASSERT_TRUE(scene_.status().has_pending_lock_release());
  EXPECT_FALSE(scene_.Pass().status.ok());
  EXPECT_TRUE(HasFinalizer());
  scene_.store.refuse = nullptr;
  scene_.Pass();
  EXPECT_FALSE(scene_.status().has_pending_lock_release());
  scene_.Pass();
  EXPECT_FALSE(HasFinalizer());
}

TEST_F(DeletionTest, ARunThatOnlyItsCopyStillHoldsIsAnnounced) {
  for (const bool readable : {true, false}) {
    Scene scene("Never");
    const std::string copy = readable ? WriteCopy(Record()) : "{\"of\": \"a newer manager\"}";
    scene.EditMigration([&](api::PtahMigration& migration) {
      api::ObjectMeta& metadata = *migration.mutable_metadata();
      metadata.set_deletion_timestamp_ms(1);
      metadata.add_finalizers(api::kMigrationFinalizer);
      (*metadata.mutable_annotations())[api::annotation::kUnresolvedRun] = copy;
    });
    scene.Pass();
    EXPECT_EQ(scene.migration().metadata().finalizers_size(), 0);
    ASSERT_EQ(scene.store.events().size(), 1u);
    EXPECT_EQ(scene.store.events().front(), "UnresolvedRunLost");
  }
}

TEST_F(DeletionTest, ACopyOfASettledRunIsNoLoss) {
  Delete();
  scene_.EditMigration([&](api::PtahMigration& migration) {
    migration.mutable_metadata()->add_finalizers(api::kMigrationFinalizer);
    (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
        WriteCopy(Record());
    migration.mutable_status()->mutable_resolved_run()->set_operation_id(TestDigest('e'));
  });
  scene_.Pass();
  EXPECT_FALSE(HasFinalizer());
  EXPECT_EQ(Lost(), 0);
}

}  // namespace
}  // namespace lifecycle::migration
