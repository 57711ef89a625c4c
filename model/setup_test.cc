#include "model/setup.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "model/check.h"
#include "model/scenario.h"

namespace model {
namespace {

namespace api = lifecycle::api;

constexpr char kMigration[] = "family: MIGRATION\nfiles { version: 1 }\n";

// Where the run of a scenario begins. The workbench keeps the objects that the world names.
struct Began {
  std::unique_ptr<Workbench> bench;
  sim::World world;
};

Began Begin(const std::string& text) {
  LoadedScenario loaded;
  loaded.path = "s.textproto";
  const auto scenario = ParseScenario(text, loaded.path);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  if (!scenario.ok()) return {};
  loaded.scenario = *scenario;
  auto bench = Workbench::Make(loaded, CheckOptions{});
  EXPECT_TRUE(bench.ok()) << bench.status();
  if (!bench.ok()) return {};
  Began began;
  began.bench = *std::move(bench);
  began.world = began.bench->initial();
  return began;
}

const api::PtahSchema& Schema(const sim::World& world, const std::string& name = "a") {
  const auto* schema = world.Get<api::PtahSchema>("shop", name);
  EXPECT_NE(schema, nullptr);
  return *schema;
}

const api::PtahMigration& Migration(const sim::World& world) {
  const auto* migration = world.Get<api::PtahMigration>("shop", "a");
  EXPECT_NE(migration, nullptr);
  return *migration;
}

TEST(SetupTest, BeginsWithAPublishedPlanAndNothingElse) {
  const Began began_world = Begin("family: SCHEMA\n");
  const sim::World& world = began_world.world;
  EXPECT_TRUE(Schema(world).status().has_plan());
  EXPECT_FALSE(Schema(world).status().has_active_operation());
  EXPECT_TRUE(world.runs.empty());
  EXPECT_EQ(world.truth.apply_claims, 0);
}

TEST(SetupTest, FromTheStartTheResourceIsAsAPersonCreatedIt) {
  const Began began_schema = Begin("family: SCHEMA\nfrom_start: true\n");
  const sim::World& schema = began_schema.world;
  EXPECT_FALSE(Schema(schema).has_status());
  EXPECT_EQ(Schema(schema).metadata().finalizers_size(), 0);
  EXPECT_EQ(schema.processes[0].work[0].due.when, sim::Due::When::kNow);
  const Began began_migration = Begin(absl::StrCat(kMigration, "from_start: true\n"));
  const sim::World& migration = began_migration.world;
  EXPECT_FALSE(Migration(migration).has_status());
}

TEST(SetupTest, AClaimantThatComesLaterIsThereAndNobodyHasLookedAtIt) {
  const Began began_world = Begin("family: SCHEMA\nothers { family: SCHEMA later: true }\n");
  const sim::World& world = began_world.world;
  EXPECT_TRUE(Schema(world).status().has_plan());
  EXPECT_FALSE(Schema(world, "b").has_status());
  ASSERT_EQ(world.processes[0].work.size(), 2u);
  EXPECT_EQ(world.processes[0].work[1].resource.name, "b");
  EXPECT_EQ(world.truth.databases.size(), 1u) << "they share a database";
}

TEST(SetupTest, AKeyInAnotherNamespaceIsAnotherRealmAndDatabase) {
  const Began began_world =
      Begin("family: SCHEMA\nothers { family: SCHEMA namespace: \"other\" later: true }\n");
  const sim::World& world = began_world.world;
  ASSERT_EQ(world.truth.databases.size(), 2u);
  EXPECT_NE(world.truth.databases[0]->coordination_digest,
            world.truth.databases[1]->coordination_digest);
  EXPECT_NE(world.truth.databases[0]->secret, world.truth.databases[1]->secret);
  EXPECT_NE(world.Get<api::ConfigMap>("other", "verification-policy"), nullptr);
}

TEST(SetupTest, APlanIsHeldBackByWhatItDoes) {
  const auto phase_of = [](const std::string& policy, int statements) {
    const Began began = Begin(
        absl::StrCat("family: SCHEMA\npolicy: \"", policy, "\"\nstatements: ", statements, "\n"));
    return Schema(began.world).status().phase();
  };
  EXPECT_EQ(phase_of("Always", 3), api::phase::kReadyToApply);
  EXPECT_EQ(phase_of("Always", 4), api::phase::kAwaitingApproval) << "it grants a privilege";
  EXPECT_EQ(phase_of("OnApproval", 5), api::phase::kBlocked) << "it drops a column";
  EXPECT_EQ(phase_of("OnApproval", 6), api::phase::kBlocked) << "it changes a protected table";
  EXPECT_EQ(phase_of("Never", 1), api::phase::kBlocked);
}

TEST(SetupTest, WhoeverWroteTheSpecIsStampedWhereAnotherPersonApproves) {
  const Began asks = Begin(absl::StrCat(kMigration, "person { what: \"approve-as-another\" }\n"));
  EXPECT_TRUE(Migration(asks.world).spec().policy().require_distinct_approver());
  EXPECT_EQ(Migration(asks.world).metadata().annotations_size(), 1);
  const Began asks_not = Begin(kMigration);
  EXPECT_FALSE(Migration(asks_not.world).spec().policy().require_distinct_approver());
}

TEST(SetupTest, ARealmIsOneForAllNamespacesAndMayBeDenied) {
  const Began began_world = Begin(
      "family: SCHEMA\nfrom_start: true\nrealm { sharing: \"Shared\" denied: true }\n"
      "others { family: SCHEMA namespace: \"other\" later: true }\n");
  const sim::World& world = began_world.world;
  const auto* realm = world.Get<api::PtahRealm>("", "orders");
  ASSERT_NE(realm, nullptr);
  EXPECT_EQ(realm->spec().sharing(), "Shared");
  ASSERT_EQ(realm->spec().namespaces_size(), 1);
  EXPECT_EQ(realm->spec().namespaces(0), "other");
  EXPECT_EQ(Schema(world).spec().target().realm_ref().name(), "orders");
  EXPECT_EQ(world.truth.databases.size(), 1u);
}

TEST(SetupTest, FamiliesShareADatabaseThatHasWhatEachNeeds) {
  const Began began_world = Begin(
      "family: MIGRATION\nfiles { version: 1 }\nstatements: 3\n"
      "others { family: SCHEMA later: true }\n");
  const sim::World& world = began_world.world;
  ASSERT_EQ(world.truth.databases.size(), 1u);
  EXPECT_EQ(world.truth.databases[0]->files.size(), 1u);
  EXPECT_EQ(world.truth.databases[0]->statements, 3);
}

TEST(SetupTest, AnUnknownClaimIsHeldByTheFinalizerAndKnownToTheTruth) {
  const Began began_world = Begin(absl::StrCat(kMigration, "foreign: UNKNOWN_CLAIM\n"));
  const sim::World& world = began_world.world;
  EXPECT_EQ(Migration(world).status().active_operation().type(), "Compact");
  EXPECT_EQ(Migration(world).metadata().finalizers_size(), 1);
  ASSERT_EQ(world.truth.operations.size(), 1u);
  EXPECT_FALSE(world.truth.operations.begin()->second.mutating);
}

TEST(SetupTest, StateOfTheNextVersionIsMarkedSo) {
  const Began began_world = Begin("family: SCHEMA\nforeign: NEWER_VERSION\n");
  const sim::World& world = began_world.world;
  EXPECT_EQ(Schema(world).status().execution_binding().controller_state_version(), 2);
}

TEST(SetupTest, ASuspensionMovesTheGeneration) {
  const Began began_world = Begin(absl::StrCat(kMigration, "suspended: true\n"));
  const sim::World& world = began_world.world;
  EXPECT_TRUE(Migration(world).spec().suspend());
  EXPECT_EQ(Migration(world).metadata().generation(),
            Migration(world).status().observed_generation() + 1);
}

TEST(SetupTest, AnotherDatabaseStandsByForTheUrl) {
  const Began began_world = Begin("family: SCHEMA\nworld { other_database: true }\n");
  const sim::World& world = began_world.world;
  ASSERT_EQ(world.truth.databases.size(), 2u);
  EXPECT_NE(world.truth.databases[0]->identity_digest, world.truth.databases[1]->identity_digest);
  EXPECT_EQ(world.truth.databases[0]->statements, world.truth.databases[1]->statements);
}

}  // namespace
}  // namespace model
