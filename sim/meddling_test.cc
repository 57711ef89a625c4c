#include "sim/meddling.h"

#include <memory>

#include "gtest/gtest.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr char kJob[] = "apply";

// A migration whose claim reserves the test's Job name.
struct Claimed : ActorWorld {
  Claimed() {
    auto migration = std::make_shared<api::PtahMigration>();
    migration->mutable_metadata()->set_namespace_("test");
    migration->mutable_metadata()->set_name("m");
    Add(migration);
    Claim("");
    TestJob none;
    OperationTruth& operation = world.truth.operations.Edit(none.operation_id);
    operation.id = none.operation_id;
    operation.resource = {api::Kind::kPtahMigration, "test", "m"};
    operation.mutating = true;
    operation.job_names = {kJob};
  }

  void Claim(const std::string& job_uid) {
    auto next = std::make_shared<api::PtahMigration>(*world.Get<api::PtahMigration>("test", "m"));
    api::ActiveOperation& claim = *next->mutable_status()->mutable_active_operation();
    claim.set_id(TestJob().operation_id);
    claim.set_job_name(kJob);
    claim.set_job_uid(job_uid);
    ASSERT_TRUE(Update(server, world, "test", next, api::Subresource::kStatus).status.ok());
  }
  bool Offers(const char* what) {
    world.person.Edit(what) = 1;
    return Find(StepKind::kPerson, what).has_value();
  }
  void Do(const char* what) {
    world.person.Edit(what) = 1;
    Take(StepKind::kPerson, what);
  }
};

TEST(MeddlingTest, ANameIsTakenOnlyWhileItIsFreeAndTheJobIsNobodysAndNeverRuns) {
  Claimed at;
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kSquatJob), std::nullopt) << "nobody may";
  at.Do(act::kSquatJob);
  ASSERT_NE(at.TheJob(), nullptr);
  EXPECT_EQ(at.TheJob()->metadata().name(), kJob);
  EXPECT_TRUE(at.TheJob()->metadata().owner_references().empty());
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
  EXPECT_FALSE(at.Offers(act::kSquatJob));
  EXPECT_EQ(at.TheOperation().created, Count::kNone) << "the manager made no Job";
  EXPECT_TRUE(at.TheOperation().job_uids.empty());
}

TEST(MeddlingTest, AReplacementIsTheSameButForItsUidAndCanRun) {
  Claimed at;
  at.AddJob();
  const api::Job before = *at.TheJob();
  EXPECT_FALSE(at.Offers(act::kReplaceJob)) << "no UID is recorded";
  at.Claim(before.metadata().uid());
  at.Do(act::kReplaceJob);
  const api::Job& after = *at.TheJob();
  EXPECT_NE(after.metadata().uid(), before.metadata().uid());
  EXPECT_EQ(after.spec().template_().metadata().labels().at(api::label::kControllerUid),
            after.metadata().uid());
  EXPECT_EQ(after.spec().template_().spec().containers_size(),
            before.spec().template_().spec().containers_size());
  EXPECT_EQ(at.TheOperation().created, Count::kOne) << "the manager made one";
  EXPECT_EQ(at.TheOperation().job_uids.size(), 2u);
  EXPECT_TRUE(at.TheOperation().disturbed);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
  at.Take(StepKind::kStartPod);
  EXPECT_EQ(at.world.runs.size(), 1u);
}

TEST(MeddlingTest, WhatAnybodyMayChangeOfAJobIsChangedAndItRunsOn) {
  Claimed at;
  at.AddJob();
  auto owned = std::make_shared<api::Job>(*at.TheJob());
  owned->mutable_metadata()->add_owner_references()->set_name("m");
  owned->mutable_metadata()->mutable_owner_references(0)->set_uid(
      at.world.Get<api::PtahMigration>("test", "m")->metadata().uid());
  owned->mutable_metadata()->mutable_owner_references(0)->set_kind("PtahMigration");
  owned->mutable_metadata()->mutable_owner_references(0)->set_api_version(api::kGroupVersion);
  ASSERT_TRUE(Update(at.server, at.world, "test", owned, api::Subresource::kMain).status.ok());
  const std::string uid = at.TheJob()->metadata().uid();
  at.Do(act::kDisownJob);
  EXPECT_TRUE(at.TheJob()->metadata().owner_references().empty());
  EXPECT_FALSE(at.Offers(act::kDisownJob));
  at.Do(act::kAnnotateJob);
  EXPECT_EQ(at.TheJob()->metadata().annotations().size(), 1u);
  EXPECT_FALSE(at.Offers(act::kAnnotateJob));
  EXPECT_EQ(at.TheJob()->metadata().uid(), uid);
  EXPECT_TRUE(at.Find(StepKind::kStartPod).has_value());
}

TEST(MeddlingTest, APodLosesTheMarkOfItsEnvelope) {
  Claimed at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  EXPECT_FALSE(at.Offers(act::kStripPod)) << "it has none";
  auto pod = std::make_shared<api::Pod>(*at.ThePod());
  (*pod->mutable_metadata()->mutable_annotations())[api::annotation::kAdmissionSnapshotDigest] =
      "d";
  ASSERT_TRUE(Update(at.server, at.world, "test", pod, api::Subresource::kMain).status.ok());
  at.Do(act::kStripPod);
  EXPECT_TRUE(at.ThePod()->metadata().annotations().empty());
}

// Where the Pod of another making comes first it is the one the Job waits for, in vain.
TEST(MeddlingTest, APlantedPodTakesThePlaceOfTheJobsAndFailsAtItsDeadline) {
  Claimed at;
  at.AddJob();
  at.Do(act::kPlantPod);
  EXPECT_TRUE(ControlledBy(at.ThePod()->metadata(), at.TheJob()->metadata().uid()));
  EXPECT_FALSE(at.Offers(act::kPlantPod));
  EXPECT_FALSE(at.Find(StepKind::kStartPod).has_value());
  while (!at.Find(StepKind::kFinishJob, "deadline").has_value()) {
    at.Take(StepKind::kAdvanceClock);
  }
  at.Take(StepKind::kFinishJob, "deadline");
  EXPECT_TRUE(IsFinished(*at.TheJob(), nullptr));
  EXPECT_EQ(at.TheJob()->status().failed(), 1);
}

TEST(MeddlingTest, APodPlantedBesideTheJobsOwnIsCountedAndGoesWithIt) {
  Claimed at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Do(act::kPlantPod);
  at.Take(StepKind::kRun, "finish");
  at.Take(StepKind::kFinishJob);
  EXPECT_EQ(at.TheJob()->status().succeeded(), 1);
  EXPECT_EQ(at.TheJob()->status().failed(), 1);
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kSucceeded) << "one is left";
}

}  // namespace
}  // namespace sim
