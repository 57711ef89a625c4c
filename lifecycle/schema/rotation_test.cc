// A rotation of the execution binding at each point of a claim's life, and what it leaves.

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/schema/schema_scene.h"

namespace lifecycle::schema {
namespace {

constexpr const char* kNamespace = SchemaScene::kNamespace;

std::string OtherImage(char digit) {
  return "registry.example/ptah@sha256:" + std::string(64, digit);
}

// Another release takes over: its components are others.
void Upgrade(SchemaScene& scene, char digit = '9') {
  scene.configuration.executor_image = OtherImage(digit);
  scene.Restart();
}

bool IsWorkedOff(const SchemaScene& scene) {
  return !scene.status().has_pending_binding_retirement();
}

const std::string& Epoch(const SchemaScene& scene) {
  return scene.status().execution_binding().epoch();
}

const api::Job& JobOf(const SchemaScene& scene, const std::string& name) {
  return scene.door.At<api::Job>(kNamespace, name);
}

// The ordinary chain up to a recorded Plan Job that runs.
bool RunToRecordedPlan(SchemaScene& scene) {
  scene.report = [](api::FramePayload& frame) {
    frame.set_resolved_digest(api::DigestOf("artifact"));
    frame.set_resolved_reference("registry.example/orders@" + frame.resolved_digest());
  };
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  return scene.RunUntil([&] { return scene.HasClaim("Plan"); }) &&
         scene.PassUntil([&] { return !scene.status().active_operation().job_uid().empty(); });
}

// --- M-0, M-2 ----------------------------------------------------------------------------------

TEST(RotationTest, AFreshSchemaGetsItsFirstBindingAndOwesNothing) {
  SchemaScene scene;
  scene.EditStatus([](api::PtahSchemaStatus& status) { status.Clear(); });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-2"));
  EXPECT_TRUE(api::IsEpoch(Epoch(scene)));
  EXPECT_TRUE(IsWorkedOff(scene));
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

TEST(RotationTest, AReleaseThatChangesOnlyTheManagerKeepsEpochPlanAndRun) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  const std::string epoch = Epoch(scene);
  scene.configuration.controller_revision = "r2";
  scene.configuration.controller_image = OtherImage('8');
  scene.Restart();
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_TRUE(scene.status().has_applied());
  EXPECT_EQ(Epoch(scene), epoch);
}

TEST(RotationTest, AMalformedEpochIsReplaced) {
  SchemaScene scene("Always");
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_execution_binding()->set_epoch("old"); });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-4"));
  EXPECT_TRUE(api::IsEpoch(Epoch(scene)));
  EXPECT_EQ(scene.status().pending_binding_retirement().retired_epoch(), "old");
}

// --- M-4, M-6 ----------------------------------------------------------------------------------

TEST(RotationTest, APlanAtRestIsRetiredAndEveryApprovalOfItGoesStale) {
  SchemaScene scene;
  scene.Approve();
  const std::string epoch = Epoch(scene);
  const api::PlanRecord plan = scene.status().plan();
  Upgrade(scene);
  scene.Pass();
  EXPECT_NE(Epoch(scene), epoch);
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(scene.status().source().verified());
  EXPECT_EQ(scene.status().phase(), api::phase::kPending);
  const api::PendingBindingRetirement& record = scene.status().pending_binding_retirement();
  EXPECT_EQ(record.retired_epoch(), epoch);
  EXPECT_EQ(record.plan().uid(), plan.uid());
  EXPECT_FALSE(record.has_job());

  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-6"));
  EXPECT_TRUE(IsWorkedOff(scene));
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kStale));
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Resolve"));
}

TEST(RotationTest, ReturningToTheSameComponentsRevivesNothing) {
  SchemaScene scene;
  scene.Approve();
  const std::string image = scene.configuration.executor_image;
  const std::string epoch = Epoch(scene);
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return IsWorkedOff(scene) && Epoch(scene) != epoch; }));
  const std::string second = Epoch(scene);
  scene.configuration.executor_image = image;
  scene.Pass();
  EXPECT_NE(Epoch(scene), second);
  EXPECT_NE(Epoch(scene), epoch);
  EXPECT_FALSE(scene.status().has_plan());
}

