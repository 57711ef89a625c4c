// The explorer: visits every state a system can reach and collects what is wrong with it.
//
// What it explores is described in system.h, what a step may ask of it in run.h, what it can be
// told and what it answers in exploration.h.
//
// The order is by layers: a step, a pick or a cut that costs c faults leads c layers further, and
// within a layer the search is breadth-first. So the first path to a state, or to a broken
// property, has the fewest faults, and among those the fewest steps; what is left is decided by the
// system's own order of steps. No budget of faults is part of a state, so a search without a last
// layer covers any number of faults, and ends when a further fault adds no state.
//
// States live only while they wait to be looked at. What stays is their key and how they were
// reached (nodes.h); a path is told by running it again, so nothing is put into words until
// somebody asks.
#ifndef MODEL_ENGINE_EXPLORER_H_
#define MODEL_ENGINE_EXPLORER_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/engine/exploration.h"
#include "model/engine/nodes.h"
#include "model/engine/path.h"
#include "model/engine/require.h"
#include "model/engine/retake.h"
#include "model/engine/system.h"

namespace model {

template <Explorable System>
class Explorer final : private CutSink<typename System::State> {
 public:
  using State = typename System::State;
  using Step = typename System::Step;

  // The system must outlive the explorer.
  Explorer(System& system, ExploreOptions options)
      : system_(system),
        options_(std::move(options)),
        ledger_(system.PropertyCount(), system.GoalCount()),
        run_(ledger_, *this) {}

  // Explores, once.
  Exploration Explore();

  // The shortest path to a state, followed by these steps; and the shortest path to what happened
  // in a state or in a step out of it. Runs the path again, and dies if that goes another way.
  Path PathTo(uint32_t node, const std::vector<Hop>& onward = {});
  Path PathTo(const Occurrence& occurrence) {
    return PathTo(occurrence.node,
                  occurrence.hop ? std::vector{*occurrence.hop} : std::vector<Hop>{});
  }

  const Nodes& nodes() const { return nodes_; }
  const RecoveryGraph& recovery_graph() const { return graph_; }

 private:
  struct Waiting {
    State state;
    uint32_t node;
  };
  // A run that is still to be made of the current step.
  struct Planned {
    Picks picks;
    uint32_t paid_picks = 0;  // Those that cost a fault.
    uint32_t fresh_from = 0;  // One past the last picked point.
    uint64_t trail = 0;       // What the points up to there must look like.
  };
  // Where the explorer is. Cuts arrive in the middle of a run and need it.
  struct Here {
    uint32_t node = 0;
    Rank rank;
    Hop hop;
  };

  void Search();
  bool IsOver();
  void Expand(const State& state);
  void TakeStep(const State& state, uint32_t position);
  void RunOnce(const State& state, const Step& step, const Planned& planned);
  void PlanFurtherRuns(const Planned& done);
  bool Take(const CutOffer<State>& offer) override;
  uint32_t Land(Key128 key, absl::FunctionRef<State()> make, Hop hop, uint32_t faults);
  void Wait(uint32_t node, Rank rank, State state);
  void AskToGoOn();
  void ReportRecovery();
  void ReportComponents(std::optional<uint32_t> property, uint64_t premises,
                        const std::vector<BadComponent>& bad, const char* text);

  System& system_;
  const ExploreOptions options_;
  Ledger ledger_;
  StepRun<State> run_;
  Nodes nodes_;
  RecoveryGraph graph_;
  // Ordered by rank, which is the whole order of exploration. A state that is reached again by a
  // better path waits twice; whoever finds it under a rank that is no longer its own passes it
  // over.
  std::map<Rank, std::deque<Waiting>> frontier_;
  Exploration result_;
  bool explored_ = false;
  bool interrupted_ = false;

