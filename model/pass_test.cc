#include "model/pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/engine/retake.h"
#include "model/engine/run.h"
#include "model/judge.h"
#include "model/objects.h"
#include "model/scenario.h"
#include "model/scenario.pb.h"
#include "sim/meddling.h"
#include "sim/people.h"

namespace model {
namespace {

namespace api = lifecycle::api;

class PassTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto scenario = LoadScenario(absl::StrCat("scenarios/", GetParam(), ".textproto"));
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    auto bench = Workbench::Make(*scenario, {});
    ASSERT_TRUE(bench.ok()) << bench.status();
    bench_ = *std::move(bench);
  }

  sim::World RunWhole(const sim::World& world) {
    return bench_->runner().Run(world, {0, 0}, false, nullptr, nullptr);
  }

  // Worlds along an undisturbed run, each before a due pass.
  std::vector<sim::World> AlongTheRun(int passes) {
    std::vector<sim::World> worlds;
    sim::World world = bench_->initial();
    while (static_cast<int>(worlds.size()) < passes) {
      const sim::Process& process = world.processes[0];
      if (sim::IsDue(world, process, process.work[0])) {
        worlds.push_back(world);
        world = RunWhole(world);
        continue;
      }
      bool stepped = false;
      for (const sim::WorldStep& step : bench_->actors().Offer(world)) {
        if (step.cost != 0 || step.what == "pause") continue;
        bench_->actors().Take(world, step);
        sim::EndStep(world, {});
        stepped = true;
        break;
      }
      if (!stepped) break;
    }
    return worlds;
  }

  // The pass as a search runs it, and the choices it was offered.
  struct Searched {
    sim::World end;
    std::vector<uint32_t> pauses;  // The choice points that cost nothing: where it may be left.
    size_t faults = 0;             // The choice points that are faults.
  };
  Searched Search(const sim::World& world, PassId id, Picks picks) {
    FindingList findings;
    Retaken<sim::World> no_cut;
    OneCut<sim::World> sink(0, no_cut);
    StepRun<sim::World> run(findings, sink);
    run.Start({.picks = std::move(picks)});
    Searched searched{bench_->runner().Run(world, id, false, &run, nullptr), {}, 0};
    for (uint32_t point = 0; point < run.points().size(); ++point) {
      if (run.points()[point].faults == 0) {
        searched.pauses.push_back(point);
      } else {
        ++searched.faults;
      }
    }
    return searched;
  }

  // The first world of the run whose pass may be left standing, with the pass standing before its
  // create.
  sim::World StandingBeforeItsCreate() {
    for (sim::World world : AlongTheRun(8)) {
      world.person.Edit(sim::act::kPreempt) = 1;
      world.person.Edit(sim::act::kSquatJob) = 1;
      for (const uint32_t point : Search(world, {0, 0}, {}).pauses) {
        const sim::World standing = Search(world, {0, 0}, {{point, 1}}).end;
        if (IsMarkedWithoutJob(standing)) return standing;
      }
    }
    ADD_FAILURE() << "no pass stands before its create";
    return bench_->initial();
  }

  static bool IsMarkedWithoutJob(const sim::World& world) {
    const api::ActiveOperation* claim = ResourceOf(world).claim;
    return claim != nullptr && claim->dispatch_started() && CountJobs(world) == 0;
  }
  static ResourceView ResourceOf(const sim::World& world) {
    return ViewOf(world.Find(world.processes[0].work[0].resource)->object);
  }
  static int CountJobs(const sim::World& world) {
    return static_cast<int>(std::count_if(
        world.objects.begin(), world.objects.end(),
        [](const sim::Entry& entry) { return entry.object->key.kind == api::Kind::kJob; }));
  }

  std::unique_ptr<Workbench> bench_;
};

TEST_P(PassTest, IsLeftStandingOnlyWhereADispatchCrossesTheBoundary) {
  size_t pauses = 0;
  for (sim::World world : AlongTheRun(8)) {
    world.person.Edit(sim::act::kPreempt) = 0;
    world.person.Edit(sim::act::kSquatJob) = 1;
    EXPECT_TRUE(Search(world, {0, 0}, {}).pauses.empty()) << "passes are whole";
    const sim::Hash128 whole = sim::StateKey(RunWhole(world), {});
    world.person.Edit(sim::act::kPreempt) = 1;
    for (const uint32_t point : Search(world, {0, 0}, {}).pauses) {
      ++pauses;
      sim::World standing = Search(world, {0, 0}, {{point, 1}}).end;
      EXPECT_NE(standing.processes[0].work[0].paused, nullptr);
      EXPECT_TRUE(sim::IsDue(standing, standing.processes[0], standing.processes[0].work[0]));
      EXPECT_EQ(*standing.person.Get(sim::act::kPreempt), 0);
      EXPECT_EQ(sim::StateKey(RunWhole(standing), {}), whole);
    }
  }
  // Before the mark, before and after the create, before the UID is recorded.
  EXPECT_EQ(pauses, 4u);
}

TEST_P(PassTest, IsNotLeftStandingWhereNobodyCouldComeBetween) {
  for (sim::World world : AlongTheRun(8)) {
    world.person.Edit(sim::act::kPreempt) = 1;
    EXPECT_TRUE(Search(world, {0, 0}, {}).pauses.empty());
  }
}

