#include "sim/truth.h"

#include <gtest/gtest.h>

#include "lifecycle/api/identity.h"
#include "lifecycle/api/names.h"
#include "sim/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr int64_t kWindowMs = 900'000;

// A migration whose claims the tests write as a manager would.
class TruthTest : public testing::Test {
 protected:
  TruthTest() {
    store_.world.processes.push_back(Manager());
    store_.world.truth.apply_claims_max = 2;
    migration_ = store_.Create(Named<api::PtahMigration>("m"));
  }

  // Returns the operation's id.
  std::string Claim(const std::string& type, const std::string& approval_uid = "") {
    const std::string& uid = migration_.metadata().uid();
    const std::string nonce = NextToken(store_.world, "manager", uid, api::kOperationPurpose, {});
    const std::string id = api::OperationId("inputs", nonce);
    api::ActiveOperation* claim = migration_.mutable_status()->mutable_active_operation();
    *claim = {};
    claim->set_type(type);
    claim->set_input_fingerprint("inputs");
    claim->set_id(id);
    claim->set_job_name("job-1");
    if (type == "Apply") {
      claim->set_dispatch_not_after_ms(store_.world.now_ms + kWindowMs);
      claim->set_execution_not_after_ms(store_.world.now_ms + kWindowMs);
      claim->set_termination_grace_period_seconds(30);
      claim->mutable_plan_ref()->set_uid("the-plan-uid");
      if (!approval_uid.empty()) claim->mutable_approval_ref()->set_uid(approval_uid);
    }
    Save();
    return id;
  }
  void Unclaim() {
    migration_.mutable_status()->clear_active_operation();
    Save();
  }
  void Save() { migration_ = store_.PatchStatus(migration_); }
  api::ActiveOperation* claim() { return migration_.mutable_status()->mutable_active_operation(); }
  api::Job AddJob(const std::string& name = "job-1") {
    api::Job job = Named<api::Job>(name);
    SetOwner(migration_, &job);
    return store_.Create(job);
  }
  const OperationTruth& Of(const std::string& id) const {
    return *store_.world.truth.operations.Get(id);
  }
  bool IsKnown(const std::string& id) const { return store_.world.truth.operations.contains(id); }
  bool Can(const std::string& id) const { return CanRun(store_.world, Of(id)); }
  void AddRun(const std::string& id, const api::Job& job, RunState state) {
    sim::Run run;
    run.pod_uid = "a-pod-uid";
    run.job_uid = job.metadata().uid();
    run.operation_id = id;
    run.state = state;
    store_.world.runs.push_back(run);
  }

  TestStore store_;
  api::PtahMigration migration_;
};

