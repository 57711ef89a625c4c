#include "reports/coverage.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "model/rules.h"

namespace reports {
namespace {

constexpr const char* kFamilies[] = {"schema", "migration"};

struct Reached {
  uint64_t times = 0;
  uint64_t stops_before = 0;
  uint64_t stops_after = 0;
};
// By name and family.
using ReachedNames = std::map<std::pair<std::string, std::string>, Reached>;

ReachedNames WritesReached(const GateReport& report) {
  ReachedNames reached;
  for (const ScenarioReport& scenario : report.scenarios()) {
    for (const WriteReport& write : scenario.writes()) {
      Reached& total = reached[{write.name(), write.family()}];
      total.times += write.stored();
      total.stops_before += write.stops_before();
      total.stops_after += write.stops_after();
    }
  }
  return reached;
}

ReachedNames RulesReached(const GateReport& report) {
  ReachedNames reached;
  for (const ScenarioReport& scenario : report.scenarios()) {
    for (const RuleReport& rule : scenario.rules()) {
      reached[{rule.name(), rule.family()}].times += rule.times();
    }
  }
  return reached;
}

// A rule that is only said in parts was reached as often as its parts were.
uint64_t TimesOfParts(const ReachedNames& reached, const std::string& rule,
                      const std::string& family) {
  uint64_t times = 0;
  for (const auto& [which, one] : reached) {
    if (which.second == family && model::IsPartOf(which.first, rule)) times += one.times;
  }
  return times;
}

CoverageItem ItemOf(const std::string& name, const char* family, const ReachedNames& reached,
                    const Exemptions& exemptions) {
  CoverageItem item;
  item.set_name(name);
  item.set_family(family);
  const auto found = reached.find({name, family});
  if (found != reached.end()) {
    item.set_reached(found->second.times);
    item.set_stops_before(found->second.stops_before);
    item.set_stops_after(found->second.stops_after);
  }
  const auto exempt = exemptions.find({name, family});
  if (exempt != exemptions.end()) item.set_exempt(exempt->second);
  return item;
}

void AddProblem(const CoverageItem& item, absl::string_view what, CoverageReport& coverage) {
  coverage.add_problems(absl::StrCat(item.name(), " of a ", item.family(), " ", what));
}

void AddWrite(const CoverageItem& item, CoverageReport& coverage) {
  if (item.exempt().empty()) {
    if (item.reached() == 0) {
      AddProblem(item, "was never stored", coverage);
    } else if (item.stops_before() == 0) {
      AddProblem(item, "was never stopped before", coverage);
    } else if (item.stops_after() == 0) {
      AddProblem(item, "was never stopped after", coverage);
    }
  }
  if (item.reached() > 0) coverage.set_writes_reached(coverage.writes_reached() + 1);
  *coverage.add_writes() = item;
}

void AddRule(const CoverageItem& item, CoverageReport& coverage) {
  if (item.exempt().empty() && item.reached() == 0) {
    AddProblem(item, "was never followed", coverage);
  }
  if (item.reached() > 0) coverage.set_rules_reached(coverage.rules_reached() + 1);
  *coverage.add_rules() = item;
}

// What a pass of a family said or stored that is no rule or write of that family.
void AddStrangers(const ReachedNames& reached, const std::vector<model::Named>& known,
                  const char* what, CoverageReport& coverage) {
  for (const auto& one : reached) {
    const std::string& name = one.first.first;
    const std::string& family = one.first.second;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const model::Named& named) {
      return named.name == name && named.IsFor(family);
    });
    if (is_known) continue;
    coverage.add_problems(absl::StrCat(name, " was ", what, " by a ", family, ", which has none"));
  }
}

std::vector<std::string> CellsOf(absl::string_view line) {
  std::vector<std::string> cells;
  for (const absl::string_view cell : absl::StrSplit(line, '|')) {
    cells.emplace_back(absl::StripAsciiWhitespace(cell));
  }
  // A row begins and ends with a bar.
  if (cells.size() >= 2) {
    cells.erase(cells.begin());
    cells.pop_back();
  }
  return cells;
}

