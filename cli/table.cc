// `stopgap table`: the durable-write table, read off the exploration of every scenario.

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/observing.h"
#include "reports/durable_writes.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap table [OPTIONS]: print the durable-write table as Markdown, read off the exploration\n"
    "\n"
    "  --write          renew docs/durable-writes.md instead of printing\n";
constexpr char kExitCodes[] =
    "\n"
    "Exit codes: 0 the table is of the whole space asked for; 2 the input was wrong; 3 a limit "
    "came\n"
    "first.\n";

}  // namespace

int Table(const std::vector<std::string>& words) {
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
  const absl::StatusOr<Observed> observed = Observe(*arguments);
  if (!observed.ok()) return Refuse(std::string(observed.status().message()));
  if (!PrintOrWrite(*arguments, "durable-writes.md",
                    reports::DurableWriteTable(observed->report))) {
    return kWrongInput;
  }
  return observed->complete ? kAllReadable : kLimitReached;
}

}  // namespace cli
