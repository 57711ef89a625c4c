// A migration's Apply, piece by piece, in a tiny store that asks the operator's own webhook.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/admission/operator_admission.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/migration/scene.h"
#include "lifecycle/migration/unresolved_copy.h"

namespace lifecycle::migration {
namespace {

using api::phase::kAwaitingApproval;
using api::phase::kBlocked;
using api::phase::kInSync;
using api::phase::kPending;
using api::phase::kPlanning;
using api::phase::kVerifyingHistory;

class MigrationApplyTest : public ::testing::Test {
 protected:
  Scene& Given(const std::string& policy) {
    scene_ = std::make_unique<Scene>(policy);
    scene_->store.admission = &webhook_;
    return *scene_;
  }

  // The given write is answered by an error, once.
  void FailOnce(api::Verb verb, api::Kind kind, const api::ApiError& error) {
    scene_->store.refuse = [this, verb, kind, error](const api::Request& request) {
      if (request.verb != verb || request.key.kind != kind) return absl::OkStatus();
      const absl::Status answer = api::ToStatus(error);
      scene_->store.refuse = nullptr;  // And with it this function and what it captured.
      return answer;
    };
  }

  // The position of the first write that contains `text`; -1 when there is none.
  int Wrote(const std::string& text) const {
    const auto& writes = scene_->store.changes();
    const auto found = std::find_if(writes.begin(), writes.end(), [&](const std::string& write) {
      return write.find(text) != std::string::npos;
    });
    return found == writes.end() ? -1 : static_cast<int>(found - writes.begin());
  }

  const api::Lease& Lease() const {
    for (const api::AnyStored& lease : scene_->store.List(api::Kind::kLease, "")) {
      return static_cast<const api::Lease&>(*lease.object);
    }
    ADD_FAILURE() << "no Lease";
    static const api::Lease* const kNone = new api::Lease();
    return *kNone;
  }

  bool HasCopy() const {
    return scene_->migration().metadata().annotations().count(api::annotation::kUnresolvedRun) > 0;
  }

  static bool IsConsumed(const api::PtahMigrationApproval& approval) {
    for (const api::Condition& condition : approval.status().conditions()) {
      if (condition.type() == "Consumed") return condition.status() == "True";
    }
    return false;
  }

  admission::OperatorAdmission webhook_{api::DefaultConfiguration()};
  std::unique_ptr<Scene> scene_;
};

TEST_F(MigrationApplyTest, AnApprovedApplyMakesItsWritesInTheOrderOfThePage) {
  Scene& scene = Given("OnApproval");
  int passes = 0;
  while (!scene.status().has_active_operation() || scene.claim().job_uid().empty()) {
    scene.Pass();
    ++passes;
  }
  EXPECT_EQ(passes, 4);  // E-10
  std::vector<std::string> order;
  for (const char* text : {"metadata.finalizers", "status.activeOperation", "create lease",
                           "activeOperation.leaseEpoch", "admissionSnapshot", "approval/ok",
                           "dispatchStarted", "create job", "activeOperation.jobUID"}) {
    ASSERT_GE(Wrote(text), 0) << text << ::testing::PrintToString(scene.store.changes());
    order.push_back(text);
  }
  std::vector<std::string> sorted = order;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [this](const auto& a, const auto& b) { return Wrote(a) < Wrote(b); });
  EXPECT_EQ(sorted, order) << ::testing::PrintToString(scene.store.changes());
  EXPECT_TRUE(IsConsumed(scene.approval()));
  EXPECT_EQ(scene.claim().approval_ref().uid(), "ok-uid");
}

TEST_F(MigrationApplyTest, ASuccessfulRunIsAccountedReleasedAndReadBack) {
  Scene& scene = Given("OnApproval");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  EXPECT_EQ(scene.Pass().requeue_after_ms, 0);
  EXPECT_EQ(scene.status().last_run().outcome(), "Applied");
  EXPECT_EQ(scene.status().last_run().applied_versions_size(), 2);
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(scene.status().has_unresolved_run());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_EQ(scene.status().phase(), kVerifyingHistory);
  EXPECT_EQ(Lease().spec().holder_identity(), "");
  // The TTL before the outcome, and the release after it.
  EXPECT_LT(Wrote("ttlSecondsAfterFinished"), Wrote("status.lastRun"));
  EXPECT_NE(scene.store.changes()[Wrote("status.lastRun") + 1].find("update lease/"),
            std::string::npos);

  scene.PassUntilClaimed("History");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.HistoryFrame({}));
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.default_interval_ms);
  EXPECT_EQ(scene.status().phase(), kInSync);
  EXPECT_EQ(scene.status().history().pending_count(), 0);
  scene.Pass();
  EXPECT_EQ(scene.migration().metadata().finalizers_size(), 0);
}

