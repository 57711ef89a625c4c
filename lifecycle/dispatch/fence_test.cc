#include "lifecycle/dispatch/fence.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

constexpr int64_t kSupported = 3;

// Every fenced field of a resource, as a place to store a version in.
using Place = std::function<void(int64_t)>;

template <class Object>
void ExpectFenced(Object& object, const Place& store) {
  for (const int64_t version : {int64_t{0}, int64_t{1}, kSupported}) {
    store(version);
    EXPECT_TRUE(StateSupported(object, kSupported).ok()) << version;
  }
  for (const int64_t version : {int64_t{-1}, kSupported + 1}) {
    store(version);
    EXPECT_FALSE(StateSupported(object, kSupported).ok()) << version;
  }
}

TEST(FenceTest, EveryRecordOfASchemaThatCarriesAVersionIsFenced) {
  for (int field = 0; field < 4; ++field) {
    SCOPED_TRACE(field);
    api::PtahSchema schema;
    ASSERT_TRUE(StateSupported(schema, kSupported).ok());
    ExpectFenced(schema, [&](int64_t version) {
      api::PtahSchemaStatus& status = *schema.mutable_status();
      if (field == 0) status.mutable_execution_binding()->set_controller_state_version(version);
      if (field == 1) status.mutable_plan()->set_controller_state_version(version);
      if (field == 2) status.mutable_applied()->set_controller_state_version(version);
      if (field == 3) {
        status.mutable_pending_observation()->mutable_plan()->set_controller_state_version(version);
      }
    });
  }
}

TEST(FenceTest, TheBindingOfAMigrationAndEitherPlanAreFenced) {
  api::PtahMigration migration;
  ASSERT_TRUE(StateSupported(migration, kSupported).ok());
  ExpectFenced(migration, [&](int64_t version) {
    migration.mutable_status()->mutable_execution_binding()->set_controller_state_version(version);
  });
  api::PtahSchemaPlan schema_plan;
  ExpectFenced(schema_plan, [&](int64_t version) {
    schema_plan.mutable_spec()->set_controller_state_version(version);
  });
  api::PtahMigrationPlan migration_plan;
  ExpectFenced(migration_plan, [&](int64_t version) {
    migration_plan.mutable_spec()->set_controller_state_version(version);
  });
}

TEST(FenceTest, OneNewerObjectOfAnyKindInAnyNamespaceFailsTheUpgrade) {
  testing::MemoryDoor door;
  api::Client client(door, "manager");
  api::PtahMigration migration;
  migration.mutable_metadata()->set_namespace_("app");
  migration.mutable_metadata()->set_name("m");
  door.Put(migration);
  ASSERT_TRUE(CheckStoredState(client, kSupported).ok());

  api::PtahSchemaPlan plan;
  plan.mutable_metadata()->set_namespace_("elsewhere");
  plan.mutable_metadata()->set_name("p");
  plan.mutable_spec()->set_controller_state_version(kSupported + 1);
  door.Put(plan);
  const absl::Status refused = CheckStoredState(client, kSupported);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(refused.message().find("PtahSchemaPlan elsewhere/p"), absl::string_view::npos)
      << refused;
  EXPECT_TRUE(door.writes().empty());
}

}  // namespace
}  // namespace lifecycle::dispatch
