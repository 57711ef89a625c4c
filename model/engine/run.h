// What a system is given while the engine watches it: a Run inside a step, a Visit of a state.
//
// A step runs from its first line to its last, once for every vector of choices. Within one run the
// system may
//   - Choose between options, of which 0 is "nothing goes wrong";
//   - offer Cuts: states in which the step was left unfinished, such as a process stopped before or
//     after a durable write. A cut is never told to the code that runs: it is a copy kept aside;
//   - report findings: a violated property, a premise that held, a goal that was reached.
//
// All runs of a step that share a prefix of choices do the same up to the last of them. So whatever
// a run offers or reports before the last choice it was given belongs to an earlier run and is
// dropped here, once for every system: see Fresh().
#ifndef MODEL_ENGINE_RUN_H_
#define MODEL_ENGINE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "model/engine/path.h"

namespace model {

// Text is made only when somebody will read it: for a first finding, and in replays.
using TextFn = absl::FunctionRef<std::string()>;

// Receives the findings of one run or visit.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // `faults` counts from the initial state to where the property broke.
  virtual void Violation(uint32_t property, uint32_t faults, TextFn text) = 0;
  virtual void Premise(uint32_t property) = 0;
  virtual void Goal(uint32_t goal, uint32_t faults) = 0;
};

// A choice point that is to pick something other than option 0.
struct Pick {
  uint32_t point = 0;
  uint32_t option = 0;
  friend auto operator<=>(const Pick&, const Pick&) = default;
};
using Picks = std::vector<Pick>;

struct ChoiceText {
  std::string label;    // The same for every option of the point.
  std::string meaning;  // Of the option that was picked.
};

// How a run is started. By default it describes nothing and keeps every cut.
struct RunStart {
  Picks picks;              // In order of their points; everything else takes option 0.
  uint32_t faults = 0;      // Faults up to this step, its own included.
  bool describing = false;  // Whether choices, cuts and notes are put into words.
  uint32_t fresh_from = 0;  // The number of choices an earlier run has already covered.
};

// One run of one step. The part that does not depend on the type of the states.
class Run {
 public:
  explicit Run(Recorder& recorder) : recorder_(recorder) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Picks one of `options` alternatives; with fewer than two there is nothing to pick and no choice
  // point. Picking other than 0 adds `faults` to the faults of this run; options that are no fault
  // (where a runner ends) cost 0. `text(picked)` is called at most once, and only when describing.
  uint32_t Choose(uint32_t options, uint32_t faults,
                  absl::FunctionRef<ChoiceText(uint32_t picked)> text);

  // Whether this run is the first to come here. A system that keeps a record of its own (the
  // verdicts after a write, say) adds to it only in fresh parts of a run, and so counts nothing
  // twice.
  bool Fresh() const { return !stopped_ && points_.size() >= fresh_from_; }

  // Whether text is wanted. Only a shortcut: the text functions are not called otherwise.
  bool Describing() const { return describing_; }

  // Faults from the initial state to this point of the run.
  uint32_t faults() const { return faults_; }

  // Findings. `property` and `goal` are numbers below the system's PropertyCount and GoalCount.
  void Violate(uint32_t property, TextFn text);
  void Premise(uint32_t property);
  void Reach(uint32_t goal);

  // The step changed something that lasts. A due pass that never says so may be part of a spin.
  void Wrote() { wrote_ = true; }

  // A line for the timeline of a replay, e.g. one call of the door and its answer.
  void Note(TextFn text);

