#include "sim/informers.h"

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/actor_testing.h"
#include "sim/names.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr WorldRules kOldCaches{
    .kills = false, .lose_logs = false, .late_clock = false, .old_caches = true};

void AddRealm(ActorWorld& at, const std::string& name) {
  auto realm = std::make_shared<api::PtahRealm>();
  realm->mutable_metadata()->set_name(name);
  at.Add(std::move(realm));
}

// One manager, with nothing to do for the resource "a".
void AddManager(ActorWorld& at) {
  Process process;
  process.name = "manager";
  Work work;
  work.resource = {api::Kind::kPtahSchema, "ns", "a"};
  work.due.when = Due::When::kNever;
  process.work.push_back(std::move(work));
  at.world.processes.push_back(std::move(process));
}

size_t RealmsShown(const ActorWorld& at) {
  const World shown = ShownBy(at.world, at.world.processes[0]);
  return at.server.List(shown, {.kind = api::Kind::kPtahRealm, .namespace_ = ""}).list.size();
}

TEST(InformersTest, AreUpToDateInAQuietWorld) {
  ActorWorld at;
  AddManager(at);
  EXPECT_FALSE(at.Find(StepKind::kInformers).has_value());
  AddRealm(at, "one");
  EXPECT_EQ(RealmsShown(at), 1u);
}

TEST(InformersTest, ShowWhatStoodWhenTheyBeganToLag) {
  ActorWorld at(kOldCaches);
  AddManager(at);
  AddRealm(at, "one");
  EXPECT_EQ(at.Find(StepKind::kInformers)->cost, 1);
  at.Take(StepKind::kInformers, "lag");
  AddRealm(at, "two");
  EXPECT_EQ(RealmsShown(at), 1u);
  EXPECT_NE(at.world.Get<api::PtahRealm>("", "two"), nullptr);
}

TEST(InformersTest, CatchUpByThemselvesAndWakeEverything) {
  ActorWorld at(kOldCaches);
  AddManager(at);
  at.Take(StepKind::kInformers, "lag");
  AddRealm(at, "one");
  at.world.processes[0].work[0].due = {.when = Due::When::kNever};
  EXPECT_FALSE(at.Find(StepKind::kInformers, "lag").has_value());
  EXPECT_EQ(at.Find(StepKind::kInformers)->cost, 0);
  at.Take(StepKind::kInformers, "catch-up");
  EXPECT_EQ(RealmsShown(at), 1u);
  EXPECT_EQ(at.world.processes[0].work[0].due.when, Due::When::kNow);
}

TEST(InformersTest, AreForTheCensusAndForListsOfCandidates) {
  for (const api::Kind kind :
       {api::Kind::kPtahSchema, api::Kind::kPtahMigration, api::Kind::kPtahRealm,
        api::Kind::kPtahSchemaApproval, api::Kind::kPtahMigrationRunAcknowledgment}) {
    EXPECT_TRUE(MayBeCached(kind)) << api::KindName(kind);
  }
  for (const api::Kind kind : {api::Kind::kPtahMigrationApproval, api::Kind::kPtahSchemaPlan,
                               api::Kind::kJob, api::Kind::kPod, api::Kind::kLease}) {
    EXPECT_FALSE(MayBeCached(kind)) << api::KindName(kind);
  }
}

TEST(InformersTest, HoldNothingThatIsOnlyReadDirectly) {
  ActorWorld at(kOldCaches);
  AddManager(at);
  at.AddJob();
  at.Take(StepKind::kInformers, "lag");
  EXPECT_TRUE(at.world.processes[0].cache->empty());
}

TEST(InformersTest, KeepTheNamesOfWhatTheyShowTaken) {
  ActorWorld at(kOldCaches);
  AddManager(at);
  AddRealm(at, "one");
  const api::Key key{api::Kind::kPtahRealm, "", "one"};
  const std::string uid = at.world.Get<api::PtahRealm>("", "one")->metadata().uid();
  at.Take(StepKind::kInformers, "lag");
  at.world.Erase(key);
  EndStep(at.world, {});
  EXPECT_NE(NextUid(at.world, key), uid);
  at.Take(StepKind::kInformers, "catch-up");
  EXPECT_EQ(NextUid(at.world, key), uid);
}

TEST(InformersTest, AVersionTheyShowIsOlderThanTheOneThatIsStored) {
  ActorWorld at(kOldCaches);
  AddManager(at);
  AddRealm(at, "one");
  const api::Key key{api::Kind::kPtahRealm, "", "one"};
  at.Take(StepKind::kInformers, "lag");
  at.world.Find(key)->version += 7;
  EndStep(at.world, {});
  EXPECT_EQ(at.world.processes[0].cache->front().version, 1);
  EXPECT_EQ(at.world.Find(key)->version, 2);
}

}  // namespace
}  // namespace sim
