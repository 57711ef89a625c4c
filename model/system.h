// The operator as a system to explore: its controllers, the actors of its world, its registry of
// durable writes, its properties and verdicts.
//
// Answers: design.md, "One System"; model/engine/system.h says what an explorer asks of it.

#ifndef MODEL_SYSTEM_H_
#define MODEL_SYSTEM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/compare.h"
#include "model/coverage.h"
#include "model/engine/key.h"
#include "model/engine/part.h"
#include "model/engine/run.h"
#include "model/engine/system.h"
#include "model/goals.h"
#include "model/judge.h"
#include "model/pass.h"
#include "sim/actors.h"
#include "sim/world.h"

namespace model {

// What the probe of a state showed: what a fresh process concludes there.
struct Probe {
  VerdictSet verdicts;
  WriteSet writes;
  friend bool operator==(const Probe&, const Probe&) = default;
  friend auto operator<=>(const Probe&, const Probe&) = default;
};

// One side of a durable write at which a process was stopped.
struct Boundary {
  sim::Family family = sim::Family::kSchema;
  WriteSet writes;
  bool after = false;
  friend auto operator<=>(const Boundary&, const Boundary&) = default;
};

// What a system wants to know of a run besides what the engine counts.
struct Observations {
  // By the number of a boundary: what it is. Cuts carry the number as their tag.
  std::vector<Boundary> boundaries;
  std::map<Boundary, uint32_t> boundary_numbers;
  // By the number of a state.
  std::vector<Probe> probes;
  // What a pass stored next after each write; the empty set is "the pass ended".
  std::map<WriteOfFamily, std::map<WriteSet, uint64_t>> followed_by;
  Coverage coverage;
};

class OperatorSystem {
 public:
  using State = sim::World;
  struct Step {
    StepTraits traits;
    bool pass = false;
    PassId id;                                    // Of a pass.
    std::shared_ptr<const sim::WorldStep> world;  // Of a step of the world.
  };

  struct Options {
    int operations = 1;
    bool readings = false;  // Chains of readings are followed too, not only what an Apply leads to.
    sim::DigestOptions digest;
    bool resync = true;            // Passes run in any state, due or not.
    bool probe = true;             // Every state is probed with a fresh pass.
    Comparer* comparer = nullptr;  // Compares what is sampled; null: nothing. Outlives the system.
  };

  // All outlive the system.
  OperatorSystem(sim::World initial, PassRunner& runner, const sim::Actors& actors,
                 const Goals& goals, Options options);

  std::vector<State> Initial() { return {initial_}; }
  Key128 Key(const State& state);
  // What the key is made of: for a replay that says how a state differs from the recorded one.
  PartDigests Parts(const State& state) const;
  void Steps(const State& state, std::vector<Step>& steps);
  std::string Label(const State& state, const Step& step);
  std::optional<State> Execute(const State& state, const Step& step, StepRun<State>& run);
  Standing Check(const State& state, Visit& visit);
  size_t PropertyCount() const { return kPropertyCount; }
  size_t GoalCount() const { return goals_.size(); }

  const Observations& observations() const { return observations_; }
  Observations& observations() { return observations_; }

  // What a fresh process does in this state, in words, one line each.
  std::vector<std::string> DescribeProbe(const State& state);

 private:
  State RunPass(const State& state, PassId id, StepRun<State>& run);
  Probe ProbeState(const State& state, Visit& visit);
  void ReachPhases(const State& state, Visit& visit);
  void ReachLogLoss(const State& state, const sim::Entry& entry, Visit& visit);

  const sim::World initial_;
  PassRunner& runner_;
  const sim::Actors& actors_;
  const Goals& goals_;
  const Options options_;
  Observations observations_;
};

}  // namespace model

#endif  // MODEL_SYSTEM_H_
