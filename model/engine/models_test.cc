// Models whose numbers of states are known: puzzles and protocols that other checkers agree on, or
// whose counts follow from a formula.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model/engine/explorer.h"

namespace model {
namespace {

// The common part of the models: a state is one number, a step leads to another, all of them
// recover, and one predicate says which states are the goal (they settle, and "break" property 0).
class NumberModel {
 public:
  using State = uint64_t;
  struct Step {
    StepTraits traits = {.recovers = true};
    std::string label;
    State to = 0;
  };

  virtual ~NumberModel() = default;
  virtual std::vector<State> Initial() = 0;
  virtual void Steps(const State& state, std::vector<Step>& steps) = 0;
  virtual bool IsGoal(const State& state) = 0;

  Key128 Key(const State& state) { return {0, state + 1}; }
  std::string Label(const State&, const Step& step) { return step.label; }
  std::optional<State> Execute(const State&, const Step& step, StepRun<State>&) { return step.to; }
  Standing Check(const State& state, Visit& visit) {
    visit.Premise(0);
    if (!IsGoal(state)) return Standing::kOpen;
    visit.Violate(0, [] { return std::string("the goal"); });
    return Standing::kSettled;
  }
  size_t PropertyCount() { return 1; }
  size_t GoalCount() { return 0; }

 protected:
  static void Go(std::vector<Step>& steps, std::string label, State to) {
    steps.push_back({{.recovers = true}, std::move(label), to});
  }
};

Exploration Explore(NumberModel& model) { return Explorer<NumberModel>(model, {}).Explore(); }

uint32_t StepsToGoal(const Exploration& result) { return result.properties[0].first->rank.steps; }

// Two jugs, of 3 and 5 gallons; 4 are wanted. TLA+'s first example: 16 states, 6 steps.
class DieHard : public NumberModel {
 public:
  std::vector<State> Initial() override { return {0}; }
  void Steps(const State& state, std::vector<Step>& steps) override {
    const uint64_t big = state / 10;
    const uint64_t small = state % 10;
    const uint64_t down = std::min(big, 3 - small);
    const uint64_t up = std::min(small, 5 - big);
    Go(steps, "fill small", big * 10 + 3);
    Go(steps, "fill big", 50 + small);
    Go(steps, "empty small", big * 10);
    Go(steps, "empty big", small);
    Go(steps, "small to big", (big + up) * 10 + small - up);
    Go(steps, "big to small", (big - down) * 10 + small + down);
  }
  bool IsGoal(const State& state) override { return state / 10 == 4; }
};

TEST(ModelsTest, DieHardHasSixteenStatesAndTakesSixSteps) {
  DieHard model;
  const Exploration result = Explore(model);
  EXPECT_EQ(result.statistics.states, 16u);
  EXPECT_EQ(StepsToGoal(result), 6u);
  EXPECT_EQ(result.recovery.stuck.size(), 0u);
}

// Three missionaries and three cannibals cross a river in a boat for two, and cannibals may nowhere
// outnumber missionaries: 16 states can be reached, and the crossing takes 11 trips.
class Missionaries : public NumberModel {
 public:
  std::vector<State> Initial() override { return {Pack(3, 3, 1)}; }
  void Steps(const State& state, std::vector<Step>& steps) override {
    const int boat = static_cast<int>(state % 2);
    for (int m = 0; m <= 2; ++m) {
      for (int c = 0; c <= 2; ++c) {
        if (m + c < 1 || m + c > 2) continue;
        const int sign = boat == 1 ? -1 : 1;
        const int missionaries = static_cast<int>(state / 20) + sign * m;
        const int cannibals = static_cast<int>(state / 2 % 10) + sign * c;
        if (!IsSafe(missionaries, cannibals)) continue;
        Go(steps, absl::StrCat("move ", m, "+", c), Pack(missionaries, cannibals, 1 - boat));
      }
    }
  }
  bool IsGoal(const State& state) override { return state == Pack(0, 0, 0); }

