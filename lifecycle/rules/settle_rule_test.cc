#include "lifecycle/rules/settle_rule.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(SettleRuleTest, FollowsTheTable) {
  // Report | outcome in it | uncertain | coordination equal | target equal | outcome
  ExpectFollowsTable(
      R"(
    | none | -                              | -   | -   | -   | Unknown  |
    | yes  | -                              | no  | no  | -   | Unknown  |
    | yes  | -                              | no  | yes | no  | Unknown  |
    | yes  | up-to-date                     | no  | yes | yes | UpToDate |
    | yes  | applied/dry-run                | no  | yes | yes | Applied  |
    | yes  | failed                         | no  | yes | yes | Failed   |
    | yes  | partial                        | no  | yes | yes | Partial  |
    | yes  | unknown/gibberish              | no  | yes | yes | Unknown  |
    | yes  | partial                        | yes | -   | -   | Partial  |
    | yes  | -                              | yes | -   | -   | Unknown  |
  )",
      {{"none", "yes"},
       {"up-to-date", "applied", "dry-run", "failed", "partial", "unknown", "gibberish"},
       YesNo(),
       YesNo(),
       YesNo()},
      [](const Inputs& in) -> std::string {
        const SettledRun run = SettleRun({.report_present = in.Yes(0),
                                          .reported = RunOutcomeOf(in[1]),
                                          .uncertain = in.Yes(2),
                                          .coordination_equal = in.Yes(3),
                                          .target_equal = in.Yes(4)});
        EXPECT_TRUE(run.names_reported_target);
        return RunOutcomeName(run.outcome);
      });
}

TEST(SettleRuleTest, WhatFollowsAnOutcomeFollowsTheTable) {
  // Reported outcome | unresolvedRun | phase
  ExpectFollowsTable(R"(
    | up-to-date/applied/failed | no  | VerifyingHistory |
    | partial/unknown           | yes | Blocked          |
  )",
                     {{"up-to-date", "applied", "failed", "partial", "unknown"}},
                     [](const Inputs& in) {
                       const RunOutcome outcome = RunOutcomeOf(in[0]);
                       return absl::StrCat(LeavesUnresolvedRun(outcome) ? "yes" : "no", "; ",
                                           PhaseAfterRun(outcome));
                     });
}

}  // namespace
}  // namespace lifecycle::rules