TEST_F(MigrationApplyTest, UnderAlwaysNoApprovalIsAskedFor) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  EXPECT_FALSE(scene.claim().has_approval_ref());
}

TEST_F(MigrationApplyTest, UnderNeverAPlanWaits) {
  Scene& scene = Given("Never");
  const api::PassResult result = scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(result.requeue_after_ms && *result.requeue_after_ms > 0);
}

TEST_F(MigrationApplyTest, WithoutAnApprovalThePlanWaitsForOne) {
  Scene& scene = Given("OnApproval");
  scene.store.Remove({api::Kind::kPtahMigrationApproval, "app", "ok"});
  EXPECT_EQ(scene.Pass().requeue_after_ms, 600'000);
  EXPECT_EQ(scene.status().phase(), kAwaitingApproval);
  EXPECT_TRUE(scene.store.changes().empty());
}

TEST_F(MigrationApplyTest, AConsumedApprovalAuthorizesNoSecondClaim) {
  Scene& scene = Given("OnApproval");
  api::PtahMigrationApproval spent = scene.approval();
  api::Condition* condition = spent.mutable_status()->add_conditions();
  condition->set_type("Consumed");
  condition->set_status("True");
  scene.store.Put(spent);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
}

TEST_F(MigrationApplyTest, ACreateWithoutAnAnswerIsAnUnknownOutcome) {
  Scene& scene = Given("Always");
  scene.PassUntilClaimed("Apply");
  FailOnce(api::Verb::kCreate, api::Kind::kJob, {504, "Timeout", "no answer"});
  for (int i = 0; i < 5 && !scene.status().has_unresolved_run(); ++i) scene.Pass();
  ASSERT_TRUE(scene.status().has_unresolved_run());
  EXPECT_EQ(scene.status().unresolved_run().outcome(), "Unknown");
  EXPECT_EQ(scene.status().unresolved_run().job_uid(), "");
  EXPECT_EQ(scene.status().unresolved_run().job_name(), "");
  EXPECT_EQ(scene.status().unresolved_run().target_identity_digest(), TestDigest('d'));
  EXPECT_EQ(scene.status().phase(), kBlocked);
  EXPECT_TRUE(HasCopy());
  // Nothing stands under the name, and something may yet: the Lease is left to lapse.
  EXPECT_NE(Lease().spec().holder_identity(), "");
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_LT(Wrote("metadata.annotations"), Wrote("status.unresolvedRun"));
}

TEST_F(MigrationApplyTest, ARefusedCreateWithdrawsTheMarkAndIsMadeAgainUnderTheSpentApproval) {
  Scene& scene = Given("OnApproval");
  scene.PassUntilClaimed("Apply");
  FailOnce(api::Verb::kCreate, api::Kind::kJob, {403, "Forbidden", "not now"});
  api::PassResult result;
  for (int i = 0; i < 5; ++i) {
    result = scene.Pass();
    if (!result.status.ok()) break;
  }
  EXPECT_FALSE(result.status.ok());
  EXPECT_FALSE(scene.claim().dispatch_started());
  EXPECT_TRUE(IsConsumed(scene.approval()));
  const std::string id = scene.claim().id();
  scene.PassUntilRecorded();
  EXPECT_EQ(scene.claim().id(), id);
}

TEST_F(MigrationApplyTest, AMarkedClaimWithoutAJobIsNeverDispatchedAgain) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.store.Remove({api::Kind::kJob, "app", scene.claim().job_name()});
  scene.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->clear_job_uid();
  });
  const size_t before = scene.store.changes().size();
  scene.Pass();
  EXPECT_TRUE(scene.status().has_unresolved_run());
  for (size_t i = before; i < scene.store.changes().size(); ++i) {
    EXPECT_EQ(scene.store.changes()[i].find("create job"), std::string::npos);
  }
}

