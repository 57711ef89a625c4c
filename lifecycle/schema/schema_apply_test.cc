// A schema's Apply from its published plan to its settled account, on a door of a map.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/schema/schema_scene.h"

namespace lifecycle::schema {
namespace {

constexpr const char* kNamespace = SchemaScene::kNamespace;

TEST(SchemaApplyTest, AnApprovedPlanIsAppliedProvenAndAttributed) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_applied() && scene.IsSettled(); }));
  EXPECT_EQ(scene.status().phase(), api::phase::kInSync);
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kApply), 1);
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kObserve), 1);
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kPlan), 1);
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kConsumed));
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_EQ(scene.failed_passes, 0);
}

// The order of the durable writes from the reservation to the harvest.
TEST(SchemaApplyTest, EachWriteComesInItsPlace) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  const std::string lease = "update lease/" + scene.lease().metadata().name();
  const std::string job = "job/" + scene.status().pending_observation().apply_job_name();
  const std::string plan = scene.status().plan().name();
  const std::vector<std::string> expected = {
      "patch schema/orders status",                       // W-03
      "patch schema/orders",                              // W-01
      "patch schema/orders status",                       // W-02
      "create lease/" + scene.lease().metadata().name(),  // W-05
      "patch schema/orders status",                       // W-06
      lease,
      "create configmap/" + plan + "-000",  // W-08
      "patch schema/orders status",         // W-09
      lease,
      "patch approval/approve-orders status",  // W-11
      "patch schema/orders status",            // W-12
      "create " + job,                         // W-13
      "patch schema/orders status",            // W-15
      lease,                                   // F-5
      "patch " + job,                          // W-17
      "patch schema/orders status",            // W-18
  };
  EXPECT_EQ(scene.door.writes(), expected);
}

// E-10: claim; Lease; snapshot; and the rest, from renewing the Lease to recording the Job.
TEST(SchemaApplyTest, AnUndisturbedApplyIsDispatchedInFourPasses) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] { return scene.status().plan().has_approval(); }));
  int passes = 0;
  while (scene.status().active_operation().job_uid().empty()) {
    ASSERT_LT(passes, 10);
    scene.Pass();
    ++passes;
  }
  EXPECT_EQ(passes, 4);
}

TEST(SchemaApplyTest, UnderAlwaysNoApprovalIsAskedFor) {
  SchemaScene scene(api::apply_policy::kAlways);
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_applied() && scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kApply), 1);
}

TEST(SchemaApplyTest, WithoutAnApprovalThePlanWaits) {
  SchemaScene scene;
  const api::PassResult result = scene.Pass();
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.requeue_after_ms, 600'000);
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_EQ(scene.status().phase(), api::phase::kAwaitingApproval);
}

// A pass is cut off after each of its writes in turn, the process starts anew, and the operation is
// settled all the same, by one Apply Job at most.
TEST(SchemaApplyTest, SettlesAfterAStopAtEveryDurableWrite) {
  for (int boundary = 0;; ++boundary) {
    SCOPED_TRACE(boundary);
    SchemaScene scene;
    scene.Approve();
    bool stopped = false;
    scene.door.refuse = [&](const api::Request&) {
      stopped = stopped || static_cast<int>(scene.door.writes().size()) == boundary;
      return stopped ? absl::UnavailableError("the process is gone") : absl::OkStatus();
    };
    bool settled = false;
    for (int pass = 0; pass < 60 && !stopped && !settled; ++pass) {
      scene.Pass();
      if (!stopped) scene.RunJobs();
      settled = scene.status().has_applied() && scene.IsSettled();
    }
    if (!stopped) break;
    scene.door.refuse = nullptr;
    scene.Restart();
    EXPECT_TRUE(scene.RunUntil([&] {
      return scene.IsSettled() &&
             (scene.status().has_applied() || scene.status().phase() == api::phase::kInSync ||
              scene.JobsMade(api::runner_operation::kPlan) > 0);
    }));
    EXPECT_LE(scene.JobsMade(api::runner_operation::kApply), 1);
    EXPECT_TRUE(scene.RealmIsFree());
  }
}

