#include "lifecycle/rules/decision_table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace lifecycle::rules {
namespace {

struct Row {
  std::vector<std::string> inputs;
  std::string expected;
  bool reached = false;
};

bool CellMatches(const std::string& cell, const std::string& word) {
  if (cell == "-") return true;
  const std::vector<std::string> alternatives = absl::StrSplit(cell, '/');
  return std::find(alternatives.begin(), alternatives.end(), word) != alternatives.end();
}

std::vector<Row> ParseRows(const std::string& table, size_t columns) {
  std::vector<Row> rows;
  for (absl::string_view line : absl::StrSplit(table, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    absl::ConsumePrefix(&line, "|");
    absl::ConsumeSuffix(&line, "|");
    std::vector<std::string> cells;
    for (absl::string_view cell : absl::StrSplit(line, '|')) {
      cells.emplace_back(absl::StripAsciiWhitespace(cell));
    }
    if (cells.size() <= columns) {
      ADD_FAILURE() << "a row has " << cells.size() << " cells: " << line;
      continue;
    }
    Row row;
    row.inputs.assign(cells.begin(), cells.begin() + columns);
    row.expected = absl::StrJoin(cells.begin() + columns, cells.end(), "; ");
    rows.push_back(std::move(row));
  }
  return rows;
}

Row* FirstMatch(std::vector<Row>& rows, const Inputs& inputs, size_t columns) {
  for (Row& row : rows) {
    bool matches = true;
    for (size_t column = 0; column < columns; ++column) {
      matches = matches && CellMatches(row.inputs[column], inputs[column]);
    }
    if (matches) return &row;
  }
  return nullptr;
}

// Advances `picks` like an odometer; false once every combination has been seen.
bool Next(const std::vector<Domain>& domains, std::vector<size_t>& picks) {
  for (size_t column = domains.size(); column-- > 0;) {
    if (++picks[column] < domains[column].size()) return true;
    picks[column] = 0;
  }
  return false;
}

}  // namespace

std::string Inputs::ToString() const { return absl::StrJoin(words_, " | "); }

Domain YesNo() { return {"yes", "no"}; }

void ExpectFollowsTable(const std::string& table, const std::vector<Domain>& domains,
                        const std::function<std::string(const Inputs&)>& decide) {
  std::vector<Row> rows = ParseRows(table, domains.size());
  std::vector<size_t> picks(domains.size(), 0);
  do {
    std::vector<std::string> words;
    for (size_t column = 0; column < domains.size(); ++column) {
      words.push_back(domains[column][picks[column]]);
    }
    const Inputs inputs(std::move(words));
    Row* row = FirstMatch(rows, inputs, domains.size());
    if (row == nullptr) {
      ADD_FAILURE() << "no row covers: " << inputs.ToString();
      continue;
    }
    row->reached = true;
    EXPECT_EQ(decide(inputs), row->expected) << "for: " << inputs.ToString();
  } while (Next(domains, picks));
  for (const Row& row : rows) {
    EXPECT_TRUE(row.reached) << "no combination reaches the row: "
                             << absl::StrJoin(row.inputs, " | ") << " -> " << row.expected;
  }
}

}  // namespace lifecycle::rules