TEST_F(MigrationApplyTest, AJobWhoseUidWasNotRecordedIsAdopted) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  const std::string uid = scene.claim().job_uid();
  scene.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->clear_job_uid();
  });
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.supervision_poll_ms);
  EXPECT_EQ(scene.claim().job_uid(), uid);
  EXPECT_FALSE(scene.status().has_unresolved_run());
}

TEST_F(MigrationApplyTest, AJobThatIsNotTheClaimsIsNeitherAdoptedNorTouched) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  api::Job other = scene.job();
  other.mutable_spec()->set_backoff_limit(3);
  scene.store.Put(other);
  scene.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->clear_job_uid();
  });
  scene.Pass();
  ASSERT_TRUE(scene.status().has_unresolved_run());
  // The record names the Job in hand; its realm is left to lapse, because that Job still runs.
  EXPECT_EQ(scene.status().unresolved_run().job_uid(), other.metadata().uid());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_NE(Lease().spec().holder_identity(), "");
  EXPECT_EQ(Wrote("ttlSecondsAfterFinished"), -1);
}

TEST_F(MigrationApplyTest, APlanDeletedWhileItRunsLeavesTheRunUnknown) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.store.Remove({api::Kind::kPtahMigrationPlan, "app", scene.plan_name});
  scene.Pass();
  EXPECT_TRUE(scene.status().has_unresolved_run());
}

TEST_F(MigrationApplyTest, AManagerThatBuildsAnotherJobLeavesTheRunUnknownAndUnread) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  scene.configuration.builder_revision = 2;
  scene.Pass();
  EXPECT_EQ(scene.status().unresolved_run().outcome(), "Unknown");
  EXPECT_FALSE(scene.status().has_active_operation());
}

TEST_F(MigrationApplyTest, AnApprovalThatIsGoneRetiresTheClaimAndThePlanWaits) {
  Scene& scene = Given("OnApproval");
  scene.PassUntilClaimed("Apply");
  scene.store.Remove({api::Kind::kPtahMigrationApproval, "app", "ok"});
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), kAwaitingApproval);
  EXPECT_EQ(Wrote(" lease/"), -1);  // S-51: the realm was not touched for it.
}

TEST_F(MigrationApplyTest, APlanRepublishedUnderItsNameDropsTheClaimAndThePlan) {
  Scene& scene = Given("OnApproval");
  scene.PassUntilClaimed("Apply");
  api::PtahMigrationPlan again = scene.store.At<api::PtahMigrationPlan>("app", scene.plan_name);
  again.mutable_metadata()->set_uid("plan-uid-2");
  scene.store.Put(again);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), kPending);
  EXPECT_FALSE(IsConsumed(scene.approval()));
}

TEST_F(MigrationApplyTest, AMovedPolicyObjectDropsThePlanAndItsApprovalsGoStaleFirst) {
  Scene& scene = Given("OnApproval");
  api::ConfigMap policy = scene.store.At<api::ConfigMap>("app", "policy");
  policy.mutable_metadata()->set_uid("policy-uid-2");
  scene.store.Put(policy);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), kPending);
  ASSERT_EQ(scene.store.changes().size(), 2u);
  EXPECT_NE(scene.store.changes()[1].find("status.plan"), std::string::npos);
}

