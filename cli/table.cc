// `stopgap table`: the durable-write table, read off the exploration of every scenario.

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exploring.h"
#include "cli/files.h"
#include "reports/durable_writes.h"
#include "reports/summarize.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap table [OPTIONS]: print the durable-write table as Markdown, read off the exploration\n"
    "\n"
    "  --write     renew docs/durable-writes.md instead of printing\n"
    "  --jobs N    explore so many scenarios at once (default: 2)\n"
    "  --quiet     no progress on standard error\n";

}  // namespace

int Table(const std::vector<std::string>& words) {
  const absl::StatusOr<Arguments> arguments = Arguments::Parse(
      words, {.with_value = {"--jobs"}, .without_value = {"--write", "--quiet", "--help"}});
  if (!arguments.ok()) return Refuse(std::string(arguments.status().message()));
  if (arguments->Has("--help")) {
    std::fputs(kUsage, stdout);
    return kAllReadable;
  }
  if (!arguments->rest().empty()) return Refuse("unexpected \"" + arguments->rest()[0] + "\"");
  const auto jobs = arguments->Number("--jobs", 64);
  if (!jobs.ok()) return Refuse(std::string(jobs.status().message()));
  if (*jobs == uint64_t{0}) return Refuse("expected --jobs to be at least 1");
  absl::StatusOr<std::vector<model::LoadedScenario>> scenarios = ScenariosNamed("");
  if (!scenarios.ok()) return Refuse(std::string(scenarios.status().message()));

  ExploreRequest explore;
  explore.scenarios = *std::move(scenarios);
  explore.at_once = static_cast<int>(jobs->value_or(2));
  explore.quiet = arguments->Has("--quiet");
  reports::GateReport report;
  bool complete = true;
  for (reports::ScenarioReport& scenario : ExploreAll(explore)) {
    complete &= scenario.verdict() != reports::kUndecided && scenario.error().empty();
    *report.add_scenarios() = std::move(scenario);
  }
  const std::string table = reports::DurableWriteTable(report);
  if (arguments->Has("--write")) {
    const absl::Status written = WriteFile(absl::StrCat(Root(), "/docs/durable-writes.md"), table);
    if (!written.ok()) return Refuse(std::string(written.message()));
  } else {
    std::fputs(table.c_str(), stdout);
  }
  return complete ? kAllReadable : kLimitReached;
}

}  // namespace cli
