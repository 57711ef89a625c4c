// Which changes start a pass (spec 01, 0.3).

#include <gtest/gtest.h>

#include "lifecycle/api/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

class WatchTest : public testing::Test {
 protected:
  WatchTest() {
    api::PtahSchema schema = Named<api::PtahSchema>("s");
    schema.mutable_metadata()->add_finalizers("f");
    schema.mutable_spec()->mutable_desired()->mutable_verification_policy_from()->set_name(
        "policy");
    schema.mutable_spec()->mutable_target()->mutable_realm_ref()->set_name("realm");
    schema_ = store_.Create(schema);
    api::PtahMigration migration = Named<api::PtahMigration>("m");
    migration.mutable_metadata()->add_finalizers("f");
    migration_ = store_.Create(migration);
    store_.world.processes.push_back(Manager());
    store_.world.processes[0].work.push_back(WorkOn(api::KeyOf(schema_)));
    store_.world.processes[0].work.push_back(WorkOn(api::KeyOf(migration_)));
    Sleep();
  }

  void Sleep() {
    for (Work& work : store_.world.processes[0].work) {
      work.due = Due{.when = Due::When::kNever};
    }
  }
  // Who was woken since the last time: "s", "m", "sm" or "".
  std::string Woken() {
    std::string woken;
    for (const Work& work : store_.world.processes[0].work) {
      if (work.due.when == Due::When::kNow) woken += work.resource.name;
    }
    Sleep();
    return woken;
  }

  TestStore store_;
  api::PtahSchema schema_;
  api::PtahMigration migration_;
};

TEST_F(WatchTest, AStatusWriteWakesNobody) {
  schema_.mutable_status()->set_phase("Pending");
  store_.PatchStatus(schema_);
  migration_.mutable_status()->set_phase("Pending");
  store_.PatchStatus(migration_);
  EXPECT_EQ(Woken(), "");
}

TEST_F(WatchTest, ASpecEditOrADeletionWakesTheResourceItself) {
  schema_.mutable_spec()->set_suspend(true);
  store_.Patch(schema_);
  EXPECT_EQ(Woken(), "s");
  store_.Delete<api::PtahSchema>("s");
  EXPECT_EQ(Woken(), "s");
  store_.Delete<api::PtahMigration>("m");
  EXPECT_EQ(Woken(), "m");
}

TEST_F(WatchTest, LabelsAndAnnotationsWakeAMigrationAndNoSchema) {
  (*schema_.mutable_metadata()->mutable_labels())["l"] = "1";
  (*schema_.mutable_metadata()->mutable_annotations())["a"] = "1";
  schema_ = store_.Patch(schema_);
  EXPECT_EQ(Woken(), "");
  (*migration_.mutable_metadata()->mutable_labels())["l"] = "1";
  migration_ = store_.Patch(migration_);
  EXPECT_EQ(Woken(), "m");
  (*migration_.mutable_metadata()->mutable_annotations())["a"] = "1";
  migration_ = store_.Patch(migration_);
  EXPECT_EQ(Woken(), "m");
  migration_.mutable_metadata()->add_finalizers("another");
  store_.Patch(migration_);
  EXPECT_EQ(Woken(), "");
}

TEST_F(WatchTest, OwnedJobsWakeTheirOwner) {
  api::Job job = Named<api::Job>("j");
  SetOwner(schema_, &job);
  job = store_.Create(job);
  EXPECT_EQ(Woken(), "s");
  job.mutable_status()->set_active(1);
  store_.PatchStatus(job);
  EXPECT_EQ(Woken(), "s");
  store_.Delete<api::Job>("j");
  EXPECT_EQ(Woken(), "s");
  store_.Create(Named<api::Job>("nobodys"));
  EXPECT_EQ(Woken(), "");
}

TEST_F(WatchTest, ApprovalsAndAcknowledgmentsWakeWhomTheyName) {
  api::PtahSchemaApproval approval = Named<api::PtahSchemaApproval>("a");
  approval.mutable_spec()->mutable_schema_ref()->set_name("s");
  store_.Create(approval);
  EXPECT_EQ(Woken(), "s");
  api::PtahMigrationApproval other = Named<api::PtahMigrationApproval>("a");
  other.mutable_spec()->mutable_migration_ref()->set_name("m");
  store_.Create(other);
  EXPECT_EQ(Woken(), "m");
  api::PtahMigrationRunAcknowledgment word = Named<api::PtahMigrationRunAcknowledgment>("w");
  word.mutable_spec()->mutable_migration_ref()->set_name("m");
  store_.Create(word);
  EXPECT_EQ(Woken(), "m");
  word = Named<api::PtahMigrationRunAcknowledgment>("v");
  word.mutable_spec()->mutable_migration_ref()->set_name("another");
  store_.Create(word);
  EXPECT_EQ(Woken(), "");
}

TEST_F(WatchTest, ThePolicyAndTheRealmWakeTheirs) {
  store_.Create(Named<api::ConfigMap>("policy"));
  EXPECT_EQ(Woken(), "s");
  store_.Create(Named<api::ConfigMap>("unrelated"));
  EXPECT_EQ(Woken(), "");
  store_.Create(Named<api::PtahRealm>("realm"));
  EXPECT_EQ(Woken(), "sm");
  store_.Create(Named<api::PtahRealm>("unrelated"));
  EXPECT_EQ(Woken(), "m");
}

TEST_F(WatchTest, LeasesPodsPlansAndWhatShapesPodsWakeNobody) {
  store_.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  store_.Create(Named<api::RuntimeClass>("sandboxed"));
  store_.Create(Named<api::Lease>("l"));
  api::Pod pod = Named<api::Pod>("p");
  SetOwner(schema_, &pod);
  store_.Create(pod);
  store_.Create(Named<api::PtahSchemaPlan>("plan"));
  EXPECT_EQ(Woken(), "");
}

TEST_F(WatchTest, AProcessThatDoesNotRunIsNotWoken) {
  store_.world.processes[0].running = false;
  schema_.mutable_spec()->set_suspend(true);
  store_.Patch(schema_);
  EXPECT_EQ(Woken(), "");
}

}  // namespace
}  // namespace sim
