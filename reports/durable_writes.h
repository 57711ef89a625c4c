// The durable-write table: what may happen after each write, and what the next pass concludes when
// the process stops right after it. The first column is prose; the others are read off runs.

#ifndef REPORTS_DURABLE_WRITES_H_
#define REPORTS_DURABLE_WRITES_H_

#include <string>

#include "reports/report.pb.h"

namespace reports {

// Returns the table as Markdown, for the rows that the scenarios of the report reach.
std::string DurableWriteTable(const GateReport& report);

}  // namespace reports

#endif  // REPORTS_DURABLE_WRITES_H_
