// The order of exploration against the definition of "shortest", on random graphs; and the same
// figures on every run, in every process and with every compiler.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "model/engine/explorer.h"
#include "model/engine/replay.h"
#include "model/engine/synthetic_graph.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace model {
namespace {

// A random graph in which a way on is a step, a cut inside a step, or a pick inside a step.
struct RandomSystem {
  enum Kind : uint8_t { kStep, kCut, kPick };
  struct Way {
    uint32_t from;
    uint32_t to;
    uint32_t faults;
    Kind kind;
  };
  using State = uint32_t;
  struct Step {
    StepTraits traits;
    uint32_t way = 0;  // ways.size() is the pass, with all cuts and picks of the state.
  };
  std::vector<Way> ways;

  std::vector<State> Initial() { return {0}; }
  Key128 Key(const State& state) { return {1, state}; }
  void Steps(const State& state, std::vector<Step>& steps) {
    for (uint32_t i = 0; i < ways.size(); ++i) {
      if (ways[i].from == state && ways[i].kind == kStep) steps.push_back({{ways[i].faults}, i});
    }
    steps.push_back({{}, static_cast<uint32_t>(ways.size())});
  }
  std::string Label(const State&, const Step& step) { return absl::StrCat("way ", step.way); }
  std::optional<State> Execute(const State& state, const Step& step, StepRun<State>& run) {
    if (step.way < ways.size()) return ways[step.way].to;
    for (const Way& way : ways) {
      if (way.from != state || way.kind == kStep) continue;
      if (way.kind == kCut) {
        run.Cut(
            {.faults = way.faults}, [&] { return way.to; }, [] { return std::string("cut"); });
      } else if (run.Choose(2, way.faults, [](uint32_t) { return ChoiceText{"pick", "yes"}; })) {
        return way.to;
      }
    }
    return state;
  }
  Standing Check(const State&, Visit&) { return Standing::kOpen; }
  size_t PropertyCount() { return 0; }
  size_t GoalCount() { return 0; }

  // The rank of each state by relaxation until nothing changes.
  std::vector<std::optional<Rank>> RanksByDefinition(uint32_t size) const {
    std::vector<std::optional<Rank>> ranks(size);
    ranks[0] = Rank{};
    for (bool changed = true; changed;) {
      changed = false;
      for (const Way& way : ways) {
        if (!ranks[way.from]) continue;
        const Rank rank{ranks[way.from]->faults + way.faults, ranks[way.from]->steps + 1};
        if (ranks[way.to] && *ranks[way.to] <= rank) continue;
        ranks[way.to] = rank;
        changed = true;
      }
    }
    return ranks;
  }
};

RC_GTEST_PROP(OrderTest, ReachesEveryStateByAShortestPathAndTellsIt, ()) {
  const uint32_t size = *rc::gen::inRange<uint32_t>(1, 10);
  RandomSystem system;
  const int ways = *rc::gen::inRange(0, 25);
  for (int i = 0; i < ways; ++i) {
    system.ways.push_back(
        {*rc::gen::inRange<uint32_t>(0, size), *rc::gen::inRange<uint32_t>(0, size),
         *rc::gen::inRange<uint32_t>(0, 3),
         *rc::gen::element(RandomSystem::kStep, RandomSystem::kCut, RandomSystem::kPick)});
  }
  Explorer explorer(system, {});
  const Exploration result = explorer.Explore();
  const auto expected = system.RanksByDefinition(size);
  uint64_t reachable = 0;
  for (uint32_t state = 0; state < size; ++state) {
    const auto node = explorer.nodes().Find(system.Key(state));
    RC_ASSERT(node.has_value() == expected[state].has_value());
    if (!node) continue;
    ++reachable;
    RC_ASSERT(explorer.nodes().RankOf(*node) == *expected[state]);
    const Path path = explorer.PathTo(*node);
    RC_ASSERT(path.entries.size() == expected[state]->steps);
    const auto replayed = Replay(system, path);
    RC_ASSERT(replayed.path() == path);
    RC_ASSERT(*replayed.last() == state);
    const uint32_t faults = replayed.steps.empty() ? 0 : replayed.steps.back().faults;
    RC_ASSERT(faults == expected[state]->faults);
  }
  RC_ASSERT(result.statistics.states == reachable);
  RC_ASSERT(result.ended == Ended::kClosed);
}

// Everything that an exploration says, as text.
std::string Describe(SyntheticGraph graph, ExploreOptions options) {
  options.recovery_property = 1;
  options.spin_property = 2;
  Explorer explorer(graph, std::move(options));
  const Exploration result = explorer.Explore();
  const Statistics& s = result.statistics;
  std::string text = absl::StrCat(
      "ended ", static_cast<int>(result.ended), " states ", s.states, " edges ", s.edges, " runs ",
      s.runs, " passes ", s.passes, " cuts ", s.cuts, " fates ", s.fates, " beyond ",
      s.beyond_layer, "+", s.beyond_picks, " steps ", s.steps_max, " layers ",
      absl::StrJoin(s.layers, ","), " bytes ", s.bytes, " recovery ", result.recovery.bottoms, "/",
      result.recovery.stuck.size(), "/", result.recovery.spins.size(), " longest ",
      result.recovery.longest_steps, "/", result.recovery.longest_passes);
  for (const PropertyRecord& property : result.properties) {
    absl::StrAppend(&text, "\n", property.premises, " premises, ", property.violations, " broken");
    if (!property.first) continue;
    for (const PathEntry& entry : explorer.PathTo(*property.first).entries) {
      absl::StrAppend(&text, "; ", entry.step, entry.cut.label, " ", KeyText(entry.key));
    }
  }
  return text;
}

TEST(DeterminismTest, SaysTheSameInTwoExplorations) {
  const SyntheticGraph graph{.size = 3000};
  EXPECT_EQ(Describe(graph, {.faults_max = 3}), Describe(graph, {.faults_max = 3}));
}

// The bytes that any build on any machine must come to.
TEST(DeterminismTest, SaysTheSameInEveryProcessAndBuild) {
  EXPECT_EQ(Describe({.size = 2000, .world_steps = 2, .writes = 2}, {.picks_per_step_max = 2}),
            "ended 0 states 2000 edges 70000 runs 22000 passes 18000 cuts 48000 fates 16000 "
            "beyond 0+0 steps 20 layers 1390,587,20,3 bytes 140852 recovery 1/0/0 longest 3/1\n"
            "2000 premises, 1 broken; pass 00000000000007d00000000000000684; "
            "pass 00000000000007d000000000000007b2; world 1 00000000000007d0000000000000025a; "
            "pass 00000000000007d0000000000000054f; pass 00000000000007d000000000000000c0; "
            "world 1 00000000000007d00000000000000571; world 1 00000000000007d000000000000002d9; "
            "world 1 00000000000007d00000000000000172; world 1 00000000000007d000000000000000c9; "
            "world 1 00000000000007d000000000000004b4; world 1 00000000000007d000000000000003f1\n"
            "1 premises, 0 broken\n"
            "4000 premises, 0 broken");
}

}  // namespace
}  // namespace model
