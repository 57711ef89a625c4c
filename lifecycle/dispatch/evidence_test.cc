#include "lifecycle/dispatch/evidence.h"

#include <string>

#include "gtest/gtest.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/workload_samples.h"
#include "lifecycle/testing/cluster_samples.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

using lifecycle::testing::MemoryDoor;

class EvidenceTest : public ::testing::Test {
 protected:
  EvidenceTest() : client_(store_, "manager") {
    sample_.TakeSnapshot();
    job_ = sample_.Build();
    job_.mutable_metadata()->set_uid("job-uid");
    sample_.migration.mutable_status()->mutable_active_operation()->set_job_uid("job-uid");
  }

  JobIdentity Identity() const { return {"app", job_.metadata().name(), "job-uid"}; }

  api::Pod PodOf(const std::string& name, const std::string& phase) const {
    api::Pod pod = lifecycle::testing::PodOf(job_, name);
    pod.mutable_spec()->set_node_name("node");
    pod.mutable_status()->set_phase(phase);
    return pod;
  }

  api::Pod EndedPod(const std::string& name) const {
    api::Pod pod = PodOf(name, "Succeeded");
    api::ContainerStatus* executor = pod.mutable_status()->add_container_statuses();
    executor->set_name("ptah");
    executor->mutable_state()->mutable_terminated()->set_message("summary");
    return pod;
  }

  PodEvidence Collect() {
    return *CollectPodEvidence(client_, Identity(), sample_.claim().admission_snapshot(),
                               &job_.spec().template_());
  }

  bool MayStillWrite(const api::Job* in_hand) {
    return DispatchedApplyMayStillWrite(client_, "app", sample_.claim(), in_hand, store_.wall_ms);
  }

  MemoryDoor store_;
  api::Client client_;
  api::Memory memory_;
  api::Timing timing_;
  samples::MigrationApply sample_;
  api::Job job_;
};

TEST_F(EvidenceTest, OnePodWhoseExecutorTerminatedIsTrusted) {
  store_.Put(EndedPod("p"));
  const PodEvidence evidence = Collect();
  EXPECT_EQ(evidence.problem, EvidenceProblem::kNone);
  EXPECT_EQ(evidence.pod_count, 1);
  EXPECT_TRUE(evidence.trusted);
  EXPECT_TRUE(evidence.ExecutorEndProven());
  EXPECT_EQ(evidence.termination_message, "summary");
}

TEST_F(EvidenceTest, APodWhoseExecutorNeverTerminatedIsNotTrusted) {
  store_.Put(PodOf("p", "Failed"));
  const PodEvidence evidence = Collect();
  EXPECT_EQ(evidence.problem, EvidenceProblem::kNone);
  EXPECT_FALSE(evidence.trusted);
  EXPECT_FALSE(evidence.ExecutorEndProven());
}

TEST_F(EvidenceTest, PodsAreAttributedByTheExactOwnerAndNotByLabels) {
  for (const char* part : {"uid", "name", "kind", "controller"}) {
    SCOPED_TRACE(part);
    api::Pod pod = EndedPod("p");
    api::OwnerReference* owner = pod.mutable_metadata()->mutable_owner_references(0);
    if (std::string(part) == "uid") owner->set_uid("other");
    if (std::string(part) == "name") owner->set_name("other");
    if (std::string(part) == "kind") owner->set_kind("ReplicaSet");
    if (std::string(part) == "controller") owner->set_controller(false);
    (*pod.mutable_metadata()->mutable_labels())[api::label::kJobName] = job_.metadata().name();
    store_.Put(pod);
    EXPECT_EQ(Collect().pod_count, 0);
  }
}

TEST_F(EvidenceTest, MoreThanOnePodIsNoEvidenceAndUidsAreSorted) {
  store_.Put(EndedPod("q"));
  store_.Put(EndedPod("p"));
  const PodEvidence evidence = Collect();
  EXPECT_EQ(evidence.problem, EvidenceProblem::kMultiplicity);
  EXPECT_EQ(evidence.pod_uids, (std::vector<std::string>{"p-uid", "q-uid"}));
  EXPECT_FALSE(evidence.trusted);
}

TEST_F(EvidenceTest, OnlyEightPodUidsAreKeptAndAllAreCounted) {
  for (char name = 'a'; name < 'a' + 10; ++name) store_.Put(EndedPod(std::string(1, name)));
  EXPECT_EQ(Collect().pod_uids.size(), 8u);
  EXPECT_EQ(Collect().pod_count, 10);
}

TEST_F(EvidenceTest, APodOutsideTheEnvelopeIsAForeignOne) {
  api::Pod other_image = EndedPod("p");
  other_image.mutable_spec()->mutable_containers(0)->set_image(samples::Pinned('f'));
  store_.Put(other_image);
  EXPECT_EQ(Collect().problem, EvidenceProblem::kIntent);

  api::Pod other_account = EndedPod("p");
  other_account.mutable_spec()->set_service_account_name("somebody");
  store_.Put(other_account);
  EXPECT_EQ(Collect().problem, EvidenceProblem::kIntent);

  api::Pod other_snapshot = EndedPod("p");
  (*other_snapshot.mutable_metadata()
        ->mutable_annotations())[api::annotation::kAdmissionSnapshotDigest] = "other";
  store_.Put(other_snapshot);
  EXPECT_EQ(Collect().problem, EvidenceProblem::kIntent);
}