TEST(RotationTest, AnUndispatchedApplyGoesAndItsRealmIsHandedBack) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] {
    return scene.HasClaim("Apply") && scene.status().active_operation().has_admission_snapshot();
  }));
  Upgrade(scene);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().pending_binding_retirement().has_job());
  EXPECT_TRUE(scene.status().pending_binding_retirement().has_plan());
  EXPECT_TRUE(scene.RealmIsFree());
  ASSERT_TRUE(scene.PassUntil([&] { return IsWorkedOff(scene); }));
  EXPECT_TRUE(scene.IsSettled());
}

TEST(RotationTest, AClaimOfAnUnknownTypeGoesAndReleasesNothing) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->set_type("Vacuum"); });
  Upgrade(scene);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_FALSE(scene.status().pending_binding_retirement().has_job());
  EXPECT_FALSE(scene.RealmIsFree());
}

TEST(RotationTest, APlanThatIsNotOfTheBindingInForceIsRetired) {
  SchemaScene scene;
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    status.mutable_plan()->set_execution_binding_id("v1-" + std::string(32, '7'));
  });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("B-11"));
  EXPECT_TRUE(scene.status().pending_binding_retirement().has_plan());
}

TEST(RotationTest, AnUndispatchedApplyWhosePlanIsNotInForceIsRetired) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.PassUntil([&] { return scene.HasClaim("Apply"); }));
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    status.mutable_plan()->set_executor_image(OtherImage('7'));
  });
  scene.Pass();
  EXPECT_TRUE(scene.Followed("B-20.3"));
  EXPECT_FALSE(scene.status().has_active_operation());
}

// --- M-7, a read-only claim --------------------------------------------------------------------

TEST(RotationTest, ARunningReadingKeepsItsRealmUntilItsJobHasStopped) {
  SchemaScene scene;
  ASSERT_TRUE(RunToRecordedPlan(scene));
  const std::string name = scene.status().active_operation().job_name();
  Upgrade(scene);
  scene.Pass();
  ASSERT_TRUE(scene.HasClaim("Plan"));
  EXPECT_EQ(scene.status().pending_binding_retirement().job().name(), name);
  for (int pass = 0; pass < 3; ++pass) {
    scene.door.ForgetWrites();
    EXPECT_EQ(scene.Pass().requeue_after_ms, 5'000);
    EXPECT_EQ(scene.door.writes().size(), 1u);  // The Lease is renewed.
  }
  EXPECT_TRUE(scene.Followed("M-7b"));
  EXPECT_FALSE(scene.RealmIsFree());

  scene.RunJobs();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-7c"));
  EXPECT_EQ(JobOf(scene, name).spec().ttl_seconds_after_finished(), 300);
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(IsWorkedOff(scene));
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_TRUE(scene.IsSettled());
  EXPECT_FALSE(scene.status().has_plan());
}

TEST(RotationTest, AReadingsPodThatOutlivesItsJobIsWaitedForUntilItsOwnDeadline) {
  SchemaScene scene;
  ASSERT_TRUE(RunToRecordedPlan(scene));
  const std::string name = scene.status().active_operation().job_name();
  scene.RunJobs();
  scene.EditPod(name,
                [](api::Pod& pod) { pod.mutable_status()->set_phase(api::pod_phase::kRunning); });
  const int64_t start_ms = scene.door.wall_ms;
  scene.door.Edit<api::Job>(
      kNamespace, name, [&](api::Job& job) { job.mutable_status()->set_start_time_ms(start_ms); });
  const int64_t deadline_ms =
      start_ms + (JobOf(scene, name).spec().active_deadline_seconds() + 30) * 1000;
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return !scene.status().has_active_operation(); }));
  EXPECT_GE(scene.door.wall_ms, deadline_ms);
  EXPECT_LE(scene.door.wall_ms, deadline_ms + 5'000);
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(RotationTest, AReadingThatDispatchedNothingGoesAtOnce) {
  SchemaScene scene;
  scene.EditSpec([](api::PtahSchemaSpec&) {});
  ASSERT_TRUE(scene.PassUntil([&] { return scene.HasClaim("Resolve"); }));
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return !scene.status().has_active_operation(); }));
  EXPECT_TRUE(scene.Followed("M-7d"));
  EXPECT_TRUE(IsWorkedOff(scene));
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kResolve), 0);
}

