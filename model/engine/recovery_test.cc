// Recovery on hand-drawn graphs: what ends, what is stuck, what spins, how long it takes.
#include "model/engine/recovery.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "model/engine/drawn_graph.h"
#include "model/engine/explorer.h"
#include "model/engine/lasso.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace model {
namespace {

constexpr uint32_t kRecoveryEnds = 0;
constexpr uint32_t kNoSpin = 1;

constexpr StepTraits kWorldStep{.recovers = true};
constexpr StepTraits kDuePass{.recovers = true, .pass = true};
constexpr StepTraits kDueNow{.recovers = true, .pass = true, .due_now = true};
constexpr StepTraits kResync{.pass = true};
constexpr StepTraits kFault{.faults = 1};

struct Explored {
  explicit Explored(DrawnGraph& graph, ExploreOptions options = {})
      : explorer(graph, WithProperties(std::move(options))), result(explorer.Explore()) {}

  static ExploreOptions WithProperties(ExploreOptions options) {
    options.recovery_property = kRecoveryEnds;
    options.spin_property = kNoSpin;
    return options;
  }
  const PropertyRecord& recovery() { return result.properties[kRecoveryEnds]; }
  const PropertyRecord& spin() { return result.properties[kNoSpin]; }
  std::vector<std::string> PathTo(const PropertyRecord& record) {
    return Labels(explorer.PathTo(*record.first).entries);
  }
  static std::vector<std::string> Labels(const std::vector<PathEntry>& entries) {
    std::vector<std::string> labels;
    for (const PathEntry& entry : entries) labels.push_back(entry.step);
    return labels;
  }