TEST(SchemaApplyTest, AMarkedClaimWithoutAJobIsProvenAfterTheHorizonAndNeverDispatchedAgain) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  }));
  scene.door.Edit<api::PtahSchema>(kNamespace, SchemaScene::kName, [](api::PtahSchema& schema) {
    schema.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
  });
  const int64_t horizon_ms = scene.status().active_operation().execution_not_after_ms() + 30'000;
  scene.Pass();
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  EXPECT_EQ(scene.status().pending_observation().observe_after_ms(), horizon_ms);
  EXPECT_TRUE(scene.status().pending_observation().apply_job_uid().empty());
  while (!scene.status().has_active_operation()) {
    ASSERT_LT(scene.door.wall_ms, horizon_ms + 10'000);
    scene.Pass();
  }
  EXPECT_TRUE(scene.HasClaim("Observe"));
  EXPECT_GE(scene.door.wall_ms, horizon_ms);
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kApply), 0);
  EXPECT_FALSE(scene.status().has_applied());
  // The database is not the declared one, so the proof's Plan publishes the next plan.
  EXPECT_TRUE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), api::phase::kAwaitingApproval);
}

TEST(SchemaApplyTest, ALostLogLeavesTheOutcomeUnknownAndConvergenceUnattributed) {
  SchemaScene scene;
  scene.Approve();
  scene.lose_apply_log = true;
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  // Its one trusted Pod has terminated, so there is no horizon to wait for.
  EXPECT_EQ(scene.status().pending_observation().observe_after_ms(), 0);
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_EQ(scene.status().phase(), api::phase::kInSync);
  EXPECT_FALSE(scene.status().has_applied());
}

TEST(SchemaApplyTest, ARunThatReachedAnotherDatabaseIsUnknown) {
  SchemaScene scene;
  scene.Approve();
  scene.report = [](api::FramePayload& frame) {
    if (frame.operation() == api::runner_operation::kApply) {
      frame.set_target_identity_digest(api::DigestOf("another database"));
    }
  };
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
}

TEST(SchemaApplyTest, AnApprovalThatIsGoneRetiresTheClaimWithoutTheRealm) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] { return scene.HasClaim("Apply"); }));
  scene.RivalTakesRealm();
  scene.door.Erase<api::PtahSchemaApproval>(kNamespace, SchemaScene::kApproval);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().plan().has_approval());
  EXPECT_EQ(scene.status().phase(), api::phase::kAwaitingApproval);
  EXPECT_TRUE(scene.status().has_plan());
  EXPECT_TRUE(scene.IsSettled());
}

TEST(SchemaApplyTest, AnApprovalSpentByARetiredClaimAsksForANewOne) {
  SchemaScene scene;
  scene.Approve();
  scene.door.refuse = [](const api::Request& request) {
    return request.key.kind == api::Kind::kJob ? api::ToStatus({403, api::kForbidden, "not now"})
                                               : absl::OkStatus();
  };
  ASSERT_TRUE(scene.PassUntil(
      [&] { return scene.HasClaim("Apply") && scene.ApprovalIs(api::condition::kConsumed); }));
  EXPECT_FALSE(scene.status().active_operation().dispatch_started());
  scene.door.refuse = nullptr;
  scene.door.wall_ms = scene.status().active_operation().dispatch_not_after_ms();
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  // A person approves again before the refresh that the next pass waits for.
  const int64_t now_ms = scene.door.wall_ms;
  ASSERT_TRUE(scene.PassUntil([&] { return !scene.status().plan().has_approval(); }));
  EXPECT_TRUE(scene.IsSettled());
  scene.door.wall_ms = now_ms + 1;
  scene.Approve("approve-again");
  EXPECT_TRUE(scene.RunUntil([&] { return scene.status().has_applied() && scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kApply), 1);
}

TEST(SchemaApplyTest, ARefusedCreateIsMadeAgainUnderTheSpentApproval) {
  SchemaScene scene;
  scene.Approve();
  int refused = 0;
  scene.door.refuse = [&](const api::Request& request) {
    if (request.key.kind != api::Kind::kJob || ++refused > 2) return absl::OkStatus();
    return api::ToStatus({403, api::kForbidden, "not now"});
  };
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_applied() && scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kApply), 1);
}

