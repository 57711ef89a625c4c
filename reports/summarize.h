// Turns what the model found into the report that every renderer reads.

#ifndef REPORTS_SUMMARIZE_H_
#define REPORTS_SUMMARIZE_H_

#include <string>

#include "model/check.h"
#include "reports/report.pb.h"

namespace reports {

ScenarioReport Summarize(const model::CheckResult& result);

// Adds up the properties over all scenarios, and names those whose premise never held.
void Total(GateReport& report);

// "any number of faults", "up to 2 faults", or the limit that came first.
std::string CoverageText(const model::CheckResult& result);

inline constexpr char kReadable[] = "readable";
inline constexpr char kUnreadable[] = "unreadable";
inline constexpr char kUndecided[] = "undecided";

}  // namespace reports

#endif  // REPORTS_SUMMARIZE_H_