 private:
  static State Pack(int missionaries, int cannibals, int boat) {
    return static_cast<State>(missionaries * 20 + cannibals * 2 + boat);
  }
  static bool IsSafe(int m, int c) {
    if (m < 0 || m > 3 || c < 0 || c > 3) return false;
    return (m == 0 || m >= c) && (m == 3 || 3 - m >= 3 - c);
  }
};

TEST(ModelsTest, MissionariesReachSixteenStatesAndCrossInElevenTrips) {
  Missionaries model;
  const Exploration result = Explore(model);
  EXPECT_EQ(result.statistics.states, 16u);
  EXPECT_EQ(StepsToGoal(result), 11u);
}

// Towers of Hanoi: n discs on 3 pegs are 3^n states, and take 2^n - 1 moves.
class Hanoi : public NumberModel {
 public:
  explicit Hanoi(uint32_t discs) : discs_(discs) {}
  std::vector<State> Initial() override { return {0}; }
  void Steps(const State& state, std::vector<Step>& steps) override {
    std::array<uint32_t, 3> top = {discs_, discs_, discs_};  // The smallest disc of each peg.
    for (uint32_t disc = discs_; disc-- > 0;) top[PegOf(state, disc)] = disc;
    for (uint32_t from = 0; from < 3; ++from) {
      for (uint32_t to = 0; to < 3; ++to) {
        if (top[from] >= top[to]) continue;
        const uint32_t shift = 2 * top[from];
        Go(steps, absl::StrCat(from, " to ", to),
           (state & ~(uint64_t{3} << shift)) | uint64_t{to} << shift);
      }
    }
  }
  bool IsGoal(const State& state) override {
    for (uint32_t disc = 0; disc < discs_; ++disc) {
      if (PegOf(state, disc) != 2) return false;
    }
    return true;
  }

 private:
  static uint32_t PegOf(State state, uint32_t disc) { return state >> (2 * disc) & 3; }
  uint32_t discs_;
};

TEST(ModelsTest, HanoiHasThreeToTheNStatesAndTakesTwoToTheNLessOneMoves) {
  uint64_t states = 1;
  for (uint32_t discs = 1; discs <= 7; ++discs) {
    states *= 3;
    Hanoi model(discs);
    const Exploration result = Explore(model);
    EXPECT_EQ(result.statistics.states, states);
    EXPECT_EQ(StepsToGoal(result), (1u << discs) - 1);
    EXPECT_EQ(result.recovery.longest_steps, (1u << discs) - 1);
  }
}

// A resource manager of the two commit protocols: two bits of the state each.
enum Manager : uint64_t { kWorking, kPrepared, kCommitted, kAborted };

class CommitModel : public NumberModel {
 public:
  explicit CommitModel(uint32_t managers) : managers_(managers) {}
  std::vector<State> Initial() override { return {0}; }
  // Every manager has decided.
  bool IsGoal(const State& state) override {
    return CountOf(state, kCommitted) + CountOf(state, kAborted) == managers_;
  }

 protected:
  static Manager ManagerOf(State state, uint32_t i) {
    return static_cast<Manager>(state >> (2 * i) & 3);
  }
  static State With(State state, uint32_t i, Manager to) {
    return (state & ~(uint64_t{3} << (2 * i))) | static_cast<uint64_t>(to) << (2 * i);
  }
  uint32_t CountOf(State state, Manager what) const {
    uint32_t count = 0;
    for (uint32_t i = 0; i < managers_; ++i) count += ManagerOf(state, i) == what ? 1 : 0;
    return count;
  }
  uint32_t managers_;
};

// Transaction Commit (Lamport and Gray, "Consensus on Transaction Commit"): TLC reports 34 distinct
// states for 3 resource managers.
class TransactionCommit : public CommitModel {
 public:
  using CommitModel::CommitModel;
  void Steps(const State& state, std::vector<Step>& steps) override {
    const bool can_commit = CountOf(state, kPrepared) + CountOf(state, kCommitted) == managers_;
    const bool none_committed = CountOf(state, kCommitted) == 0;
    for (uint32_t i = 0; i < managers_; ++i) {
      const Manager manager = ManagerOf(state, i);
      if (manager == kWorking) Go(steps, absl::StrCat("prepare ", i), With(state, i, kPrepared));
      if (manager == kPrepared && can_commit) {
        Go(steps, absl::StrCat("commit ", i), With(state, i, kCommitted));
      }
      if ((manager == kWorking || manager == kPrepared) && none_committed) {
        Go(steps, absl::StrCat("abort ", i), With(state, i, kAborted));
      }
    }
  }
};

// Two-Phase Commit (the same paper): TLC and Stateright report 288 distinct states for 3 resource
// managers, Stateright 8,832 for 5.
class TwoPhaseCommit : public CommitModel {
 public:
  using CommitModel::CommitModel;
  void Steps(const State& state, std::vector<Step>& steps) override {
    const bool undecided = (state & (kCommitSent | kAbortSent)) == 0;
    uint32_t known_prepared = 0;
    for (uint32_t i = 0; i < managers_; ++i) known_prepared += state & Knows(i) ? 1 : 0;
    if (undecided) {
      if (known_prepared == managers_) Go(steps, "decide to commit", state | kCommitSent);
      Go(steps, "decide to abort", state | kAbortSent);
    }
    for (uint32_t i = 0; i < managers_; ++i) {
      if (undecided && (state & SentPrepared(i))) {
        Go(steps, absl::StrCat("learn that ", i, " is prepared"), state | Knows(i));
      }
      if (ManagerOf(state, i) == kWorking) {
        Go(steps, absl::StrCat("prepare ", i), With(state, i, kPrepared) | SentPrepared(i));
        Go(steps, absl::StrCat("give up ", i), With(state, i, kAborted));
      }
      if (state & kCommitSent) Go(steps, absl::StrCat("commit ", i), With(state, i, kCommitted));
      if (state & kAbortSent) Go(steps, absl::StrCat("abort ", i), With(state, i, kAborted));
    }
  }

