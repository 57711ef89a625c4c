#include "lifecycle/dispatch/driver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/envelope.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/lease/target_lock.h"
#include "lifecycle/testing/cluster_samples.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

using api::PassResult;
using Steps = std::vector<std::string>;

constexpr char kNamespace[] = "default";

// A family whose steps only say that they were taken, over a claim kept in memory. Its claims are a
// migration's, so that Jobs are built and matched as they are for real.
class FakeFamily final : public FamilyDispatch {
 public:
  FakeFamily(api::Client& client, const api::Configuration& configuration, const char* type,
             Steps& steps)
      : client_(client), configuration_(configuration), steps_(steps) {
    api::ObjectMeta& meta = *migration_.mutable_metadata();
    meta.set_namespace_(kNamespace);
    meta.set_name("orders");
    meta.set_uid("uid-orders");
    migration_.mutable_spec()->mutable_target()->set_engine("postgres");
    api::ExecutionBinding& binding = *migration_.mutable_status()->mutable_execution_binding();
    binding.set_epoch(api::EpochOf(std::string(16, 'e')));
    binding.set_controller_state_version(configuration.controller_state_version);
    binding.set_ptah_version(configuration.ptah_version);
    binding.set_executor_image(configuration.executor_image);
    binding.set_runner_protocol_version(configuration.runner_protocol_version);
    plan_.mutable_metadata()->set_name("plan");
    plan_.mutable_metadata()->set_uid("uid-plan");
    api::ActiveOperation claim = MakeClaim(client, {.family = rules::Family::kMigration,
                                                    .resource = meta,
                                                    .type = type,
                                                    .epoch = binding.epoch(),
                                                    .input_fingerprint = api::DigestOf("inputs"),
                                                    .started_at_ms = 1'000'000});
    claim.set_coordination_digest(api::DigestOf("realm"));
    if (operation_of(type).mutating) {
      SetApplyDeadlines(900'000, 30, claim);
      ExpectLease(1'020, claim);
    }
    *migration_.mutable_status()->mutable_active_operation() = claim;
  }

  rules::Family family() const override { return rules::Family::kMigration; }
  const api::ObjectMeta& metadata() const override { return migration_.metadata(); }
  const api::ActiveOperation& claim() const override {
    return migration_.status().active_operation();
  }
  const api::ExecutionBinding& binding() const override {
    return migration_.status().execution_binding();
  }

  absl::Status WriteClaim(ClaimEdit edit) override {
    api::ActiveOperation next = claim();
    edit(next);
    const std::string name = NameOf(claim(), next);
    if (name.empty()) return absl::OkStatus();
    if (name == failing) return absl::UnavailableError(name);
    steps_.push_back(name);
    *migration_.mutable_status()->mutable_active_operation() = next;
    return absl::OkStatus();
  }

  StepResult Authorize() override { return Take("authorize"); }
  StepResult Stage() override { return Take("stage"); }
  StepResult Consume() override { return Take("consume"); }
  StepResult Build(api::Job& job) override {
    absl::StatusOr<api::Job> built = BuildMigrationJob(migration_, claim(), &plan_, configuration_);
    if (!built.ok()) return PassResult::Error(built.status());
    job = *built;
    return std::nullopt;
  }
  absl::StatusOr<api::AdmissionSnapshot> ResolveSnapshot(const api::Job& job) override {
    return dispatch::ResolveSnapshot(job, claim(), client_);
  }
  PassResult Refuse(rules::JobRefusal, const absl::Status& why) override {
    steps_.push_back("refused");
    return PassResult::Error(why);
  }
  PassResult Unaccounted(const api::Stored<api::Job>* job, absl::string_view) override {
    steps_.push_back(job == nullptr ? "unaccounted" : "unaccounted with a Job");
    return PassResult::Done();
  }
  PassResult RetryReadOnly(const api::Stored<api::Job>*, absl::string_view) override {
    steps_.push_back("retry");
    return PassResult::Done();
  }

  api::ActiveOperation& mutable_claim() {
    return *migration_.mutable_status()->mutable_active_operation();
  }

  std::string failing;  // The step or write that fails.

 private:
  static const rules::OperationTraits& operation_of(const char* type) {
    return rules::MigrationOperation(type);
  }
  StepResult Take(const char* step) {
    if (failing == step) return PassResult::Error(absl::UnavailableError(step));
    steps_.push_back(step);
    return std::nullopt;
  }
  static std::string NameOf(const api::ActiveOperation& before, const api::ActiveOperation& after) {
    if (before.dispatch_started() && !after.dispatch_started()) return "withdraw";
    if (!before.dispatch_started() && after.dispatch_started()) return "mark";
    if (before.job_uid() != after.job_uid()) return "record";
    if (before.lease_epoch() != after.lease_epoch()) return "epoch";
    if (!before.has_admission_snapshot() && after.has_admission_snapshot()) return "snapshot";
    if (before.has_admission_snapshot() && !after.has_admission_snapshot()) return "refresh";
    return "";
  }

  api::Client& client_;
  const api::Configuration& configuration_;
  Steps& steps_;
  api::PtahMigration migration_;
  api::PtahMigrationPlan plan_;
};

class DriverTest : public ::testing::Test {
 protected:
  explicit DriverTest(const char* type = api::operation::kApply)
      : configuration_(api::DefaultConfiguration()),
        client_(door_, configuration_.user),
        family_(client_, configuration_, type, steps_) {
    door_.Put(lifecycle::testing::DefaultAccount(kNamespace));
    door_.after_write = [this](const api::Request& request) {
      if (request.key.kind == api::Kind::kLease) steps_.push_back("lease");
      if (request.key.kind == api::Kind::kJob) steps_.push_back("create");
    };
    door_.refuse_read = [this](const api::Key& key) {
      if (key.kind != api::Kind::kJob) return absl::OkStatus();
      if (read_back_fails_) return api::ToStatus({500, api::kInternalError, "read"});
      steps_.push_back("confirm");
      return absl::OkStatus();
    };
  }

  PassResult Pass() {
    const Context context = {client_, memory_, configuration_, timing_, design_};
    return Dispatch(family_, context);
  }
  // Brings the claim to where only the last pass of a dispatch is left: realm held under its own
  // epoch, snapshot stored.
  void Prepare() {
    for (int pass = 0; pass < 2; ++pass) ASSERT_TRUE(Pass().status.ok());
    steps_.clear();
  }
  // The same for a design in which these passes would mark: under the current order.
  void PrepareThenExchange(const char* names) {
    Prepare();
    design_ = *Exchanged(CurrentDesign(), names);
  }
  void AnswerCreate(const api::ApiError& error) {
    door_.refuse = [error](const api::Request& request) {
      return request.key.kind == api::Kind::kJob ? api::ToStatus(error) : absl::OkStatus();
    };
  }
  void LetRivalHoldRealm() {
    api::Client rival(door_, "rival");
    api::Memory memory;
    ASSERT_TRUE(lease::Acquire(rival, memory, configuration_.coordination_namespace,
                               {.coordination_digest = family_.claim().coordination_digest(),
                                .resource_uid = "uid-rival",
                                .operation_id = "rival",
                                .duration_seconds = 60})
                    .ok());
    steps_.clear();
  }

  testing::MemoryDoor door_;
  api::Memory memory_;
  api::Configuration configuration_;
  api::Timing timing_;
  Design design_ = CurrentDesign();
  api::Client client_;
  Steps steps_;
  FakeFamily family_;
  bool read_back_fails_ = false;
};

TEST_F(DriverTest, EndsThePassAfterTheEpochAndAfterTheSnapshotAndThenTakesTheRestInOrder) {
  EXPECT_EQ(Pass().requeue_after_ms, 0);
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "epoch"}));
  steps_.clear();
  EXPECT_EQ(Pass().requeue_after_ms, 0);
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "snapshot"}));
  steps_.clear();
  EXPECT_EQ(Pass().requeue_after_ms, timing_.requeue_after_record_ms);
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "consume", "mark", "create", "confirm",
                           "record"}));
  EXPECT_TRUE(family_.claim().dispatch_started());
  EXPECT_EQ(family_.claim().job_uid(),
            door_.At<api::Job>(kNamespace, family_.claim().job_name()).metadata().uid());
}

