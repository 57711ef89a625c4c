// What may refuse an ordinary claim, what is not understood, and what is tried again.

#include "lifecycle/schema/gates.h"

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/schema/schema_scene.h"

namespace lifecycle::schema {
namespace {

constexpr const char* kNamespace = SchemaScene::kNamespace;

bool Says(const SchemaScene& scene, const char* condition) {
  return dispatch::IsTrue(scene.status().conditions(), condition);
}

const std::string& ReasonOf(const SchemaScene& scene, const char* type) {
  static const std::string none;
  for (const api::Condition& condition : scene.status().conditions()) {
    if (condition.type() == type) return condition.reason();
  }
  return none;
}

// --- B-2, R-1 ----------------------------------------------------------------------------------

TEST(GatesTest, StateOfANewerManagerIsNotTouchedAtAll) {
  const std::vector<std::function<void(api::PtahSchemaStatus&)>> newer = {
      [](api::PtahSchemaStatus& status) {
        status.mutable_execution_binding()->set_controller_state_version(2);
      },
      [](api::PtahSchemaStatus& status) { status.mutable_plan()->set_controller_state_version(2); },
      [](api::PtahSchemaStatus& status) {
        status.mutable_applied()->set_controller_state_version(2);
      },
      [](api::PtahSchemaStatus& status) {
        status.mutable_pending_observation()->mutable_plan()->set_controller_state_version(2);
      },
      [](api::PtahSchemaStatus& status) {
        status.mutable_execution_binding()->set_controller_state_version(-1);
      }};
  for (const auto& edit : newer) {
    SchemaScene scene("Always");
    // A realm owed back is not handed back either.
    scene.EditStatus([&](api::PtahSchemaStatus& status) {
      edit(status);
      status.mutable_pending_lock_release()->set_lease_epoch("v1-" + std::string(32, '1'));
    });
    const api::PassResult result = scene.Pass();
    EXPECT_FALSE(result.status.ok());
    EXPECT_TRUE(scene.door.writes().empty());
    EXPECT_TRUE(scene.Followed("R-1"));
  }
}

TEST(GatesTest, TheFinalizerStaysWhenTheFreshReadIsANewerManagers) {
  SchemaScene scene;
  scene.door.Edit<api::PtahSchema>(kNamespace, SchemaScene::kName, [](api::PtahSchema& schema) {
    schema.mutable_metadata()->add_finalizers(api::kSchemaFinalizer);
  });
  int reads = 0;
  scene.door.refuse_read = [&](const api::Key& key) {
    if (key.kind == api::Kind::kPtahSchema && ++reads == 2) {
      scene.EditStatus([](api::PtahSchemaStatus& status) {
        status.mutable_execution_binding()->set_controller_state_version(2);
      });
    }
    return absl::OkStatus();
  };
  EXPECT_FALSE(scene.Pass().status.ok());
  EXPECT_EQ(scene.schema().metadata().finalizers_size(), 1);
}

// --- B-9 ---------------------------------------------------------------------------------------

TEST(GatesTest, AnUnsupportedEngineClosesApprovalFirstThenDropsOneThingAPass) {
  SchemaScene scene;
  scene.Approve();
  scene.Approve("approve-too");
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.mutable_target()->set_engine("oracle"); });
  scene.Pass();
  EXPECT_EQ(scene.status().phase(), api::phase::kBlocked);
  EXPECT_EQ(scene.status().observed_generation(), 2);
  EXPECT_FALSE(Says(scene, api::condition::kApprovalRequired));
  EXPECT_FALSE(scene.ApprovalIs(api::condition::kStale));
  EXPECT_TRUE(scene.status().has_plan());
  for (int pass = 0; pass < 2; ++pass) {
    scene.door.ForgetWrites();
    scene.Pass();
    EXPECT_EQ(scene.door.writes().size(), 1u);
    EXPECT_TRUE(scene.status().has_plan());
  }
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kStale));
  const api::PassResult last = scene.Pass();
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(last.requeue_after_ms.has_value());
  scene.door.ForgetWrites();
  scene.Pass();
  EXPECT_TRUE(scene.door.writes().empty());
}

