#include "model/engine/nodes.h"

#include "model/engine/require.h"

namespace model {

Nodes::Nodes() { NumberOfPicks({}); }

KeyIndex::Numbered Nodes::Intern(Key128 key) {
  const KeyIndex::Numbered numbered = index_.Intern(key);
  if (numbered.is_new) nodes_.emplace_back();
  return numbered;
}

bool Nodes::Reach(uint32_t node, uint32_t parent, Hop hop, Rank rank) {
  if (rank >= RankOf(node)) return false;
  Require(hop.step <= 0xffff && hop.cut <= 0xffff,
          "more than 65535 steps of a state, or cuts in one");
  Require(rank.faults < 0xffff, "more than 65534 layers of faults");
  Node& record = nodes_[node];
  record.parent = parent;
  record.picks = hop.picks;
  record.steps = rank.steps;
  record.faults = static_cast<uint16_t>(rank.faults);
  record.step = static_cast<uint16_t>(hop.step);
  record.cut = static_cast<uint16_t>(hop.cut);
  return true;
}

void Nodes::Close(uint32_t node, Standing standing) {
  nodes_[node].standing = standing;
  nodes_[node].closed = true;
}

Hop Nodes::HopTo(uint32_t node) const {
  const Node& record = nodes_[node];
  return {record.step, record.picks, record.cut};
}

uint32_t Nodes::NumberOfPicks(const Picks& picks) {
  const auto [at, inserted] = numbers_.try_emplace(picks, static_cast<uint32_t>(picks_.size()));
  if (inserted) picks_.push_back(&at->first);
  return at->second;
}

}  // namespace model
