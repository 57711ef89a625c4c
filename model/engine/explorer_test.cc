// The explorer on graphs small enough to count by hand: order, layers, choices, cuts, findings,
// limits.
#include "model/engine/explorer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "model/engine/drawn_graph.h"

namespace model {
namespace {

using State = DrawnGraph::State;
using DrawnRun = StepRun<State>;

// The labels of a path's steps, with what went wrong in them.
std::string Told(const Path& path) {
  return absl::StrJoin(path.entries, ", ", [](std::string* out, const PathEntry& entry) {
    absl::StrAppend(out, entry.step);
    for (const Choice& choice : entry.choices) {
      absl::StrAppend(out, " [", choice.label, "=", choice.meaning, "]");
    }
    if (entry.cut.ordinal != 0) absl::StrAppend(out, " [", entry.cut.label, "]");
  });
}

// Explores a graph, and keeps what is needed to ask about it.
struct Explored {
  explicit Explored(DrawnGraph& graph, ExploreOptions options = {})
      : graph(graph), explorer(graph, std::move(options)), result(explorer.Explore()) {}

  uint32_t Node(const State& state) { return *explorer.nodes().Find(graph.Key(state)); }
  bool Found(const State& state) { return explorer.nodes().Find(graph.Key(state)).has_value(); }
  Rank RankOf(const State& state) { return explorer.nodes().RankOf(Node(state)); }
  std::string PathTo(const State& state) { return Told(explorer.PathTo(Node(state))); }