TEST_F(DriverTest, RefusesAMutatingClaimThatMayHaveDispatchedBeforeAnyStep) {
  family_.mutable_claim().set_dispatch_started(true);
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_TRUE(steps_.empty());
}

TEST_F(DriverTest, RefusesAClaimOfAnUnknownType) {
  family_.mutable_claim().set_type("Vacuum");
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_TRUE(steps_.empty());
}

// The step that fails ends the pass with its error, and nothing after it is done.
TEST_F(DriverTest, EndsAtTheStepThatFails) {
  Prepare();
  const Steps all = {"authorize", "stage", "consume", "mark"};
  for (const std::string& failing : all) {
    SCOPED_TRACE(failing);
    steps_.clear();
    family_.failing = failing;
    EXPECT_EQ(Pass().status.message(), failing);
    for (const std::string& step : steps_) {
      EXPECT_NE(step, failing);
      EXPECT_NE(step, "create");
    }
  }
  EXPECT_FALSE(family_.claim().dispatch_started());
}

TEST_F(DriverTest, AContendedRealmEndsThePassAfterAuthorization) {
  LetRivalHoldRealm();
  EXPECT_EQ(Pass().requeue_after_ms, timing_.contention_max_ms);
  EXPECT_EQ(steps_, (Steps{"authorize"}));
}

