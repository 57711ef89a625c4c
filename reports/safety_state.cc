#include "reports/safety_state.h"

#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "model/safety_records.h"

namespace reports {
namespace {

const char* YesOrNo(bool yes) { return yes ? "yes" : "no"; }

// How often each record of a family (second) was changed by passes of a family (third).
using Written = std::map<std::tuple<std::string, std::string, std::string>, uint64_t>;

Written WrittenIn(const GateReport& report) {
  Written written;
  for (const ScenarioReport& scenario : report.scenarios()) {
    for (const RecordReport& record : scenario.records()) {
      written[{record.record(), record.of(), record.by()}] += record.times();
    }
  }
  return written;
}

void AddUnwritten(const std::string& record, bool kept, const std::string& family,
                  const Written& written, std::vector<std::string>& problems) {
  if (!kept || written.count({record, family, family}) > 0) return;
  problems.push_back(
      absl::StrCat(record, " of a ", family, " was written by no pass of a ", family));
}

}  // namespace

std::string SafetyStateTable() {
  std::string text =
      "| Record | PtahSchema | PtahMigration | What it is for |\n| --- | --- | --- | --- |\n";
  for (size_t record = 0; record < model::kSafetyRecordCount; ++record) {
    const model::SafetyRecord& info = model::SafetyRecords()[record];
    const model::RecordKeepers keepers = model::KeepersOf(record);
    absl::StrAppend(&text, "| `", info.path, "` | ", YesOrNo(keepers.schema), " | ",
                    YesOrNo(keepers.migration), " | ", info.purpose, " |\n");
  }
  return text;
}

std::vector<std::string> SafetyStateProblems(const GateReport& report,
                                             const SafetyStateOptions& options) {
  std::vector<std::string> problems;
  const Written written = WrittenIn(report);
  for (size_t record = 0; record < model::kSafetyRecordCount; ++record) {
    const std::string path(model::SafetyRecords()[record].path);
    if (!options.whole) break;
    const model::RecordKeepers keepers = model::KeepersOf(record);
    AddUnwritten(path, keepers.schema, "schema", written, problems);
    AddUnwritten(path, keepers.migration, "migration", written, problems);
  }
  for (const auto& [which, times] : written) {
    const auto& [record, of, by] = which;
    if (of == by) continue;
    problems.push_back(absl::StrCat(record, " of a ", of, " was written by a pass of a ", by));
  }
  return problems;
}

}  // namespace reports