  Here here_;
  std::vector<Step> steps_;       // Of the current state.
  std::vector<Planned> planned_;  // Of the current step.
};

template <Explorable System>
Exploration Explorer<System>::Explore() {
  Require(!std::exchange(explored_, true), "an explorer explores once");
  std::vector<State> initial = system_.Initial();
  for (uint32_t i = 0; i < initial.size(); ++i) {
    const uint32_t node = nodes_.Intern(system_.Key(initial[i])).number;
    if (nodes_.Reach(node, kNoNode, {.step = i}, {})) Wait(node, {}, std::move(initial[i]));
  }
  Search();
  ReportRecovery();
  result_.properties = ledger_.properties();
  result_.goals = ledger_.goals();
  return result_;
}

template <Explorable System>
void Explorer<System>::Search() {
  while (!frontier_.empty()) {
    auto bucket = frontier_.extract(frontier_.begin());
    here_.rank = bucket.key();
    std::deque<Waiting>& waiting = bucket.mapped();
    while (!waiting.empty()) {
      const Waiting next = std::move(waiting.front());
      waiting.pop_front();
      --result_.statistics.waiting;
      if (nodes_.RankOf(next.node) != here_.rank) continue;
      if (IsOver()) return;
      here_.node = next.node;
      Expand(next.state);
      AskToGoOn();
    }
  }
  result_.ended = result_.statistics.beyond_layer > 0 ? Ended::kLastLayer : Ended::kClosed;
}

template <Explorable System>
bool Explorer<System>::IsOver() {
  Statistics& statistics = result_.statistics;
  statistics.bytes =
      nodes_.bytes() + graph_.bytes() + (statistics.waiting + 1) * options_.bytes_per_state;
  if (options_.stop_at_first && ledger_.BrokeBy(here_.rank)) {
    result_.ended = Ended::kFirstViolation;
  } else if (statistics.states >= options_.states_max) {
    result_.ended = Ended::kStates;
  } else if (statistics.bytes > options_.bytes_max) {
    result_.ended = Ended::kMemory;
  } else if (interrupted_) {
    result_.ended = Ended::kInterrupted;
  } else {
    return false;
  }
  return true;
}

template <Explorable System>
void Explorer<System>::Expand(const State& state) {
  Statistics& statistics = result_.statistics;
  ++statistics.states;
  statistics.layers.resize(here_.rank.faults + 1);
  ++statistics.layers.back();
  statistics.steps_max = std::max(statistics.steps_max, here_.rank.steps);

  ledger_.EnterState(here_.node, here_.rank);
  Visit visit(ledger_, here_.node, here_.rank.faults);
  nodes_.Close(here_.node, system_.Check(state, visit));

  steps_.clear();
  system_.Steps(state, steps_);
  graph_.Open(here_.node);
  for (uint32_t position = 0; position < steps_.size(); ++position) TakeStep(state, position);
  graph_.Close();
}

// Runs a step once for every vector of choices: first with none, then with one more pick after the
// last of each run made so far, so that runs with fewer picks come first.
template <Explorable System>
void Explorer<System>::TakeStep(const State& state, uint32_t position) {
  const Step step = steps_[position];
  if (step.traits.faults > options_.faults_max - here_.rank.faults) {
    ++result_.statistics.beyond_layer;
    return;
  }
  here_.hop.step = position;
  planned_.assign(1, Planned{});
  for (size_t i = 0; i < planned_.size(); ++i) {
    const Planned planned = std::move(planned_[i]);
    RunOnce(state, step, planned);
    PlanFurtherRuns(planned);
  }
}

template <Explorable System>
void Explorer<System>::RunOnce(const State& state, const Step& step, const Planned& planned) {
  Statistics& statistics = result_.statistics;
  ++statistics.runs;
  if (step.traits.pass) ++statistics.passes;
  if (!planned.picks.empty()) ++statistics.fates;

  here_.hop.picks = planned.picks.empty() ? 0 : nodes_.NumberOfPicks(planned.picks);
  here_.hop.cut = 0;
  const uint32_t faults = here_.rank.faults + step.traits.faults;
  ledger_.EnterStep(here_.node, here_.hop, {faults, here_.rank.steps + 1});
  run_.Start({.picks = planned.picks, .faults = faults, .fresh_from = planned.fresh_from});
  std::optional<State> end = system_.Execute(state, step, run_);
  if (run_.picks_made() != run_.picks_given() ||
      run_.TrailOf(planned.fresh_from) != planned.trail) {
    Die("nondeterminism: step \"" + system_.Label(state, step) +
        "\" offered other choices after the same ones");
  }
  if (!end) return;
  const uint32_t target = Land(
      system_.Key(*end), [&] { return *std::move(end); }, here_.hop, run_.faults());
  if (step.traits.recovers && run_.faults() == here_.rank.faults) {
    const bool spins = step.traits.pass && step.traits.due_now && !run_.wrote();
    graph_.Add({.target = target, .pass = step.traits.pass, .spins = spins});
    if (options_.on_recovery) options_.on_recovery(here_.node, here_.hop, target, spins);
  }
}

template <Explorable System>
void Explorer<System>::PlanFurtherRuns(const Planned& done) {
  const auto& points = run_.points();
  for (uint32_t point = done.fresh_from; point < points.size(); ++point) {
    const uint32_t cost = points[point].faults;
    const uint32_t others = points[point].options - 1;
    if (cost > options_.faults_max - run_.faults()) {
      result_.statistics.beyond_layer += others;
    } else if (cost > 0 && done.paid_picks == options_.picks_per_step_max) {
      result_.statistics.beyond_picks += others;
    } else {
      for (uint32_t option = 1; option <= others; ++option) {
        Planned& planned = planned_.emplace_back();
        planned.picks = done.picks;
        planned.picks.push_back({point, option});
        planned.paid_picks = done.paid_picks + (cost > 0 ? 1 : 0);
        planned.fresh_from = point + 1;
        planned.trail = points[point].trail;
      }
    }
  }
}

template <Explorable System>
bool Explorer<System>::Take(const CutOffer<State>& offer) {
  if (offer.faults > options_.faults_max) {
    ++result_.statistics.beyond_layer;
    return false;
  }
  ++result_.statistics.cuts;
  Hop hop = here_.hop;
  hop.cut = offer.ordinal;
  uint32_t target;
  if (offer.key != nullptr) {
    target = Land((*offer.key)(), offer.make, hop, offer.faults);
  } else {
    State state = offer.make();
    target = Land(
        system_.Key(state), [&] { return std::move(state); }, hop, offer.faults);
  }
  if (options_.on_cut) options_.on_cut(offer.tag, target);
  return false;
}

// Follows an edge out of the current state; returns the number of the state it leads to. `make`
// gives that state, and is called only if there is a reason to go on from it.
template <Explorable System>
uint32_t Explorer<System>::Land(Key128 key, absl::FunctionRef<State()> make, Hop hop,
                                uint32_t faults) {
  ++result_.statistics.edges;
  const uint32_t target = nodes_.Intern(key).number;
  const Rank rank{faults, here_.rank.steps + 1};
  if (nodes_.Reach(target, here_.node, hop, rank)) Wait(target, rank, make());
  return target;
}

template <Explorable System>
void Explorer<System>::Wait(uint32_t node, Rank rank, State state) {
  frontier_[rank].push_back({std::move(state), node});
  ++result_.statistics.waiting;
}

template <Explorable System>
void Explorer<System>::AskToGoOn() {
  if (!options_.keep_going || options_.ask_every_states == 0) return;
  if (result_.statistics.states % options_.ask_every_states != 0) return;
  interrupted_ = interrupted_ || !options_.keep_going(result_.statistics);
}

template <Explorable System>
void Explorer<System>::ReportRecovery() {
  RecoveryReport& recovery = result_.recovery;
  recovery = AnalyseRecovery(graph_, nodes_);
  ReportComponents(options_.recovery_property, recovery.bottoms, recovery.stuck,
                   "recovery does not end: no way on leads to a settled state or to a person");
  ReportComponents(options_.spin_property, graph_.edges(), recovery.spins,
                   "passes that are due now and write nothing go round for ever");
}

template <Explorable System>
void Explorer<System>::ReportComponents(std::optional<uint32_t> property, uint64_t premises,
                                        const std::vector<BadComponent>& bad, const char* text) {
  if (!property) return;
  ledger_.AddPremises(*property, premises);
  for (const BadComponent& component : bad) {
    const Rank rank = nodes_.RankOf(component.first);
    ledger_.EnterState(component.first, rank);
    ledger_.Violation(*property, rank.faults, [&] {
      return std::string(text) + " (" + std::to_string(component.members.size()) + " states)";
    });
  }
}

// Walks back to the initial state, then runs forward again in words.
template <Explorable System>
Path Explorer<System>::PathTo(uint32_t node, const std::vector<Hop>& onward) {
  struct Way {
    Hop hop;
    Key128 key;  // Of the state it led to when it was explored; {}: not compared.
  };
  std::vector<Way> ways;
  for (auto hop = onward.rbegin(); hop != onward.rend(); ++hop) ways.push_back({*hop, {}});
  for (; nodes_.ParentOf(node) != kNoNode; node = nodes_.ParentOf(node)) {
    ways.push_back({nodes_.HopTo(node), nodes_.KeyOf(node)});
  }
  Path path;
  path.initial = nodes_.HopTo(node).step;
  std::optional<State> state = std::move(system_.Initial()[path.initial]);
  uint32_t faults = 0;
  for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
    const Hop hop = way->hop;
    Require(state.has_value(), "nondeterminism: a path leads nowhere before its end");
    std::vector<Step> steps;
    system_.Steps(*state, steps);
    Require(hop.step < steps.size(), "nondeterminism: a step is gone when its path is told");
    const Step& step = steps[hop.step];
    auto retaken = Retake(system_, *state, step, nodes_.PicksOf(hop.picks), hop.cut, faults);
    Require(retaken.all_picks_made && retaken.cut_taken == (hop.cut != 0),
            "nondeterminism: a choice or a cut is gone when its path is told");
    const Key128 key = retaken.state ? system_.Key(*retaken.state) : Key128{};
    Require(way->key == Key128{} || way->key == key,
            "nondeterminism: a path leads to another state when it is told");
    path.entries.push_back({.step = system_.Label(*state, step),
                            .choices = std::move(retaken.choices),
                            .cut = {hop.cut, std::move(retaken.cut_label)},
                            .key = key});
    faults = retaken.faults;
    state = std::move(retaken.state);
  }
  return path;
}

}  // namespace model

#endif  // MODEL_ENGINE_EXPLORER_H_
