// `stopgap safety-state`: which safety record each family keeps, and whether it was written by
// them.

#include "reports/safety_state.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/observing.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap safety-state [OPTIONS]: print which safety record each family keeps as Markdown, "
    "read\n"
    "off the API types, and hold it to what the passes of the exploration wrote\n"
    "\n"
    "  --write          renew docs/safety-state.md instead of printing\n";
constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 every record was written by the families that keep it, and by no other; 1 one\n"
    "was not; 2 the input was wrong; 3 a limit came first. With --scenario a record need not be\n"
    "written.\n";

}  // namespace

int SafetyState(const std::vector<std::string>& words) {
  const absl::StatusOr<Arguments> arguments =
      Arguments::Parse(words, ObservingOptions({}, {"--write"}));
  if (!arguments.ok()) return Refuse(std::string(arguments.status().message()));
  if (arguments->Has("--help")) {
    std::fputs(absl::StrCat(kUsage, kObservingUsage, kExitCodes).c_str(), stdout);
    return kAllReadable;
  }
  if (arguments->Has("--write") && arguments->Has("--scenario")) {
    return Refuse("--write takes the whole table, so it cannot be of some scenarios");
  }
  const std::string table = reports::SafetyStateTable();
  const absl::StatusOr<Observed> observed = Observe(*arguments);
  if (!observed.ok()) return Refuse(std::string(observed.status().message()));
  if (!PrintOrWrite(*arguments, "safety-state.md", table)) return kWrongInput;
  const std::vector<std::string> problems =
      reports::SafetyStateProblems(observed->report, {.whole = observed->whole});
  for (const std::string& problem : problems) {
    std::fprintf(stdout, "%sRECORD: %s\n", &problem == &problems[0] ? "\n" : "", problem.c_str());
  }
  if (!problems.empty()) return kUnreadableWindow;
  return observed->complete ? kAllReadable : kLimitReached;
}

}  // namespace cli
