// The gate's report on a terminal: a line a scenario, what is wrong, a summary. The same bytes for
// the same report; nothing measured in real time is in it.

#ifndef REPORTS_TERMINAL_H_
#define REPORTS_TERMINAL_H_

#include <google/protobuf/message.h>

#include <string>

#include "reports/report.pb.h"

namespace reports {

std::string TerminalHeading();
std::string TerminalLine(const ScenarioReport& scenario);
// What broke in a scenario, each with its timeline and the command that replays it; empty when
// nothing did. `folder` is where schedules are saved.
std::string TerminalViolations(const ScenarioReport& scenario, const std::string& folder);
std::string TerminalSummary(const GateReport& report);

// A report as JSON, indented.
std::string ToJson(const google::protobuf::Message& report);

}  // namespace reports

#endif  // REPORTS_TERMINAL_H_
