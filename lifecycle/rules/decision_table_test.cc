#include "lifecycle/rules/decision_table.h"

#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace lifecycle::rules {
namespace {

// EXPECT_NONFATAL_FAILURE runs its statement where locals are out of reach.
std::string Same(const Inputs& in) { return in[0]; }

void CheckRows(const char* table) { ExpectFollowsTable(table, {YesNo()}, Same); }

TEST(DecisionTableTest, AcceptsAnAnswerThatFollowsEveryRow) {
  CheckRows("| yes | yes |\n| no | no |");
  ExpectFollowsTable("| a/b | - | 1; x |\n| - | no | 1; y |\n| c | yes | 2 | x |",
                     {{"a", "b", "c"}, YesNo()}, [](const Inputs& in) -> std::string {
                       if (in[0] != "c") return "1; x";
                       return in.Yes(1) ? "2; x" : "1; y";
                     });
}

TEST(DecisionTableTest, ReportsAnAnswerThatARowContradicts) {
  EXPECT_NONFATAL_FAILURE(CheckRows("| yes | yes |\n| no | yes |"), "for: no");
}

TEST(DecisionTableTest, ReportsACombinationThatNoRowCovers) {
  EXPECT_NONFATAL_FAILURE(CheckRows("| yes | yes |"), "no row covers: no");
}

TEST(DecisionTableTest, ReportsARowThatNoCombinationReaches) {
  EXPECT_NONFATAL_FAILURE(CheckRows("| yes | yes |\n| no | no |\n| - | never |"),
                          "no combination reaches the row");
}

TEST(DecisionTableTest, ReportsARowWithoutAnAnswer) {
  EXPECT_NONFATAL_FAILURE(CheckRows("| yes |\n| yes | yes |\n| no | no |"), "a row has 1 cells");
}

}  // namespace
}  // namespace lifecycle::rules
