// The book of findings of one exploration: how often each property's premise held, how often the
// property broke and where it did so first, and how often each goal was reached.
//
// "First" is by rank, then by order of exploration, so it is the same on every run.
#ifndef MODEL_ENGINE_LEDGER_H_
#define MODEL_ENGINE_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/engine/nodes.h"
#include "model/engine/run.h"

namespace model {

// Where something happened: in a state, or during a step out of it.
struct Occurrence {
  uint32_t node = 0;
  std::optional<Hop> hop;  // The step during which it happened; none: in the state itself.
  Rank rank;               // The faults and steps that lead to it.
  std::string text;        // The system's own words.
};

struct PropertyRecord {
  uint64_t premises = 0;  // How often there was something to check. 0: it holds vacuously.
  uint64_t violations = 0;
  std::optional<Occurrence> first;
};

struct GoalRecord {
  uint64_t times = 0;
  std::optional<Occurrence> first;
};

class Ledger final : public Recorder {
 public:
  Ledger(size_t properties, size_t goals) : properties_(properties), goals_(goals) {}

  // What follows happens in this state, or in this step out of it.
  void EnterState(uint32_t node, Rank rank);
  void EnterStep(uint32_t node, Hop hop, Rank rank);

  void Violation(uint32_t property, uint32_t faults, TextFn text) override;
  void Premise(uint32_t property) override { AddPremises(property, 1); }
  void Goal(uint32_t goal, uint32_t faults) override;

  void AddPremises(uint32_t property, uint64_t count);

  // Whether some property broke at a rank no worse than this one.
  bool BrokeBy(Rank rank) const { return best_ && *best_ <= rank; }

  const std::vector<PropertyRecord>& properties() const { return properties_; }
  const std::vector<GoalRecord>& goals() const { return goals_; }

 private:
  Occurrence Here(Rank rank) const;

  std::vector<PropertyRecord> properties_;
  std::vector<GoalRecord> goals_;
  uint32_t node_ = 0;
  std::optional<Hop> hop_;
  Rank rank_;  // Of the state, or of the step's end; faults are told with each finding.
  std::optional<Rank> best_;
};

}  // namespace model

#endif  // MODEL_ENGINE_LEDGER_H_