TEST(SchemaApplyTest, ARepublishedPlanIsAnotherPlan) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] { return scene.HasClaim("Apply"); }));
  scene.door.Edit<api::PtahSchemaPlan>(
      kNamespace, scene.status().plan().name(),
      [](api::PtahSchemaPlan& plan) { plan.mutable_metadata()->set_uid("uid-other"); });
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), api::phase::kObserving);
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kStale));
}

TEST(SchemaApplyTest, AnApprovalRemadeUnderItsNameIsNotMarkedForTheRecordedOne) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] { return scene.status().plan().has_approval(); }));
  scene.door.Edit<api::PtahSchemaApproval>(
      kNamespace, SchemaScene::kApproval,
      [](api::PtahSchemaApproval& remade) { remade.mutable_metadata()->set_uid("uid-remade"); });
  scene.door.Edit<api::PtahSchemaPlan>(
      kNamespace, scene.status().plan().name(),
      [](api::PtahSchemaPlan& plan) { plan.mutable_metadata()->set_uid("uid-other"); });
  scene.Pass();
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(scene.ApprovalIs(api::condition::kStale));
}

TEST(SchemaApplyTest, AReleaseThatIsOwedIsMadeByTheNextPassBeforeAnythingElse) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  // The process stops right after the write that settles the proof.
  scene.door.refuse = [&](const api::Request&) {
    return scene.status().has_pending_lock_release() ? absl::UnavailableError("gone")
                                                     : absl::OkStatus();
  };
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_lock_release(); }));
  EXPECT_FALSE(scene.RealmIsFree());
  scene.door.refuse = nullptr;
  scene.Restart();
  scene.Delete();
  scene.door.ForgetWrites();
  EXPECT_EQ(scene.Pass().requeue_after_ms, 0);
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_EQ(scene.door.writes(),
            (std::vector<std::string>{"update lease/" + scene.lease().metadata().name(),
                                      "patch schema/orders status"}));
}

TEST(SchemaApplyTest, AForeignProjectionRetiresThePlan) {
  SchemaScene scene;
  scene.Approve();
  api::ConfigMap foreign;
  foreign.mutable_metadata()->set_namespace_(kNamespace);
  foreign.mutable_metadata()->set_name(scene.status().plan().name() + "-000");
  scene.door.Put(foreign);
  ASSERT_TRUE(scene.PassUntil([&] { return !scene.status().has_plan(); }));
  EXPECT_TRUE(scene.IsSettled());
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(SchemaApplyTest, APlanTheEvidenceNoLongerSupportsIsDroppedAndTheDatabaseReadAgain) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] { return scene.status().plan().has_approval(); }));
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    status.mutable_target()->set_identity_digest(api::DigestOf("another database"));
  });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("D-8"));
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kStale));
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Observe"));
}

TEST(SchemaApplyTest, ARunningJobWhoseInputsMovedIsUnknownWithoutBeingRead) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && !scene.status().active_operation().job_uid().empty();
  }));
  scene.door.Edit<api::PtahSchema>(kNamespace, SchemaScene::kName, [](api::PtahSchema& schema) {
    schema.mutable_metadata()->set_generation(2);
  });
  scene.RunJobs();
  scene.Pass();
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  // The proof belongs to the generation of the Apply; what comes after belongs to the new one.
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_EQ(scene.status().phase(), api::phase::kPending);
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

