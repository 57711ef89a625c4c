#include "lifecycle/admission/pod_intent.h"

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/scene.h"
#include "lifecycle/schema/schema_scene.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::admission {
namespace {

using lifecycle::testing::MemoryDoor;

// The Pod of the Job as the plugins of a server let it through.
api::Pod PodOf(const api::Job& job) {
  api::Pod pod;
  api::ObjectMeta& meta = *pod.mutable_metadata();
  meta.set_namespace_(job.metadata().namespace_());
  meta.set_name(job.metadata().name() + "-0");
  *meta.mutable_annotations() = job.spec().template_().metadata().annotations();
  api::OwnerReference& owner = *meta.add_owner_references();
  owner.set_api_version(api::ApiVersionOf(api::Kind::kJob));
  owner.set_kind(api::KindName(api::Kind::kJob));
  owner.set_name(job.metadata().name());
  owner.set_uid(job.metadata().uid());
  owner.set_controller(true);
  owner.set_block_owner_deletion(true);
  *pod.mutable_spec() = job.spec().template_().spec();
  pod.mutable_spec()->set_service_account_name(api::kDefaultServiceAccount);
  return pod;
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
