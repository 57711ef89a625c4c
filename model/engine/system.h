// What can be explored: the promises a system makes to the engine.
//
// A System is any class with these members; nothing is inherited. The engine knows nothing else.
//
//   using State = ...;  // A copyable value.
//   using Step = ...;   // A small copyable value with a member `StepTraits traits`.
//
//   std::vector<State> Initial();
//   Key128 Key(const State&);
//       Equal keys: the engine goes on from one of the two states, and never looks at the other.
//   void Steps(const State&, std::vector<Step>& steps);
//       Appends every step the state offers, in an order that is a function of the state's content.
//   std::string Label(const State&, const Step&);
//       Stable text such as "pass schema/a", unique among the steps of the state. Called for
//       schedules and replays only.
//   std::optional<State> Execute(const State&, const Step&, StepRun<State>&);
//       Runs the step to its end and returns the state it ends in; nothing if this run leads
//       nowhere (its cuts and findings still count). Everything that is not determined by the state
//       and the step is asked of the run (run.h).
//   Standing Check(const State&, Visit&);
//       Looks at a state, reports what it finds, and says how it stands. Called once per distinct
//       state in an exploration, before its steps are taken.
//   size_t PropertyCount();
//   size_t GoalCount();
//       Properties and goals are numbers below these.
//
// The promises: each member is a function of its arguments (a cache is fine, a clock is not), and
// states with equal keys offer the same steps, choices and futures, up to what a key leaves out.
#ifndef MODEL_ENGINE_SYSTEM_H_
#define MODEL_ENGINE_SYSTEM_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/key.h"
#include "model/engine/run.h"

namespace model {

// What a step is to the explorer.
struct StepTraits {
  uint32_t faults = 0;    // What taking it costs: 0 for what may happen in a good run.
  bool recovers = false;  // Counts as recovery: a due pass, a step of the world.
  bool pass = false;      // A pass of a controller, for the figures.
  bool due_now = false;   // A pass that asks to run at once: part of a spin if it writes nothing.
};

template <class S>
concept Explorable = std::copyable<typename S::State> && std::copyable<typename S::Step> &&
    requires(S& system, const typename S::State& state, const typename S::Step& step,
             std::vector<typename S::Step>& steps, StepRun<typename S::State>& run, Visit& visit) {
  { system.Initial() } -> std::convertible_to<std::vector<typename S::State>>;
  { system.Key(state) } -> std::same_as<Key128>;
  {system.Steps(state, steps)};
  { step.traits } -> std::convertible_to<StepTraits>;
  { system.Label(state, step) } -> std::convertible_to<std::string>;
  { system.Execute(state, step, run) } -> std::convertible_to<std::optional<typename S::State>>;
  { system.Check(state, visit) } -> std::same_as<Standing>;
  { system.PropertyCount() } -> std::convertible_to<size_t>;
  { system.GoalCount() } -> std::convertible_to<size_t>;
};

}  // namespace model

#endif  // MODEL_ENGINE_SYSTEM_H_
