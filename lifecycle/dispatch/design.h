// A design: in which order the nine steps of a dispatch run, as a value.
//
// The pages fix one order, `current`. Exchanging two steps gives another design, which the checker
// must catch with the property that the boundary between them keeps (spec 05, section 4); that is
// how the order is shown to matter. Where the pages differ by more than order, a strategy per
// difference belongs here too.
//
// Answers: spec 02, E; design.md, "Designs".

#ifndef LIFECYCLE_DISPATCH_DESIGN_H_
#define LIFECYCLE_DISPATCH_DESIGN_H_

#include <array>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lifecycle::dispatch {

enum class Step {
  kAuthorize,
  kLease,
  kStage,
  kSnapshot,
  kConsume,
  kMark,
  kCreate,
  kConfirm,
  kRecord,
};
inline constexpr int kStepCount = 9;

// Returns the step's name as the command line spells it, such as "mark".
absl::string_view StepName(Step step);

struct Design {
  std::string name = "current";
  std::array<Step, kStepCount> order = {Step::kAuthorize, Step::kLease,   Step::kStage,
                                        Step::kSnapshot,  Step::kConsume, Step::kMark,
                                        Step::kCreate,    Step::kConfirm, Step::kRecord};
  friend bool operator==(const Design&, const Design&) = default;
};

// Returns the order of the newer page.
Design CurrentDesign();

// Returns `design` with two steps exchanged; `names` is "mark,create". Its name says so.
// Errors: InvalidArgument when `names` is not two different step names.
absl::StatusOr<Design> Exchanged(const Design& design, absl::string_view names);

// Returns the design of this name: "current" or "exchange mark,create". Inverse of Design::name.
absl::StatusOr<Design> DesignByName(absl::string_view name);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_DESIGN_H_
