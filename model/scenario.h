// Scenarios as they are read from files, and the worlds they begin in.
//
// Answers: design.md, "scenarios/ text only".

#ifndef MODEL_SCENARIO_H_
#define MODEL_SCENARIO_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace model {

class Scenario;

struct LoadedScenario {
  std::string name;    // The file's name without folder and ending.
  std::string path;    // As reports and schedules name it: scenarios/NAME.textproto.
  std::string sha256;  // Of the file's bytes, 64 hexadecimal digits.
  std::shared_ptr<const Scenario> scenario;
};

// Parses the text of a scenario. `file` is a name for messages. Errors: InvalidArgument, one line
// "file:line: expected ...".
absl::StatusOr<std::shared_ptr<const Scenario>> ParseScenario(absl::string_view text,
                                                              absl::string_view file);

// Returns the text that ParseScenario reads back to an equal scenario.
std::string FormatScenario(const Scenario& scenario);

// Reads one file of at most 1 MiB. Errors: as above, or InvalidArgument that names the file.
absl::StatusOr<LoadedScenario> LoadScenario(const std::string& file);

// Reads every *.textproto of a folder, by name. Errors: of the first that cannot be read, or
// InvalidArgument when the folder has none.
absl::StatusOr<std::vector<LoadedScenario>> LoadScenarios(const std::string& folder);

// Returns whether `name` matches a glob of `*` and `?`.
bool MatchesGlob(absl::string_view name, absl::string_view glob);

}  // namespace model

#endif  // MODEL_SCENARIO_H_
