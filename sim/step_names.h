// What steps of the world are called, as closed sets, for whoever asks by name.

#ifndef SIM_STEP_NAMES_H_
#define SIM_STEP_NAMES_H_

#include "absl/strings/string_view.h"

namespace sim {

// Whether some actor takes a step of this name (WorldStep::what). Steps without a name have none.
bool IsStepName(absl::string_view what);

// Whether an act of a person (people.h) is done to a resource, so that a person may be given it for
// one of them alone.
bool IsActUponResource(absl::string_view what);

}  // namespace sim

#endif  // SIM_STEP_NAMES_H_