TEST_F(MigrationApplyTest, APlanTheHistoryNoLongerSupportsIsDropped) {
  Scene& scene = Given("Always");
  scene.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_history()->set_fingerprint(TestDigest('9'));
  });
  scene.Pass();
  EXPECT_FALSE(scene.status().has_plan());
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_EQ(scene.status().phase(), kPending);
}

TEST_F(MigrationApplyTest, TheClaimNamesTheApprovedPlanAndItsApproval) {
  Scene& scene = Given("OnApproval");
  const std::string uid = scene.status().plan().uid();
  scene.PassUntilClaimed("Apply");
  EXPECT_EQ(scene.claim().plan_ref().name(), scene.plan_name);
  EXPECT_EQ(scene.claim().plan_ref().uid(), uid);
  EXPECT_EQ(scene.claim().approval_ref().name(), "ok");
  EXPECT_EQ(scene.claim().approval_ref().uid(), "ok-uid");
}

TEST_F(MigrationApplyTest, AnUncertainRunKeepsTheRealmWhileItsPodMayRun) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  const std::string job = scene.claim().job_name();
  scene.EndJob(false, "");
  api::Pod pod = scene.store.At<api::Pod>("app", job + "-0");
  pod.mutable_status()->set_phase(api::pod_phase::kRunning);
  scene.store.Put(pod);
  scene.store.Remove({api::Kind::kJob, "app", job});
  scene.Pass();
  ASSERT_TRUE(scene.status().has_unresolved_run());
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_NE(Lease().spec().holder_identity(), "");
}

TEST_F(MigrationApplyTest, AClaimPastItsDispatchDeadlineIsDiscardedAndThePlanStays) {
  Scene& scene = Given("OnApproval");
  scene.PassUntilClaimed("Apply");
  scene.store.wall_ms = scene.claim().dispatch_not_after_ms();
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_TRUE(scene.status().has_plan());
  EXPECT_EQ(scene.status().phase(), kAwaitingApproval);
}

TEST_F(MigrationApplyTest, AContestedRealmIsWaitedForWithinFiveSeconds) {
  Scene& scene = Given("Always");
  scene.PassUntilClaimed("Apply");
  scene.Pass();  // Takes the Lease.
  api::Lease rival = Lease();
  rival.mutable_spec()->set_holder_identity("ptah-h-rival");
  scene.store.Put(rival);
  const size_t writes = scene.store.changes().size();
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.contention_max_ms);
  EXPECT_EQ(scene.store.changes().size(), writes);
}

TEST_F(MigrationApplyTest, ARealmThatChangedHandsUnderARunEndsItsReadability) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  api::Lease other = Lease();
  (*other.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] =
      "v1-" + std::string(32, 'e');
  scene.store.Put(other);
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  scene.Pass();
  EXPECT_TRUE(scene.claim().lease_continuity_lost());
  scene.Pass();
  EXPECT_EQ(scene.status().unresolved_run().outcome(), "Unknown");
}

TEST_F(MigrationApplyTest, APartialRunBlocksUntilAReadingOfItsDatabaseSettlesIt) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  const std::string operation = scene.claim().id();
  scene.EndJobWithFrame(scene.RunFrame("partial", {3}));
  scene.Pass();
  ASSERT_TRUE(scene.status().has_unresolved_run());
  EXPECT_EQ(scene.status().unresolved_run().outcome(), "Partial");
  EXPECT_EQ(scene.status().unresolved_run().operation_id(), operation);
  EXPECT_TRUE(HasCopy());
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.default_interval_ms);
  // A reading that leaves something pending settles nothing.
  scene.RunReadings({4});
  EXPECT_TRUE(scene.status().has_unresolved_run());
  EXPECT_EQ(scene.status().phase(), kBlocked);
  EXPECT_FALSE(scene.status().has_plan());
  // One that leaves nothing does.
  scene.RunReadings({});
  EXPECT_FALSE(scene.status().has_unresolved_run());
  EXPECT_EQ(scene.status().resolved_run().operation_id(), operation);
  EXPECT_EQ(scene.status().resolved_run().resolution(), "HistoryRead");
  EXPECT_EQ(scene.status().phase(), kInSync);
  EXPECT_FALSE(HasCopy());
}

