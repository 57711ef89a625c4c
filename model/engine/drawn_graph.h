// A system drawn by hand, node by node and edge by edge, for tests of the engine.
//
//   DrawnGraph graph;
//   graph.Edge("start", "middle").Edge("middle", "end", {.faults = 1}).Settle("end");
//
// A node is its name. An edge is a step that is called after where it goes; a scripted step runs
// any code, and so can choose, be cut and report.
#ifndef MODEL_ENGINE_DRAWN_GRAPH_H_
#define MODEL_ENGINE_DRAWN_GRAPH_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/engine/system.h"

namespace model {

class DrawnGraph {
 public:
  using State = std::string;
  using Script = std::function<std::optional<State>(StepRun<State>&)>;

  struct Step {
    StepTraits traits;
    std::string label;
    const Script* script = nullptr;  // Outlives the step: the graph is drawn before it is explored.
  };

  // The properties and goals that tests use are numbered below these.
  static constexpr size_t kProperties = 8;
  static constexpr size_t kGoals = 4;

  DrawnGraph& Start(const std::string& node) {
    initial_.push_back(node);
    return *this;
  }

  // A step "to <to>". It wrote something unless `wrote` is false.
  DrawnGraph& Edge(const std::string& from, const std::string& to, StepTraits traits = {},
                   bool wrote = true) {
    return Scripted(from, "to " + to, traits, [to, wrote](StepRun<State>& run) {
      if (wrote) run.Wrote();
      return std::optional<State>(to);
    });
  }

  DrawnGraph& Scripted(const std::string& from, const std::string& label, StepTraits traits,
                       Script script) {
    if (initial_.empty()) Start(from);
    steps_[from].push_back({label, traits, std::move(script)});
    return *this;
  }

  DrawnGraph& Settle(const std::string& node) { return Stand(node, Standing::kSettled); }
  DrawnGraph& Wait(const std::string& node) { return Stand(node, Standing::kWaiting); }

  // The node breaks the property.
  DrawnGraph& Break(const std::string& node, uint32_t property) {
    broken_[node].push_back(property);
    return *this;
  }

  std::vector<State> Initial() { return initial_; }

  // FNV-1a of the name.
  Key128 Key(const State& state) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (unsigned char c : state) hash = (hash ^ c) * 0x100000001b3u;
    return {1, hash};
  }

  void Steps(const State& state, std::vector<Step>& steps) {
    const auto drawn = steps_.find(state);
    if (drawn == steps_.end()) return;
    for (const DrawnStep& step : drawn->second) {
      steps.push_back({step.traits, step.label, &step.script});
    }
  }

  std::string Label(const State&, const Step& step) { return step.label; }

  std::optional<State> Execute(const State&, const Step& step, StepRun<State>& run) {
    return (*step.script)(run);
  }

  Standing Check(const State& state, Visit& visit) {
    for (uint32_t property : broken_[state]) {
      visit.Premise(property);
      visit.Violate(property, [&] { return "in " + state; });
    }
    const auto standing = standings_.find(state);
    return standing == standings_.end() ? Standing::kOpen : standing->second;
  }

  size_t PropertyCount() { return kProperties; }
  size_t GoalCount() { return kGoals; }

 private:
  struct DrawnStep {
    std::string label;
    StepTraits traits;
    Script script;
  };

  DrawnGraph& Stand(const std::string& node, Standing standing) {
    standings_[node] = standing;
    return *this;
  }

  std::vector<State> initial_;
  std::map<State, std::vector<DrawnStep>> steps_;
  std::map<State, Standing> standings_;
  std::map<State, std::vector<uint32_t>> broken_;
};

}  // namespace model

#endif  // MODEL_ENGINE_DRAWN_GRAPH_H_