TEST(SchemaApplyTest, AManagerThatBuildsAnotherJobLeavesTheRunUnknownAndUnread) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && !scene.status().active_operation().job_uid().empty();
  }));
  scene.RunJobs();
  scene.configuration.builder_revision = 2;
  scene.Pass();
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_EQ(scene.status().phase(), api::phase::kInSync);
  EXPECT_FALSE(scene.status().has_applied()) << "convergence is not attribution";
}

TEST(SchemaApplyTest, ARealmThatChangedHandsAfterTheMarkEndsTheClaimsReadability) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && !scene.status().active_operation().job_uid().empty();
  }));
  scene.door.Edit<api::Lease>(
      scene.configuration.coordination_namespace,
      rules::LeaseName(scene.status().target().coordination_digest()),
      [](api::Lease& lease) { lease.mutable_spec()->set_holder_identity(""); });
  scene.RunJobs();
  scene.Pass();
  EXPECT_TRUE(scene.status().active_operation().lease_continuity_lost());
  scene.Pass();
  ASSERT_TRUE(scene.status().has_pending_observation());
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  EXPECT_FALSE(scene.status().pending_observation().apply_job_uid().empty());
}

TEST(SchemaApplyTest, AProofWhoseRealmChangedHandsStartsOverUnattributed) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] {
    return scene.status().has_pending_observation() &&
           scene.status().pending_observation().plan_required();
  }));
  scene.door.Edit<api::Lease>(
      scene.configuration.coordination_namespace,
      rules::LeaseName(scene.status().target().coordination_digest()),
      [](api::Lease& lease) { lease.mutable_spec()->set_holder_identity(""); });
  scene.Pass();
  EXPECT_FALSE(scene.status().pending_observation().plan_required());
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_FALSE(scene.status().has_applied());
}

TEST(SchemaApplyTest, ASecondPodForcesAnUnknownOutcomeEvenDuringTheProof) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kApplySucceeded);
  api::Pod second = scene.door.At<api::Pod>(
      kNamespace, scene.status().pending_observation().apply_job_name() + "-0");
  second.mutable_metadata()->set_name("second");
  second.mutable_metadata()->set_uid("uid-second");
  scene.door.Put(second);
  scene.Pass();
  EXPECT_EQ(scene.status().pending_observation().outcome(), api::proof_outcome::kOutcomeUnknown);
  EXPECT_EQ(scene.status().pending_observation().apply_pod_count(), 2);
}

TEST(SchemaApplyTest, APublicationThatStoppedIsFinishedByTheNextPass) {
  SchemaScene scene;
  scene.Approve();
  scene.lose_apply_log = true;
  scene.report = [&](api::FramePayload&) { scene.declared = false; };
  bool stopped = false;
  scene.door.refuse = [&](const api::Request& request) {
    if (stopped || request.key.kind != api::Kind::kPtahSchemaPlan ||
        request.subresource != api::Subresource::kStatus) {
      return absl::OkStatus();
    }
    stopped = true;
    return absl::UnavailableError("the process is gone");
  };
  ASSERT_TRUE(scene.RunUntil([&] { return stopped && scene.IsSettled(); }));
  EXPECT_TRUE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), api::phase::kAwaitingApproval);
}

// The ordinary chain that leads to a plan, under the same machinery.
TEST(SchemaApplyTest, AnEditedSpecIsResolvedVerifiedObservedAndPlanned) {
  SchemaScene scene;
  scene.door.Edit<api::PtahSchema>(kNamespace, SchemaScene::kName, [](api::PtahSchema& schema) {
    schema.mutable_metadata()->set_generation(2);
  });
  scene.report = [&](api::FramePayload& frame) {
    frame.set_resolved_digest(api::DigestOf("artifact"));
    frame.set_resolved_reference("registry.example/orders@" + frame.resolved_digest());
  };
  ASSERT_TRUE(scene.RunUntil(
      [&] { return scene.JobsMade(api::runner_operation::kPlan) == 1 && scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kResolve), 1);
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kVerify), 1);
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kObserve), 1);
  EXPECT_EQ(scene.status().phase(), api::phase::kAwaitingApproval);
  EXPECT_EQ(scene.status().observed_generation(), 2);
  EXPECT_EQ(scene.failed_passes, 0);
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(SchemaApplyTest, AReadingThatCannotBeReadRunsAgainUnderANewName) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  int broken = 0;
  scene.report = [&](api::FramePayload& frame) {
    if (frame.operation() == api::runner_operation::kObserve && broken++ == 0) {
      frame.set_coordination_digest(api::DigestOf("elsewhere"));
    }
  };
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_applied() && scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kObserve), 2);
}