TEST_F(MigrationApplyTest, ARunInAnotherDatabaseIsUnknownAndNamesTheDatabaseItReported) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  api::FramePayload frame = scene.RunFrame("applied", {3, 4});
  frame.set_target_identity_digest(TestDigest('e'));
  scene.EndJobWithFrame(frame);
  scene.Pass();
  ASSERT_TRUE(scene.status().has_unresolved_run());
  EXPECT_EQ(scene.status().unresolved_run().target_identity_digest(), TestDigest('e'));
}

// 1. A create's answer is lost, the Job was stored. 2. The copy is written, and the process stops
// before its status patch. 3. The next pass adopts the Job and reads that the run succeeded.
TEST_F(MigrationApplyTest, ALeftOverCopyOfARunThatIsAccountedGoesBeforeTheAccount) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  api::UnresolvedRun left_over;
  left_over.set_outcome("Unknown");
  left_over.set_operation_id(scene.claim().id());
  *left_over.mutable_plan_ref() = scene.claim().plan_ref();
  left_over.set_recorded_at_ms(1);
  scene.EditMigration([&](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->clear_job_uid();
    (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
        WriteCopy(left_over);
  });
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  scene.store.ForgetWrites();
  scene.Pass();
  EXPECT_EQ(scene.status().last_run().outcome(), "Applied");
  EXPECT_FALSE(HasCopy());
  ASSERT_GE(Wrote("metadata.annotations"), 0);
  EXPECT_LT(Wrote("metadata.annotations"), Wrote("status.lastRun"));
}

TEST_F(MigrationApplyTest, AFailedRunLeavesNoRecordAndIsReadAgainAfterABackOffUnderAlways) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("failed", {}));
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.default_failure_retry_ms);
  EXPECT_EQ(scene.status().last_run().outcome(), "Failed");
  EXPECT_FALSE(scene.status().has_unresolved_run());
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  scene.store.Advance(scene.timing.default_failure_retry_ms);
  scene.Pass();
  EXPECT_EQ(scene.claim().type(), "History");
}

TEST_F(MigrationApplyTest, ALostLogIsReadFromTheSummary) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  api::TerminationSummary summary;
  summary.set_protocol_version(scene.configuration.runner_protocol_version);
  summary.set_operation("migration-apply");
  summary.set_operation_id(scene.claim().id());
  summary.set_frame_digest(TestDigest('f'));
  summary.set_mutation_started(true);
  summary.set_coordination_digest(scene.claim().coordination_digest());
  summary.set_target_identity_digest(TestDigest('d'));
  summary.mutable_migration()->set_outcome("applied");
  summary.mutable_migration()->set_applied_count(2);
  summary.mutable_migration()->set_first_applied(3);
  summary.mutable_migration()->set_last_applied(4);
  scene.EndJob(true, "", api::RenderSummary(summary));
  // Within the arrival window the frame is waited for.
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.frame_poll_ms);
  scene.store.Advance(scene.timing.frame_window_ms);
  scene.Pass();
  EXPECT_EQ(scene.status().last_run().outcome(), "Applied");
  EXPECT_EQ(scene.status().last_run().applied_versions_size(), 2);
}

TEST_F(MigrationApplyTest, ALostLogWithoutASummaryIsAnUnknownOutcome) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EndJob(true, "");
  scene.store.Advance(scene.timing.frame_window_ms);
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.default_interval_ms);
  EXPECT_EQ(scene.status().unresolved_run().outcome(), "Unknown");
  // Its Pod has stopped, so nothing can write and the realm goes back.
  EXPECT_EQ(Lease().spec().holder_identity(), "");
}

