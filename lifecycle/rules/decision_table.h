// Tables of the specification as tests: a decision is held to a table written out row by row.
//
// A test pastes the table of spec 03 it answers, and this walks EVERY combination of the inputs,
// finds the first row that matches and compares what the code answers with that row's last cells.
// Expected values are therefore the specification's words, never a second copy of the logic. A row
// that no combination reaches, and a combination that no row covers, fail too.

#ifndef LIFECYCLE_RULES_DECISION_TABLE_H_
#define LIFECYCLE_RULES_DECISION_TABLE_H_

#include <functional>
#include <string>
#include <vector>

namespace lifecycle::rules {

// One input column: the words it may hold, in any order.
using Domain = std::vector<std::string>;

// The words of one combination of inputs, in column order.
class Inputs {
 public:
  explicit Inputs(std::vector<std::string> words) : words_(std::move(words)) {}
  const std::string& operator[](size_t column) const { return words_[column]; }
  bool Yes(size_t column) const { return words_[column] == "yes"; }
  std::string ToString() const;

 private:
  std::vector<std::string> words_;
};

// What most columns hold.
Domain YesNo();

// Checks `decide` against `table`, Markdown rows of |-separated cells: one cell an input column
// ("-" matches any word, "a/b" either), then the expected answer. The answer's cells are joined
// with "; ", and `decide` returns its answer in that form. Reports failures through GoogleTest.
void ExpectFollowsTable(const std::string& table, const std::vector<Domain>& domains,
                        const std::function<std::string(const Inputs&)>& decide);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_DECISION_TABLE_H_