TEST(GatesTest, AnEngineThatIsSupportedAgainSaysSoWithItsNextClaim) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.mutable_target()->set_engine("oracle"); });
  scene.Pass();
  EXPECT_EQ(ReasonOf(scene, api::condition::kEngineSupported), api::reason::kUnsupportedEngine);
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.mutable_target()->set_engine("mariadb"); });
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
  EXPECT_TRUE(Says(scene, api::condition::kEngineSupported));
}

// --- B-10 --------------------------------------------------------------------------------------

TEST(GatesTest, AnExclusionThatCannotBeUnderstoodIsAFailureAndNothingIsClaimed) {
  SchemaScene scene("Always");
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.mutable_policy()->add_exclude("[a-z"); });
  const api::PassResult result = scene.Pass();
  EXPECT_TRUE(scene.Followed("B-10"));
  EXPECT_EQ(result.requeue_after_ms, 30'000);
  EXPECT_EQ(scene.status().phase(), api::phase::kFailed);
  EXPECT_FALSE(scene.status().has_active_operation());
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.mutable_policy()->clear_exclude(); });
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

// --- B-12 --------------------------------------------------------------------------------------

TEST(GatesTest, APolicyThatMovedHasTheArtifactVerifiedAgain) {
  SchemaScene scene("Always");
  scene.door.Edit<api::ConfigMap>(kNamespace, "policy", [](api::ConfigMap& policy) {
    policy.mutable_metadata()->set_uid("recreated");
  });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("B-12"));
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(scene.status().source().verified());
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Verify"));
}

TEST(GatesTest, APolicyThatIsGoneUnverifiesTheArtifact) {
  SchemaScene scene("Always");
  scene.door.Erase<api::ConfigMap>(kNamespace, "policy");
  scene.Pass();
  EXPECT_FALSE(scene.status().source().verified());
}

// --- B-14 --------------------------------------------------------------------------------------

// Another schema claims the same key.
void PutRival(SchemaScene& scene, bool suspended = false) {
  api::PtahSchema rival;
  rival.mutable_metadata()->set_namespace_(kNamespace);
  rival.mutable_metadata()->set_name("rival");
  rival.mutable_metadata()->set_uid("uid-rival");
  *rival.mutable_spec() = scene.schema().spec();
  rival.mutable_spec()->set_suspend(suspended);
  scene.door.Put(rival);
}

