// What the commands share that explore scenarios and print what was seen: their options, the
// exploration, and the checked-in file that a table is compared with.

#ifndef CLI_OBSERVING_H_
#define CLI_OBSERVING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/arguments.h"
#include "reports/coverage.h"
#include "reports/report.pb.h"

namespace cli {

// --scenario, --jobs, --quiet and --help, and whatever a command adds.
OptionNames ObservingOptions(const std::vector<std::string>& with_value = {},
                             const std::vector<std::string>& without_value = {});
inline constexpr char kObservingUsage[] =
    "  --scenario GLOB  only scenarios whose names match (* and ?)\n"
    "  --jobs N         explore so many scenarios at once (default: 2)\n"
    "  --quiet          no progress on standard error\n";

struct Observed {
  reports::GateReport report;  // Totals included.
  bool whole = true;           // Every scenario was explored.
  bool complete = true;        // None was cut short by a limit, or could not be run.
};

// Explores the scenarios that the arguments name. Errors: InvalidArgument, one line.
absl::StatusOr<Observed> Observe(const Arguments& arguments);

// Reads the exemptions of docs/decisions.md. Errors: NotFound, or as reports::ParseExemptions.
absl::StatusOr<reports::Exemptions> ReadExemptions();

// Returns the text of a file of the tree, by its path from the root; empty when there is none.
std::string SourceOf(const std::string& file);

// Returns how `text` differs from the file docs/NAME, in one line with the command that renews it;
// empty when it does not.
std::string DriftFrom(const std::string& name, const std::string& text, const std::string& command);

// Prints `text`, or writes it to docs/NAME where the arguments say --write. Returns whether that
// went well; says what did not.
bool PrintOrWrite(const Arguments& arguments, const std::string& name, const std::string& text);

}  // namespace cli

#endif  // CLI_OBSERVING_H_
