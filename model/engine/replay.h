// Runs a recorded path again, and says where and how it went another way.
//
// Steps are found by their labels and picks by their choice points, and everything a path recorded
// is compared: labels, numbers of options, meanings, cuts. Something missing or different ends the
// replay there (a divergence). A state with another key does not: after an edit of the code it is
// what one expects, so the first one is only pointed out.
#ifndef MODEL_ENGINE_REPLAY_H_
#define MODEL_ENGINE_REPLAY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "model/engine/part.h"
#include "model/engine/path.h"
#include "model/engine/replay_words.h"
#include "model/engine/retake.h"
#include "model/engine/system.h"

namespace model {

struct ReplayOptions {
  size_t entries_max = SIZE_MAX;  // Stops after so many entries.
  // Passes over entries that do not fit instead of ending there. For shrinking, which asks "what if
  // this had not happened?" and must let what followed from it go as well.
  bool skip_misfits = false;
};

// Where a replay could not follow its path.
struct Divergence {
  size_t entry = 0;  // Position in the path.
  std::string text;  // One line: what was recorded, and what this run offers.
};

template <class State>
struct Replayed {
  // One entry, as it went this time.
  struct Step {
    PathEntry entry;
    std::vector<std::string> notes;       // The run's own lines, up to the cut.
    std::vector<Finding> findings;        // In the step, up to the cut.
    std::optional<State> state;           // Where it led; nothing if nowhere.
    PartDigests parts;                    // Of that state, where the system tells them.
    std::vector<Finding> state_findings;  // In that state.
    Standing standing = Standing::kOpen;  // Of that state.
    uint32_t faults = 0;                  // From the initial state to that state.
  };

  uint32_t initial = 0;
  std::optional<State> start;
  std::vector<Finding> start_findings;
  Standing start_standing = Standing::kOpen;
  std::vector<Step> steps;
  std::optional<Divergence> divergence;
  std::optional<size_t> first_other_key;  // The first entry that led to a state with another key.

  // The state at the end; null if the path leads nowhere.
  const State* last() const {
    const std::optional<State>& state = steps.empty() ? start : steps.back().state;
    return state ? &*state : nullptr;
  }

  // Whether the property breaks anywhere on the path.
  bool Breaks(uint32_t property) const {
    const auto has = [property](const std::vector<Finding>& findings) {
      return std::any_of(findings.begin(), findings.end(),
                         [property](const Finding& f) { return f.property == property; });
    };
    return has(start_findings) || std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
             return has(step.findings) || has(step.state_findings);
           });
  }

  // The path as it went this time: the entries that were run.
  Path path() const {
    Path path;
    path.initial = initial;
    for (const Step& step : steps) path.entries.push_back(step.entry);
    return path;
  }
};

// The replay of one path. Use Replay(), below.
template <Explorable System>
class Replayer {
 public:
  using State = typename System::State;
  using Step = typename System::Step;

  Replayer(System& system, const ReplayOptions& options) : system_(system), options_(options) {}

  Replayed<State> Run(const Path& path) {
    if (!Begin(path)) return std::move(result_);
    const size_t count = std::min(path.entries.size(), options_.entries_max);
    for (size_t i = 0; i < count && !result_.divergence; ++i) {
      std::optional<std::string> misfit = Follow(path.entries[i], i);
      if (misfit && !options_.skip_misfits) result_.divergence = {i, *std::move(misfit)};
    }
    return std::move(result_);
  }

 private:
  bool Begin(const Path& path) {
    std::vector<State> initial = system_.Initial();
    result_.initial = path.initial;
    if (path.initial >= initial.size()) {
      result_.divergence = {0, words::NoSuchInitialState(path.initial, initial.size())};
      return false;
    }
    result_.start = std::move(initial[path.initial]);
    result_.start_standing = Look(*result_.start, 0, result_.start_findings);
    return true;
  }

  // Takes one entry; returns what does not fit, in which case nothing was taken.
  std::optional<std::string> Follow(const PathEntry& entry, size_t position) {
    if (result_.last() == nullptr) return words::LedNowhere(entry.step);
    const State& state = *result_.last();
    std::vector<Step> steps;
    system_.Steps(state, steps);
    std::vector<std::string> labels;
    for (const Step& step : steps) labels.push_back(system_.Label(state, step));
    const std::optional<size_t> chosen = words::OnlyMatch(labels, entry.step);
    if (!chosen) return words::NoSuchStep(entry.step, labels);

    Picks picks;
    for (const Choice& choice : entry.choices) picks.push_back({choice.point, choice.picked});
    const uint32_t faults = result_.steps.empty() ? 0 : result_.steps.back().faults;
    auto retaken = Retake(system_, state, steps[*chosen], picks, entry.cut.ordinal, faults);
    if (auto misfit = words::ChoicesDiffer(entry.choices, retaken.choices, retaken.options)) {
      return misfit;
    }
    if (entry.cut.ordinal != 0) {
      if (!retaken.cut_taken) return words::NoSuchCut(entry.cut);
      if (retaken.cut_label != entry.cut.label) {
        return words::CutDiffers(entry.cut, retaken.cut_label);
      }
    }
    Keep(entry, position, std::move(retaken));
    return std::nullopt;
  }

  void Keep(const PathEntry& recorded, size_t position, Retaken<State> retaken) {
    typename Replayed<State>::Step step;
    step.entry = recorded;
    step.entry.key = retaken.state ? system_.Key(*retaken.state) : Key128{};
    if constexpr (requires { system_.Parts(*retaken.state); }) {
      if (retaken.state) step.parts = system_.Parts(*retaken.state);
    }
    step.notes = std::move(retaken.notes);
    step.findings = std::move(retaken.findings);
    step.state = std::move(retaken.state);
    step.faults = retaken.faults;
    if (step.state) step.standing = Look(*step.state, step.faults, step.state_findings);
    const bool differs = recorded.key != Key128{} && recorded.key != step.entry.key;
    if (differs && !result_.first_other_key) result_.first_other_key = position;
    result_.steps.push_back(std::move(step));
  }

  Standing Look(const State& state, uint32_t faults, std::vector<Finding>& findings) {
    FindingList list;
    Visit visit(list, kNoNode, faults);
    const Standing standing = system_.Check(state, visit);
    findings = std::move(list.findings);
    return standing;
  }

  System& system_;
  const ReplayOptions options_;
  Replayed<State> result_;
};

// Replays `path` on `system`. Never fails: a path that does not fit is a divergence.
template <Explorable System>
Replayed<typename System::State> Replay(System& system, const Path& path,
                                        const ReplayOptions& options = {}) {
  return Replayer<System>(system, options).Run(path);
}

}  // namespace model

#endif  // MODEL_ENGINE_REPLAY_H_
