// The table of durable safety state: which record each family keeps, read off the API types, and
// whether the passes of the run wrote the records that their family has, and no others.
//
// Answers: the newer lifecycle page, "Which family keeps which record".

#ifndef REPORTS_SAFETY_STATE_H_
#define REPORTS_SAFETY_STATE_H_

#include <string>
#include <vector>

#include "reports/report.pb.h"

namespace reports {

// Returns the table as Markdown.
std::string SafetyStateTable();

struct SafetyStateOptions {
  bool whole = true;  // Every scenario was explored, so every record has to be written.
};

// A line for each record that was written by no pass of a family that has it, and for each that was
// written by a pass of the other family.
std::vector<std::string> SafetyStateProblems(const GateReport& report,
                                             const SafetyStateOptions& options = {});

}  // namespace reports

#endif  // REPORTS_SAFETY_STATE_H_
