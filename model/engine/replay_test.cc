// A recorded path replays to the same run, shows where a changed system departs from it, and
// shrinks.
#include "model/engine/replay.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model/engine/drawn_graph.h"
#include "model/engine/explorer.h"
#include "model/engine/minimise.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace model {
namespace {

using State = DrawnGraph::State;

// What varies between the system that was recorded and the one that replays.
struct Wording {
  std::string point = "create job";
  uint32_t options = 3;
  std::string meaning = "lost";
  std::string cut = "stop after W-2";
  bool has_cut = true;
  std::string end = "end";
};

// start -to middle-> middle -pass-> end, where the pass has one choice and one cut after it.
DrawnGraph Draw(const Wording& w = {}) {
  DrawnGraph graph;
  graph.Edge("start", "middle").Edge("start", "aside");
  graph.Scripted("middle", "pass", {.pass = true}, [w](StepRun<State>& run) {
    run.Note([] { return std::string("get job"); });
    const uint32_t fate = run.Choose(w.options, 1, [&](uint32_t picked) {
      return ChoiceText{w.point, w.meaning + std::string(picked, '!')};
    });
    if (fate == 2) run.Violate(1, [] { return std::string("in the pass"); });
    if (w.has_cut)
      run.Cut(
          {}, [] { return State("stopped"); }, [&] { return w.cut; });
    run.Note([] { return std::string("put status"); });
    run.Violate(2, [] { return std::string("after the cut"); });
    return std::optional<State>(absl::StrCat(w.end, fate));
  });
  graph.Break("stopped", 0).Break("end2", 0).Settle("stopped");
  return graph;
}

Path Recorded() {
  Path path;
  path.entries.push_back({"to middle", {}, {}, {}});
  path.entries.push_back({"pass", {{0, "create job", 2, 3, "lost!!"}}, {1, "stop after W-2"}, {}});
  return path;
}

TEST(ReplayTest, RepeatsWhatTheExplorerTold) {
  DrawnGraph graph = Draw();
  Explorer explorer(graph, {});
  explorer.Explore();
  const uint32_t nodes = static_cast<uint32_t>(explorer.nodes().size());
  for (uint32_t node = 0; node < nodes; ++node) {
    const Path path = explorer.PathTo(node);
    const auto replayed = Replay(graph, path);
    EXPECT_FALSE(replayed.divergence.has_value());
    EXPECT_FALSE(replayed.first_other_key.has_value());
    EXPECT_EQ(replayed.path(), path);
    ASSERT_NE(replayed.last(), nullptr);
    EXPECT_EQ(graph.Key(*replayed.last()), explorer.nodes().KeyOf(node));
  }
}

TEST(ReplayTest, TellsWhatHappenedUpToTheCutAndNothingAfterIt) {
  DrawnGraph graph = Draw();
  const auto replayed = Replay(graph, Recorded());
  ASSERT_EQ(replayed.steps.size(), 2u);
  const auto& pass = replayed.steps[1];
  EXPECT_EQ(pass.notes, (std::vector<std::string>{"get job"}));
  EXPECT_EQ(pass.findings, (std::vector<Finding>{{1, "in the pass"}}));
  EXPECT_EQ(pass.state, "stopped");
  EXPECT_EQ(pass.state_findings, (std::vector<Finding>{{0, "in stopped"}}));
  EXPECT_EQ(pass.standing, Standing::kSettled);
  EXPECT_EQ(pass.faults, 2u);
  EXPECT_TRUE(replayed.Breaks(0));
  EXPECT_TRUE(replayed.Breaks(1));
  EXPECT_FALSE(replayed.Breaks(2));
}

TEST(ReplayTest, StopsAfterSoManyEntries) {
  DrawnGraph graph = Draw();
  const auto replayed = Replay(graph, Recorded(), {.entries_max = 1});
  EXPECT_EQ(replayed.steps.size(), 1u);
  EXPECT_EQ(*replayed.last(), "middle");
  EXPECT_FALSE(replayed.divergence.has_value());
}

// Replays the recorded path on a system that words, or does, something else.
std::string DivergenceOn(DrawnGraph graph, Path path = Recorded()) {
  const auto replayed = Replay(graph, path);
  if (!replayed.divergence) return "none";
  EXPECT_EQ(replayed.steps.size(), replayed.divergence->entry);
  return absl::StrCat(replayed.divergence->entry, ": ", replayed.divergence->text);
}

TEST(ReplayTest, SaysWhereAndHowAChangedSystemDeparts) {
  EXPECT_EQ(DivergenceOn(Draw()), "none");
  EXPECT_EQ(DivergenceOn(Draw({.point = "patch status"})),
            "1: choice point 0 was \"create job\" with 3 options when recorded, it is "
            "\"patch status\" with 3 options now");
  EXPECT_EQ(DivergenceOn(Draw({.options = 4})),
            "1: choice point 0 was \"create job\" with 3 options when recorded, it is "
            "\"create job\" with 4 options now");
  EXPECT_EQ(DivergenceOn(Draw({.options = 2})),
            "1: choice point 0 was \"create job\" with 3 options when recorded, it has 2 now");
  EXPECT_EQ(
      DivergenceOn(Draw({.options = 1})),
      "1: choice point 0 was \"create job\" with 3 options when recorded, the step has only 0 "
      "now");
  EXPECT_EQ(DivergenceOn(Draw({.meaning = "conflict"})),
            "1: option 2 of \"create job\" meant \"lost!!\" when recorded, it means \"conflict!!\" "
            "now");
  EXPECT_EQ(DivergenceOn(Draw({.cut = "stop after W-3"})),
            "1: cut 1 was \"stop after W-2\" when recorded, it is \"stop after W-3\" now");
  EXPECT_EQ(DivergenceOn(Draw({.has_cut = false})),
            "1: the step has no cut 1 now, which was \"stop after W-2\" when recorded");
}

TEST(ReplayTest, SaysWhatIsOnOfferInsteadOfAMissingStep) {
  Path path = Recorded();
  path.entries[0].step = "to nowhere";
  EXPECT_EQ(DivergenceOn(Draw(), path),
            "0: step \"to nowhere\" is not on offer now; on offer: \"to middle\", \"to aside\"");
  path.entries[0].step = "to aside";
  EXPECT_EQ(DivergenceOn(Draw(), path), "1: step \"pass\" is not on offer now; on offer: nothing");
  path.initial = 5;
  EXPECT_EQ(DivergenceOn(Draw(), path),
            "0: the path starts in initial state 5, of which there are 1 now");
}

TEST(ReplayTest, PointsOutTheFirstStateWithAnotherKeyAndGoesOn) {
  DrawnGraph before;
  before.Edge("a", "b").Edge("b", "c").Edge("c", "d");
  Explorer explorer(before, {});
  explorer.Explore();
  const Path path = explorer.PathTo(3);
  DrawnGraph after;
  after.Edge("a", "b").Scripted("b", "to c", {},
                                [](StepRun<State>&) { return std::optional<State>("c'"); });
  after.Edge("c'", "d");
  const auto replayed = Replay(after, path);
  EXPECT_FALSE(replayed.divergence.has_value());
  EXPECT_EQ(replayed.first_other_key, 1u);
  EXPECT_EQ(replayed.steps.size(), 3u);
}

TEST(ReplayTest, SaysInWhichPartsAStateDiffers) {
  const PartDigests recorded = {{"job", "1"}, {"lease", "2"}, {"memory", "3"}};
  EXPECT_EQ(words::PartsDiffer(recorded, recorded), "no part differs");
  EXPECT_EQ(words::PartsDiffer({}, recorded), "the schedule does not say what differs");
  EXPECT_EQ(words::PartsDiffer(recorded, {{"job", "1"}, {"pod", "4"}, {"memory", "5"}}),
            "there is no lease, another memory, there was no pod");
}

TEST(ReplayDeathTest, RefusesASystemWithTwoStepsOfOneName) {
  DrawnGraph graph;
  graph.Edge("a", "b").Edge("a", "b");
  Path path;
  path.entries.push_back({"to b", {}, {}, {}});
  EXPECT_DEATH(Replay(graph, path), "two steps of one state are called \"to b\"");
}

// A counter that steps add to, in any order and number: bad from `limit` on.
struct Adder {
  using State = uint64_t;
  struct Step {
    StepTraits traits;
    uint64_t add = 0;
  };
  uint64_t limit = 10;

