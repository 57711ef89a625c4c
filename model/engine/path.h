// A path from an initial state, as a person reads it and as a replay repeats it.
//
// Every entry is one step of the system: which one (by its label), which of its choice points did
// not take option 0, and whether the path goes on from its end or from a cut inside it. Together
// with the system, that determines the run.
#ifndef MODEL_ENGINE_PATH_H_
#define MODEL_ENGINE_PATH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/key.h"

namespace model {

// One choice point of a step at which something other than option 0 was picked.
struct Choice {
  uint32_t point = 0;    // Its position among the choice points of its step, from 0.
  std::string label;     // What is chosen, e.g. "create job/a".
  uint32_t picked = 0;   // 1 to options - 1.
  uint32_t options = 0;  // At least 2.
  std::string meaning;   // What the pick means, e.g. "answer lost, stored".
  friend bool operator==(const Choice&, const Choice&) = default;
};

// Where a step was cut. 0 means that it ran to its end; cuts are counted from 1.
struct Cut {
  uint32_t ordinal = 0;
  std::string label;  // E.g. "stop after W-12 schema/a"; empty at the end of a step.
  friend bool operator==(const Cut&, const Cut&) = default;
};

struct PathEntry {
  std::string step;  // E.g. "pass schema/a"; unique among the steps of its state.
  std::vector<Choice> choices;
  Cut cut;
  // The state it led to; {} if it led to none, which only the last entry may do.
  Key128 key;
  friend bool operator==(const PathEntry&, const PathEntry&) = default;
};

struct Path {
  uint32_t initial = 0;  // Position in the system's list of initial states.
  std::vector<PathEntry> entries = {};
  friend bool operator==(const Path&, const Path&) = default;
};

}  // namespace model

#endif  // MODEL_ENGINE_PATH_H_