// D-5.5, should a phase ever send such a plan here: what a publication leaves Blocked is looked at
// again after the whole chain only.
TEST(SchemaApplyTest, APlanThatThePolicyHoldsBackIsBlockedWhateverThePhaseSays) {
  const auto reason = [](const SchemaScene& scene) -> std::string {
    for (const api::Condition& condition : scene.status().conditions()) {
      if (condition.type() == api::condition::kReady) return condition.reason();
    }
    return "";
  };
  SchemaScene never("Never");
  never.EditStatus(
      [](api::PtahSchemaStatus& status) { status.set_phase(api::phase::kReadyToApply); });
  never.Pass();
  EXPECT_EQ(never.status().phase(), api::phase::kBlocked);
  EXPECT_EQ(reason(never), "PolicyNeverApplies");
  EXPECT_TRUE(never.Followed("D-5.5"));
  SchemaScene destructive("Always");
  destructive.EditStatus([](api::PtahSchemaStatus& status) {
    status.set_phase(api::phase::kReadyToApply);
    status.mutable_plan()->set_destructive(true);
  });
  destructive.Pass();
  EXPECT_EQ(destructive.status().phase(), api::phase::kBlocked);
  EXPECT_EQ(reason(destructive), "DestructivePlanNotAllowed");
}

TEST(SchemaApplyTest, ARuleIsFollowedWhereItDecides) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] { return scene.HasClaim("Apply"); }));
  EXPECT_TRUE(scene.Followed("D-5.9"));
  for (const char* rule : {"D-5.2", "D-5.4", "D-5.5", "D-5.7"}) {
    EXPECT_FALSE(scene.Followed(rule)) << rule;
  }
}

TEST(SchemaApplyTest, ARefusedVerificationIsBlockedAndNothingIsPlanned) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec& spec) { spec.set_interval_seconds(60); });
  scene.report = [&](api::FramePayload& frame) {
    frame.set_resolved_digest(api::DigestOf("artifact"));
    frame.set_resolved_reference("registry.example/orders@" + frame.resolved_digest());
    if (frame.operation() == api::runner_operation::kVerify) {
      frame.mutable_error()->set_code("VerificationRefused");
    }
  };
  ASSERT_TRUE(scene.RunUntil(
      [&] { return scene.status().phase() == api::phase::kBlocked && scene.IsSettled(); }));
  EXPECT_TRUE(scene.Followed("G-12 refused"));
  EXPECT_FALSE(scene.status().source().verified());
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kVerify), 1) << "an account, and no failure";
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kObserve), 0);
  for (const api::Condition& condition : scene.status().conditions()) {
    if (condition.type() != api::condition::kApprovalRequired) continue;
    EXPECT_EQ(condition.status(), api::condition_status::kFalse);
  }
}

TEST(SchemaApplyTest, AProofWhosePlanAProtectedTableRefusesIsSettledUnattributed) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  scene.report = [&](api::FramePayload& frame) {
    if (frame.operation() != api::runner_operation::kPlan) return;
    frame.clear_plan_outcome();
    frame.mutable_error()->set_code("ProtectedTable");
  };
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kPlan), 1);
  EXPECT_EQ(scene.status().phase(), api::phase::kBlocked);
  EXPECT_FALSE(scene.status().has_applied());
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_TRUE(scene.RealmIsFree());
}

}  // namespace
}  // namespace lifecycle::schema
