// What the engine keeps of a state once the state itself is gone: its key, and how it was reached.
//
// 40 bytes a state with its key (and the index over keys). A parent, the position of the step among
// its parent's steps, the picks and the cut are enough to run the path again, so states, labels and
// texts are kept only while they are being worked on.
#ifndef MODEL_ENGINE_NODES_H_
#define MODEL_ENGINE_NODES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/engine/key.h"
#include "model/engine/run.h"

namespace model {

// The order of exploration, and of everything called shortest: fewest faults, then fewest steps.
struct Rank {
  uint32_t faults = 0;
  uint32_t steps = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// One step of a path, by position instead of by text.
struct Hop {
  uint32_t step = 0;   // Position in the list of the state's steps.
  uint32_t picks = 0;  // Number of the picks in the table of picks; 0 is "none".
  uint32_t cut = 0;    // Ordinal of the cut; 0 is the end of the step.
  friend bool operator==(const Hop&, const Hop&) = default;
};

class Nodes {
 public:
  Nodes();

  // Returns the number of the state with this key, and whether it is new. A new one is worse than
  // every rank, until Reach gives it one.
  KeyIndex::Numbered Intern(Key128 key);
  std::optional<uint32_t> Find(Key128 key) const { return index_.Find(key); }

  // Records that `node` is reached from `parent` (kNoNode: it is the initial state number
  // `hop.step`) with this rank, if that is better than what is known. Returns whether it is.
  bool Reach(uint32_t node, uint32_t parent, Hop hop, Rank rank);

  // Says that the state was looked at, and how it stands.
  void Close(uint32_t node, Standing standing);

  uint32_t ParentOf(uint32_t node) const { return nodes_[node].parent; }
  Hop HopTo(uint32_t node) const;
  Rank RankOf(uint32_t node) const { return {nodes_[node].faults, nodes_[node].steps}; }
  Key128 KeyOf(uint32_t node) const { return index_.KeyOf(node); }
  bool IsClosed(uint32_t node) const { return nodes_[node].closed; }
  Standing StandingOf(uint32_t node) const { return nodes_[node].standing; }

  // The table of picks: few distinct ones occur, so nodes hold their numbers.
  uint32_t NumberOfPicks(const Picks& picks);
  const Picks& PicksOf(uint32_t number) const { return *picks_[number]; }

  size_t size() const { return nodes_.size(); }
  size_t bytes() const { return nodes_.size() * sizeof(Node) + index_.bytes(); }

 private:
  struct Node {
    uint32_t parent = kNoNode;
    uint32_t picks = 0;
    uint32_t steps = 0xffffffff;
    uint16_t faults = 0xffff;
    uint16_t step = 0;
    uint16_t cut = 0;
    Standing standing = Standing::kOpen;
    bool closed = false;
  };

  KeyIndex index_;
  std::vector<Node> nodes_;
  std::map<Picks, uint32_t> numbers_;
  std::vector<const Picks*> picks_;  // The keys of numbers_, by number. A map's keys do not move.
};

}  // namespace model

#endif  // MODEL_ENGINE_NODES_H_