TEST_F(EvidenceTest, MergedEvidenceNeverShrinksAndASecondPodIsForGood) {
  api::PendingObservation record;
  record.set_outcome(api::proof_outcome::kApplySucceeded);
  PodEvidence seen;
  seen.pod_uids = {"a"};
  seen.pod_count = 1;
  EXPECT_TRUE(MergePodEvidence(seen, record));
  EXPECT_FALSE(MergePodEvidence(seen, record));
  EXPECT_EQ(record.outcome(), api::proof_outcome::kApplySucceeded);
  seen.pod_uids = {"b"};
  EXPECT_TRUE(MergePodEvidence(seen, record));
  EXPECT_EQ(record.apply_pod_count(), 2);
  EXPECT_EQ(record.outcome(), api::proof_outcome::kOutcomeUnknown);
  seen.pod_uids = {};
  seen.pod_count = 0;
  EXPECT_FALSE(MergePodEvidence(seen, record));
  EXPECT_EQ(record.apply_pod_uids_size(), 2);
}

TEST_F(EvidenceTest, ALogThatCanBeReadForgetsEarlierFailures) {
  store_.Put(EndedPod("p"));
  memory_.log_failures["p-uid"] = {1};
  store_.logs["p"] = "text";
  const LogReading log = ReadExecutorLog(client_, memory_, timing_, Identity(), Collect());
  EXPECT_EQ(log.state, LogReading::State::kRead);
  EXPECT_EQ(log.text, "text");
  EXPECT_TRUE(memory_.log_failures.empty());
}

TEST_F(EvidenceTest, ALogThatIsGoneIsLostAtOnce) {
  store_.Put(EndedPod("p"));
  const LogReading log = ReadExecutorLog(client_, memory_, timing_, Identity(), Collect());
  EXPECT_EQ(log.state, LogReading::State::kLost);
}

TEST_F(EvidenceTest, AFailingLogIsLostAfterTwoMinutesOfThisProcess) {
  store_.Put(EndedPod("p"));
  store_.log_error = api::ToStatus({503, "ServiceUnavailable", "later"});
  EXPECT_EQ(ReadExecutorLog(client_, memory_, timing_, Identity(), Collect()).state,
            LogReading::State::kRetry);
  store_.Advance(timing_.log_loss_window_ms - 1);
  EXPECT_EQ(ReadExecutorLog(client_, memory_, timing_, Identity(), Collect()).state,
            LogReading::State::kRetry);
  store_.Advance(1);
  EXPECT_EQ(ReadExecutorLog(client_, memory_, timing_, Identity(), Collect()).state,
            LogReading::State::kLost);
}

TEST_F(EvidenceTest, ARunningJobMayStillWrite) { EXPECT_TRUE(MayStillWrite(&job_)); }

TEST_F(EvidenceTest, AnEndedJobMayStillWriteUntilItsPodsHaveStopped) {
  api::JobCondition* condition = job_.mutable_status()->add_conditions();
  condition->set_type("Complete");
  condition->set_status("True");
  store_.Put(PodOf("p", "Running"));
  EXPECT_TRUE(MayStillWrite(&job_));
  // Failed by the word of its node: nobody saw the executor end.
  store_.Put(PodOf("p", "Failed"));
  EXPECT_TRUE(MayStillWrite(&job_));
  store_.Put(EndedPod("p"));
  EXPECT_FALSE(MayStillWrite(&job_));
}

TEST_F(EvidenceTest, AMissingJobIsNotEnough) {
  store_.Put(PodOf("p", "Running"));
  EXPECT_TRUE(MayStillWrite(nullptr));
  store_.Remove({api::Kind::kPod, "app", "p"});
  EXPECT_TRUE(MayStillWrite(nullptr));
  const api::ActiveOperation& claim = sample_.claim();
  store_.Advance(claim.execution_not_after_ms() + 1000 * claim.termination_grace_period_seconds() -
                 store_.wall_ms - 1);
  EXPECT_TRUE(MayStillWrite(nullptr));
  store_.Advance(1);
  EXPECT_FALSE(MayStillWrite(nullptr));
}

TEST_F(EvidenceTest, NothingUnderTheReservedNameAndNoKnownUidCannotWrite) {
  sample_.migration.mutable_status()->mutable_active_operation()->clear_job_uid();
  EXPECT_FALSE(MayStillWrite(nullptr));
  store_.Put(job_);
  EXPECT_TRUE(MayStillWrite(nullptr));
}

}  // namespace
}  // namespace lifecycle::dispatch