// 1. The first manager marks its claim and stands before the create.
// 2. The second finds a mark and no Job, so the outcome is unknown: the claim goes.
// 3. The first goes on: its create is refused, and it withdraws no mark of anybody's.
TEST_P(PassTest, ACreateThatComesAfterItsClaimWasRetiredIsRefused) {
  sim::World world = StandingBeforeItsCreate();
  world.processes.push_back(world.processes[0]);
  world.processes[1].name = "second";
  world.processes[1].work[0].paused = nullptr;
  world = bench_->runner().Run(world, {1, 0}, false, nullptr, nullptr);
  ASSERT_EQ(ResourceOf(world).claim, nullptr);
  const sim::Handle settled = world.Find(world.processes[0].work[0].resource)->object;
  world = RunWhole(world);
  EXPECT_EQ(CountJobs(world), 0);
  EXPECT_EQ(world.Find(world.processes[0].work[0].resource)->object, settled);
}

// Leaves the pass standing before each of its calls in turn and takes it up again.
TEST_P(PassTest, TakenUpAgainAfterAnyCallEndsAsIfItHadNeverStood) {
  for (const sim::World& world : AlongTheRun(8)) {
    const sim::Hash128 whole = sim::StateKey(RunWhole(world), {});
    for (size_t calls = 0;; ++calls) {
      const auto standing = bench_->runner().PauseAfter(world, {0, 0}, calls);
      if (!standing) break;
      SCOPED_TRACE(absl::StrCat("standing before call ", calls));
      ASSERT_NE(standing->processes[0].work[0].paused, nullptr);
      EXPECT_EQ(sim::StateKey(RunWhole(*standing), {}), whole);
    }
  }
}

TEST_P(PassTest, AStandingPassIsPartOfTheStateKey) {
  const sim::World& world = bench_->initial();
  const auto first = bench_->runner().PauseAfter(world, {0, 0}, 1);
  const auto second = bench_->runner().PauseAfter(world, {0, 0}, 2);
  ASSERT_TRUE(first && second);
  EXPECT_NE(sim::StateKey(*first, {}), sim::StateKey(world, {}));
  EXPECT_NE(sim::StateKey(*first, {}), sim::StateKey(*second, {}));
}

TEST_P(PassTest, AStopDropsMemoryAndStandingPassAndMakesEverythingDue) {
  const auto standing = bench_->runner().PauseAfter(bench_->initial(), {0, 0}, 1);
  ASSERT_TRUE(standing);
  const sim::World stopped = Stopped(*standing, 0, {});
  EXPECT_EQ(stopped.processes[0].work[0].paused, nullptr);
  EXPECT_EQ(*stopped.processes[0].memory, api::Memory{});
  EXPECT_EQ(stopped.processes[0].work[0].due.when, sim::Due::When::kNow);
}

TEST_P(PassTest, AReadThatIsNotAnsweredIsAFaultThatEveryDirectReadOffers) {
  const sim::World world = bench_->initial();
  const size_t before = Search(world, {0, 0}, {}).faults;
  bench_->runner().OfferFailingReads();
  const Searched quiet = Search(world, {0, 0}, {});
  EXPECT_GT(quiet.faults, before);
  // The first call of a pass reads its resource: without an answer it does nothing and says so.
  const Searched failed = Search(world, {0, 0}, {{0, 1}});
  EXPECT_EQ(sim::ViewDigest(failed.end, {}), sim::ViewDigest(world, {}));
  EXPECT_NE(sim::ViewDigest(quiet.end, {}), sim::ViewDigest(world, {}));
  EXPECT_TRUE(sim::IsDue(failed.end, failed.end.processes[0], failed.end.processes[0].work[0]));
}

TEST_P(PassTest, AStopForgetsWhatOldCachesShow) {
  sim::World world = bench_->initial();
  world.processes[0].cache = std::make_shared<const std::vector<sim::Entry>>(world.objects);
  EXPECT_EQ(Stopped(world, 0, {}).processes[0].cache, nullptr);
}

TEST_P(PassTest, IsTheSameEveryTime) {
  for (const sim::World& world : AlongTheRun(8)) {
    EXPECT_EQ(sim::StateKey(RunWhole(world), {}), sim::StateKey(RunWhole(world), {}));
  }
}

TEST_P(PassTest, SeveralProcessesPassOverOneResource) {
  for (const sim::World& world : AlongTheRun(6)) {
    sim::World two = world;
    two.processes.push_back(two.processes[0]);
    two.processes[1].name = "second";
    const sim::World after = bench_->runner().Run(two, {1, 0}, false, nullptr, nullptr);
    // The second process did a pass of its own, and drew tokens of its own; the first still has its
    // pass to make.
    EXPECT_EQ(after.objects.size(), RunWhole(world).objects.size());
    EXPECT_TRUE(sim::IsDue(after, after.processes[0], after.processes[0].work[0]));
    EXPECT_EQ(*after.processes[0].memory, *world.processes[0].memory);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, PassTest, testing::Values("schema-always", "migration-always"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

TEST(FateTest, ACreateOfAJobMayBeRefusedAndLostEitherWay) {
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.key.kind = api::Kind::kJob;
  EXPECT_EQ(FatesOf(request),
            (std::vector<Fate>{Fate::kLands, Fate::kRefused, Fate::kFails, Fate::kLostStored}));
}

TEST(FateTest, APatchMayConflictFailAndBeLost) {
  EXPECT_EQ(FatesOf(api::Request{}),
            (std::vector<Fate>{Fate::kLands, Fate::kConflict, Fate::kFails, Fate::kLostStored}));
}

}  // namespace
}  // namespace model
