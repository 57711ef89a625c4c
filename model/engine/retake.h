// Takes one step again, in words: what the explorer and a replay both do to turn a compact hop, or
// a line of a schedule, back into a run.
#ifndef MODEL_ENGINE_RETAKE_H_
#define MODEL_ENGINE_RETAKE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/engine/path.h"
#include "model/engine/system.h"

namespace model {

// A property that broke, in the system's words.
struct Finding {
  uint32_t property = 0;
  std::string text;
  friend bool operator==(const Finding&, const Finding&) = default;
};

// Keeps the violations of a run or a visit.
class FindingList final : public Recorder {
 public:
  void Violation(uint32_t property, uint32_t, TextFn text) override {
    findings.push_back({property, text()});
  }
  void Premise(uint32_t) override {}
  void Goal(uint32_t goal, uint32_t) override { goals.push_back(goal); }

  std::vector<Finding> findings;
  std::vector<uint32_t> goals;
};

template <class State>
struct Retaken {
  std::optional<State> state;     // Where it led; nothing if nowhere, or if the cut never came.
  std::vector<Choice> choices;    // The picks that were made, in words.
  bool all_picks_made = false;    // Whether each pick met a choice point that offers it.
  std::vector<uint32_t> options;  // Of each choice point met.
  bool cut_taken = false;         // Whether the cut came.
  std::string cut_label;
  uint32_t faults = 0;             // From the initial state to where it led.
  std::vector<std::string> notes;  // The run's own lines, up to the cut.
  std::vector<Finding> findings;   // Likewise.
  std::vector<uint32_t> goals;     // Likewise.
};

// Keeps the one cut with the given ordinal; with ordinal 0, none.
template <class State>
class OneCut final : public CutSink<State> {
 public:
  OneCut(uint32_t ordinal, Retaken<State>& into) : ordinal_(ordinal), into_(into) {}

  bool Take(const CutOffer<State>& offer) override {
    if (offer.ordinal != ordinal_) return false;
    into_.state = offer.make();
    into_.cut_taken = true;
    into_.cut_label = offer.label();
    into_.faults = offer.faults;
    return true;
  }

 private:
  uint32_t ordinal_;
  Retaken<State>& into_;
};

// `faults` are those up to the state; `cut` is the ordinal of a cut, 0 for the end of the step.
template <Explorable System>
Retaken<typename System::State> Retake(System& system, const typename System::State& state,
                                       const typename System::Step& step, const Picks& picks,
                                       uint32_t cut, uint32_t faults) {
  using State = typename System::State;
  Retaken<State> retaken;
  FindingList list;
  OneCut<State> sink(cut, retaken);
  StepRun<State> run(list, sink);
  run.Start({.picks = picks, .faults = faults + step.traits.faults, .describing = true});
  std::optional<State> end = system.Execute(state, step, run);
  if (cut == 0) {
    retaken.state = std::move(end);
    retaken.faults = run.faults();
  }
  retaken.all_picks_made = run.picks_made() == run.picks_given();
  for (const Run::Point& point : run.points()) retaken.options.push_back(point.options);
  retaken.choices = run.described_choices();
  retaken.notes = run.notes();
  retaken.findings = std::move(list.findings);
  retaken.goals = std::move(list.goals);
  return retaken;
}

}  // namespace model

#endif  // MODEL_ENGINE_RETAKE_H_
