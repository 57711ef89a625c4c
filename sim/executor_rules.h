// Which rules of the executor a step of the world followed.
//
// An executor keeps no journal, so this is read off the worlds before and after the step. It is for
// whoever counts what was reached, and nothing else depends on it.
//
// Answers: spec 02, U-1 to U-6.

#ifndef SIM_EXECUTOR_RULES_H_
#define SIM_EXECUTOR_RULES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "sim/actors.h"
#include "sim/truth.h"
#include "sim/world.h"

namespace sim {

struct ExecutorRule {
  Family family = Family::kSchema;  // Whose Apply the executor runs.
  absl::string_view rule = "";      // A literal, such as "U-2".
  friend bool operator==(const ExecutorRule&, const ExecutorRule&) = default;
};

// Returns the rules that mutating runs followed in the step, by Pod UID and then by name. A rule
// counts where it decided: U-2 where a child was not started, U-4 of a migration where the history
// had moved.
std::vector<ExecutorRule> ExecutorRulesOf(const World& before, const World& after,
                                          const WorldStep& step);

}  // namespace sim

#endif  // SIM_EXECUTOR_RULES_H_