TEST(RotationTest, TheUidOfAReadingsJobIsAdoptedIntoClaimAndRecordTogether) {
  SchemaScene scene;
  ASSERT_TRUE(RunToRecordedPlan(scene));
  const std::string uid = scene.status().active_operation().job_uid();
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->clear_job_uid(); });
  Upgrade(scene);
  scene.Pass();
  EXPECT_TRUE(scene.status().pending_binding_retirement().job().uid().empty());
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-7a"));
  EXPECT_EQ(scene.status().active_operation().job_uid(), uid);
  EXPECT_EQ(scene.status().pending_binding_retirement().job().uid(), uid);
}

TEST(RotationTest, AForeignJobUnderTheNameIsNotWaitedForAndNotTouched) {
  SchemaScene scene;
  ASSERT_TRUE(RunToRecordedPlan(scene));
  const std::string name = scene.status().active_operation().job_name();
  scene.door.Edit<api::Job>(kNamespace, name, [](api::Job& job) {
    job.mutable_metadata()->mutable_owner_references(0)->set_uid("uid-other");
  });
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return !scene.status().has_active_operation(); }));
  EXPECT_FALSE(JobOf(scene, name).spec().has_ttl_seconds_after_finished());
}

TEST(RotationTest, AJobOfThisSchemaIsWaitedForWhetherOrNotItsEnvelopeIsProven) {
  SchemaScene scene;
  ASSERT_TRUE(RunToRecordedPlan(scene));
  const std::string name = scene.status().active_operation().job_name();
  scene.door.Edit<api::Job>(kNamespace, name, [](api::Job& job) {
    (*job.mutable_metadata()->mutable_annotations())[api::annotation::kOperationId] = "other";
  });
  Upgrade(scene);
  scene.Pass();
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-7b"));
  EXPECT_TRUE(scene.HasClaim("Plan"));
  scene.RunJobs();
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(JobOf(scene, name).spec().has_ttl_seconds_after_finished());
}

TEST(RotationTest, NoSecondRotationStartsBeforeTheRecordIsWorkedOff) {
  SchemaScene scene;
  ASSERT_TRUE(RunToRecordedPlan(scene));
  const std::string first = Epoch(scene);
  Upgrade(scene);
  scene.Pass();
  const std::string second = Epoch(scene);
  Upgrade(scene, '8');
  scene.Pass();
  EXPECT_EQ(Epoch(scene), second);
  EXPECT_EQ(scene.status().pending_binding_retirement().retired_epoch(), first);
  scene.RunJobs();
  ASSERT_TRUE(scene.PassUntil([&] { return Epoch(scene) != second; }));
  EXPECT_EQ(scene.status().execution_binding().executor_image(), OtherImage('8'));
}

TEST(RotationTest, ARecordThatNamesAJobNothingCarriesIsRemoved) {
  SchemaScene scene;
  scene.EditStatus([](api::PtahSchemaStatus& status) {
    api::PendingBindingRetirement& record = *status.mutable_pending_binding_retirement();
    record.set_retired_epoch("v1-" + std::string(32, '7'));
    record.mutable_job()->set_operation("Plan");
    record.mutable_job()->set_name("gone");
  });
  scene.Pass();
  EXPECT_TRUE(IsWorkedOff(scene));
}

// --- M-5, M-7, an Apply ------------------------------------------------------------------------

