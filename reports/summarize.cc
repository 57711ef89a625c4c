#include "reports/summarize.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/coverage.h"
#include "model/engine/schedule.h"
#include "model/properties.h"
#include "model/safety_records.h"
#include "model/writes.h"

namespace reports {
namespace {

// The most frequent first, then by text.
void AddCounted(const std::map<std::string, uint64_t>& counts,
                google::protobuf::RepeatedPtrField<Counted>& into) {
  for (const auto& [text, states] : counts) {
    Counted* counted = into.Add();
    counted->set_text(text);
    counted->set_states(states);
  }
}

void AddProperty(model::Property property, uint64_t premises, uint64_t violations,
                 google::protobuf::RepeatedPtrField<PropertyReport>& into) {
  const model::PropertyInfo& info = model::InfoOf(property);
  PropertyReport* report = into.Add();
  report->set_name(std::string(info.name));
  report->set_kind(std::string(model::PropertyKindName(info.kind)));
  report->set_promise(std::string(info.promise));
  report->set_premises(premises);
  report->set_violations(violations);
}

// A file name of what is broken: "schema-approved-S-06.schedule".
std::string FileNameOf(const model::CheckResult& result, const model::Violation& violation) {
  std::string name = absl::StrCat(result.scenario, "-", model::InfoOf(violation.property).name);
  if (result.design != "current") absl::StrAppend(&name, "-", result.design);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '-');
  return absl::StrCat(name, ".schedule");
}

void AddViolation(const model::CheckResult& result, const model::Violation& violation,
                  ScenarioReport& report) {
  const model::PropertyInfo& info = model::InfoOf(violation.property);
  ViolationReport* added = report.add_violations();
  added->set_property(std::string(info.name));
  added->set_promise(std::string(info.promise));
  added->set_text(violation.text);
  added->set_faults(violation.faults);
  added->set_steps(static_cast<uint32_t>(violation.schedule.path.entries.size()));
  for (const std::string& line : violation.timeline) added->add_timeline(line);
  added->set_schedule(model::FormatSchedule(violation.schedule));
  added->set_schedule_file(FileNameOf(result, violation));
}

// Entries of the list of durable writes that were reached, by whichever family.
uint32_t CountOfWrites(const model::CheckResult& result) {
  std::set<int> numbers;
  for (const auto& [which, row] : result.writes) numbers.insert(which.number);
  return static_cast<uint32_t>(numbers.size());
}

void AddRules(const model::CheckResult& result, ScenarioReport& report) {
  for (const auto& [which, times] : result.rules) {
    RuleReport* rule = report.add_rules();
    rule->set_family(std::string(model::FamilyName(which.first)));
    rule->set_name(which.second);
    rule->set_times(times);
  }
}

void AddRecords(const model::CheckResult& result, ScenarioReport& report) {
  for (const auto& [write, times] : result.records) {
    RecordReport* record = report.add_records();
    record->set_record(std::string(model::SafetyRecords()[write.record].path));
    record->set_of(std::string(model::FamilyName(write.of)));
    record->set_by(std::string(model::FamilyName(write.by)));
    record->set_times(times);
  }
}

const char* VerdictOf(const model::CheckResult& result) {
  if (!result.violations.empty()) return kUnreadable;
  // What a limit kept from being looked at may hold what was to be reached.
  if (!model::IsComplete(result.ended)) return kUndecided;
  return result.unreached.empty() ? kReadable : kUnreadable;
}

}  // namespace

std::string CoverageText(const model::CheckResult& result) {
  switch (result.ended) {
    case model::Ended::kClosed:
      return "any number of faults";
    case model::Ended::kLastLayer:
      return absl::StrCat("up to ", result.faults_max.value_or(0),
                          result.faults_max == 1 ? " fault" : " faults");
    case model::Ended::kStates:
      return "stopped by the limit of states";
    case model::Ended::kMemory:
      return "stopped by the limit of memory";
    case model::Ended::kInterrupted:
      return "stopped by the limit of time";
    case model::Ended::kFirstViolation:
      return "stopped at the first violation";
  }
  return "";
}

ScenarioReport Summarize(const model::CheckResult& result) {
  ScenarioReport report;
  report.set_scenario(result.scenario);
  report.set_path(result.path);
  report.set_family(result.family);
  report.set_design(result.design);
  report.set_exact(result.exact);
  report.set_verdict(VerdictOf(result));
  report.set_covers(CoverageText(result));
  report.set_durable_writes(CountOfWrites(result));
  report.set_stops(result.statistics.cuts);
  report.set_fates(result.statistics.fates);
  report.set_states(result.statistics.states);
  report.set_edges(result.statistics.edges);
  report.set_passes(result.statistics.passes);
  for (const uint64_t states : result.statistics.layers) report.add_states_by_faults(states);
  report.set_longest_recovery_steps(result.longest_recovery_steps);
  report.set_longest_recovery_passes(result.longest_recovery_passes);
  for (uint32_t number = 0; number < result.properties.size(); ++number) {
    AddProperty(static_cast<model::Property>(number), result.properties[number].premises,
                result.properties[number].violations, *report.mutable_properties());
  }
  for (const model::Violation& violation : result.violations) {
    AddViolation(result, violation, report);
  }
  for (const std::string& goal : result.unreached) report.add_unreached(goal);
  for (const auto& [which, row] : result.writes) {
    WriteReport* write = report.add_writes();
    write->set_name(model::WriteName(which.number));
    write->set_family(std::string(model::FamilyName(which.family)));
    write->set_page_row(static_cast<uint32_t>(model::PageRowOf(which.number)));
    write->set_stored(row.stored);
    write->set_stops_before(row.stops_before);
    write->set_stops_after(row.stops_after);
    AddCounted(row.followed_by, *write->mutable_followed_by());
    AddCounted(row.next_pass, *write->mutable_next_pass());
  }
  AddCounted(result.verdicts, *report.mutable_verdicts());
  AddRules(result, report);
  AddRecords(result, report);
  return report;
}

void Total(GateReport& report) {
  std::vector<std::pair<uint64_t, uint64_t>> totals(model::kPropertyCount);
  for (const ScenarioReport& scenario : report.scenarios()) {
    for (int number = 0; number < scenario.properties_size(); ++number) {
      totals[static_cast<size_t>(number)].first += scenario.properties(number).premises();
      totals[static_cast<size_t>(number)].second += scenario.properties(number).violations();
    }
  }
  report.clear_properties();
  report.clear_vacuous();
  for (uint32_t number = 0; number < model::kPropertyCount; ++number) {
    const auto& [premises, violations] = totals[number];
    AddProperty(static_cast<model::Property>(number), premises, violations,
                *report.mutable_properties());
    const model::PropertyInfo& info = model::InfoOf(static_cast<model::Property>(number));
    // What a test proves has no premise in an exploration.
    if (premises == 0 && info.kind != model::PropertyKind::kTest) {
      report.add_vacuous(std::string(info.name));
    }
  }
}

}  // namespace reports