  std::vector<State> Initial() { return {0}; }
  Key128 Key(const State& state) { return {1, state}; }
  void Steps(const State&, std::vector<Step>& steps) {
    for (uint64_t add : {0, 1, 3}) steps.push_back({{}, add});
  }
  std::string Label(const State&, const Step& step) { return absl::StrCat("add ", step.add); }
  std::optional<State> Execute(const State& state, const Step& step, StepRun<State>& run) {
    const uint64_t twice = run.Choose(2, 1, [](uint32_t) { return ChoiceText{"once", "twice"}; });
    run.Cut(
        {}, [&] { return state; }, [] { return std::string("stop"); });
    return state + step.add * (1 + twice);
  }
  Standing Check(const State& state, Visit& visit) {
    if (state >= limit) visit.Violate(0, [] { return std::string("too much"); });
    return Standing::kOpen;
  }
  size_t PropertyCount() { return 1; }
  size_t GoalCount() { return 0; }
};

bool IsBad(const Replayed<uint64_t>& replayed) { return replayed.Breaks(0); }

TEST(MinimiseTest, DropsWhatTheProblemDoesNotNeed) {
  Adder adder;
  const Choice twice{0, "once", 1, 2, "twice"};
  Path path;
  for (int i = 0; i < 4; ++i) {
    path.entries.push_back({"add 0", {twice}, {}, {}});
    path.entries.push_back({"add 3", {twice}, {1, "stop"}, {}});
    path.entries.push_back({"add 3", {}, {}, {}});
  }
  path.entries.push_back({"add 1", {}, {}, {}});
  path.entries.push_back({"add 3", {}, {}, {}});
  const Path minimal = Minimise<Adder>(adder, path, IsBad);
  EXPECT_EQ(minimal.entries.size(), 4u);
  for (const PathEntry& entry : minimal.entries) {
    EXPECT_TRUE(entry.choices.empty());
    EXPECT_EQ(entry.cut, Cut{});
  }
  EXPECT_EQ(Replay(adder, minimal).path(), minimal);
}

TEST(MinimiseTest, LetsWhatDependedOnADroppedEntryGoWithIt) {
  DrawnGraph graph;
  graph.Edge("start", "detour").Edge("detour", "start").Edge("start", "bad").Break("bad", 0);
  Path path;
  for (const char* step : {"to detour", "to start", "to bad"}) {
    path.entries.push_back({step, {}, {}, {}});
  }
  const Path minimal = Minimise<DrawnGraph>(
      graph, path, [](const Replayed<State>& replayed) { return replayed.Breaks(0); });
  ASSERT_EQ(minimal.entries.size(), 1u);
  EXPECT_EQ(minimal.entries[0].step, "to bad");
}

TEST(MinimiseTest, LeavesAPathWithoutTheProblemAsItIs) {
  Adder adder;
  Path path;
  path.entries.push_back({"add 1", {}, {}, {}});
  EXPECT_EQ(Minimise<Adder>(adder, path, IsBad), path);
}

TEST(MinimiseTest, FindsNothingToDropInWhatTheExplorerFound) {
  Adder adder;
  for (uint64_t limit : {1u, 4u, 11u}) {
    adder.limit = limit;
    Explorer explorer(adder, {.faults_max = 2, .stop_at_first = true});
    const Exploration result = explorer.Explore();
    const Path path = explorer.PathTo(*result.properties[0].first);
    EXPECT_EQ(path.entries.size(), (limit + 2) / 3);
    EXPECT_EQ(Minimise<Adder>(adder, path, IsBad), path);
  }
}

RC_GTEST_PROP(MinimiseTest, KeepsTheProblemAndDropsNothingTwice,
              (const std::vector<uint8_t>& bytes)) {
  Adder adder;
  Path path;
  for (uint8_t byte : bytes) {
    PathEntry entry{absl::StrCat("add ", byte % 2 == 0 ? 1 : 3), {}, {}, {}};
    if (byte & 2) entry.choices = {{0, "once", 1, 2, "twice"}};
    if (byte & 4) entry.cut = {1, "stop"};
    path.entries.push_back(entry);
  }
  RC_PRE(IsBad(Replay(adder, path)));
  const Path minimal = Minimise<Adder>(adder, path, IsBad);
  RC_ASSERT(IsBad(Replay(adder, minimal)));
  RC_ASSERT(minimal.entries.size() <= path.entries.size());
  RC_ASSERT(Minimise<Adder>(adder, minimal, IsBad) == minimal);
}

}  // namespace
}  // namespace model
