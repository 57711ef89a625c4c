#include "model/engine/recovery.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "model/engine/require.h"

namespace model {
namespace {

constexpr uint32_t kPassBit = 1u << 30;
constexpr uint32_t kSpinBit = 1u << 31;
constexpr uint32_t kNever = 0xffffffff;

uint32_t Pack(RecoveryEdge edge) {
  return edge.target | (edge.pass ? kPassBit : 0) | (edge.spins ? kSpinBit : 0);
}

RecoveryEdge Unpack(uint32_t packed) {
  return {packed & (kPassBit - 1), (packed & kPassBit) != 0, (packed & kSpinBit) != 0};
}

bool IsAtRest(const Nodes& nodes, uint32_t node) {
  return nodes.IsClosed(node) && nodes.StandingOf(node) != Standing::kOpen;
}

// Fewest faults, then fewest steps, then discovery.
bool IsEarlier(const Nodes& nodes, uint32_t a, uint32_t b) {
  return std::pair(nodes.RankOf(a), a) < std::pair(nodes.RankOf(b), b);
}

// What one look over the nodes and edges of each component collects.
struct Summary {
  uint32_t first = kNoNode;
  uint32_t states = 0;
  bool has_way_out = false;
  bool has_cycle = false;
  bool holds_rest = false;
  bool holds_unknown = false;
};

std::vector<Summary> Summarise(const RecoveryGraph& graph, const Nodes& nodes,
                               const Components& components,
                               absl::FunctionRef<bool(RecoveryEdge)> follow) {
  std::vector<Summary> summaries(components.count);
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    Summary& summary = summaries[components.of[node]];
    if (summary.states == 0 || IsEarlier(nodes, node, summary.first)) summary.first = node;
    ++summary.states;
    summary.holds_rest |= IsAtRest(nodes, node);
    summary.holds_unknown |= !nodes.IsClosed(node);
    for (uint32_t at = graph.First(node); graph.Holds(at); ++at) {
      const RecoveryEdge edge = graph.At(at);
      if (!follow(edge)) continue;
      const bool stays = components.of[edge.target] == components.of[node];
      (stays ? summary.has_cycle : summary.has_way_out) = true;
    }
  }
  return summaries;
}

// The components that are `bad`, with their members, by first state.
std::vector<BadComponent> Collect(const Nodes& nodes, const Components& components,
                                  const std::vector<Summary>& summaries,
                                  absl::FunctionRef<bool(const Summary&)> is_bad) {
  std::vector<BadComponent> bad;
  std::vector<uint32_t> place(components.count, kNever);  // Of a bad component, in `bad`.
  for (uint32_t component = 0; component < components.count; ++component) {
    if (!is_bad(summaries[component])) continue;
    place[component] = static_cast<uint32_t>(bad.size());
    bad.push_back({summaries[component].first, {}});
  }
  if (bad.empty()) return bad;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    const uint32_t at = place[components.of[node]];
    if (at != kNever) bad[at].members.push_back(node);
  }
  std::sort(bad.begin(), bad.end(), [&](const BadComponent& a, const BadComponent& b) {
    return IsEarlier(nodes, a.first, b.first);
  });
  return bad;
}

void FindStuck(const RecoveryGraph& graph, const Nodes& nodes, RecoveryReport& report) {
  const auto all = [](RecoveryEdge) { return true; };
  const Components components = StronglyConnected(graph, nodes.size(), all);
  const auto summaries = Summarise(graph, nodes, components, all);
  const auto is_bottom = [](const Summary& s) { return !s.has_way_out && !s.holds_unknown; };
  report.bottoms =
      static_cast<uint32_t>(std::count_if(summaries.begin(), summaries.end(), is_bottom));
  report.stuck = Collect(nodes, components, summaries, [&](const Summary& summary) {
    return is_bottom(summary) && !summary.holds_rest;
  });
}

void FindSpins(const RecoveryGraph& graph, const Nodes& nodes, RecoveryReport& report) {
  const auto spinning = [](RecoveryEdge edge) { return edge.spins; };
  const Components components = StronglyConnected(graph, nodes.size(), spinning);
  const auto summaries = Summarise(graph, nodes, components, spinning);
  report.spins = Collect(nodes, components, summaries,
                         [](const Summary& summary) { return summary.has_cycle; });
}

// The graph with its edges turned round: for each node, where one comes from.
struct Reversed {
  std::vector<uint32_t> first;  // Per node; one more at the end.
  std::vector<uint32_t> edges;  // Packed, `target` being the source.
};

Reversed Reverse(const RecoveryGraph& graph, size_t nodes) {
  Reversed reversed{std::vector<uint32_t>(nodes + 1), std::vector<uint32_t>(graph.edges())};
  const auto for_each = [&](auto use) {
    for (uint32_t node = 0; node < nodes; ++node) {
      for (uint32_t at = graph.First(node); graph.Holds(at); ++at) use(node, graph.At(at));
    }
  };
  for_each([&](uint32_t, RecoveryEdge edge) { ++reversed.first[edge.target + 1]; });
  for (size_t i = 0; i < nodes; ++i) reversed.first[i + 1] += reversed.first[i];
  std::vector<uint32_t> next(reversed.first.begin(), reversed.first.end() - 1);
  for_each([&](uint32_t node, RecoveryEdge edge) {
    reversed.edges[next[edge.target]++] = Pack({node, edge.pass, edge.spins});
  });
  return reversed;
}

