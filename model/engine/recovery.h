// Does recovery end? The graph of fault-free recovery steps, and what is read off it.
//
// A recovery step is one that costs no fault and happens by itself: a due pass, a step of the
// world. Recovery ends if from every state every bottom strongly connected component (one with no
// way out) holds a state that is settled or waits for a person. A bottom component that does not is
// a state in which nothing is due though something is open, or a livelock.
//
// It also finds spins: cycles of passes that are due now and write nothing.
#ifndef MODEL_ENGINE_RECOVERY_H_
#define MODEL_ENGINE_RECOVERY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "model/engine/nodes.h"

namespace model {

struct RecoveryEdge {
  uint32_t target = 0;
  bool pass = false;   // A pass, as against a step of the world.
  bool spins = false;  // A pass that was due at once and wrote nothing.
  friend bool operator==(const RecoveryEdge&, const RecoveryEdge&) = default;
};

// Adjacency lists, 4 bytes an edge: two flags and a node number below 2^30.
class RecoveryGraph {
 public:
  // Lists are written one node at a time: Open, any number of Adds, Close. A node has at most one.
  void Open(uint32_t node);
  void Add(RecoveryEdge edge);  // Again the same one: once is enough.
  void Close();

  // The edges out of a node, in the order in which they were added. Usage:
  //   for (uint32_t at = graph.First(node); graph.Holds(at); ++at) use(graph.At(at));
  uint32_t First(uint32_t node) const { return node < first_.size() ? first_[node] : 0; }
  bool Holds(uint32_t at) const { return edges_[at] != kEnd; }
  RecoveryEdge At(uint32_t at) const;

  size_t edges() const { return edges_.size() - lists_ - 1; }
  size_t bytes() const { return (edges_.size() + first_.size()) * sizeof(uint32_t); }

 private:
  static constexpr uint32_t kEnd = 0xffffffff;

  std::vector<uint32_t> edges_ = {kEnd};  // Position 0 is the empty list of nodes without one.
  std::vector<uint32_t> first_;
  size_t lists_ = 0;
  size_t open_at_ = 0;
};

// A strongly connected component that should not be.
struct BadComponent {
  uint32_t first = 0;  // Its state with fewest faults, then fewest steps, then discovery.
  std::vector<uint32_t> members;  // All of its states, by number.
};

struct RecoveryReport {
  uint32_t bottoms = 0;  // Bottom components looked at.
  std::vector<BadComponent>
      stuck;  // Those without a state that is settled or waits. By first state.
  std::vector<BadComponent>
      spins;  // Components in which due-now passes that write nothing go round.
  // Over all states from which recovery can end: the most steps that the shortest way there takes,
  // and the most passes that the way with the fewest of them takes.
  uint32_t longest_steps = 0;
  uint32_t longest_passes = 0;
  uint32_t longest_node = kNoNode;  // The first state with longest_steps.
};

// Reads the report off the graph. States that were never closed (a limit came first) count as a way
// out: nothing is claimed of a component that leads to one.
RecoveryReport AnalyseRecovery(const RecoveryGraph& graph, const Nodes& nodes);

// The strongly connected components of the part of a graph that `follow` accepts, without
// recursion.
struct Components {
  std::vector<uint32_t> of;  // Per node, the number of its component; successors have smaller ones.
  uint32_t count = 0;
};
Components StronglyConnected(const RecoveryGraph& graph, size_t nodes,
                             absl::FunctionRef<bool(RecoveryEdge)> follow);

}  // namespace model

#endif  // MODEL_ENGINE_RECOVERY_H_