  DrawnGraph& graph;
  Explorer<DrawnGraph> explorer;
  Exploration result;
};

uint32_t ChooseNamed(DrawnRun& run, const std::string& label, uint32_t options,
                     uint32_t faults = 1) {
  return run.Choose(options, faults, [&](uint32_t picked) {
    return ChoiceText{label, absl::StrCat("option ", picked)};
  });
}

void CutTo(DrawnRun& run, const std::string& state, CutTraits traits = {}) {
  run.Cut(
      traits, [&] { return state; }, [&] { return "cut to " + state; });
}

TEST(ExplorerTest, VisitsAStateOnceHoweverManyPathsMergeInIt) {
  DrawnGraph graph;
  graph.Edge("top", "left").Edge("top", "right").Edge("left", "bottom").Edge("right", "bottom");
  Explored explored(graph);
  EXPECT_EQ(explored.result.statistics.states, 4u);
  EXPECT_EQ(explored.result.statistics.edges, 4u);
  EXPECT_EQ(explored.result.ended, Ended::kClosed);
  EXPECT_EQ(explored.PathTo("bottom"), "to left, to bottom");
}

TEST(ExplorerTest, EndsOnACycle) {
  DrawnGraph graph;
  graph.Edge("a", "b").Edge("b", "c").Edge("c", "a").Edge("c", "c");
  Explored explored(graph);
  EXPECT_EQ(explored.result.statistics.states, 3u);
  EXPECT_EQ(explored.result.statistics.edges, 4u);
}

TEST(ExplorerTest, StartsInEveryInitialStateButCountsEqualOnesOnce) {
  DrawnGraph graph;
  graph.Start("a").Start("b").Start("a").Edge("b", "c");
  Explored explored(graph);
  EXPECT_EQ(explored.result.statistics.states, 3u);
  EXPECT_EQ(explored.explorer.PathTo(explored.Node("c")).initial, 1u);
}

TEST(ExplorerTest, PutsAStateInTheLayerOfItsFewestFaultsEvenIfThatTakesMoreSteps) {
  DrawnGraph graph;
  graph.Edge("start", "goal", {.faults = 1});
  graph.Edge("start", "a").Edge("a", "b").Edge("b", "goal");
  Explored explored(graph);
  EXPECT_EQ(explored.RankOf("goal"), (Rank{0, 3}));
  EXPECT_EQ(explored.PathTo("goal"), "to a, to b, to goal");
  EXPECT_EQ(explored.result.statistics.layers, (std::vector<uint64_t>{4}));
}

TEST(ExplorerTest, TakesTheFewestStepsAmongPathsOfEqualFaults) {
  DrawnGraph graph;
  graph.Edge("start", "late", {.faults = 1}).Edge("late", "x").Edge("x", "goal");
  graph.Edge("start", "a").Edge("a", "goal", {.faults = 1});
  Explored explored(graph);
  EXPECT_EQ(explored.RankOf("goal"), (Rank{1, 2}));
  EXPECT_EQ(explored.PathTo("goal"), "to a, to goal");
}

// A step of two faults overtakes nothing: layer 1 is finished before it.
TEST(ExplorerTest, GoesLayerByLayerWhateverAStepCosts) {
  DrawnGraph graph;
  graph.Edge("start", "two", {.faults = 2}).Edge("start", "one", {.faults = 1});
  graph.Edge("one", "far").Edge("far", "farther").Edge("farther", "two", {.faults = 0});
  Explored explored(graph);
  EXPECT_EQ(explored.RankOf("two"), (Rank{1, 4}));
  EXPECT_EQ(explored.result.statistics.layers, (std::vector<uint64_t>{1, 4}));
}

TEST(ExplorerTest, CountsTheStatesOfEachLayer) {
  // A set of n things that go wrong one at a time: layer k holds n over k states.
  DrawnGraph graph;
  constexpr uint32_t kThings = 6;
  for (uint32_t set = 0; set < 1u << kThings; ++set) {
    for (uint32_t thing = 0; thing < kThings; ++thing) {
      const uint32_t with = set | 1u << thing;
      if (with != set) graph.Edge(absl::StrCat(set), absl::StrCat(with), {.faults = 1});
    }
  }
  Explored explored(graph);
  EXPECT_EQ(explored.result.statistics.layers, (std::vector<uint64_t>{1, 6, 15, 20, 15, 6, 1}));
  EXPECT_EQ(explored.result.ended, Ended::kClosed);
}

TEST(ExplorerTest, LeavesOutWhatNeedsMoreFaultsThanTheLastLayerAndSaysSo) {
  DrawnGraph graph;
  graph.Edge("a", "b", {.faults = 1}).Edge("b", "c", {.faults = 1});
  Explored cut(graph, {.faults_max = 1});
  EXPECT_EQ(cut.result.ended, Ended::kLastLayer);
  EXPECT_TRUE(IsComplete(cut.result.ended));
  EXPECT_EQ(cut.result.statistics.states, 2u);
  EXPECT_EQ(cut.result.statistics.beyond_layer, 1u);
  EXPECT_FALSE(cut.Found("c"));
  Explored whole(graph, {.faults_max = 2});
  EXPECT_EQ(whole.result.ended, Ended::kClosed);
}

// The number of ways to pick at most `most` of `points`, each pick one of `others` options.
uint64_t Ways(uint64_t points, uint64_t others, uint64_t most) {
  uint64_t ways = 0;
  uint64_t of_size = 1;
  for (uint64_t size = 0; size <= most && size <= points; ++size) {
    ways += of_size;
    of_size = of_size * (points - size) / (size + 1) * others;
  }
  return ways;
}

TEST(ExplorerTest, RunsAStepOnceForEveryVectorOfChoicesWithinTheBound) {
  for (uint32_t points = 0; points <= 6; ++points) {
    for (uint32_t options = 2; options <= 4; ++options) {
      for (uint32_t most = 0; most <= 3; ++most) {
        SCOPED_TRACE(absl::StrCat(points, " points, ", options, " options, at most ", most));
        std::vector<std::string> seen;
        DrawnGraph graph;
        graph.Scripted("start", "choose", {}, [&](DrawnRun& run) {
          std::string picks = "picks";
          for (uint32_t i = 0; i < points; ++i) {
            absl::StrAppend(&picks, " ", ChooseNamed(run, "point", options));
          }
          seen.push_back(picks);
          return std::optional<State>(picks);
        });
        Explored explored(graph, {.picks_per_step_max = most});
        EXPECT_EQ(explored.result.statistics.runs, Ways(points, options - 1, most));
        EXPECT_EQ(explored.result.statistics.fates, Ways(points, options - 1, most) - 1);
        EXPECT_EQ(explored.result.statistics.states, seen.size() + 1);
        EXPECT_EQ(explored.result.statistics.beyond_picks > 0, most < points);
        std::sort(seen.begin(), seen.end());
        EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
      }
    }
  }
}

TEST(ExplorerTest, EnumeratesChoicesThatAreNoFaultInFullAndInTheSameLayer) {
  DrawnGraph graph;
  graph.Scripted("start", "choose", {}, [&](DrawnRun& run) {
    std::string picks = "picks";
    for (int i = 0; i < 3; ++i) absl::StrAppend(&picks, " ", ChooseNamed(run, "end", 3, 0));
    return std::optional<State>(picks);
  });
  Explored explored(graph, {.faults_max = 0, .picks_per_step_max = 0});
  EXPECT_EQ(explored.result.statistics.runs, 27u);
  EXPECT_EQ(explored.result.statistics.layers, (std::vector<uint64_t>{28}));
  EXPECT_EQ(explored.result.ended, Ended::kClosed);
}

TEST(ExplorerTest, CountsOnlyFaultsAgainstTheBoundOnPicks) {
  DrawnGraph graph;
  graph.Scripted("start", "choose", {}, [&](DrawnRun& run) {
    const uint32_t end = ChooseNamed(run, "end", 2, 0);
    return std::optional<State>(absl::StrCat(end, ChooseNamed(run, "fate", 2, 1)));
  });
  Explored explored(graph, {.picks_per_step_max = 1});
  EXPECT_EQ(explored.result.statistics.runs, 4u);
  EXPECT_EQ(explored.RankOf("11"), (Rank{1, 1}));
}

TEST(ExplorerTest, OffersNoChoicePointWhereThereIsNothingToPick) {
  DrawnGraph graph;
  graph.Scripted("start", "choose", {}, [&](DrawnRun& run) {
    EXPECT_EQ(ChooseNamed(run, "forced", 1), 0u);
    EXPECT_EQ(ChooseNamed(run, "none", 0), 0u);
    return std::optional<State>(absl::StrCat("picked ", ChooseNamed(run, "real", 2)));
  });
  Explored explored(graph);
  EXPECT_EQ(explored.result.statistics.runs, 2u);
  EXPECT_EQ(explored.explorer.PathTo(explored.Node("picked 1")).entries[0].choices,
            (std::vector<Choice>{{0, "real", 1, 2, "option 1"}}));
}

TEST(ExplorerTest, FollowsChoicesThatOnlyAppearAfterAnotherPick) {
  DrawnGraph graph;
  graph.Scripted("start", "choose", {}, [&](DrawnRun& run) {
    std::string picks = absl::StrCat("first ", ChooseNamed(run, "first", 2));
    if (picks == "first 1") absl::StrAppend(&picks, " second ", ChooseNamed(run, "second", 3));
    return std::optional<State>(picks);
  });
  Explored explored(graph, {.picks_per_step_max = 2});
  EXPECT_EQ(explored.result.statistics.runs, 4u);
  EXPECT_EQ(explored.RankOf("first 1 second 2"), (Rank{2, 1}));
  EXPECT_EQ(explored.PathTo("first 1 second 2"), "choose [first=option 1] [second=option 2]");
}

// A pass of n writes: before each a choice of its fate, then a cut before it and a cut after it.
DrawnGraph PassOfWrites(uint32_t writes) {
  DrawnGraph graph;
  graph.Scripted("start", "pass", {.pass = true}, [writes](DrawnRun& run) {
    std::string done = "w";
    for (uint32_t i = 0; i < writes; ++i) {
      const uint32_t fate = ChooseNamed(run, absl::StrCat("write ", i), 2);
      CutTo(run, "before " + done, {.tag = 2 * i});
      absl::StrAppend(&done, fate);
      run.Premise(1);
      if (fate == 1) run.Reach(0);
      CutTo(run, "after " + done, {.tag = 2 * i + 1});
    }
    run.Wrote();
    return std::optional<State>(done);
  });
  return graph;
}

TEST(ExplorerTest, InjectsACutOnceHoweverManyRunsPassByIt) {
  for (uint64_t writes = 0; writes <= 7; ++writes) {
    SCOPED_TRACE(absl::StrCat(writes, " writes"));
    DrawnGraph graph = PassOfWrites(static_cast<uint32_t>(writes));
    std::vector<std::pair<uint32_t, uint32_t>> cuts;
    ExploreOptions options;
    options.on_cut = [&](uint32_t tag, uint32_t node) { cuts.emplace_back(tag, node); };
    Explored explored(graph, std::move(options));
    const Statistics& statistics = explored.result.statistics;
    EXPECT_EQ(statistics.runs, 1 + writes);
    EXPECT_EQ(statistics.passes, 1 + writes);
    // The run that goes wrong at write i is the first to come to the 2 (writes - i) cuts from
    // there.
    EXPECT_EQ(statistics.cuts, 2 * writes + writes * (writes + 1));
    EXPECT_EQ(cuts.size(), statistics.cuts);
    EXPECT_EQ(statistics.edges, statistics.runs + statistics.cuts);
  }
}

TEST(ExplorerTest, CountsFindingsOfASharedPrefixOnce) {
  DrawnGraph graph = PassOfWrites(4);
  Explored explored(graph);
  // As the cuts: one for each write of the first run, and one for each from the pick on in the
  // others.
  EXPECT_EQ(explored.result.properties[1].premises, 4u + 4 + 3 + 2 + 1);
  EXPECT_EQ(explored.result.goals[0].times, 4u);
}

TEST(ExplorerTest, AddsTheCostOfACutToWhatWentWrongBeforeIt) {
  DrawnGraph graph = PassOfWrites(2);
  Explored explored(graph, {.picks_per_step_max = 2});
  EXPECT_EQ(explored.RankOf("after w0"), (Rank{1, 1}));
  EXPECT_EQ(explored.RankOf("after w01"), (Rank{2, 1}));
  EXPECT_EQ(explored.RankOf("after w11"), (Rank{3, 1}));
  EXPECT_EQ(explored.PathTo("after w01"), "pass [write 1=option 1] [cut to after w01]");
}

TEST(ExplorerTest, MakesNoStateForACutBeyondTheLastLayer) {
  int made = 0;
  DrawnGraph graph;
  graph.Scripted("start", "pass", {}, [&](DrawnRun& run) {
    run.Cut(
        {}, [&] { return ++made, State("cut"); }, [] { return std::string("cut"); });
    return std::optional<State>("end");
  });
  Explored explored(graph, {.faults_max = 0});
  EXPECT_EQ(made, 0);
  EXPECT_EQ(explored.result.statistics.cuts, 0u);
  EXPECT_EQ(explored.result.ended, Ended::kLastLayer);
}

TEST(ExplorerTest, MakesNoStateForACutWhoseKeyIsToldAndKnown) {
  int made = 0;
  DrawnGraph graph;
  const auto pass = [&](DrawnRun& run) {
    run.Cut(
        {}, [&] { return graph.Key("cut"); }, [&] { return ++made, State("cut"); },
        [] { return std::string("cut"); });
    return std::optional<State>("end");
  };
  graph.Scripted("start", "pass", {}, pass).Scripted("end", "pass", {}, pass);
  Explored explored(graph);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(explored.result.statistics.cuts, 2u);
  EXPECT_EQ(explored.PathTo("cut"), "pass [cut]");
}

TEST(ExplorerTest, KeepsTheCutsAndFindingsOfARunThatLeadsNowhere) {
  DrawnGraph graph;
  graph.Scripted("start", "pass", {}, [&](DrawnRun& run) {
    CutTo(run, "cut");
    run.Violate(2, [] { return std::string("broke on the way"); });
    return std::optional<State>();
  });
  Explored explored(graph);
  EXPECT_EQ(explored.result.statistics.states, 2u);
  ASSERT_TRUE(explored.result.properties[2].first.has_value());
  const Path path = explored.explorer.PathTo(*explored.result.properties[2].first);
  EXPECT_EQ(Told(path), "pass");
  EXPECT_EQ(path.entries[0].key, Key128{});
}

TEST(ExplorerTest, ReportsTheFirstOccurrenceByFaultsThenSteps) {
  DrawnGraph graph;
  graph.Edge("start", "bad soon", {.faults = 1}).Break("bad soon", 3);
  graph.Edge("start", "a").Edge("a", "b").Edge("b", "bad late").Break("bad late", 3);
  Explored explored(graph);
  const PropertyRecord& record = explored.result.properties[3];
  EXPECT_EQ(record.violations, 2u);
  ASSERT_TRUE(record.first.has_value());
  EXPECT_EQ(record.first->text, "in bad late");
  EXPECT_EQ(record.first->rank, (Rank{0, 3}));
  EXPECT_EQ(Told(explored.explorer.PathTo(*record.first)), "to a, to b, to bad late");
}

// A finding in a step of layer 1 is made while layer 0 is explored; a later one of layer 0 comes
// first.
TEST(ExplorerTest, ReplacesAFindingByOneOfFewerFaults) {
  DrawnGraph graph;
  graph.Scripted("start", "fault", {.faults = 1}, [](DrawnRun& run) {
    run.Violate(0, [] { return std::string("by fault"); });
    return std::optional<State>("faulty");
  });
  graph.Edge("start", "a").Edge("a", "bad").Break("bad", 0);
  for (bool stop : {false, true}) {
    Explored explored(graph, {.stop_at_first = stop});
    EXPECT_EQ(explored.result.properties[0].first->text, "in bad");
    EXPECT_EQ(explored.result.ended, stop ? Ended::kFirstViolation : Ended::kClosed);
  }
}

TEST(ExplorerTest, GoesOnPastAViolationUnlessToldToStop) {
  DrawnGraph graph;
  graph.Edge("start", "bad").Break("bad", 0).Edge("bad", "worse").Break("worse", 1);
  graph.Edge("worse", "after");
  EXPECT_EQ(Explored(graph).result.statistics.states, 4u);
  Explored stopped(graph, {.stop_at_first = true});
  EXPECT_EQ(stopped.result.ended, Ended::kFirstViolation);
  EXPECT_EQ(stopped.result.statistics.states, 2u);
  EXPECT_FALSE(IsComplete(stopped.result.ended));
}

TEST(ExplorerTest, ReportsEveryPropertyThatAStateBreaks) {
  DrawnGraph graph;
  graph.Edge("start", "bad").Break("bad", 4).Break("bad", 5);
  Explored explored(graph);
  EXPECT_TRUE(explored.result.properties[4].first.has_value());
  EXPECT_TRUE(explored.result.properties[5].first.has_value());
}

TEST(ExplorerTest, ShowsAPropertyWhosePremiseNeverHeld) {
  DrawnGraph graph = PassOfWrites(1);
  Explored explored(graph);
  EXPECT_GT(explored.result.properties[1].premises, 0u);
  EXPECT_EQ(explored.result.properties[6].premises, 0u);
}

TEST(ExplorerTest, TellsHowAGoalWasReachedAndWhichWasNot) {
  DrawnGraph graph = PassOfWrites(2);
  Explored explored(graph);
  ASSERT_TRUE(explored.result.goals[0].first.has_value());
  EXPECT_EQ(explored.result.goals[0].first->rank, (Rank{1, 1}));
  EXPECT_EQ(Told(explored.explorer.PathTo(*explored.result.goals[0].first)),
            "pass [write 0=option 1]");
  EXPECT_EQ(explored.result.goals[1].times, 0u);
}

TEST(ExplorerTest, ClaimsNothingAboutTheRestWhenALimitComesFirst) {
  DrawnGraph graph;
  graph.Edge("a", "b").Edge("b", "c").Edge("c", "d").Break("d", 0);
  Explored few(graph, {.states_max = 3});
  EXPECT_EQ(few.result.ended, Ended::kStates);
  EXPECT_FALSE(few.result.properties[0].first.has_value());
  Explored enough(graph, {.states_max = 4});
  EXPECT_EQ(enough.result.ended, Ended::kClosed);
  Explored tight(graph, {.bytes_max = 100});
  EXPECT_EQ(tight.result.ended, Ended::kMemory);
}

TEST(ExplorerTest, AsksWhetherToGoOnEverySoManyStates) {
  DrawnGraph graph;
  graph.Edge("a", "b").Edge("b", "c").Edge("c", "d").Edge("d", "e");
  std::vector<uint64_t> asked_at;
  ExploreOptions options{.ask_every_states = 2};
  options.keep_going = [&](const Statistics& statistics) {
    asked_at.push_back(statistics.states);
    return statistics.states < 4;
  };
  Explored explored(graph, std::move(options));
  EXPECT_EQ(explored.result.ended, Ended::kInterrupted);
  EXPECT_EQ(asked_at, (std::vector<uint64_t>{2, 4}));
  EXPECT_EQ(explored.result.statistics.states, 4u);
}

// A system whose state holds something that its key leaves out, as absolute times do.
struct WithHistory {
  struct State {
    uint64_t place = 0;
    std::string history;  // Not in the key.
  };
  struct Step {
    StepTraits traits;
    uint64_t to = 0;
  };
  std::vector<State> Initial() { return {{}}; }
  Key128 Key(const State& state) { return {1, state.place}; }
  void Steps(const State& state, std::vector<Step>& steps) {
    if (state.place == 0) steps = {{{.faults = 1}, 9}, {{}, 1}};
    if (state.place == 1) steps = {{{}, 9}};
    if (state.place == 9) steps = {{{}, 10}};
  }
  std::string Label(const State&, const Step& step) { return absl::StrCat("to ", step.to); }
  std::optional<State> Execute(const State& state, const Step& step, StepRun<State>&) {
    return State{step.to, absl::StrCat(state.history, ">", step.to)};
  }
  Standing Check(const State& state, Visit& visit) {
    if (state.place == 10) visit.Violate(0, [&] { return state.history; });
    return Standing::kOpen;
  }
  size_t PropertyCount() { return 1; }
  size_t GoalCount() { return 0; }
};

TEST(ExplorerTest, GoesOnFromTheStateOfTheBestPathNotOfTheFirstOneFound) {
  WithHistory system;
  Explorer explorer(system, {});
  const Exploration result = explorer.Explore();
  EXPECT_EQ(result.properties[0].first->text, ">1>9>10");
  EXPECT_EQ(Told(explorer.PathTo(*result.properties[0].first)), "to 1, to 9, to 10");
}

TEST(ExplorerDeathTest, StopsWhenEqualChoicesLeadToOtherChoices) {
  int runs = 0;
  DrawnGraph graph;
  graph.Scripted("start", "moody", {}, [&](DrawnRun& run) {
    ChooseNamed(run, "write", ++runs == 1 ? 2 : 3);
    ChooseNamed(run, "another", 2);
    return std::optional<State>("end");
  });
  Explorer explorer(graph, {});
  EXPECT_DEATH(explorer.Explore(), "nondeterminism: step \"moody\"");
}

TEST(ExplorerDeathTest, StopsWhenAToldPathLeadsElsewhere) {
  int runs = 0;
  DrawnGraph graph;
  graph.Scripted("start", "moody", {},
                 [&](DrawnRun&) { return std::optional<State>(absl::StrCat("end ", runs++)); });
  Explored explored(graph);
  EXPECT_DEATH(explored.PathTo("end 0"), "nondeterminism: a path leads to another state");
}

}  // namespace
}  // namespace model
