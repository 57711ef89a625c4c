// What a gate's report comes to: its verdict and the command's exit code.

#ifndef CLI_GATE_VERDICT_H_
#define CLI_GATE_VERDICT_H_

#include "reports/report.pb.h"

namespace cli {

// Sets the report's verdict and returns the exit code. Beside an unreadable window, what fails a
// gate is whatever makes its other findings worth nothing: a canary that lives, a property that had
// nothing to check, a write or rule that was not reached, a record in the wrong family, a
// checked-in table that says something else.
int Conclude(reports::GateReport& report);

}  // namespace cli

#endif  // CLI_GATE_VERDICT_H_
