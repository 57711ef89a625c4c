// What a scenario may say beyond what its types allow: numbers in range, names that exist.

#ifndef MODEL_SCENARIO_CHECK_H_
#define MODEL_SCENARIO_CHECK_H_

#include <google/protobuf/text_format.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace model {

class Scenario;

// `places` is where the parser found each field. Errors: InvalidArgument, one line "file:line: what
// was expected"; the line of what is missing is that of the message it is missing from.
absl::Status CheckScenario(const Scenario& scenario,
                           const google::protobuf::TextFormat::ParseInfoTree& places,
                           absl::string_view file);

}  // namespace model

#endif  // MODEL_SCENARIO_CHECK_H_
