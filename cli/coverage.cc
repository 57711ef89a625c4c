// `stopgap coverage`: which durable writes and which rules the passes of each family reached,
// and how often each property had something to check.

#include "reports/coverage.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/observing.h"
#include "reports/properties.h"
#include "reports/terminal.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap coverage [OPTIONS]: list every property with its kind and how often its premise was\n"
    "true; and for each family every durable write with how often it was reached, stopped before\n"
    "and stopped after, and every rule with how often a pass followed it\n"
    "\n"
    "  --json FILE      write the writes and the rules as JSON too\n";
constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 everything was reached that docs/decisions.md does not exempt; 1 something was\n"
    "not; 2 the input was wrong; 3 a limit came first. With --scenario nothing has to be "
    "reached.\n";

}  // namespace

int Coverage(const std::vector<std::string>& words) {
  const absl::StatusOr<Arguments> arguments = Arguments::Parse(words, ObservingOptions({"--json"}));
  if (!arguments.ok()) return Refuse(std::string(arguments.status().message()));
  if (arguments->Has("--help")) {
    std::fputs(absl::StrCat(kUsage, kObservingUsage, kExitCodes).c_str(), stdout);
    return kAllReadable;
  }
  const absl::StatusOr<reports::Exemptions> exemptions = ReadExemptions();
  if (!exemptions.ok()) return Refuse(std::string(exemptions.status().message()));
  const absl::StatusOr<Observed> observed = Observe(*arguments);
  if (!observed.ok()) return Refuse(std::string(observed.status().message()));
  reports::CoverageReport coverage = reports::CoverageOf(observed->report, *exemptions);
  // A part of the scenarios cannot be held to what all of them reach.
  if (!observed->whole) coverage.clear_problems();
  std::fputs(reports::PropertiesText(observed->report).c_str(), stdout);
  std::fputs(absl::StrCat("\n", reports::CoverageText(coverage)).c_str(), stdout);
  if (const auto file = arguments->Get("--json")) {
    const absl::Status written = WriteFile(*file, reports::ToJson(coverage));
    if (!written.ok()) return Refuse(std::string(written.message()));
  }
  if (coverage.problems_size() > 0) return kUnreadableWindow;
  return observed->complete ? kAllReadable : kLimitReached;
}

}  // namespace cli
