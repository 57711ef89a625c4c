#include "cli/gate_verdict.h"

#include "cli/commands.h"
#include "reports/summarize.h"

namespace cli {

int Conclude(reports::GateReport& report) {
  bool unreadable = !report.canary().caught() || report.record_problems_size() > 0;
  const bool something_is_missing = !report.table_drift().empty() || report.vacuous_size() > 0 ||
                                    report.coverage().problems_size() > 0;
  bool undecided = false;
  for (const reports::ScenarioReport& scenario : report.scenarios()) {
    unreadable |= scenario.verdict() == reports::kUnreadable;
    // A quick gate asks for no more than it looks at, but it looks at every scenario.
    undecided |=
        scenario.verdict() == reports::kUndecided && (!report.quick() || !scenario.error().empty());
  }
  // What a limit kept from being looked at may hold what is missing.
  unreadable |= something_is_missing && !undecided;
  if (unreadable) {
    report.set_verdict(reports::kUnreadable);
    return kUnreadableWindow;
  }
  report.set_verdict(undecided ? reports::kUndecided : reports::kReadable);
  return undecided ? kLimitReached : kAllReadable;
}

}  // namespace cli