TEST(RotationTest, ADispatchedApplyBecomesAProofInTheWriteThatMovesTheEpoch) {
  SchemaScene scene;
  scene.Approve();
  ASSERT_TRUE(scene.RunToRecordedApply());
  const api::ActiveOperation claim = scene.status().active_operation();
  const std::string plan = scene.status().plan().uid();
  Upgrade(scene);
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-5"));
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  const api::PendingObservation& proof = scene.status().pending_observation();
  EXPECT_EQ(proof.outcome(), api::proof_outcome::kOutcomeUnknown);
  EXPECT_EQ(proof.apply_job_uid(), claim.job_uid());
  EXPECT_GT(proof.observe_after_ms(), 0);
  const api::PendingBindingRetirement& record = scene.status().pending_binding_retirement();
  EXPECT_EQ(record.retired_epoch(), claim.execution_binding_id());
  EXPECT_EQ(record.plan().uid(), plan);
  EXPECT_EQ(record.job().operation(), "Apply");
  EXPECT_EQ(record.job().uid(), claim.job_uid());

  scene.Pass();
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kStale));
  EXPECT_FALSE(scene.status().pending_binding_retirement().has_plan());
  scene.Pass();
  EXPECT_TRUE(scene.Followed("M-8"));
  EXPECT_TRUE(scene.Followed("J-1"));
  EXPECT_FALSE(IsWorkedOff(scene));  // Its Job runs.

  scene.RunJobs();
  scene.Pass();
  EXPECT_EQ(JobOf(scene, claim.job_name()).spec().ttl_seconds_after_finished(), 300);
  EXPECT_TRUE(IsWorkedOff(scene));
  EXPECT_FALSE(scene.RealmIsFree());

  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_TRUE(scene.Followed("M-9"));
  EXPECT_FALSE(scene.status().has_applied());
  EXPECT_EQ(scene.status().phase(), api::phase::kPending);
  EXPECT_EQ(scene.JobsMade(api::runner_operation::kApply), 1);
  EXPECT_TRUE(scene.RealmIsFree());
  EXPECT_EQ(scene.failed_passes, 0);
}

TEST(RotationTest, AnApprovalAdmittedLateIsSweptWhenTheProofIsSettled) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  const api::PlanRecord plan = scene.status().plan();
  Upgrade(scene);
  ASSERT_TRUE(scene.RunUntil([&] { return IsWorkedOff(scene) && scene.Followed("M-5"); }));
  scene.EditStatus([&](api::PtahSchemaStatus& status) { *status.mutable_plan() = plan; });
  scene.Approve();
  scene.EditStatus([](api::PtahSchemaStatus& status) { status.clear_plan(); });
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_TRUE(scene.ApprovalIs(api::condition::kStale));
}

TEST(RotationTest, ALateCreateOfARetiredApplyIsAdopted) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  const api::ActiveOperation claim = scene.status().active_operation();
  const api::Job job = JobOf(scene, claim.job_name());
  scene.door.Erase<api::Job>(kNamespace, claim.job_name());
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->clear_job_uid(); });
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return scene.Followed("M-8"); }));
  EXPECT_TRUE(scene.status().pending_observation().apply_job_uid().empty());
  scene.door.Put(job);
  scene.Pass();
  EXPECT_EQ(scene.status().pending_observation().apply_job_uid(), claim.job_uid());
  EXPECT_EQ(scene.status().pending_binding_retirement().job().uid(), claim.job_uid());
  scene.RunJobs();
  ASSERT_TRUE(scene.PassUntil([&] { return IsWorkedOff(scene); }));
  EXPECT_LT(scene.door.wall_ms, scene.status().pending_observation().observe_after_ms());
}

TEST(RotationTest, ARetiredApplyWithoutAJobIsGivenUpOnAtItsHorizon) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  scene.door.Erase<api::Job>(kNamespace, scene.status().active_operation().job_name());
  scene.EditStatus(
      [](api::PtahSchemaStatus& status) { status.mutable_active_operation()->clear_job_uid(); });
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return IsWorkedOff(scene) && scene.Followed("M-5"); }));
  EXPECT_GE(scene.door.wall_ms, scene.status().pending_observation().observe_after_ms());
  EXPECT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_TRUE(scene.RealmIsFree());
}