TEST_F(DriverTest, AnUnresolvableSnapshotIsRefused) {
  ASSERT_TRUE(Pass().status.ok());
  steps_.clear();
  door_.Erase<api::ServiceAccount>(kNamespace, api::kDefaultServiceAccount);
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "refused");
  EXPECT_EQ(door_.journal().back(), "E-4.3 unresolvable");
}

TEST_F(DriverTest, AnEnvelopeThatCannotBeReadNowRefusesNothing) {
  ASSERT_TRUE(Pass().status.ok());
  steps_.clear();
  door_.refuse_read = [](const api::Key& key) {
    return key.kind == api::Kind::kServiceAccount
               ? api::ToStatus({500, api::kInternalError, "etcd leader changed"})
               : absl::OkStatus();
  };
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage"}));
}

TEST_F(DriverTest, WhatAClaimHasResolvedIsNotReadAgain) {
  Prepare();
  door_.Erase<api::ServiceAccount>(kNamespace, api::kDefaultServiceAccount);
  EXPECT_EQ(Pass().requeue_after_ms, timing_.requeue_after_record_ms);
  EXPECT_EQ(steps_.back(), "record");
}

TEST_F(DriverTest, ATemplateThatMovesIsTakenAnewOnceAndThenRefused) {
  Prepare();
  configuration_.controller_revision += "-next";
  EXPECT_EQ(Pass().requeue_after_ms, 0);
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "refresh"}));
  steps_.clear();
  EXPECT_EQ(Pass().requeue_after_ms, 0);
  EXPECT_EQ(steps_.back(), "snapshot");
  steps_.clear();
  configuration_.controller_revision += "-next";
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "refused");
}

TEST_F(DriverTest, AMalformedSnapshotIsRefusedBeforeAJobIsBuilt) {
  Prepare();
  family_.mutable_claim().mutable_admission_snapshot()->set_digest("sha256:0");
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "refused");
}

TEST_F(DriverTest, ACreateRefusedBeforeStorageWithdrawsTheMarkAndIsTheError) {
  Prepare();
  AnswerCreate({403, api::kForbidden, "denied"});
  EXPECT_EQ(Pass().status.message(), "denied");
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "consume", "mark", "withdraw"}));
  EXPECT_FALSE(family_.claim().dispatch_started());
  EXPECT_EQ(door_.journal().back(), "E-7 refused");
}

TEST_F(DriverTest, AnAmbiguousCreateLeavesTheOutcomeUnknown) {
  Prepare();
  AnswerCreate({0, "", "connection lost"});
  EXPECT_TRUE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "unaccounted");
  EXPECT_TRUE(family_.claim().dispatch_started());
  EXPECT_EQ(door_.journal().back(), "I-3 ambiguous");
}

TEST_F(DriverTest, ANameThatIsTakenLeavesTheOutcomeUnknown) {
  Prepare();
  AnswerCreate({409, api::kAlreadyExists, "taken"});
  EXPECT_TRUE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "unaccounted");
  EXPECT_EQ(door_.journal().back(), "I-3 exists");
}

TEST_F(DriverTest, AReadBackThatFailsIsAnErrorUnderADurableMark) {
  Prepare();
  read_back_fails_ = true;
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "create");
  EXPECT_TRUE(family_.claim().dispatch_started());
  EXPECT_TRUE(family_.claim().job_uid().empty());
}

TEST_F(DriverTest, AJobThatIsNotTheOneSentIsNotRecorded) {
  Prepare();
  const auto count = door_.after_write;
  door_.after_write = [&, count](const api::Request& request) {
    count(request);
    if (request.key.kind != api::Kind::kJob) return;
    door_.after_write = nullptr;
    door_.Edit<api::Job>(kNamespace, request.key.name, [](api::Job& job) {
      job.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image(
          "somebody/else@sha256:" + std::string(64, '0'));
    });
  };
  EXPECT_TRUE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "unaccounted with a Job");
  EXPECT_TRUE(family_.claim().job_uid().empty());
  EXPECT_EQ(door_.journal().back(), "I-3 mismatch");
}

// --- Exchanged steps: each really does its own work wherever it stands. ---

TEST_F(DriverTest, LeaseBeforeAuthorizeTakesTheRealmFirst) {
  PrepareThenExchange("authorize,lease");
  family_.failing = "authorize";
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_, (Steps{"lease"}));
}