TEST_F(TruthTest, AClaimIsAnOperation) {
  const std::string id = Claim("Apply", "the-approval-uid");
  const OperationTruth& operation = Of(id);
  EXPECT_EQ(operation.family, Family::kMigration);
  EXPECT_EQ(operation.resource.name, "m");
  EXPECT_TRUE(operation.mutating);
  EXPECT_TRUE(operation.open);
  EXPECT_FALSE(operation.marked);
  EXPECT_EQ(operation.holder, api::HolderIdentity(migration_.metadata().uid(), id));
  EXPECT_EQ(operation.plan_uid, "the-plan-uid");
  EXPECT_EQ(operation.approval_uid, "the-approval-uid");
  EXPECT_EQ(operation.execution_not_after_ms, store_.world.now_ms + kWindowMs);
  EXPECT_EQ(operation.grace_ms, 30'000);
  EXPECT_EQ(operation.job_names, std::vector<std::string>{"job-1"});
  EXPECT_EQ(operation.created, Count::kNone);
}

TEST_F(TruthTest, AnotherAttemptAddsItsNameAndTheMarkStays) {
  const std::string id = Claim("History");
  claim()->set_attempt(2);
  claim()->set_job_name("job-2");
  claim()->set_dispatch_started(true);
  Save();
  claim()->set_dispatch_started(false);
  Save();
  EXPECT_EQ(Of(id).job_names, (std::vector<std::string>{"job-1", "job-2"}));
  EXPECT_TRUE(Of(id).marked);
}

TEST_F(TruthTest, TheNonceOfAClaimIsFoundByDrawingAgain) {
  const std::string first = Claim("History");
  const std::string second = Claim("History");
  EXPECT_NE(first, second);
  EXPECT_EQ(Of(first).nonce, 0u);
  EXPECT_EQ(Of(second).nonce, 1u);
  // While the first is forgotten the second keeps its own.
  EndStep(store_.world, {});
  ASSERT_FALSE(IsKnown(first));
  EXPECT_EQ(Of(second).nonce, 1u);
  EXPECT_EQ(Claim("History"), first);
}

TEST_F(TruthTest, AClaimLaidDownByHandTakesTheSmallestFreeNonce) {
  claim()->set_id("laid-down-by-hand");
  claim()->set_type("Resolve");
  Save();
  EXPECT_EQ(Of("laid-down-by-hand").nonce, 0u);
}

TEST_F(TruthTest, JobsStoredUnderItsNamesAreCreatedUpToMore) {
  const std::string id = Claim("Apply");
  AddJob("unrelated");
  EXPECT_EQ(Of(id).created, Count::kNone);
  const api::Job job = AddJob();
  EXPECT_EQ(Of(id).created, Count::kOne);
  EXPECT_EQ(Of(id).job_uids, std::vector<std::string>{job.metadata().uid()});
  store_.Delete<api::Job>("job-1");
  EXPECT_EQ(Of(id).created, Count::kOne);  // Once created is created.
  AddJob();
  EXPECT_EQ(Of(id).created, Count::kMore);
  store_.Delete<api::Job>("job-1");
  AddJob();
  EXPECT_EQ(Of(id).created, Count::kMore);
}

TEST_F(TruthTest, AJobStoredSpendsTheApprovalItsClaimNames) {
  const std::string id = Claim("Apply", "the-approval-uid");
  EXPECT_FALSE(store_.world.truth.approvals.contains("the-approval-uid"));
  AddJob();
  EXPECT_EQ(store_.world.truth.approvals.Get("the-approval-uid")->spent_by,
            std::vector<std::string>{id});
}

TEST_F(TruthTest, AnApprovalIsConsumedByTheOperationWhoseClaimNamesIt) {
  api::PtahMigrationApproval approval = store_.Create(Named<api::PtahMigrationApproval>("a"));
  const std::string& uid = approval.metadata().uid();
  const std::string id = Claim("Apply", uid);
  api::Condition* condition = approval.mutable_status()->add_conditions();
  condition->set_type(api::condition::kConsumed);
  condition->set_status("True");
  store_.PatchStatus(approval);
  EXPECT_EQ(store_.world.truth.approvals.Get(uid)->consumed_by, id);
}

TEST_F(TruthTest, AJobReadAfterItWasStoredIsReadBack) {
  const std::string id = Claim("Apply");
  const api::Job job = AddJob();
  EXPECT_TRUE(Of(id).read_back.empty());
  ObserveJobRead(store_.world, *store_.world.Find(api::KeyOf(job)));
  ObserveJobRead(store_.world, *store_.world.Find(api::KeyOf(job)));
  EXPECT_EQ(Of(id).read_back, std::vector<std::string>{job.metadata().uid()});
}

TEST_F(TruthTest, CreatesInFlightAreCounted) {
  const std::string id = Claim("Apply");
  api::Job job = Named<api::Job>("job-1");
  store_.world.in_flight.push_back({.request = TestStore::CreateRequest(job)});
  CountFlying(store_.world);
  EXPECT_EQ(Of(id).flying, Count::kOne);
  EXPECT_TRUE(Can(id));
  store_.world.in_flight.clear();
  CountFlying(store_.world);
  EXPECT_EQ(Of(id).flying, Count::kNone);
  EXPECT_FALSE(Can(id));
}

// ---- Accounts ----

TEST_F(TruthTest, AReadOnlyAccountIsSettledWhenItsClaimGoes) {
  const std::string id = Claim("History");
  EXPECT_TRUE(Of(id).open);
  Unclaim();
  EXPECT_FALSE(Of(id).open);
}

TEST_F(TruthTest, AnAccountStaysOpenInTheRecordThatReplacesItsClaim) {
  const std::string id = Claim("Apply");
  migration_.mutable_status()->mutable_unresolved_run()->set_operation_id(id);
  Unclaim();
  EXPECT_TRUE(Of(id).open);
  migration_.mutable_status()->clear_unresolved_run();
  Save();
  EXPECT_FALSE(Of(id).open);
}

TEST_F(TruthTest, ASchemasAccountStaysOpenInItsProof) {
  api::PtahSchema schema = store_.Create(Named<api::PtahSchema>("s"));
  schema.mutable_status()->mutable_plan()->set_uid("the-plan-uid");
  schema.mutable_status()->mutable_plan()->mutable_approval()->set_uid("the-approval-uid");
  schema.mutable_status()->mutable_active_operation()->set_id("apply-operation");
  schema.mutable_status()->mutable_active_operation()->set_type("Apply");
  schema = store_.PatchStatus(schema);
  EXPECT_EQ(Of("apply-operation").approval_uid, "the-approval-uid");
  schema.mutable_status()->clear_active_operation();
  schema.mutable_status()->mutable_pending_observation()->set_apply_operation_id("apply-operation");
  schema = store_.PatchStatus(schema);
  EXPECT_TRUE(Of("apply-operation").open);
  schema.mutable_status()->clear_pending_observation();
  store_.PatchStatus(schema);
  EXPECT_FALSE(Of("apply-operation").open);
}

TEST_F(TruthTest, ARestoredRecordOpensTheAccountAgain) {
  const std::string id = Claim("Apply");
  AddJob();
  Unclaim();
  EXPECT_FALSE(Of(id).open);
  migration_.mutable_status()->mutable_unresolved_run()->set_operation_id(id);
  Save();
  EXPECT_TRUE(Of(id).open);
}

TEST_F(TruthTest, WithTheResourceGoesWhatItOwed) {
  const std::string id = Claim("Apply");
  store_.Delete<api::PtahMigration>("m");
  EXPECT_FALSE(Of(id).open);
}

TEST_F(TruthTest, ApplyClaimsAreCountedUpToABound) {
  for (int i = 0; i < 3; ++i) Claim("Apply");
  EXPECT_EQ(store_.world.truth.apply_claims, 2);
  Claim("History");
  EXPECT_EQ(store_.world.truth.apply_claims, 2);
}

// ---- What can still run ----

TEST_F(TruthTest, AStoredJobCanStartAChildUntilTheDispatchDeadline) {
  const std::string id = Claim("Apply");
  EXPECT_FALSE(Can(id));
  AddJob();
  EXPECT_TRUE(Can(id));
  store_.world.now_ms += kWindowMs;
  EXPECT_FALSE(Can(id));
}

TEST_F(TruthTest, AFinishedJobStartsNothing) {
  const std::string id = Claim("Apply");
  api::Job job = AddJob();
  api::JobCondition* condition = job.mutable_status()->add_conditions();
  condition->set_type(api::condition::kJobFailed);
  condition->set_status("True");
  store_.PatchStatus(job);
  EXPECT_FALSE(Can(id));
}

TEST_F(TruthTest, AChildRunsAtMostUntilItsDeadlineAndItsShareOfTheGrace) {
  const std::string id = Claim("Apply");
  const int64_t deadline_ms = store_.world.now_ms + kWindowMs;
  const api::Job job = AddJob();
  AddRun(id, job, RunState::kRunning);
  // Whatever became of its Job.
  store_.Delete<api::Job>("job-1");
  EXPECT_TRUE(Can(id));
  EXPECT_EQ(ExecutionHorizonMs(Of(id)), deadline_ms + 20'000);
  store_.world.now_ms = deadline_ms + 19'999;
  EXPECT_TRUE(Can(id));
  store_.world.now_ms = deadline_ms + 20'000;
  EXPECT_FALSE(Can(id));
}

TEST_F(TruthTest, AContainerThatWaitsStartsItsChildBeforeTheDispatchDeadlineOrNever) {
  const std::string id = Claim("Apply");
  AddRun(id, AddJob(), RunState::kWaiting);
  EXPECT_TRUE(Can(id));
  store_.world.now_ms += kWindowMs;
  EXPECT_FALSE(Can(id));
}

TEST_F(TruthTest, AJobWhosePodEndedStartsNoOther) {
  const std::string id = Claim("Apply");
  api::Job job = AddJob();
  AddRun(id, job, RunState::kEnded);
  job.mutable_status()->set_active(1);
  store_.PatchStatus(job);
  EXPECT_FALSE(Can(id));
}

TEST_F(TruthTest, APodThatWaitsForItsContainersMayStartWhateverBecameOfItsJob) {
  const std::string id = Claim("Apply");
  api::Job job = AddJob();
  job.mutable_status()->set_active(1);
  job = store_.PatchStatus(job);
  EXPECT_FALSE(Can(id));
  store_.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  api::Pod pod = Named<api::Pod>("p");
  SetOwner(job, &pod);
  pod = store_.Create(pod);
  EXPECT_TRUE(Can(id));
  store_.Delete<api::Job>("job-1");
  EXPECT_TRUE(Can(id));
  pod.mutable_status()->set_phase("Failed");
  store_.PatchStatus(pod);
  EXPECT_FALSE(Can(id));
}

TEST_F(TruthTest, AReadOnlyOperationChangesNothing) {
  const std::string id = Claim("History");
  AddRun(id, AddJob(), RunState::kRunning);
  EXPECT_FALSE(Can(id));
}

// ---- Forgetting ----

TEST_F(TruthTest, ASettledOperationIsForgottenWhenNothingMentionsIt) {
  const std::string id = Claim("History");
  EndStep(store_.world, {});
  EXPECT_TRUE(IsKnown(id));  // Open.
  AddJob();
  Unclaim();
  EndStep(store_.world, {});
  EXPECT_TRUE(IsKnown(id));  // Its Job is stored.
  store_.Delete<api::Job>("job-1");
  migration_.mutable_status()->mutable_resolved_run()->set_operation_id(id);
  Save();
  EndStep(store_.world, {});
  EXPECT_TRUE(IsKnown(id));  // Named by a record.
  migration_.mutable_status()->clear_resolved_run();
  Save();
  EndStep(store_.world, {});
  EXPECT_FALSE(IsKnown(id));
}

TEST_F(TruthTest, AnOperationWhoseHolderALeaseNamesIsRemembered) {
  const std::string id = Claim("Apply");
  api::Lease lease = Named<api::Lease>("l");
  lease.mutable_spec()->set_holder_identity(Of(id).holder);
  lease = store_.Create(lease);
  Unclaim();
  EndStep(store_.world, {});
  EXPECT_TRUE(IsKnown(id));
  lease.mutable_spec()->set_holder_identity("");
  store_.Patch(lease);
  EndStep(store_.world, {});
  EXPECT_FALSE(IsKnown(id));
}

TEST_F(TruthTest, ARealmThatMovesUnderAJobIsNoted) {
  const std::string id = Claim("Apply");
  api::Lease lease = Named<api::Lease>("l");
  lease.mutable_spec()->set_holder_identity(Of(id).holder);
  (*lease.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] = "first";
  lease = store_.Create(lease);
  (*lease.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] = "second";
  lease = store_.Patch(lease);
  EXPECT_FALSE(Of(id).realm_moved) << "nothing was sent yet";
  AddJob();
  lease.mutable_spec()->set_renew_time_ms(store_.world.now_ms);
  lease = store_.Patch(lease);
  EXPECT_FALSE(Of(id).realm_moved) << "a renewal moves nothing";
  lease.mutable_spec()->set_holder_identity("another");
  store_.Patch(lease);
  EXPECT_TRUE(Of(id).realm_moved);
}

TEST_F(TruthTest, AnOperationThatAnApprovalWasSpentOnKeepsItsNameAndNothingElse) {
  const api::PtahMigrationApproval approval = store_.Create(Named<api::PtahMigrationApproval>("a"));
  const std::string id = Claim("Apply", approval.metadata().uid());
  AddJob();
  store_.Delete<api::Job>("job-1");
  Unclaim();
  EndStep(store_.world, {});
  ASSERT_TRUE(IsKnown(id));
  EXPECT_EQ(Of(id).created, Count::kNone);
  EXPECT_TRUE(Of(id).job_uids.empty());
  EXPECT_NE(Claim("Apply", approval.metadata().uid()), id);  // The name stays taken.
  Unclaim();
  store_.Delete<api::PtahMigrationApproval>("a");
  EndStep(store_.world, {});
  EXPECT_FALSE(IsKnown(id));
  EXPECT_TRUE(store_.world.truth.approvals.empty());
}

}  // namespace
}  // namespace sim
