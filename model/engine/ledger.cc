#include "model/engine/ledger.h"

#include "model/engine/require.h"

namespace model {

void Ledger::EnterState(uint32_t node, Rank rank) {
  node_ = node;
  hop_.reset();
  rank_ = rank;
}

void Ledger::EnterStep(uint32_t node, Hop hop, Rank rank) {
  node_ = node;
  hop_ = hop;
  rank_ = rank;
}

Occurrence Ledger::Here(Rank rank) const { return {node_, hop_, rank, ""}; }

void Ledger::Violation(uint32_t property, uint32_t faults, TextFn text) {
  Require(property < properties_.size(), "a property beyond the system's PropertyCount");
  PropertyRecord& record = properties_[property];
  ++record.violations;
  const Rank rank{faults, rank_.steps};
  if (record.first && record.first->rank <= rank) return;
  record.first = Here(rank);
  record.first->text = text();
  if (!best_ || rank < *best_) best_ = rank;
}

void Ledger::AddPremises(uint32_t property, uint64_t count) {
  Require(property < properties_.size(), "a property beyond the system's PropertyCount");
  properties_[property].premises += count;
}

void Ledger::Goal(uint32_t goal, uint32_t faults) {
  Require(goal < goals_.size(), "a goal beyond the system's GoalCount");
  GoalRecord& record = goals_[goal];
  ++record.times;
  const Rank rank{faults, rank_.steps};
  if (!record.first || rank < record.first->rank) record.first = Here(rank);
}

}  // namespace model
