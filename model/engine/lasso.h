// Shows why recovery does not end from a state: the way into a component that is never left, and
// once round it.
//
// An exploration says that a state is stuck. For a person, and for a replay that has no exploration
// at hand, this searches the fault-free future of one state alone, and tells the round step by
// step.
#ifndef MODEL_ENGINE_LASSO_H_
#define MODEL_ENGINE_LASSO_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/engine/explorer.h"

namespace model {

// A system with one initial state and nothing but its recovery steps.
template <Explorable System>
class RecoveryOf {
 public:
  using State = typename System::State;
  using Step = typename System::Step;

  RecoveryOf(System& system, State start) : system_(system), start_(std::move(start)) {}

  std::vector<State> Initial() { return {start_}; }
  Key128 Key(const State& state) { return system_.Key(state); }
  void Steps(const State& state, std::vector<Step>& steps) {
    system_.Steps(state, steps);
    std::erase_if(steps,
                  [](const Step& step) { return !step.traits.recovers || step.traits.faults > 0; });
  }
  std::string Label(const State& state, const Step& step) { return system_.Label(state, step); }
  std::optional<State> Execute(const State& state, const Step& step, StepRun<State>& run) {
    return system_.Execute(state, step, run);
  }
  Standing Check(const State& state, Visit& visit) { return system_.Check(state, visit); }
  size_t PropertyCount() { return system_.PropertyCount(); }
  size_t GoalCount() { return system_.GoalCount(); }

 private:
  System& system_;
  State start_;
};

enum class LassoKind {
  kStuck,  // A component without a settled or waiting state, and without a way out.
  kSpin,   // Passes that are due now and write nothing, round and round.
};

struct Lasso {
  std::vector<PathEntry> way;    // From the state to the component; empty if it is in it already.
  std::vector<PathEntry> round;  // Once round; empty if the component is a dead end.
};

// A recovery step that was followed.
struct FollowedStep {
  uint32_t from;
  uint32_t to;
  Hop hop;
  bool spins;
};

// The shortest way from `start` back to it, over steps between `members`; empty if there is none.
std::vector<Hop> ShortestRound(uint32_t start, const std::vector<uint32_t>& members,
                               const std::vector<FollowedStep>& steps, bool only_spins);

// Returns the nearest lasso in the fault-free future of `state`, or nothing if recovery ends from
// it (kSpin: if nothing spins), or if that future has more than `states_max` states.
template <Explorable System>
std::optional<Lasso> FindLasso(System& system, const typename System::State& state, LassoKind kind,
                               uint64_t states_max = 100000) {
  RecoveryOf<System> recovery(system, state);
  std::vector<FollowedStep> steps;
  ExploreOptions options{.faults_max = 0, .states_max = states_max};
  options.on_recovery = [&](uint32_t from, Hop hop, uint32_t to, bool spins) {
    steps.push_back({from, to, hop, spins});
  };
  Explorer<RecoveryOf<System>> explorer(recovery, std::move(options));
  const Exploration exploration = explorer.Explore();
  if (!IsComplete(exploration.ended)) return std::nullopt;
  const bool spin = kind == LassoKind::kSpin;
  const auto& bad = spin ? exploration.recovery.spins : exploration.recovery.stuck;
  if (bad.empty()) return std::nullopt;
  const uint32_t first = bad.front().first;
  const std::vector<Hop> round = ShortestRound(first, bad.front().members, steps, spin);
  std::vector<PathEntry> entries = explorer.PathTo(first, round).entries;
  const auto turn = entries.end() - static_cast<ptrdiff_t>(round.size());
  return Lasso{{entries.begin(), turn}, {turn, entries.end()}};
}

}  // namespace model

#endif  // MODEL_ENGINE_LASSO_H_
