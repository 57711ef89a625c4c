#include "lifecycle/migration/gates.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "lifecycle/admission/operator_admission.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/migration/scene.h"

namespace lifecycle::migration {
namespace {

class GatesTest : public ::testing::Test {
 protected:
  GatesTest() { scene_.store.admission = &webhook_; }

  // A person edits the spec, so the generation moves.
  template <class Edit>
  void EditSpec(Edit edit) {
    scene_.EditMigration([&](api::PtahMigration& migration) {
      edit(*migration.mutable_spec());
      migration.mutable_metadata()->set_generation(migration.metadata().generation() + 1);
    });
  }
  void Suspend(bool suspend) {
    EditSpec([&](api::PtahMigrationSpec& spec) { spec.set_suspend(suspend); });
  }
  bool Journaled(const std::string& rule) const {
    const auto& journal = scene_.store.journal();
    return std::count(journal.begin(), journal.end(), rule) > 0;
  }
  std::string BlockedReason() const {
    for (const api::Condition& condition : scene_.status().conditions()) {
      if (condition.type() == api::condition::kBlocked && condition.status() == "True") {
        return condition.reason();
      }
    }
    return "";
  }
  // A pass that follows from nothing new writes nothing.
  void ExpectNothingToWrite() {
    const size_t writes = scene_.store.changes().size();
    scene_.Pass();
    EXPECT_EQ(scene_.store.changes().size(), writes);
  }
  void PutNeighbour(bool suspended) {
    api::PtahSchema schema;
    schema.mutable_metadata()->set_namespace_("app");
    schema.mutable_metadata()->set_name("s");
    schema.mutable_metadata()->set_uid("s-uid");
    *schema.mutable_spec()->mutable_target() = scene_.migration().spec().target();
    schema.mutable_spec()->set_suspend(suspended);
    scene_.store.Put(schema);
  }

  // The migration names a PtahRealm that lists another namespace only.
  void NameARealmThatDoesNotGrant() {
    api::PtahRealm realm;
    realm.mutable_metadata()->set_name("main");
    realm.mutable_spec()->set_engine(scene_.migration().spec().target().engine());
    realm.mutable_spec()->add_namespaces("elsewhere");
    scene_.store.Put(realm);
    EditSpec([](api::PtahMigrationSpec& spec) {
      spec.mutable_target()->clear_coordination_key();
      spec.mutable_target()->mutable_realm_ref()->set_name("main");
    });
  }