// The distance of every node to the nearest one at rest, an edge weighing 0 or 1; kNever: no way.
std::vector<uint32_t> Distances(const Reversed& reversed, const Nodes& nodes,
                                absl::FunctionRef<bool(RecoveryEdge)> weighs) {
  std::vector<uint32_t> distance(nodes.size(), kNever);
  std::deque<std::pair<uint32_t, uint32_t>> queue;  // {node, distance when it was queued}
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (!IsAtRest(nodes, node)) continue;
    distance[node] = 0;
    queue.emplace_back(node, 0);
  }
  while (!queue.empty()) {
    const auto [node, queued_at] = queue.front();
    queue.pop_front();
    if (queued_at != distance[node]) continue;  // A shorter way was found meanwhile.
    for (uint32_t at = reversed.first[node]; at < reversed.first[node + 1]; ++at) {
      const RecoveryEdge edge = Unpack(reversed.edges[at]);
      const uint32_t weight = weighs(edge) ? 1 : 0;
      if (queued_at + weight >= distance[edge.target]) continue;
      distance[edge.target] = queued_at + weight;
      if (weight == 0) {
        queue.emplace_front(edge.target, queued_at);
      } else {
        queue.emplace_back(edge.target, queued_at + 1);
      }
    }
  }
  return distance;
}

void MeasureLongest(const RecoveryGraph& graph, const Nodes& nodes, RecoveryReport& report) {
  const Reversed reversed = Reverse(graph, nodes.size());
  const auto steps = Distances(reversed, nodes, [](RecoveryEdge) { return true; });
  const auto passes = Distances(reversed, nodes, [](RecoveryEdge edge) { return edge.pass; });
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (steps[node] == kNever) continue;
    report.longest_passes = std::max(report.longest_passes, passes[node]);
    if (report.longest_node == kNoNode || steps[node] > report.longest_steps) {
      report.longest_steps = steps[node];
      report.longest_node = node;
    }
  }
}

}  // namespace

void RecoveryGraph::Open(uint32_t node) {
  if (first_.size() <= node) first_.resize(node + 1, 0);
  Require(first_[node] == 0, "a second list of recovery edges for one state");
  Require(edges_.size() < kEnd - 0xffff, "more than 2^32 recovery edges");
  open_at_ = edges_.size();
  first_[node] = static_cast<uint32_t>(open_at_);
}

void RecoveryGraph::Add(RecoveryEdge edge) {
  const uint32_t packed = Pack(edge);
  const auto open = edges_.begin() + static_cast<ptrdiff_t>(open_at_);
  if (std::find(open, edges_.end(), packed) == edges_.end()) edges_.push_back(packed);
}

void RecoveryGraph::Close() {
  edges_.push_back(kEnd);
  ++lists_;
}

RecoveryEdge RecoveryGraph::At(uint32_t at) const { return Unpack(edges_[at]); }

// Tarjan's algorithm with its call stack as a value: recovery chains are as long as the space is
// big.
Components StronglyConnected(const RecoveryGraph& graph, size_t nodes,
                             absl::FunctionRef<bool(RecoveryEdge)> follow) {
  struct Frame {
    uint32_t node;
    uint32_t at;  // The next edge to follow.
  };
  Components components{std::vector<uint32_t>(nodes, kNever), 0};
  std::vector<uint32_t> index(nodes, kNever);
  std::vector<uint32_t> low(nodes, kNever);
  std::vector<uint32_t> stack;  // Visited nodes whose component is still open.
  std::vector<Frame> frames;
  uint32_t next_index = 0;

  const auto enter = [&](uint32_t node) {
    index[node] = low[node] = next_index++;
    stack.push_back(node);
    frames.push_back({node, graph.First(node)});
  };
  const auto leave = [&](uint32_t node) {
    if (low[node] == index[node]) {
      uint32_t member;
      do {
        member = stack.back();
        stack.pop_back();
        components.of[member] = components.count;
      } while (member != node);
      ++components.count;
    }
    frames.pop_back();
    if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
  };

  for (uint32_t root = 0; root < nodes; ++root) {
    if (index[root] != kNever) continue;
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const uint32_t node = frame.node;
      if (!graph.Holds(frame.at)) {
        leave(node);
        continue;
      }
      const RecoveryEdge edge = graph.At(frame.at++);
      if (!follow(edge)) continue;
      if (index[edge.target] == kNever) {
        enter(edge.target);
      } else if (components.of[edge.target] == kNever) {
        low[node] = std::min(low[node], index[edge.target]);
      }
    }
  }
  return components;
}

RecoveryReport AnalyseRecovery(const RecoveryGraph& graph, const Nodes& nodes) {
  RecoveryReport report;
  FindStuck(graph, nodes, report);
  FindSpins(graph, nodes, report);
  MeasureLongest(graph, nodes, report);
  return report;
}

}  // namespace model