TEST(RotationTest, AnOpenProofStartsOverAndItsApplysJobIsLookedForOnce) {
  SchemaScene scene("Always");
  scene.lose_apply_log = true;
  ASSERT_TRUE(scene.RunUntil([&] { return scene.status().has_pending_observation(); }));
  Upgrade(scene);
  scene.Pass();
  EXPECT_EQ(scene.status().pending_binding_retirement().job().operation(), "Apply");
  ASSERT_TRUE(scene.RunUntil([&] { return IsWorkedOff(scene); }));
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  EXPECT_FALSE(scene.status().has_applied());
  EXPECT_EQ(scene.status().phase(), api::phase::kPending);
}

TEST(RotationTest, AProofClaimIsKeptUntilItsJobStopsAndTheProofStaysOpen) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunUntil([&] {
    return scene.HasClaim("Plan") && !scene.status().active_operation().job_uid().empty();
  }));
  EXPECT_TRUE(scene.status().pending_observation().plan_required());
  Upgrade(scene);
  scene.Pass();
  EXPECT_TRUE(scene.HasClaim("Plan"));
  EXPECT_FALSE(scene.status().pending_observation().plan_required());
  EXPECT_EQ(scene.status().pending_binding_retirement().job().operation(), "Plan");
  ASSERT_TRUE(scene.RunUntil([&] { return IsWorkedOff(scene); }));
  EXPECT_TRUE(scene.status().has_pending_observation());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_FALSE(scene.RealmIsFree());
  ASSERT_TRUE(scene.RunUntil([&] { return scene.IsSettled(); }));
  // The Apply was read, under an epoch that is no longer in force: its convergence is still its
  // own, and what follows is read anew.
  EXPECT_TRUE(scene.status().has_applied());
  EXPECT_EQ(scene.status().phase(), api::phase::kPending);
}

TEST(RotationTest, ADeletedSchemaWorksItsRetiredApplyOff) {
  SchemaScene scene("Always");
  ASSERT_TRUE(scene.RunToRecordedApply());
  Upgrade(scene);
  ASSERT_TRUE(scene.PassUntil([&] { return scene.Followed("M-8"); }));
  scene.Delete();
  scene.RunJobs();
  scene.Pass();
  EXPECT_TRUE(IsWorkedOff(scene));
  ASSERT_TRUE(scene.PassUntil([&] { return scene.schema().metadata().finalizers().empty(); }));
  EXPECT_TRUE(scene.RealmIsFree());
}

// Whatever write a process stops at, what a rotation left is worked off, by one Apply Job at most.
TEST(RotationTest, IsWorkedOffAfterAStopAtEveryDurableWrite) {
  for (const bool dispatched : {false, true}) {
    for (int boundary = 0;; ++boundary) {
      SCOPED_TRACE(boundary);
      SchemaScene scene;
      if (dispatched) {
        scene.Approve();
        ASSERT_TRUE(scene.RunToRecordedApply());
      } else {
        ASSERT_TRUE(RunToRecordedPlan(scene));
      }
      Upgrade(scene);
      scene.door.ForgetWrites();
      bool stopped = false;
      scene.door.refuse = [&](const api::Request&) {
        stopped = stopped || static_cast<int>(scene.door.writes().size()) == boundary;
        return stopped ? absl::UnavailableError("the process is gone") : absl::OkStatus();
      };
      const auto done = [&] { return IsWorkedOff(scene) && scene.IsSettled(); };
      scene.Pass();
      for (int pass = 0; pass < 60 && !stopped && !done(); ++pass) {
        scene.RunJobs();
        scene.Pass();
      }
      if (!stopped) break;
      scene.door.refuse = nullptr;
      scene.Restart();
      ASSERT_TRUE(scene.RunUntil([&] { return done() && scene.Followed("M-6") == dispatched; }));
      EXPECT_LE(scene.JobsMade(api::runner_operation::kApply), 1);
      EXPECT_TRUE(scene.RealmIsFree());
    }
  }
}

}  // namespace
}  // namespace lifecycle::schema