 private:
  static constexpr uint64_t kCommitSent = uint64_t{1} << 62;
  static constexpr uint64_t kAbortSent = uint64_t{1} << 61;
  static uint64_t SentPrepared(uint32_t i) { return uint64_t{1} << (20 + i); }
  static uint64_t Knows(uint32_t i) { return uint64_t{1} << (40 + i); }
};

TEST(ModelsTest, TransactionCommitHasTheStatesThatTlcCounts) {
  TransactionCommit model(3);
  EXPECT_EQ(Explore(model).statistics.states, 34u);
}

TEST(ModelsTest, TwoPhaseCommitHasTheStatesThatTlcAndStaterightCount) {
  TwoPhaseCommit three(3);
  EXPECT_EQ(Explore(three).statistics.states, 288u);
  TwoPhaseCommit five(5);
  EXPECT_EQ(Explore(five).statistics.states, 8832u);
}

TEST(ModelsTest, TwoPhaseCommitAlwaysComesToADecision) {
  TwoPhaseCommit model(4);
  const Exploration result = Explore(model);
  EXPECT_TRUE(result.recovery.stuck.empty());
  EXPECT_GT(result.recovery.bottoms, 1u);
}

// Dining philosophers who pick up the left fork first. One who eats leaves the right neighbour
// without a left fork, so the reachable states are the cyclic words over {thinks, has left, eats}
// in which "eats" is followed by "thinks", and they all sit with a left fork in exactly one.
class Philosophers : public NumberModel {
 public:
  explicit Philosophers(uint32_t seats) : seats_(seats) {}
  std::vector<State> Initial() override { return {0}; }
  void Steps(const State& state, std::vector<Step>& steps) override {
    for (uint32_t i = 0; i < seats_; ++i) {
      const uint32_t left = (i + seats_ - 1) % seats_;
      const uint32_t right = (i + 1) % seats_;
      if (At(state, i) == 0 && At(state, left) != 2)
        Go(steps, Say("take left ", i), Set(state, i, 1));
      if (At(state, i) == 1 && At(state, right) == 0) Go(steps, Say("eat ", i), Set(state, i, 2));
      if (At(state, i) == 2) Go(steps, Say("leave ", i), Set(state, i, 0));
    }
  }
  // Somebody eats.
  bool IsGoal(const State& state) override {
    for (uint32_t i = 0; i < seats_; ++i) {
      if (At(state, i) == 2) return true;
    }
    return false;
  }
  // The trace of the seats-th power of the matrix that says what may follow what.
  uint64_t CountByFormula() const {
    using Matrix = std::array<std::array<uint64_t, 3>, 3>;
    const Matrix may_follow = {{{1, 1, 1}, {1, 1, 1}, {1, 0, 0}}};
    Matrix power = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (uint32_t seat = 0; seat < seats_; ++seat) {
      Matrix next = {};
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          for (int k = 0; k < 3; ++k) next[i][j] += power[i][k] * may_follow[k][j];
        }
      }
      power = next;
    }
    return power[0][0] + power[1][1] + power[2][2];
  }

 private:
  static std::string Say(const char* what, uint32_t i) { return absl::StrCat(what, i); }
  static uint32_t At(State state, uint32_t i) { return state >> (2 * i) & 3; }
  static State Set(State state, uint32_t i, uint64_t to) {
    return (state & ~(uint64_t{3} << (2 * i))) | to << (2 * i);
  }
  uint32_t seats_;
};

TEST(ModelsTest, PhilosophersDeadlockInOneStateOfAKnownNumber) {
  for (uint32_t seats = 2; seats <= 8; ++seats) {
    Philosophers model(seats);
    Explorer<NumberModel> explorer(model, {.recovery_property = 0});
    const Exploration result = explorer.Explore();
    EXPECT_EQ(result.statistics.states, model.CountByFormula());
    ASSERT_EQ(result.recovery.stuck.size(), 1u);
    const Path path = explorer.PathTo(result.recovery.stuck[0].first);
    ASSERT_EQ(path.entries.size(), seats);
    for (uint32_t i = 0; i < seats; ++i) {
      EXPECT_EQ(path.entries[i].step, absl::StrCat("take left ", i));
    }
  }
}

}  // namespace
}  // namespace model
