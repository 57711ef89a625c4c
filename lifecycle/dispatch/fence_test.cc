#include "lifecycle/dispatch/fence.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <variant>

#include "absl/strings/match.h"
#include "lifecycle/api/kind.h"
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

// An object of one of the four kinds, whose state is of this version.
template <class Object>
Object Versioned(const std::string& namespace_, const std::string& name, int64_t version) {
  Object object;
  object.mutable_metadata()->set_namespace_(namespace_);
  object.mutable_metadata()->set_name(name);
  if constexpr (std::is_same_v<Object, api::PtahSchema> ||
                std::is_same_v<Object, api::PtahMigration>) {
    object.mutable_status()->mutable_execution_binding()->set_controller_state_version(version);
  } else {
    object.mutable_spec()->set_controller_state_version(version);
  }
  return object;
}

// A store with an object of every kind, all of them this manager's own, and one more of a kind.
template <class Object>
void ExpectOneNewerObjectToFailTheUpgrade(const std::string& kind) {
  SCOPED_TRACE(kind);
  testing::MemoryDoor door;
  api::Client client(door, "manager");
  door.Put(Versioned<api::PtahSchema>("app", "known", kSupported));
  door.Put(Versioned<api::PtahMigration>("app", "known", kSupported));
  door.Put(Versioned<api::PtahSchemaPlan>("app", "known", kSupported));
  door.Put(Versioned<api::PtahMigrationPlan>("app", "known", kSupported));
  ASSERT_TRUE(CheckStoredState(client, kSupported).ok());

  door.Put(Versioned<Object>("elsewhere", "newer", kSupported + 1));
  const absl::Status refused = CheckStoredState(client, kSupported);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(refused.message(), kind + " elsewhere/newer")) << refused;
  EXPECT_TRUE(CheckStoredState(client, kSupported + 1).ok());
  EXPECT_TRUE(door.writes().empty());
}

TEST(FenceTest, OneNewerObjectOfAnyKindInAnyNamespaceFailsTheUpgrade) {
  ExpectOneNewerObjectToFailTheUpgrade<api::PtahSchema>("PtahSchema");
  ExpectOneNewerObjectToFailTheUpgrade<api::PtahMigration>("PtahMigration");
  ExpectOneNewerObjectToFailTheUpgrade<api::PtahSchemaPlan>("PtahSchemaPlan");
  ExpectOneNewerObjectToFailTheUpgrade<api::PtahMigrationPlan>("PtahMigrationPlan");
}

// An empty store of which one kind cannot be listed.
class UnlistableDoor final : public api::Door {
 public:
  explicit UnlistableDoor(api::Kind kind) : kind_(kind) {}
  api::Answer Call(const api::Question& question) override {
    const auto* list = std::get_if<api::ListQuestion>(&question.body);
    api::Answer answer;
    if (list != nullptr && list->kind == kind_) answer.status = absl::UnavailableError("no answer");
    return answer;
  }

 private:
  const api::Kind kind_;
};

TEST(FenceTest, AKindThatCannotBeListedFailsTheUpgradeToo) {
  for (const api::Kind kind : {api::Kind::kPtahSchema, api::Kind::kPtahMigration,
                               api::Kind::kPtahSchemaPlan, api::Kind::kPtahMigrationPlan}) {
    UnlistableDoor door(kind);
    api::Client client(door, "manager");
    EXPECT_EQ(CheckStoredState(client, kSupported).code(), absl::StatusCode::kUnavailable)
        << api::KindName(kind);
  }
}

}  // namespace
}  // namespace lifecycle::dispatch