  Explorer<DrawnGraph> explorer;
  Exploration result;
};

using Labels = std::vector<std::string>;

TEST(RecoveryTest, EndsWhereEveryWayOnComesToASettledState) {
  DrawnGraph graph;
  graph.Edge("start", "a", kDuePass).Edge("start", "b", kWorldStep);
  graph.Edge("a", "done", kDuePass).Edge("b", "done", kDuePass).Settle("done");
  Explored explored(graph);
  EXPECT_EQ(explored.recovery().violations, 0u);
  EXPECT_EQ(explored.recovery().premises, 1u);
}

TEST(RecoveryTest, FindsAnOpenStateInWhichNothingIsDue) {
  DrawnGraph graph;
  graph.Edge("start", "forgotten", kDuePass).Edge("forgotten", "done", kResync).Settle("done");
  Explored explored(graph);
  ASSERT_EQ(explored.recovery().violations, 1u);
  EXPECT_EQ(explored.PathTo(explored.recovery()), (Labels{"to forgotten"}));
}

TEST(RecoveryTest, FindsALivelockBehindAFaultByItsFirstState) {
  DrawnGraph graph;
  graph.Edge("start", "done", kDuePass).Settle("done");
  graph.Edge("start", "retry", kFault);
  graph.Edge("retry", "wait", kDuePass).Edge("wait", "again", kWorldStep);
  graph.Edge("again", "retry", kDuePass);
  Explored explored(graph);
  ASSERT_EQ(explored.recovery().violations, 1u);
  EXPECT_EQ(explored.PathTo(explored.recovery()), (Labels{"to retry"}));
  EXPECT_EQ(explored.result.recovery.stuck[0].members.size(), 3u);
  EXPECT_EQ(explored.recovery().first->rank, (Rank{1, 1}));
}

TEST(RecoveryTest, AcceptsACycleThatHoldsASettledStateOrOneThatCanBeLeft) {
  DrawnGraph graph;
  graph.Edge("start", "poll", kDuePass).Edge("poll", "start", kWorldStep);  // Can be left:
  graph.Edge("poll", "done", kDuePass).Settle("done");
  graph.Edge("done", "check", kDuePass).Edge("check", "done", kDuePass);  // Holds a settled one.
  Explored explored(graph);
  EXPECT_EQ(explored.recovery().violations, 0u);
}

TEST(RecoveryTest, AcceptsAStateThatWaitsForAPerson) {
  DrawnGraph graph;
  graph.Edge("start", "ask", kDuePass).Wait("ask").Edge("ask", "done").Settle("done");
  Explored explored(graph);
  EXPECT_EQ(explored.recovery().violations, 0u);
  EXPECT_EQ(explored.result.recovery.longest_steps, 1u);
}

TEST(RecoveryTest, JudgesWhatAPersonsActLeadsTo) {
  DrawnGraph graph;
  graph.Edge("start", "ask", kDuePass).Wait("ask").Edge("ask", "ignored").Edge("ignored", "end");
  graph.Settle("end");
  Explored explored(graph);
  EXPECT_EQ(explored.PathTo(explored.recovery()), (Labels{"to ask", "to ignored"}));
}

TEST(RecoveryTest, DoesNotCountFaultsAndStepsThatNobodyWakes) {
  DrawnGraph graph;
  graph.Edge("start", "done", kResync).Edge("start", "done too", {.faults = 1, .recovers = true});
  graph.Settle("done").Settle("done too");
  Explored explored(graph);
  EXPECT_EQ(explored.PathTo(explored.recovery()), (Labels{}));
}

TEST(RecoveryTest, DoesNotCountAPickThatIsAFaultAsRecovery) {
  DrawnGraph graph;
  graph.Scripted("start", "pass", kDuePass, [](StepRun<std::string>& run) {
    const uint32_t fate = run.Choose(2, 1, [](uint32_t) { return ChoiceText{"write", "lost"}; });
    return std::optional<std::string>(fate == 0 ? "stuck" : "done");
  });
  graph.Settle("done");
  Explored explored(graph);
  EXPECT_EQ(explored.PathTo(explored.recovery()), (Labels{"pass"}));
}

TEST(RecoveryTest, ClaimsNothingOfStatesThatLeadToUnexploredOnes) {
  DrawnGraph graph;
  graph.Edge("a", "b", kDuePass).Edge("b", "c", kDuePass).Edge("c", "d", kDuePass);
  Explored explored(graph, {.states_max = 2});
  EXPECT_EQ(explored.recovery().violations, 0u);
  EXPECT_EQ(Explored(graph).recovery().violations, 1u);
}

TEST(RecoveryTest, MeasuresTheLongestOfTheShortestWaysToRest) {
  DrawnGraph graph;
  graph.Edge("start", "short", kDuePass).Edge("start", "long", kFault);
  graph.Edge("short", "done", kDuePass).Settle("done");
  // Three steps with one pass, against two steps that are both passes.
  graph.Edge("long", "l1", kWorldStep).Edge("l1", "l2", kWorldStep).Edge("l2", "done", kDuePass);
  graph.Edge("long", "p1", kFault).Edge("p1", "p2", kDuePass).Edge("p2", "done", kDuePass);
  Explored explored(graph);
  EXPECT_EQ(explored.result.recovery.longest_steps, 3u);
  EXPECT_EQ(explored.result.recovery.longest_passes, 2u);
  EXPECT_EQ(explored.explorer.PathTo(explored.result.recovery.longest_node).entries.back().step,
            "to long");
}

TEST(SpinTest, IsACycleOfDueNowPassesThatWriteNothing) {
  DrawnGraph graph;
  graph.Edge("start", "a", kDueNow).Edge("a", "b", kDueNow, /*wrote=*/false);
  graph.Edge("b", "a", kDueNow, /*wrote=*/false);
  graph.Edge("b", "done", kWorldStep).Settle("done");  // It can be left, and spins all the same.
  Explored explored(graph);
  EXPECT_EQ(explored.recovery().violations, 0u);
  ASSERT_EQ(explored.spin().violations, 1u);
  EXPECT_EQ(explored.PathTo(explored.spin()), (Labels{"to a"}));
}

TEST(SpinTest, MayBeOneStateThatComesBackToItself) {
  DrawnGraph graph;
  graph.Edge("start", "start", kDueNow, /*wrote=*/false).Settle("start");
  EXPECT_EQ(Explored(graph).spin().violations, 1u);
}

TEST(SpinTest, IsNotACycleThatWritesOrThatWaitsForTheClock) {
  DrawnGraph graph;
  graph.Edge("a", "b", kDueNow, /*wrote=*/false).Edge("b", "a", kDueNow, /*wrote=*/true);
  graph.Edge("a", "c", kDueNow, /*wrote=*/false).Edge("c", "a", kDuePass, /*wrote=*/false);
  graph.Settle("a");
  EXPECT_EQ(Explored(graph).spin().violations, 0u);
}

TEST(LassoTest, ShowsTheWayInAndOnceRound) {
  DrawnGraph graph;
  graph.Edge("start", "in", kDuePass).Edge("in", "x", kDuePass).Edge("x", "y", kWorldStep);
  graph.Edge("y", "z", kWorldStep).Edge("z", "in", kDuePass).Edge("y", "in", kDuePass);
  const auto lasso = FindLasso(graph, "start", LassoKind::kStuck);
  ASSERT_TRUE(lasso.has_value());
  EXPECT_EQ(Explored::Labels(lasso->way), (Labels{"to in"}));
  EXPECT_EQ(Explored::Labels(lasso->round), (Labels{"to x", "to y", "to in"}));
}

TEST(LassoTest, HasNoRoundAtADeadEndAndShowsASelfLoop) {
  DrawnGraph graph;
  graph.Edge("start", "end", kDuePass).Edge("loop", "loop", kDueNow, /*wrote=*/false);
  const auto dead_end = FindLasso(graph, "start", LassoKind::kStuck);
  ASSERT_TRUE(dead_end.has_value());
  EXPECT_EQ(Explored::Labels(dead_end->way), (Labels{"to end"}));
  EXPECT_TRUE(dead_end->round.empty());
  const auto spin = FindLasso(graph, "loop", LassoKind::kSpin);
  ASSERT_TRUE(spin.has_value());
  EXPECT_TRUE(spin->way.empty());
  EXPECT_EQ(Explored::Labels(spin->round), (Labels{"to loop"}));
}

TEST(LassoTest, IsNoneWhereRecoveryEnds) {
  DrawnGraph graph;
  graph.Edge("start", "done", kDuePass).Settle("done").Edge("start", "bad", kFault);
  EXPECT_FALSE(FindLasso(graph, "start", LassoKind::kStuck).has_value());
  EXPECT_FALSE(FindLasso(graph, "start", LassoKind::kSpin).has_value());
}

// A random graph, and the answers by the definition: who reaches whom.
struct RandomGraph {
  RecoveryGraph graph;
  Nodes nodes;
  std::vector<std::vector<bool>> reaches;
};

using Drawn = std::vector<std::pair<uint8_t, uint8_t>>;

RandomGraph Draw(uint32_t size, const Drawn& edges, const std::vector<bool>& settled) {
  RandomGraph random;
  random.reaches.assign(size, std::vector<bool>(size));
  for (uint32_t node = 0; node < size; ++node) {
    random.nodes.Intern({1, node});
    random.nodes.Reach(node, kNoNode, {}, {});
    random.nodes.Close(
        node, node < settled.size() && settled[node] ? Standing::kSettled : Standing::kOpen);
    random.reaches[node][node] = true;
    random.graph.Open(node);
    for (const auto& [from, to] : edges) {
      if (from % size != node) continue;
      random.graph.Add({.target = to % size});
      random.reaches[node][to % size] = true;
    }
    random.graph.Close();
  }
  for (uint32_t k = 0; k < size; ++k) {
    for (uint32_t i = 0; i < size; ++i) {
      for (uint32_t j = 0; j < size; ++j) {
        if (random.reaches[i][k] && random.reaches[k][j]) random.reaches[i][j] = true;
      }
    }
  }
  return random;
}

RC_GTEST_PROP(StronglyConnectedTest, PutsTogetherWhatReachesEachOther, (const Drawn& edges)) {
  const uint32_t size = *rc::gen::inRange<uint32_t>(1, 12);
  const RandomGraph random = Draw(size, edges, {});
  const Components components =
      StronglyConnected(random.graph, size, [](RecoveryEdge) { return true; });
  for (uint32_t a = 0; a < size; ++a) {
    for (uint32_t b = 0; b < size; ++b) {
      const bool mutual = random.reaches[a][b] && random.reaches[b][a];
      RC_ASSERT((components.of[a] == components.of[b]) == mutual);
      if (random.reaches[a][b]) RC_ASSERT(components.of[a] >= components.of[b]);
    }
  }
}

RC_GTEST_PROP(RecoveryTest, IsStuckExactlyWhereNoSettledStateCanBeReached,
              (const Drawn& edges, const std::vector<bool>& settled)) {
  const uint32_t size = *rc::gen::inRange<uint32_t>(1, 12);
  const RandomGraph random = Draw(size, edges, settled);
  const RecoveryReport report = AnalyseRecovery(random.graph, random.nodes);
  const auto is_settled = [&](uint32_t node) {
    return random.nodes.StandingOf(node) == Standing::kSettled;
  };
  std::vector<uint32_t> stuck;  // Members of bottom components without a settled state.
  for (uint32_t a = 0; a < size; ++a) {
    bool is_stuck = true;
    for (uint32_t b = 0; b < size; ++b) {
      if (random.reaches[a][b] && (is_settled(b) || !random.reaches[b][a])) is_stuck = false;
    }
    if (is_stuck) stuck.push_back(a);
  }
  std::vector<uint32_t> found;
  for (const BadComponent& bad : report.stuck) {
    found.insert(found.end(), bad.members.begin(), bad.members.end());
  }
  std::sort(found.begin(), found.end());
  RC_ASSERT(found == stuck);
}

// A chain as long as the space is big: nothing here may recurse.
TEST(StronglyConnectedTest, FollowsAChainOfAMillionStates) {
  constexpr uint32_t kSize = 1000000;
  RecoveryGraph graph;
  for (uint32_t node = 0; node < kSize; ++node) {
    graph.Open(node);
    graph.Add({.target = (node + 1) % kSize});
    graph.Close();
  }
  EXPECT_EQ(StronglyConnected(graph, kSize, [](RecoveryEdge) { return true; }).count, 1u);
  EXPECT_EQ(StronglyConnected(graph, kSize, [](RecoveryEdge) { return false; }).count, kSize);
}

}  // namespace
}  // namespace model