TEST(GatesTest, AContestedRealmIsBlockedUntilTheRefusalIsLookedAtAgain) {
  SchemaScene scene("Always");
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.clear_next_reconciliation_time_ms(); });
  PutRival(scene);
  const int64_t now_ms = scene.door.wall_ms;
  const api::PassResult result = scene.Pass();
  EXPECT_TRUE(scene.Followed("B-14"));
  EXPECT_EQ(scene.status().phase(), api::phase::kBlocked);
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(scene.door.List(api::Kind::kJob, "").empty());
  EXPECT_EQ(ReasonOf(scene, api::condition::kReady), api::reason::kRealmConflict);
  EXPECT_EQ(scene.status().next_reconciliation_time_ms(), now_ms + 60'000);
  EXPECT_EQ(result.requeue_after_ms, 60'000);

  // The same refusal, written again before it is due, writes nothing.
  scene.door.wall_ms = now_ms + 1'000;
  scene.door.ForgetWrites();
  scene.Pass();
  EXPECT_TRUE(scene.door.writes().empty());

  scene.door.Erase<api::PtahSchema>(kNamespace, "rival");
  scene.door.wall_ms = now_ms + 60'000;
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

// The schema names a PtahRealm that lists another namespace only.
void NameARealmThatDoesNotGrant(SchemaScene& scene) {
  api::PtahRealm realm;
  realm.mutable_metadata()->set_name("main");
  realm.mutable_spec()->set_engine(scene.schema().spec().target().engine());
  realm.mutable_spec()->add_namespaces("elsewhere");
  scene.door.Put(realm);
  scene.EditSpec([](api::PtahSchemaSpec& spec) {
    spec.mutable_target()->clear_coordination_key();
    spec.mutable_target()->mutable_realm_ref()->set_name("main");
  });
}

TEST(GatesTest, ARealmThatDoesNotAdmitTheNamespaceIsRefusedWithoutAJob) {
  SchemaScene scene("Always");
  NameARealmThatDoesNotGrant(scene);
  scene.Pass();
  EXPECT_EQ(scene.status().phase(), api::phase::kBlocked);
  EXPECT_EQ(ReasonOf(scene, api::condition::kReady), api::reason::kRealmNotAuthorized);
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(scene.door.List(api::Kind::kJob, "").empty());
}

TEST(GatesTest, AGrantLiftsTheRefusalAtItsDeadlineAndNotBefore) {
  SchemaScene scene("Always");
  NameARealmThatDoesNotGrant(scene);
  scene.Pass();
  const int64_t due_ms = scene.status().next_reconciliation_time_ms();
  scene.door.Edit<api::PtahRealm>(
      "", "main", [](api::PtahRealm& realm) { realm.mutable_spec()->add_namespaces(kNamespace); });
  // The pass that the grant wakes, and a later one.
  for (const int64_t early_ms : {int64_t{30'000}, int64_t{1}}) {
    scene.door.wall_ms = due_ms - early_ms;
    EXPECT_EQ(scene.Pass().requeue_after_ms, early_ms);
    EXPECT_FALSE(scene.status().has_active_operation());
    EXPECT_EQ(scene.status().phase(), api::phase::kBlocked);
  }
  scene.door.wall_ms = due_ms;
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

TEST(GatesTest, ASuspendedClaimantContestsNothing) {
  SchemaScene scene("Always");
  PutRival(scene, /*suspended=*/true);
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Apply"));
}

TEST(GatesTest, AClaimThatIsWrittenDispatchesWhoeverElseComes) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] { return scene.HasClaim("Apply"); }));
  PutRival(scene);
  EXPECT_TRUE(scene.RunToRecordedApply());
}

// --- R-2 ---------------------------------------------------------------------------------------

TEST(GatesTest, AnUndispatchedClaimOfAnUnknownTypeIsDiscardedAndReleasesNothing) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  }));
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->set_type("Vacuum"); });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("R-2"));
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_FALSE(scene.RealmIsFree());
}

TEST(GatesTest, ADispatchedClaimOfAnUnknownTypeIsLeftAloneWithAnError) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->set_type("Vacuum"); });
  scene.door.ForgetWrites();
  EXPECT_FALSE(scene.Pass().status.ok());
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->clear_job_uid();
    status.mutable_active_operation()->clear_dispatch_started();
  });
  EXPECT_FALSE(scene.Pass().status.ok());  // Its Job stands.
  EXPECT_TRUE(scene.door.writes().empty());
}

// --- E-4.4, F-6, F-8 ---------------------------------------------------------------------------

TEST(GatesTest, ATemplateThatMovesIsTakenAnewOnceAndRefusedTheSecondTime) {
  SchemaScene scene("Always");
  const auto snapshot_taken = [&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  };
  ASSERT_TRUE(scene.PassUntil(snapshot_taken));
  scene.configuration.controller_revision = "r2";
  scene.Pass();
  EXPECT_FALSE(scene.status().active_operation().has_admission_snapshot());
  EXPECT_TRUE(scene.status().active_operation().admission_snapshot_refreshed());
  ASSERT_TRUE(scene.PassUntil(snapshot_taken));
  scene.configuration.controller_revision = "r3";
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Apply"));
  EXPECT_EQ(scene.status().phase(), api::phase::kFailed);
  EXPECT_FALSE(scene.status().active_operation().dispatch_started());
  // Kept, and failing, until its window has passed.
  const int64_t until_ms = scene.status().active_operation().dispatch_not_after_ms();
  ASSERT_TRUE(scene.PassUntil([&] { return !scene.status().has_active_operation(); }));
  EXPECT_GE(scene.door.wall_ms, until_ms);
  EXPECT_TRUE(scene.RealmIsFree());
}

