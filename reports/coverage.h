// Coverage: which rules and which durable writes the passes of each family reached, and which of
// those that have to be reached were not.
//
// What no pass can reach is exempted by name, with its reason, in a table of docs/decisions.md.
//
// Answers: spec 02 and 04, every rule and write.

#ifndef REPORTS_COVERAGE_H_
#define REPORTS_COVERAGE_H_

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reports/report.pb.h"

namespace reports {

// The section of docs/decisions.md that holds the exemptions.
inline constexpr char kExemptionsHeading[] = "## What no pass reaches";

// Why a rule or a write is not reached, by name and family ("schema", "migration").
using Exemptions = std::map<std::pair<std::string, std::string>, std::string>;

// Reads the table under kExemptionsHeading: rows of name, family (schema, migration or both) and
// reason. No such section: no exemptions. Errors: InvalidArgument, one line, for a row that is not
// of three cells, names nothing that could be reached or a family it is not for, gives no reason,
// or says it twice.
absl::StatusOr<Exemptions> ParseExemptions(absl::string_view decisions);

// Adds up what the scenarios of `report` reached. A rule counts as reached with a part of it.
CoverageReport CoverageOf(const GateReport& report, const Exemptions& exemptions);

// The coverage on a terminal: a line for each write and each rule, then what is wrong.
std::string CoverageText(const CoverageReport& coverage);
// "58 of 61 writes, 190 of 206 rules".
std::string CoverageSummary(const CoverageReport& coverage);

}  // namespace reports

#endif  // REPORTS_COVERAGE_H_