TEST_F(MigrationApplyTest, ASpecEditUnderARunLeavesItUnreadAndUnknown) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EditMigration(
      [](api::PtahMigration& migration) { migration.mutable_metadata()->set_generation(2); });
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  scene.Pass();
  EXPECT_EQ(scene.status().unresolved_run().outcome(), "Unknown");
}

TEST_F(MigrationApplyTest, WhileARunIsUnresolvedNoApplyIsClaimedWhateverThePhaseSays) {
  Scene& scene = Given("Always");
  api::UnresolvedRun record;
  record.set_outcome("Unknown");
  record.set_operation_id(TestDigest('1'));
  record.mutable_plan_ref()->set_name("plan");
  record.mutable_plan_ref()->set_uid("uid");
  record.set_recorded_at_ms(1);
  scene.EditMigration([&](api::PtahMigration& migration) {
    *migration.mutable_status()->mutable_unresolved_run() = record;
    (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
        WriteCopy(record);
  });
  scene.Pass();
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_EQ(scene.status().phase(), kBlocked);
}

TEST_F(MigrationApplyTest, AReleaseThatFailsStaysRecordedAndTheNextPassMakesIt) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  // The pass renews its Lease first; the second update of it is the release.
  int updates = 0;
  scene.store.refuse = [&updates](const api::Request& request) {
    if (request.key.kind != api::Kind::kLease || ++updates < 2) return absl::OkStatus();
    return api::ToStatus({500, "InternalError", "later"});
  };
  EXPECT_TRUE(scene.Pass().status.ok());
  ASSERT_TRUE(scene.status().has_pending_lock_release());
  EXPECT_FALSE(scene.Pass().status.ok());
  scene.store.refuse = nullptr;
  EXPECT_EQ(scene.Pass().requeue_after_ms, 0);
  EXPECT_FALSE(scene.status().has_pending_lock_release());
  EXPECT_EQ(Lease().spec().holder_identity(), "");
}

TEST_F(MigrationApplyTest, AReadingWithPendingFilesPublishesAPlanAndAPersonCanApproveIt) {
  Scene& scene = Given("OnApproval");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("failed", {3}));
  scene.Pass();
  scene.PassUntilClaimed("History");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.HistoryFrame({4}));
  EXPECT_EQ(scene.Pass().requeue_after_ms, 0);
  ASSERT_TRUE(scene.status().has_plan());
  EXPECT_NE(scene.status().plan().name(), scene.plan_name);
  EXPECT_EQ(scene.status().phase(), kAwaitingApproval);
  EXPECT_LT(Wrote("status.history"), Wrote("create migration-plan"));
}

TEST_F(MigrationApplyTest, APublicationThatStoppedIsDroppedAndTheChainStartsAgain) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("applied", {3}));
  scene.Pass();
  scene.PassUntilClaimed("History");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.HistoryFrame({4}));
  FailOnce(api::Verb::kCreate, api::Kind::kPtahMigrationPlan, {500, "InternalError", "stop"});
  EXPECT_FALSE(scene.Pass().status.ok());
  EXPECT_EQ(scene.status().phase(), kPlanning);
  EXPECT_FALSE(scene.status().has_plan());
  scene.Pass();
  EXPECT_EQ(scene.status().phase(), kPending);
  scene.RunReadings({4});
  EXPECT_TRUE(scene.status().has_plan());
}