// E-4.3. An Apply waits under its claim, and so does a reading.
TEST(GatesTest, AClaimWhoseAccountIsMissingFailsAndIsTriedAgainUntilItIsBack) {
  for (const char* type : {"Apply", "Resolve"}) {
    SCOPED_TRACE(type);
    SchemaScene scene("Always");
    if (std::string(type) == "Resolve") scene.EditSpec([](api::PtahSchemaSpec&) {});
    const auto account =
        scene.door.At<api::ServiceAccount>(kNamespace, api::kDefaultServiceAccount);
    scene.door.Erase<api::ServiceAccount>(kNamespace, api::kDefaultServiceAccount);
    ASSERT_TRUE(scene.PassUntil([&] { return scene.Followed("E-4.3 unresolvable"); }));
    const std::string id = scene.status().active_operation().id();
    const int64_t failed_ms = scene.door.wall_ms;
    EXPECT_TRUE(scene.HasClaim(type));
    EXPECT_EQ(scene.status().phase(), api::phase::kFailed);
    EXPECT_FALSE(scene.status().active_operation().has_admission_snapshot());
    EXPECT_GE(failed_ms, 1'030'000) << "the failure interval";
    scene.door.Put(account);
    ASSERT_TRUE(
        scene.PassUntil([&] { return !scene.status().active_operation().job_uid().empty(); }));
    EXPECT_EQ(scene.status().active_operation().id(), id);
  }
}

TEST(GatesTest, AReadingWhoseTemplateMovesTwiceIsDiscarded) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  const auto snapshot_taken = [&] {
    return scene.HasClaim("Resolve") && scene.status().active_operation().has_admission_snapshot();
  };
  ASSERT_TRUE(scene.PassUntil(snapshot_taken));
  scene.configuration.controller_revision = "r2";
  scene.Pass();
  ASSERT_TRUE(scene.PassUntil(snapshot_taken));
  scene.configuration.controller_revision = "r3";
  scene.Pass();
  EXPECT_TRUE(scene.Followed("F-7"));
  EXPECT_FALSE(scene.status().has_active_operation());
}

TEST(GatesTest, APodThatIsNotTheClaimsIsReportedAndTheClaimStands) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  const std::string job = scene.status().active_operation().job_name();
  scene.RunJobs();
  scene.door.Edit<api::Job>(kNamespace, job, [](api::Job& running) { running.clear_status(); });
  scene.EditPod(job, [](api::Pod& pod) { pod.mutable_metadata()->clear_annotations(); });
  scene.Pass();
  EXPECT_EQ(ReasonOf(scene, api::condition::kReconciliationFailed), "PodRefused");
  EXPECT_TRUE(scene.HasClaim("Apply"));
  scene.door.ForgetWrites();
  scene.Pass();
  EXPECT_EQ(scene.door.writes().size(), 1u);  // The Lease alone.
  scene.door.Erase<api::Pod>(kNamespace, job + "-0");
  scene.Pass();
  EXPECT_FALSE(Says(scene, api::condition::kReconciliationFailed));
}

TEST(GatesTest, AFailedReadingRunsAgainAtItsTimeAndNotBefore) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  scene.report = [](api::FramePayload& frame) { frame.mutable_error()->set_code("Unreachable"); };
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().active_operation().attempt() == 2; }));
  EXPECT_EQ(scene.status().phase(), api::phase::kFailed);
  const int64_t due_ms = scene.status().next_reconciliation_time_ms();
  scene.door.wall_ms = due_ms - 1'000;
  scene.door.ForgetWrites();
  EXPECT_EQ(scene.Pass().requeue_after_ms, 1'000);
  EXPECT_TRUE(scene.Followed("B-20.4"));
  EXPECT_TRUE(scene.door.writes().empty());
  EXPECT_TRUE(
      scene.PassUntil([&] { return !scene.status().active_operation().job_uid().empty(); }));
}

}  // namespace
}  // namespace lifecycle::schema
