#include "reports/durable_writes.h"

#include <array>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace reports {
namespace {

// The rows of the newer lifecycle page's table, in its order, in our words.
constexpr std::array<absl::string_view, 13> kRows = {
    "",
    "The finalizer, by a metadata patch",
    "`activeOperation`, with the Job's deterministic name",
    "`leaseEpoch`, after the Lease was taken",
    "`admissionSnapshot`",
    "The projection ConfigMaps of a schema's plan",
    "`Consumed` on the approval, for a mutating claim",
    "`dispatchStarted`",
    "`jobUID`",
    "The Job's cleanup TTL",
    "The outcome patch: claim cleared, record written, release staged",
    "`pendingLockRelease`: the release, and the record cleared",
    "`pendingBindingRetirement`",
};

struct Cell {
  std::set<std::string> writes;
  std::set<std::string> followed_by;
  std::set<std::string> next_pass;
};

std::string List(const std::set<std::string>& texts) {
  return texts.empty() ? "-" : absl::StrJoin(texts, "<br>");
}

}  // namespace

std::string DurableWriteTable(const GateReport& report) {
  std::map<uint32_t, std::map<std::string, Cell>> rows;
  for (const ScenarioReport& scenario : report.scenarios()) {
    for (const WriteReport& write : scenario.writes()) {
      if (write.page_row() == 0) continue;
      Cell& cell = rows[write.page_row()][write.family()];
      cell.writes.insert(write.name());
      for (const Counted& one : write.followed_by()) cell.followed_by.insert(one.text());
      for (const Counted& one : write.next_pass()) cell.next_pass.insert(one.text());
    }
  }
  std::string text =
      "| # | Durable write | Family | What followed it | If the process stops right after it, the "
      "next pass |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& [row, families] : rows) {
    for (const auto& [family, cell] : families) {
      absl::StrAppend(&text, "| ", row, " | ", kRows[row], " (", absl::StrJoin(cell.writes, ", "),
                      ") | ", family, " | ", List(cell.followed_by), " | ", List(cell.next_pass),
                      " |\n");
    }
  }
  return text;
}

}  // namespace reports
