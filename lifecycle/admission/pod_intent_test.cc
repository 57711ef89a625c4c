#include "lifecycle/admission/pod_intent.h"

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/scene.h"
#include "lifecycle/schema/schema_scene.h"
#include "lifecycle/testing/cluster_samples.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::admission {
namespace {

using lifecycle::testing::MemoryDoor;

// The first Pod of the Job.
api::Pod PodOf(const api::Job& job) {
  return lifecycle::testing::PodOf(job, job.metadata().name() + "-0");
}

void WriteOnAccount(MemoryDoor& store, const std::string& namespace_) {
  store.Edit<api::ServiceAccount>(namespace_, api::kDefaultServiceAccount,
                                  [](api::ServiceAccount& account) {
                                    (*account.mutable_metadata()->mutable_annotations())["a"] = "b";
                                  });
}

class MigrationPodTest : public ::testing::Test {
 protected:
  MigrationPodTest() : scene_("Always") { scene_.PassUntilRecorded(); }
  bool Admits(const api::Pod& pod) const { return ReviewPod(pod, scene_.store).ok(); }

  migration::Scene scene_;
};

TEST_F(MigrationPodTest, ThePodOfTheClaimsJobIsAdmitted) {
  EXPECT_TRUE(Admits(PodOf(scene_.job())));
}

TEST_F(MigrationPodTest, APodIsRefusedOnceAnythingThatShapesItMoved) {
  const api::Pod pod = PodOf(scene_.job());
  const MemoryDoor whole = scene_.store;
  scene_.store.Erase<api::ServiceAccount>("app", api::kDefaultServiceAccount);
  EXPECT_FALSE(Admits(pod)) << "gone";
  scene_.store = whole;
  api::ServiceAccount another;
  another.mutable_metadata()->set_namespace_("app");
  another.mutable_metadata()->set_name(api::kDefaultServiceAccount);
  scene_.store.Put(another);
  EXPECT_FALSE(Admits(pod)) << "made anew";
  scene_.store = whole;
  WriteOnAccount(scene_.store, "app");
  EXPECT_FALSE(Admits(pod)) << "written on";
  scene_.store = whole;
  EXPECT_TRUE(Admits(pod));
}

TEST_F(MigrationPodTest, APodOfAnotherMakingOrAnotherSnapshotIsRefused) {
  api::Pod pod = PodOf(scene_.job());
  pod.mutable_spec()->mutable_containers(0)->set_image("another");
  EXPECT_FALSE(Admits(pod));
  pod = PodOf(scene_.job());
  (*pod.mutable_metadata()->mutable_annotations())[api::annotation::kAdmissionSnapshotDigest] = "x";
  EXPECT_FALSE(Admits(pod));
  pod.mutable_metadata()->clear_annotations();
  EXPECT_FALSE(Admits(pod));
}

TEST_F(MigrationPodTest, APodThatNoRecordSpeaksForIsNotJudged) {
  api::Pod pod = PodOf(scene_.job());
  pod.mutable_spec()->mutable_containers(0)->set_image("another");
  ASSERT_FALSE(Admits(pod));
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->set_job_name("another");
  });
  EXPECT_TRUE(Admits(pod));
  pod.mutable_metadata()->mutable_owner_references(0)->set_uid("another");
  EXPECT_TRUE(Admits(pod));
  pod.mutable_metadata()->clear_owner_references();
  EXPECT_TRUE(Admits(pod));
}

TEST(SchemaPodTest, APodIsHeldToItsClaimAndThenToTheProofThatFollowsIt) {
  schema::SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  const api::ActiveOperation claim = scene.status().active_operation();
  const api::Pod pod =
      PodOf(scene.door.At<api::Job>(schema::SchemaScene::kNamespace, claim.job_name()));
  EXPECT_TRUE(ReviewPod(pod, scene.door).ok());
  scene.EditStatus([&](api::PtahSchemaStatus& status) {
    status.clear_active_operation();
    status.mutable_pending_observation()->set_apply_job_name(claim.job_name());
    *status.mutable_pending_observation()->mutable_admission_snapshot() =
        claim.admission_snapshot();
  });
  EXPECT_TRUE(ReviewPod(pod, scene.door).ok());
  WriteOnAccount(scene.door, schema::SchemaScene::kNamespace);
  EXPECT_FALSE(ReviewPod(pod, scene.door).ok());
  scene.EditStatus([](api::PtahSchemaStatus& status) { status.clear_pending_observation(); });
  EXPECT_TRUE(ReviewPod(pod, scene.door).ok()) << "no record speaks for it any more";
}

}  // namespace
}  // namespace lifecycle::admission
