// What an exploration is asked to do, and what it found: plain values, whatever was explored.
#ifndef MODEL_ENGINE_EXPLORATION_H_
#define MODEL_ENGINE_EXPLORATION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/engine/ledger.h"
#include "model/engine/recovery.h"

namespace model {

inline constexpr uint32_t kNoLimit = 0xffffffff;

// Figures of an exploration: each a function of the system and the options, never of the machine.
struct Statistics {
  uint64_t states = 0;           // Distinct states looked at.
  uint64_t edges = 0;            // Ends of steps and cuts that were followed to a state.
  uint64_t runs = 0;             // Executions of steps.
  uint64_t passes = 0;           // Those of steps that are passes.
  uint64_t cuts = 0;             // Cuts injected, none counted twice.
  uint64_t fates = 0;            // Runs in which something other than option 0 was picked.
  uint64_t beyond_layer = 0;     // Steps, picks and cuts left out because of faults_max.
  uint64_t beyond_picks = 0;     // Picks left out because of picks_per_step_max.
  uint32_t steps_max = 0;        // The most steps on a shortest path to a state.
  std::vector<uint64_t> layers;  // States looked at, by the fewest faults that reach them.
  uint64_t waiting = 0;          // States found and not yet looked at.
  uint64_t bytes = 0;            // Memory in use, estimated from counts.
};

struct ExploreOptions {
  // The last layer: nothing is followed that needs more faults. kNoLimit: until nothing is new.
  uint32_t faults_max = kNoLimit;
  // The most picks that cost a fault in one run of one step.
  uint32_t picks_per_step_max = 1;
  uint64_t states_max = UINT64_MAX;
  uint64_t bytes_max = UINT64_MAX;
  uint64_t bytes_per_state = 1024;  // What a waiting state is estimated to take.
  // Ends once no earlier violation can be found than the earliest one known.
  bool stop_at_first = false;
  // The properties that a component without rest, and a spin, are reported under.
  std::optional<uint32_t> recovery_property = {};
  std::optional<uint32_t> spin_property = {};
  // Called after every so many states; returning false interrupts. A caller's clock stands behind
  // it: time may end an exploration and never changes what it finds.
  uint64_t ask_every_states = 100;
  std::function<bool(const Statistics&)> keep_going = {};
  // Called for every cut that is followed: the system's tag of it, and the state it led to.
  std::function<void(uint32_t tag, uint32_t node)> on_cut = {};
  // Called for every recovery step that is followed, whether it leads to a new state or not.
  std::function<void(uint32_t from, Hop hop, uint32_t to, bool spins)> on_recovery = {};
};

// Why an exploration ended.
enum class Ended {
  kClosed,          // Nothing is left: the whole space, with any number of faults.
  kLastLayer,       // The whole space up to faults_max; something lies beyond.
  kStates,          // states_max came first.
  kMemory,          // bytes_max came first.
  kInterrupted,     // keep_going said no.
  kFirstViolation,  // stop_at_first, and there was one.
};

// Whether all that was asked for was explored. Otherwise nothing is claimed about the rest.
inline bool IsComplete(Ended ended) {
  return ended == Ended::kClosed || ended == Ended::kLastLayer;
}

struct Exploration {
  Ended ended = Ended::kClosed;
  Statistics statistics;
  std::vector<PropertyRecord> properties;  // By number.
  std::vector<GoalRecord> goals;           // By number. Never reached: times is 0.
  RecoveryReport recovery;
};

}  // namespace model

#endif  // MODEL_ENGINE_EXPLORATION_H_