absl::Status AddExemption(absl::string_view line, Exemptions& exemptions) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("exemption \"", line, "\": ", why));
  };
  const std::vector<std::string> cells = CellsOf(line);
  if (cells.size() != 3) return refuse("expected name, family and reason");
  const model::Named* named = model::FindNamed(cells[0]);
  if (named == nullptr) return refuse("no rule or write has this name");
  if (cells[2].empty()) return refuse("gives no reason");
  bool any = false;
  for (const char* family : kFamilies) {
    if (cells[1] != family && cells[1] != "both") continue;
    if (!named->IsFor(family)) return refuse("it is not for this family");
    if (!exemptions.emplace(std::pair(cells[0], family), cells[2]).second) {
      return refuse("said twice");
    }
    any = true;
  }
  return any ? absl::OkStatus() : refuse("expected schema, migration or both");
}

std::string ItemText(const CoverageItem& item, bool write) {
  std::string text =
      absl::StrFormat("%-9s  %-14s  %10d", item.family(), item.name(), item.reached());
  if (write) absl::StrAppendFormat(&text, "  %10d  %10d", item.stops_before(), item.stops_after());
  if (!item.exempt().empty()) absl::StrAppend(&text, "  exempt: ", item.exempt());
  return absl::StrCat(text, "\n");
}

}  // namespace

absl::StatusOr<Exemptions> ParseExemptions(absl::string_view decisions) {
  Exemptions exemptions;
  bool inside = false;
  int rows = 0;
  for (const absl::string_view line : absl::StrSplit(decisions, '\n')) {
    if (absl::StartsWith(line, "#")) {
      inside = line == kExemptionsHeading;
      continue;
    }
    if (!inside || !absl::StartsWith(line, "|")) continue;
    // The heading of the table and the rule below it.
    if (++rows <= 2) continue;
    if (absl::Status added = AddExemption(line, exemptions); !added.ok()) return added;
  }
  return exemptions;
}

CoverageReport CoverageOf(const GateReport& report, const Exemptions& exemptions) {
  CoverageReport coverage;
  const ReachedNames writes = WritesReached(report);
  const ReachedNames rules = RulesReached(report);
  for (const char* family : kFamilies) {
    for (const model::Named& write : model::Writes()) {
      if (write.IsFor(family)) AddWrite(ItemOf(write.name, family, writes, exemptions), coverage);
    }
  }
  for (const char* family : kFamilies) {
    for (const model::Named& rule : model::Rules()) {
      if (!rule.IsFor(family)) continue;
      CoverageItem item = ItemOf(rule.name, family, rules, exemptions);
      if (item.reached() == 0) item.set_reached(TimesOfParts(rules, rule.name, family));
      AddRule(item, coverage);
    }
  }
  AddStrangers(writes, model::Writes(), "stored", coverage);
  AddStrangers(rules, model::Rules(), "followed", coverage);
  return coverage;
}

std::string CoverageText(const CoverageReport& coverage) {
  std::string text = absl::StrFormat("%-9s  %-14s  %10s  %10s  %10s\n", "family", "write",
                                     "reached", "stop before", "stop after");
  for (const CoverageItem& item : coverage.writes()) absl::StrAppend(&text, ItemText(item, true));
  absl::StrAppendFormat(&text, "\n%-9s  %-14s  %10s\n", "family", "rule", "reached");
  for (const CoverageItem& item : coverage.rules()) absl::StrAppend(&text, ItemText(item, false));
  absl::StrAppend(&text, "\n");
  for (const std::string& problem : coverage.problems()) {
    absl::StrAppend(&text, "UNREACHED: ", problem, "\n");
  }
  return absl::StrCat(text, "reached: ", CoverageSummary(coverage), "\n");
}

std::string CoverageSummary(const CoverageReport& coverage) {
  int exempt = 0;
  for (const auto* items : {&coverage.writes(), &coverage.rules()}) {
    for (const CoverageItem& item : *items) {
      exempt += item.reached() == 0 && !item.exempt().empty() ? 1 : 0;
    }
  }
  return absl::StrCat(coverage.writes_reached(), " of ", coverage.writes_size(), " writes and ",
                      coverage.rules_reached(), " of ", coverage.rules_size(),
                      " rules, each counted for its family; ", exempt, " are exempt");
}

}  // namespace reports
