// The properties as a list: of which kind each is, and how often there was something to check.
//
// A property of kind test has no premise in an exploration. It is proved by tests of this tree,
// which have to be there.
//
// Answers: spec 05, every property by name.

#ifndef REPORTS_PROPERTIES_H_
#define REPORTS_PROPERTIES_H_

#include <string>
#include <vector>

#include "reports/report.pb.h"
#include "reports/tests.h"

namespace reports {

// A line for each property over all scenarios: name, kind, how often its premise was true, how
// often it broke, and what it promises. `report` was totalled (summarize.h).
std::string PropertiesText(const GateReport& report);

// Properties that a test proves which is not there, such as "S-04 (no test Suite.Name in FILE)".
std::vector<std::string> UnprovedProperties(const ReadSource& read);

}  // namespace reports

#endif  // REPORTS_PROPERTIES_H_
