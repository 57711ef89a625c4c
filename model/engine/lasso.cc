#include "model/engine/lasso.h"

#include <algorithm>
#include <deque>
#include <map>

namespace model {

std::vector<Hop> ShortestRound(uint32_t start, const std::vector<uint32_t>& members,
                               const std::vector<FollowedStep>& steps, bool only_spins) {
  const auto is_member = [&](uint32_t node) {
    return std::binary_search(members.begin(), members.end(), node);
  };
  std::map<uint32_t, std::vector<const FollowedStep*>> out;
  for (const FollowedStep& step : steps) {
    if (only_spins && !step.spins) continue;
    if (is_member(step.from) && is_member(step.to)) out[step.from].push_back(&step);
  }
  std::map<uint32_t, const FollowedStep*> reached_by;
  for (std::deque<uint32_t> queue = {start}; !queue.empty() && !reached_by.contains(start);) {
    const uint32_t node = queue.front();
    queue.pop_front();
    for (const FollowedStep* step : out[node]) {
      if (reached_by.try_emplace(step->to, step).second) queue.push_back(step->to);
    }
  }
  std::vector<Hop> round;
  if (!reached_by.contains(start)) return round;
  uint32_t node = start;
  do {
    round.push_back(reached_by.at(node)->hop);
    node = reached_by.at(node)->from;
  } while (node != start);
  std::reverse(round.begin(), round.end());
  return round;
}

}  // namespace model