TEST_F(DriverTest, LeaseBeforeAuthorizeDoesNotAskWhileTheRealmIsTaken) {
  design_ = *Exchanged(CurrentDesign(), "authorize,lease");
  LetRivalHoldRealm();
  EXPECT_EQ(Pass().requeue_after_ms, timing_.contention_max_ms);
  EXPECT_TRUE(steps_.empty());
}

TEST_F(DriverTest, MarkBeforeLeaseMarksWithoutTheRealm) {
  design_ = *Exchanged(CurrentDesign(), "lease,mark");
  LetRivalHoldRealm();
  // The snapshot comes before the Lease here, so the mark is what the first pass does.
  EXPECT_TRUE(Pass().status.ok());
  EXPECT_TRUE(family_.claim().dispatch_started());
  EXPECT_EQ(steps_, (Steps{"authorize", "mark", "stage", "snapshot"}));
}

TEST_F(DriverTest, MarkBeforeStageMarksWithNothingStaged) {
  PrepareThenExchange("stage,mark");
  family_.failing = "stage";
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "mark", "consume"}));
}

TEST_F(DriverTest, MarkBeforeSnapshotMarksWithoutAnEnvelope) {
  ASSERT_TRUE(Pass().status.ok());
  steps_.clear();
  design_ = *Exchanged(CurrentDesign(), "snapshot,mark");
  family_.failing = "snapshot";
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "mark", "consume"}));
}

TEST_F(DriverTest, MarkBeforeConsumeMarksBesideAnUnspentApproval) {
  PrepareThenExchange("consume,mark");
  family_.failing = "consume";
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "mark"}));
}

TEST_F(DriverTest, CreateBeforeMarkMakesAJobOfAnUnmarkedClaim) {
  PrepareThenExchange("mark,create");
  family_.failing = "mark";
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_, (Steps{"authorize", "lease", "stage", "consume", "create"}));
  EXPECT_FALSE(family_.claim().dispatch_started());
}

TEST_F(DriverTest, ConfirmBeforeCreateFindsNothingAndReturnsThatError) {
  PrepareThenExchange("create,confirm");
  EXPECT_TRUE(api::IsNotFound(Pass().status));
  EXPECT_EQ(steps_.back(), "confirm");
  EXPECT_TRUE(family_.claim().dispatch_started());
}

TEST_F(DriverTest, RecordBeforeConfirmRecordsAJobNobodyReadBack) {
  PrepareThenExchange("confirm,record");
  read_back_fails_ = true;
  EXPECT_FALSE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "record");
  EXPECT_FALSE(family_.claim().job_uid().empty());
}

TEST_F(DriverTest, AnUndisturbedPassOfRecordBeforeConfirmStillConfirms) {
  PrepareThenExchange("confirm,record");
  EXPECT_EQ(Pass().requeue_after_ms, timing_.requeue_after_record_ms);
  EXPECT_EQ(steps_.back(), "confirm");
}

// --- Read-only claims that hold no realm. ---

class ReadOnlyDriverTest : public DriverTest {
 protected:
  ReadOnlyDriverTest() : DriverTest(api::operation::kHistory) {}
};

TEST_F(ReadOnlyDriverTest, TakesNoRealmSpendsNothingAndIsNotMarked) {
  EXPECT_EQ(Pass().requeue_after_ms, 0);
  EXPECT_EQ(steps_, (Steps{"authorize", "stage", "snapshot"}));
  steps_.clear();
  EXPECT_EQ(Pass().requeue_after_ms, timing_.requeue_after_record_ms);
  EXPECT_EQ(steps_, (Steps{"authorize", "stage", "create", "confirm", "record"}));
  EXPECT_FALSE(family_.claim().dispatch_started());
}

TEST_F(ReadOnlyDriverTest, AnAmbiguousCreateIsAnErrorAndARetryFindsItsJob) {
  ASSERT_TRUE(Pass().status.ok());
  AnswerCreate({500, api::kInternalError, "what happened"});
  EXPECT_EQ(Pass().status.message(), "what happened");
  EXPECT_EQ(door_.journal().back(), "E-7 ambiguous");
}

TEST_F(ReadOnlyDriverTest, ANameThatIsTakenAsksForANewAttempt) {
  ASSERT_TRUE(Pass().status.ok());
  AnswerCreate({409, api::kAlreadyExists, "taken"});
  EXPECT_TRUE(Pass().status.ok());
  EXPECT_EQ(steps_.back(), "retry");
  EXPECT_EQ(door_.journal().back(), "F-8 exists");
}

}  // namespace
}  // namespace lifecycle::dispatch
