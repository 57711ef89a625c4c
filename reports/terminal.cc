#include "reports/terminal.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/coverage.h"
#include "reports/summarize.h"

namespace reports {
namespace {

// One run often breaks several properties at once, and what shows one of them shows the others.
std::string TimelineUnlessShown(const ViolationReport& violation,
                                std::vector<const ViolationReport*>& shown) {
  const auto same = [&](const ViolationReport* other) {
    return std::equal(violation.timeline().begin(), violation.timeline().end(),
                      other->timeline().begin(), other->timeline().end());
  };
  const auto found = std::find_if(shown.begin(), shown.end(), same);
  if (found != shown.end()) {
    return absl::StrCat("  the timeline is that of ", (*found)->property(), " above\n");
  }
  shown.push_back(&violation);
  std::string text;
  for (const std::string& line : violation.timeline()) absl::StrAppend(&text, line, "\n");
  return text;
}

}  // namespace

std::string TerminalHeading() {
  return absl::StrFormat("%-9s  %-31s  %6s  %8s  %8s  %9s  %8s  %s\n", "family", "scenario",
                         "writes", "stops", "states", "passes", "recovery", "verdict");
}

std::string TerminalLine(const ScenarioReport& scenario) {
  if (!scenario.error().empty()) {
    return absl::StrFormat("%-9s  %-31s  could not be run: %s\n", scenario.family(),
                           scenario.scenario(), scenario.error());
  }
  return absl::StrFormat("%-9s  %-31s  %6d  %8d  %8d  %9d  %8d  %s, %s\n", scenario.family(),
                         scenario.scenario(), scenario.durable_writes(), scenario.stops(),
                         scenario.states(), scenario.passes(), scenario.longest_recovery_steps(),
                         scenario.verdict(), scenario.covers());
}

std::string TerminalViolations(const ScenarioReport& scenario, const std::string& folder) {
  std::string text;
  for (const std::string& goal : scenario.unreached()) {
    absl::StrAppend(&text, "UNREACHED ", scenario.scenario(), ": \"", goal,
                    scenario.verdict() == kUndecided ? "\" was not reached before the limit\n"
                                                     : "\" was to be reached and never was\n");
  }
  std::vector<const ViolationReport*> shown;
  for (const ViolationReport& violation : scenario.violations()) {
    absl::StrAppend(&text, "VIOLATED ", violation.property(), "  ", violation.promise(), "\n  ",
                    scenario.scenario(), ", design ", scenario.design(), ", ", violation.faults(),
                    violation.faults() == 1 ? " fault, " : " faults, ", violation.steps(),
                    " steps: ", violation.text(), "\n");
    absl::StrAppend(&text, TimelineUnlessShown(violation, shown));
    if (violation.schedule_file().empty()) {
      absl::StrAppend(&text, "  its schedule could not be saved\n\n");
      continue;
    }
    absl::StrAppend(&text, "  replay  ./stopgap replay ", folder, "/", violation.schedule_file(),
                    "\n\n");
  }
  return text;
}

std::string TerminalSummary(const GateReport& report) {
  uint64_t stops = 0, states = 0, passes = 0, fates = 0;
  int unreadable = 0, undecided = 0;
  for (const ScenarioReport& scenario : report.scenarios()) {
    stops += scenario.stops();
    states += scenario.states();
    passes += scenario.passes();
    fates += scenario.fates();
    unreadable += scenario.verdict() == kUnreadable ? 1 : 0;
    undecided += scenario.verdict() == kUndecided ? 1 : 0;
  }
  std::string text =
      absl::StrCat("\n", report.scenarios_size(),
                   report.scenarios_size() == 1 ? " scenario: " : " scenarios: ", stops, " stops, ",
                   fates, " other fates, ", states, " states, ", passes, " passes\n");
  int held = 0;
  for (const PropertyReport& property : report.properties())
    held += property.premises() > 0 ? 1 : 0;
  absl::StrAppend(&text, "properties: ", held, " of ", report.properties_size(),
                  " had something to check\n");
  if (report.has_coverage()) {
    absl::StrAppend(&text, "reached: ", CoverageSummary(report.coverage()), "\n");
    for (const std::string& problem : report.coverage().problems()) {
      absl::StrAppend(&text, "UNREACHED: ", problem, "\n");
    }
  }
  for (const std::string& problem : report.record_problems()) {
    absl::StrAppend(&text, "RECORD: ", problem, "\n");
  }
  if (report.vacuous_size() > 0) {
    absl::StrAppend(&text, "VACUOUS: nothing ever had to be checked for ",
                    absl::StrJoin(report.vacuous(), ", "), "\n");
  }
  if (report.has_canary()) {
    const CanaryReport& canary = report.canary();
    const char* came = canary.caught() ? " was caught with " : " was NOT caught with ";
    if (canary.absent()) came = " was NOT planted, for want of the scenario, to be caught with ";
    absl::StrAppend(&text, "canary: ", canary.mutant(), " in ", canary.scenario(), came,
                    canary.property(), "\n");
  }
  if (!report.table_drift().empty()) absl::StrAppend(&text, "DRIFT: ", report.table_drift(), "\n");
  if (report.quick()) {
    absl::StrAppend(
        &text,
        "quick: a lower bound of faults, compared with no table; only a whole gate says "
        "what is reached\n");
  }
  absl::StrAppend(&text, "verdict: ", report.verdict());
  if (unreadable > 0) absl::StrAppend(&text, ", ", unreadable, " of them unreadable");
  if (undecided > 0) absl::StrAppend(&text, ", ", undecided, " of them undecided");
  absl::StrAppend(&text, "\n");
  return text;
}

std::string ToJson(const google::protobuf::Message& report) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(report, &json, options);
  return json;
}

}  // namespace reports
