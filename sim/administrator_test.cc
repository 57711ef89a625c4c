#include "sim/administrator.h"

#include <optional>
#include <set>

#include "gtest/gtest.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

void AddManager(ActorWorld& at) {
  Process process;
  process.name = "manager";
  process.configuration = Cow<api::Configuration>(api::DefaultConfiguration());
  process.started_ms = at.world.now_ms - 100;
  process.memory.Edit().leases["realm"].holder = "somebody";
  Work work;
  work.resource = {api::Kind::kPtahSchema, "test", "s"};
  work.due.when = Due::When::kNever;
  process.work = {work};
  at.world.processes = {process};
}

bool SameBinding(const api::Configuration& a, const api::Configuration& b) {
  return a.executor_image == b.executor_image && a.ptah_version == b.ptah_version &&
         a.controller_state_version == b.controller_state_version &&
         a.runner_protocol_version == b.runner_protocol_version;
}

TEST(AdministratorTest, UpgradesToAnotherExecutorAndTheNewProcessKnowsNothing) {
  ActorWorld at;
  AddManager(at);
  at.world.person.Edit(act::kUpgrade) = 1;
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kUpgrade)->cost, 1);
  at.Take(StepKind::kPerson, act::kUpgrade);

  const Process& manager = at.world.processes[0];
  EXPECT_FALSE(SameBinding(*manager.configuration, api::DefaultConfiguration()));
  EXPECT_EQ(manager.configuration->user, api::DefaultConfiguration().user);
  EXPECT_TRUE(manager.memory->leases.empty());
  EXPECT_EQ(manager.started_ms, at.world.now_ms);
  EXPECT_EQ(manager.work[0].due.when, Due::When::kNow);
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kUpgrade).has_value());
}

TEST(AdministratorTest, ReplacesTheManagersImageWithoutTouchingTheBinding) {
  ActorWorld at;
  AddManager(at);
  at.world.person.Edit(act::kReimage) = 1;
  at.Take(StepKind::kPerson, act::kReimage);
  const api::Configuration& now = *at.world.processes[0].configuration;
  EXPECT_TRUE(SameBinding(now, api::DefaultConfiguration()));
  EXPECT_NE(now.controller_image, api::DefaultConfiguration().controller_image);
  EXPECT_NE(now.runner_image, api::DefaultConfiguration().runner_image);
}

TEST(AdministratorTest, ReplacesTheBuilderWithoutTouchingTheBinding) {
  ActorWorld at;
  AddManager(at);
  at.world.person.Edit(act::kRebuild) = 1;
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kRebuild)->cost, 1);
  at.Take(StepKind::kPerson, act::kRebuild);
  const api::Configuration& now = *at.world.processes[0].configuration;
  EXPECT_TRUE(SameBinding(now, api::DefaultConfiguration()));
  EXPECT_NE(now.builder_revision, api::DefaultConfiguration().builder_revision);
  EXPECT_TRUE(at.world.processes[0].memory->leases.empty());
}

TEST(AdministratorTest, RollsBackToTheFirstRelease) {
  ActorWorld at;
  AddManager(at);
  at.world.person.Edit(act::kUpgrade) = 1;
  at.world.person.Edit(act::kRollBack) = 1;
  EXPECT_FALSE(at.Find(StepKind::kPerson, act::kRollBack).has_value()) << "it is the first";
  at.Take(StepKind::kPerson, act::kUpgrade);
  at.Take(StepKind::kPerson, act::kRollBack);
  EXPECT_EQ(*at.world.processes[0].configuration, api::DefaultConfiguration());
}

TEST(AdministratorTest, AReleaseThatIsRefusedNeverStartsAndTheOneInForceGoesOn) {
  ActorWorld at;
  AddManager(at);
  at.world.person.Edit(act::kUpgrade) = 1;
  WorldStep step = *at.Find(StepKind::kPerson, act::kUpgrade);
  EXPECT_NE(ReleaseStarted(step), std::nullopt);
  RefuseRelease(step);
  EXPECT_EQ(step.what, "refused-upgrade");
  EXPECT_EQ(ReleaseStarted(step), std::nullopt);

  const Process before = at.world.processes[0];
  at.Take(step);
  const Process& manager = at.world.processes[0];
  EXPECT_EQ(*manager.configuration, *before.configuration);
  EXPECT_EQ(manager.memory->leases.size(), 1u) << "it was not even stopped";
  EXPECT_EQ(manager.started_ms, before.started_ms);
  EXPECT_EQ(manager.work[0].due, before.work[0].due);
  EXPECT_FALSE(at.Find(StepKind::kPerson).has_value()) << "nobody asks a second time";
}

TEST(AdministratorTest, StartsASecondManagerBesideTheFirstAndStopsTheFirstLater) {
  ActorWorld at;
  AddManager(at);
  at.world.person.Edit(act::kOverlap) = 1;
  at.Take(StepKind::kPerson, act::kOverlap);
  ASSERT_EQ(at.world.processes.size(), 2u);
  EXPECT_TRUE(at.world.processes[0].running);
  EXPECT_EQ(at.world.processes[0].memory->leases.size(), 1u) << "the first remembers";
  EXPECT_TRUE(at.world.processes[1].memory->leases.empty());
  EXPECT_NE(at.world.processes[0].name, at.world.processes[1].name);

  EXPECT_EQ(at.Find(StepKind::kPerson, act::kRetire)->cost, 0);
  at.Take(StepKind::kPerson, act::kRetire);
  EXPECT_FALSE(at.world.processes[0].running);
  EXPECT_TRUE(at.world.processes[0].work.empty());
  EXPECT_TRUE(at.world.processes[1].running);
  EXPECT_FALSE(at.Find(StepKind::kPerson).has_value());
}

TEST(AdministratorTest, EveryReleaseIsOneThatAdmissionIsToldOf) {
  std::set<std::string> images;
  for (const api::Configuration& release : Releases()) {
    images.insert(release.controller_image);
  }
  EXPECT_EQ(images.size(), Releases().size());
  EXPECT_EQ(Releases()[0], api::DefaultConfiguration());
}

}  // namespace
}  // namespace sim
