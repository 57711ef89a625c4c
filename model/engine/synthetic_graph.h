// A large system that is computed instead of stored, for benchmarks and for golden figures.
//
// A state is a number below `size`. Each state offers `world_steps` steps of the world and one pass
// of `writes` durable writes, each with a fate to choose and a cut before and after it. Where they
// lead is a fixed mixture of the numbers, so the graph has merges, cycles and layers like a real
// one.
#ifndef MODEL_ENGINE_SYNTHETIC_GRAPH_H_
#define MODEL_ENGINE_SYNTHETIC_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/system.h"

namespace model {

struct SyntheticGraph {
  struct State {
    uint64_t number = 0;
    uint64_t weight[31] = {};  // What a real state costs to copy: 256 bytes in all.
  };
  struct Step {
    StepTraits traits;
    uint32_t id = 0;  // 0 is the pass.
  };

  uint64_t size = 100000;
  uint32_t world_steps = 4;
  uint32_t writes = 3;

  uint64_t Leap(uint64_t from, uint64_t by) const {
    uint64_t h = (from + 1) * 0x9e3779b97f4a7c15u + by * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
    return (h ^ (h >> 29)) % size;
  }

  std::vector<State> Initial() { return {State{}}; }
  Key128 Key(const State& state) { return {size, state.number + 1}; }

  void Steps(const State&, std::vector<Step>& steps) {
    steps.push_back({{.recovers = true, .pass = true, .due_now = true}, 0});
    for (uint32_t id = 1; id <= world_steps; ++id) {
      const uint32_t faults = id == world_steps ? 1 : 0;  // The last one is a fault of the world.
      steps.push_back({{.faults = faults, .recovers = true}, id});
    }
  }

  std::string Label(const State&, const Step& step) {
    return step.id == 0 ? "pass" : "world " + std::to_string(step.id);
  }

  std::optional<State> Execute(const State& state, const Step& step, StepRun<State>& run) {
    State next = state;
    if (step.id > 0) {
      next.number = Leap(state.number, step.id);
      return next;
    }
    for (uint32_t write = 0; write < writes; ++write) {
      const uint32_t fate = run.Choose(3, 1, [&](uint32_t picked) {
        return ChoiceText{"write " + std::to_string(write), "fate " + std::to_string(picked)};
      });
      run.Cut(
          {.tag = 2 * write}, [&] { return next; }, [] { return std::string("before"); });
      next.number = Leap(next.number, 100 + 10 * write + fate);
      run.Wrote();
      run.Cut(
          {.tag = 2 * write + 1}, [&] { return next; }, [] { return std::string("after"); });
    }
    return next;
  }

  Standing Check(const State& state, Visit& visit) {
    visit.Premise(0);
    if (state.number % 1009 == 1008) visit.Violate(0, [] { return std::string("a bad number"); });
    return state.number % 3 == 0 ? Standing::kSettled : Standing::kOpen;
  }

  size_t PropertyCount() { return 3; }
  size_t GoalCount() { return 0; }
};

}  // namespace model

#endif  // MODEL_ENGINE_SYNTHETIC_GRAPH_H_