  // For the engine.
  struct Point {
    uint32_t options;
    uint32_t faults;
    uint64_t trail;  // A digest of the points up to here: equal prefixes must offer equal points.
  };
  void Start(const RunStart& start);
  const std::vector<Point>& points() const { return points_; }
  uint64_t TrailOf(size_t points) const { return points == 0 ? 0 : points_[points - 1].trail; }
  bool wrote() const { return wrote_; }
  // Picks that could be made: all of them, unless the system did not offer what it offered before.
  size_t picks_made() const { return next_pick_; }
  size_t picks_given() const { return picks_.size(); }
  const std::vector<Choice>& described_choices() const { return described_; }
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  Recorder& recorder_;
  std::vector<Point> points_;
  Picks picks_;
  size_t next_pick_ = 0;
  uint32_t faults_ = 0;
  uint32_t cuts_ = 0;
  uint32_t fresh_from_ = 0;
  bool describing_ = false;
  bool wrote_ = false;
  bool stopped_ = false;  // A replay took its cut: the rest of the run does not count.
  std::vector<Choice> described_;
  std::vector<std::string> notes_;
};

// What a cut is to the explorer.
struct CutTraits {
  uint32_t faults = 1;  // What it costs to be cut here.
  uint32_t tag = 0;     // The system's own number for it, handed on to the options' on_cut.
};

// A cut, as a run offers it.
template <class State>
struct CutOffer {
  uint32_t ordinal = 0;  // Among the cuts of the run, from 1.
  uint32_t faults = 0;   // From the initial state to the cut state.
  uint32_t tag = 0;
  const absl::FunctionRef<Key128()>* key = nullptr;  // Null: the state has to be made to know it.
  absl::FunctionRef<State()> make;
  TextFn label;
};

template <class State>
class CutSink {
 public:
  virtual ~CutSink() = default;
  // Returns whether the run ends with this cut for whoever started it.
  virtual bool Take(const CutOffer<State>& offer) = 0;
};

template <class State>
class StepRun final : public Run {
 public:
  StepRun(Recorder& recorder, CutSink<State>& sink) : Run(recorder), sink_(sink) {}

  // Offers the state in which the step is left right here. `make` returns it, and is called only if
  // the state is wanted: no copy is made for a cut that is not. `label` is stable text.
  void Cut(CutTraits traits, absl::FunctionRef<State()> make, TextFn label) {
    Offer(traits, nullptr, make, label);
  }

  // The same for a system that can tell the key of that state without making it: most cuts lead to
  // states that are known, and cost no copy then.
  void Cut(CutTraits traits, absl::FunctionRef<Key128()> key, absl::FunctionRef<State()> make,
           TextFn label) {
    Offer(traits, &key, make, label);
  }

 private:
  void Offer(CutTraits traits, const absl::FunctionRef<Key128()>* key,
             absl::FunctionRef<State()> make, TextFn label) {
    ++cuts_;
    if (!Fresh()) return;
    stopped_ = sink_.Take({cuts_, faults_ + traits.faults, traits.tag, key, make, label});
  }

  CutSink<State>& sink_;
};

// How a state stands with respect to recovery.
enum class Standing : uint8_t {
  kOpen,     // Something is left to do.
  kWaiting,  // It waits for a person, acceptably: it shows what for, and would go on after it.
  kSettled,  // Nothing is left to do, or the run has ended.
};

inline constexpr uint32_t kNoNode = 0xffffffff;

// The one look at a distinct state, before its steps are taken.
class Visit {
 public:
  Visit(Recorder& recorder, uint32_t node, uint32_t faults)
      : recorder_(recorder), node_(node), faults_(faults) {}

  // The number of the state: 0, 1, 2, ... in order of discovery. kNoNode in a replay.
  uint32_t node() const { return node_; }
  // The fewest faults with which the state is reached. 0: it is reached without any.
  uint32_t faults() const { return faults_; }

  void Violate(uint32_t property, TextFn text) { recorder_.Violation(property, faults_, text); }
  void Premise(uint32_t property) { recorder_.Premise(property); }
  void Reach(uint32_t goal) { recorder_.Goal(goal, faults_); }

 private:
  Recorder& recorder_;
  uint32_t node_;
  uint32_t faults_;
};

}  // namespace model

#endif  // MODEL_ENGINE_RUN_H_