TEST_F(MigrationApplyTest, AReadOnlyOperationRunsAgainUnderANewNameAfterItsDelay) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  scene.Pass();
  scene.PassUntilClaimed("History");
  scene.PassUntilRecorded();
  const std::string name = scene.claim().job_name();
  scene.EndJob(false, "no frame here\n");
  scene.store.Advance(scene.timing.frame_window_ms);
  EXPECT_EQ(scene.Pass().requeue_after_ms, scene.timing.default_failure_retry_ms);
  EXPECT_EQ(scene.claim().attempt(), 2);
  EXPECT_NE(scene.claim().job_name(), name);
  EXPECT_EQ(scene.claim().job_uid(), "");
  // A watch that wakes it early waits for the rest (L-06).
  scene.store.Advance(10'000);
  EXPECT_EQ(scene.Pass().requeue_after_ms, 20'000);
  scene.store.Advance(20'000);
  scene.PassUntilRecorded();
}

TEST_F(MigrationApplyTest, ARefusedVerificationIsBlockedAndOneOfAnotherArtifactRunsAgain) {
  Scene& scene = Given("Always");
  scene.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->set_phase(api::phase::kVerifying);
    migration.mutable_status()->clear_plan();
  });
  scene.PassUntilClaimed("Verify");
  scene.PassUntilRecorded();
  api::FramePayload refused = scene.Frame();
  refused.set_verification_policy_digest(scene.claim().verification_policy_digest());
  refused.set_resolved_digest(TestDigest('f'));
  refused.mutable_error()->set_code("VerificationRefused");
  scene.EndJobWithFrame(refused);
  scene.Pass();
  ASSERT_EQ(scene.claim().attempt(), 2);
  scene.store.Advance(scene.timing.default_failure_retry_ms);
  scene.PassUntilRecorded();
  refused.set_operation_id(scene.claim().id());
  refused.set_resolved_digest(scene.claim().source().digest());
  scene.EndJobWithFrame(refused);
  EXPECT_EQ(scene.Pass().requeue_after_ms, 600'000);
  EXPECT_FALSE(scene.status().has_active_operation());
  EXPECT_EQ(scene.status().phase(), kBlocked);
}

TEST_F(MigrationApplyTest, APersonsAcknowledgmentSettlesTheRunItNames) {
  Scene& scene = Given("Always");
  scene.PassUntilRecorded();
  const std::string operation = scene.claim().id();
  scene.EndJobWithFrame(scene.RunFrame("partial", {3}));
  scene.Pass();
  api::PtahMigrationRunAcknowledgment acknowledgment;
  acknowledgment.mutable_metadata()->set_namespace_("app");
  acknowledgment.mutable_metadata()->set_name("known");
  acknowledgment.mutable_metadata()->set_uid("known-uid");
  acknowledgment.mutable_spec()->mutable_migration_ref()->set_name("m");
  acknowledgment.mutable_spec()->mutable_migration_ref()->set_uid("m-uid");
  acknowledgment.mutable_spec()->set_operation_id(operation);
  acknowledgment.mutable_spec()->mutable_acknowledged_by()->set_username("alice");
  acknowledgment.mutable_spec()->set_acknowledged_at_ms(5);
  acknowledgment.mutable_spec()->set_mutation_request_uid("request");
  scene.store.Put(acknowledgment);
  scene.Pass();
  EXPECT_FALSE(scene.status().has_unresolved_run());
  EXPECT_EQ(scene.status().resolved_run().resolution(), "Acknowledgment");
  EXPECT_EQ(scene.status().resolved_run().acknowledged_by().username(), "alice");
  EXPECT_FALSE(HasCopy());
  EXPECT_EQ(scene.claim().type(), "Resolve");  // A fresh chain before anything is planned.
  const auto& judged = scene.store.At<api::PtahMigrationRunAcknowledgment>("app", "known").status();
  ASSERT_EQ(judged.conditions_size(), 1);
  EXPECT_EQ(judged.conditions(0).type(), "Consumed");
}

TEST_F(MigrationApplyTest, AStatusPatchThatConflictsChangesNothing) {
  Scene& scene = Given("Always");
  scene.PassUntilClaimed("Apply");
  FailOnce(api::Verb::kPatch, api::Kind::kPtahMigration, {409, "Conflict", "moved"});
  const api::PtahMigration before = scene.migration();
  EXPECT_FALSE(scene.Pass().status.ok());
  EXPECT_TRUE(api::Equal(before, scene.migration()));
}

}  // namespace
}  // namespace lifecycle::migration
