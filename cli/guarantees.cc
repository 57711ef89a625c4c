// `stopgap guarantees`: what is promised, where it is enforced, and what proved it in this run.

#include "reports/guarantees.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/observing.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap guarantees [OPTIONS]: print the guarantees as Markdown: promise, where it is "
    "enforced,\n"
    "durable state, what happens when it cannot hold, and the scenarios and tests that prove it\n"
    "\n";
constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 every promise is proved; 1 a property broke, had nothing to check or is not\n"
    "checked, or a test is not there; 2 the input was wrong; 3 a limit came first. With "
    "--scenario\n"
    "nothing has to be proved. Whether the tests pass is ./tools/test's to say.\n";

}  // namespace

int ShowGuarantees(const std::vector<std::string>& words) {
  const absl::StatusOr<Arguments> arguments = Arguments::Parse(words, ObservingOptions());
  if (!arguments.ok()) return Refuse(std::string(arguments.status().message()));
  if (arguments->Has("--help")) {
    std::fputs(absl::StrCat(kUsage, kObservingUsage, kExitCodes).c_str(), stdout);
    return kAllReadable;
  }
  const absl::StatusOr<Observed> observed = Observe(*arguments);
  if (!observed.ok()) return Refuse(std::string(observed.status().message()));
  const reports::GuaranteesReport guarantees = reports::GuaranteesOf(observed->report, SourceOf);
  std::fputs(guarantees.table.c_str(), stdout);
  if (observed->whole) {
    for (const std::string& problem : guarantees.problems) {
      std::fprintf(stdout, "%sUNPROVED: %s\n", &problem == &guarantees.problems[0] ? "\n" : "",
                   problem.c_str());
    }
    if (!guarantees.problems.empty()) return kUnreadableWindow;
  }
  return observed->complete ? kAllReadable : kLimitReached;
}

}  // namespace cli