  admission::OperatorAdmission webhook_{api::DefaultConfiguration()};
  Scene scene_{"Always"};
};

TEST_F(GatesTest, ASuspendedMigrationClaimsNothingUntilItIsResumed) {
  Suspend(true);
  const api::PassResult result = scene_.Pass();
  EXPECT_FALSE(result.requeue_after_ms.has_value());
  EXPECT_EQ(scene_.status().phase(), api::phase::kSuspended);
  EXPECT_EQ(scene_.status().observed_generation(), 2);
  EXPECT_FALSE(scene_.status().has_active_operation());
  ExpectNothingToWrite();

  Suspend(false);
  scene_.Pass();
  EXPECT_EQ(scene_.claim().type(), api::operation::kResolve);
}

TEST_F(GatesTest, AnUndispatchedClaimIsDiscardedUnderSuspension) {
  scene_.Pass();
  ASSERT_EQ(scene_.claim().type(), api::operation::kApply);
  Suspend(true);
  scene_.Pass();
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_TRUE(Journaled("O-2"));
  scene_.Pass();
  EXPECT_EQ(scene_.status().phase(), api::phase::kSuspended);
  EXPECT_EQ(scene_.migration().metadata().finalizers_size(), 0);
}

TEST_F(GatesTest, ADispatchedReadingIsDiscardedUnderSuspensionAndItsJobLeftAlone) {
  EditSpec([](api::PtahMigrationSpec& spec) { spec.set_interval_seconds(60); });
  scene_.PassUntilClaimed(api::operation::kResolve);
  scene_.PassUntilRecorded();
  const std::string job = scene_.claim().job_name();
  Suspend(true);
  scene_.Pass();
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_TRUE(Journaled("C-20.3"));
  EXPECT_FALSE(scene_.store.At<api::Job>("app", job).spec().has_ttl_seconds_after_finished());
}

TEST_F(GatesTest, ADispatchedApplyIsWatchedToItsEndUnderSuspensionAndItsResultIsNotRead) {
  scene_.PassUntilRecorded();
  Suspend(true);
  EXPECT_EQ(scene_.Pass().requeue_after_ms, scene_.timing.supervision_poll_ms);
  EXPECT_TRUE(scene_.status().has_active_operation());
  EXPECT_TRUE(Journaled("O-3"));

  scene_.EndJobWithFrame(scene_.RunFrame("applied", {3, 4}));
  scene_.Pass();
  EXPECT_EQ(scene_.status().unresolved_run().outcome(), api::run_outcome::kUnknown);
  EXPECT_TRUE(Journaled("O-4"));
  EXPECT_FALSE(Journaled("O-5"));

  // The record waits: no reading is taken before resumption, and the reading after it settles.
  scene_.Pass();
  EXPECT_EQ(scene_.status().phase(), api::phase::kSuspended);
  scene_.store.Advance(86'400'000);
  ExpectNothingToWrite();
  EXPECT_TRUE(scene_.status().has_unresolved_run());
  Suspend(false);
  scene_.RunReadings({});
  EXPECT_FALSE(scene_.status().has_unresolved_run());
}

TEST_F(GatesTest, AnUnsupportedEngineBlocksUntilTheSpecChanges) {
  EditSpec([](api::PtahMigrationSpec& spec) { spec.mutable_target()->set_engine("sqlite"); });
  const api::PassResult result = scene_.Pass();
  EXPECT_FALSE(result.requeue_after_ms.has_value());
  EXPECT_EQ(BlockedReason(), api::reason::kUnsupportedEngine);
  EXPECT_FALSE(scene_.status().has_active_operation());
  ExpectNothingToWrite();
  EditSpec([](api::PtahMigrationSpec& spec) { spec.mutable_target()->set_engine("mariadb"); });
  scene_.Pass();
  EXPECT_EQ(scene_.claim().type(), api::operation::kResolve);
}

TEST_F(GatesTest, ASecondClaimantOfTheRealmBlocksAndIsWrittenOnce) {
  PutNeighbour(/*suspended=*/false);
  const api::PassResult result = scene_.Pass();
  EXPECT_EQ(BlockedReason(), api::reason::kRealmConflict);
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_TRUE(scene_.store.List(api::Kind::kJob, "").empty());
  // The deadline that stood is an interval away, too late to notice that the other is gone.
  EXPECT_EQ(result.requeue_after_ms, 60'000);
  ExpectNothingToWrite();
  scene_.store.Advance(60'000);
  EXPECT_EQ(scene_.Pass().requeue_after_ms, 60'000);
}

TEST_F(GatesTest, ARealmThatDoesNotAdmitTheNamespaceIsRefusedWithoutAJob) {
  NameARealmThatDoesNotGrant();
  scene_.Pass();
  EXPECT_EQ(BlockedReason(), api::reason::kRealmNotAuthorized);
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_TRUE(scene_.store.List(api::Kind::kJob, "").empty());
}

TEST_F(GatesTest, AGrantLiftsTheRefusalAtItsDeadlineAndNotBefore) {
  NameARealmThatDoesNotGrant();
  scene_.Pass();
  const int64_t due_ms = scene_.status().next_reconciliation_time_ms();
  scene_.store.Edit<api::PtahRealm>(
      "", "main", [](api::PtahRealm& realm) { realm.mutable_spec()->add_namespaces("app"); });
  // The pass that the grant wakes, and a later one.
  for (const int64_t early_ms : {int64_t{30'000}, int64_t{1}}) {
    scene_.store.wall_ms = due_ms - early_ms;
    EXPECT_EQ(scene_.Pass().requeue_after_ms, early_ms);
    EXPECT_FALSE(scene_.status().has_active_operation());
    EXPECT_EQ(scene_.status().phase(), api::phase::kBlocked);
  }
  scene_.store.wall_ms = due_ms;
  scene_.Pass();
  EXPECT_EQ(scene_.claim().type(), api::operation::kResolve);
}

TEST_F(GatesTest, ASuspendedNeighbourIsNotCounted) {
  PutNeighbour(/*suspended=*/true);
  scene_.Pass();
  EXPECT_EQ(scene_.claim().type(), api::operation::kApply);
  EXPECT_TRUE(Journaled("O-6"));
}

TEST_F(GatesTest, TheCensusIsNotAskedAboutAClaimThatIsAlreadyWritten) {
  scene_.Pass();
  ASSERT_EQ(scene_.claim().type(), api::operation::kApply);
  PutNeighbour(/*suspended=*/false);
  scene_.PassUntilRecorded();
  EXPECT_TRUE(scene_.claim().dispatch_started());
}

TEST_F(GatesTest, StateOfANewerManagerIsNotTouched) {
  scene_.PassUntilRecorded();
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_execution_binding()->set_controller_state_version(2);
    migration.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("v1-x");
    migration.mutable_metadata()->set_deletion_timestamp_ms(1);
  });
  const size_t writes = scene_.store.changes().size();
  EXPECT_FALSE(scene_.Pass().status.ok());
  EXPECT_EQ(scene_.store.changes().size(), writes);
  EXPECT_TRUE(Journaled("R-1"));
}

TEST_F(GatesTest, AClaimOfAnUnknownTypeIsLeftAloneWithAnError) {
  scene_.PassUntilRecorded();
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->set_type("Repair");
  });
  const size_t writes = scene_.store.changes().size();
  EXPECT_FALSE(scene_.Pass().status.ok());
  EXPECT_EQ(scene_.store.changes().size(), writes);
  EXPECT_TRUE(Journaled("R-2"));
}

// E-4.3. A migration's claim goes, and another is made once the account is back.
TEST_F(GatesTest, AClaimWhoseAccountIsMissingIsDiscardedAsFailed) {
  const auto account = scene_.store.At<api::ServiceAccount>("app", api::kDefaultServiceAccount);
  scene_.store.Erase<api::ServiceAccount>("app", api::kDefaultServiceAccount);
  scene_.PassUntilClaimed(api::operation::kApply);
  while (scene_.status().has_active_operation()) ASSERT_TRUE(scene_.Pass().status.ok());
  EXPECT_TRUE(Journaled("E-4.3 unresolvable"));
  EXPECT_EQ(scene_.status().phase(), api::phase::kFailed);
  EXPECT_TRUE(scene_.store.List(api::Kind::kJob, "").empty());
  scene_.store.Put(account);
  scene_.store.wall_ms = scene_.status().next_reconciliation_time_ms();
  scene_.PassUntilRecorded();
}

// F-6, C-20.8.
TEST_F(GatesTest, APodThatIsNotTheClaimsIsShownAndTheClaimStands) {
  scene_.PassUntilRecorded();
  scene_.EndJob(true, "");
  const std::string pod_name = scene_.claim().job_name() + "-0";
  api::Job running = scene_.job();
  running.clear_status();
  scene_.store.Put(running);
  api::Pod pod = scene_.store.At<api::Pod>("app", pod_name);
  const api::Pod accepted = pod;
  pod.mutable_metadata()->clear_annotations();
  scene_.store.Put(pod);
  const auto shown = [&] {
    for (const api::Condition& condition : scene_.status().conditions()) {
      if (condition.reason() == "PodRefused") return condition.status() == "True";
    }
    return false;
  };

  EXPECT_EQ(scene_.Pass().requeue_after_ms, scene_.timing.supervision_poll_ms);
  EXPECT_TRUE(shown());
  EXPECT_EQ(scene_.claim().type(), api::operation::kApply);

  scene_.store.Put(accepted);
  scene_.Pass();
  EXPECT_FALSE(shown());
}

}  // namespace
}  // namespace lifecycle::migration
