#include "sim/administrator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr char kSecondManager[] = "manager-2";
constexpr const char* kReleases[] = {act::kUpgrade,  act::kReimage,      act::kRebuild,
                                     act::kRollBack, act::kUpgradeState, act::kOverlap,
                                     act::kRetire};

std::string Pinned(const char* repository, char digit) {
  return absl::StrCat(repository, "@sha256:", std::string(64, digit));
}

// The manager's own identity binds nothing.
api::Configuration Reimaged() {
  api::Configuration configuration = api::DefaultConfiguration();
  configuration.controller_image = Pinned("registry.example/ptah-operator", 'd');
  configuration.controller_revision = "r2";
  configuration.runner_image = Pinned("registry.example/ptah-runner", 'e');
  return configuration;
}

// What the manager builds binds nothing either, but it cannot confirm what another one built.
api::Configuration Rebuilt() {
  api::Configuration configuration = Reimaged();
  configuration.controller_image = Pinned("registry.example/ptah-operator", '3');
  configuration.controller_revision = "r5";
  configuration.builder_revision += 1;
  return configuration;
}

api::Configuration Upgraded() {
  api::Configuration configuration = Reimaged();
  configuration.controller_image = Pinned("registry.example/ptah-operator", '1');
  configuration.controller_revision = "r3";
  configuration.ptah_version = "1.1.0";
  configuration.executor_image = Pinned("registry.example/ptah", 'f');
  return configuration;
}

api::Configuration UpgradedState() {
  api::Configuration configuration = Upgraded();
  configuration.controller_image = Pinned("registry.example/ptah-operator", '2');
  configuration.controller_revision = "r4";
  configuration.controller_state_version += 1;
  return configuration;
}

api::Configuration ReleaseOf(absl::string_view what) {
  if (what == act::kReimage) return Reimaged();
  if (what == act::kRebuild) return Rebuilt();
  if (what == act::kUpgrade) return Upgraded();
  if (what == act::kUpgradeState) return UpgradedState();
  return api::DefaultConfiguration();
}

// The manager that runs, and will: the last one that was started. There is one.
size_t ManagerOf(const World& world) {
  size_t manager = world.processes.size() - 1;
  while (!world.processes[manager].running) --manager;
  return manager;
}

int CountRunning(const World& world) {
  return static_cast<int>(std::count_if(world.processes.begin(), world.processes.end(),
                                        [](const Process& process) { return process.running; }));
}

// As a process is that has just been started: it knows nothing, and looks at everything.
void Begin(const World& world, Process& process) {
  process.memory = {};
  process.started_ms = world.now_ms;
  for (Work& work : process.work) {
    work.due = Due{.when = Due::When::kNow};
    work.paused = nullptr;
  }
}

}  // namespace

absl::string_view ReleaseAsked(absl::string_view what) {
  absl::ConsumePrefix(&what, act::kRefused);
  return what;
}

std::optional<api::Configuration> ReleaseStarted(const WorldStep& step) {
  const bool starts =
      IsRelease(step.what) && step.what != act::kOverlap && step.what != act::kRetire;
  if (step.kind != StepKind::kPerson || !starts) return std::nullopt;
  return ReleaseOf(step.what);
}

void RefuseRelease(WorldStep& step) {
  step.what = absl::StrCat(act::kRefused, step.what);
  step.label = absl::StrCat(step.label, ", which is refused");
}

bool IsRelease(absl::string_view what) {
  return std::any_of(std::begin(kReleases), std::end(kReleases),
                     [what](const char* release) { return what == release; });
}

std::vector<api::Configuration> Releases() {
  return {api::DefaultConfiguration(), Reimaged(), Rebuilt(), Upgraded(), UpgradedState()};
}

void OfferReleases(const ActorContext&, const World& world, std::vector<WorldStep>& steps) {
  const auto add = [&](const char* what, int32_t cost) {
    OfferStep(steps, {.kind = StepKind::kPerson, .what = what, .cost = cost},
              absl::StrCat(what, " the manager"));
  };
  const int running = CountRunning(world);
  if (running == 0) return;
  if (running > 1) return add(act::kRetire, 0);
  const api::Configuration& now = *world.processes[ManagerOf(world)].configuration;
  for (const char* what :
       {act::kUpgrade, act::kReimage, act::kRebuild, act::kRollBack, act::kUpgradeState}) {
    if (PersonHasLeft(world, what) == 0 || ReleaseOf(what) == now) continue;
    add(what, what == act::kUpgradeState ? 0 : 1);
  }
  const bool first = world.processes.size() == 1;
  if (first && PersonHasLeft(world, act::kOverlap) > 0) add(act::kOverlap, 1);
}

void TakeRelease(const ActorContext&, World& world, const WorldStep& step) {
  if (ReleaseAsked(step.what) != step.what) return;  // The release in force goes on.
  if (step.what == act::kRetire) {
    Process& first = world.processes.front();
    first.running = false;
    first.work.clear();
    return Begin(world, first);
  }
  if (step.what == act::kOverlap) {
    Process second = world.processes[ManagerOf(world)];
    second.name = kSecondManager;
    Begin(world, second);
    world.processes.push_back(std::move(second));
    return;
  }
  Process& manager = world.processes[ManagerOf(world)];
  manager.configuration = Cow<api::Configuration>(ReleaseOf(step.what));
  Begin(world, manager);
}

}  // namespace sim
