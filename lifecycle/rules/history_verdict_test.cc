#include "lifecycle/rules/history_verdict.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(HistoryVerdictTest, FollowsTheTable) {
  // Dirty | modified | out of order | unresolvedRun | settled | ahead | pending | phase | reason
  ExpectFollowsTable(R"(
    | yes | -   | -   | -   | -  | -   | -   | Blocked  | HistoryDirty        |
    | no  | yes | -   | -   | -  | -   | -   | Blocked  | HistoryModified     |
    | no  | no  | yes | -   | -  | -   | -   | Blocked  | HistoryOutOfOrder   |
    | no  | no  | no  | yes | no | -   | -   | Blocked  | ApplyOutcomeUnknown |
    | no  | no  | no  | yes | -  | -   | yes | Blocked  | ApplyOutcomeUnknown |
    | no  | no  | no  | -   | -  | yes | -   | Blocked  | HistoryAhead        |
    | no  | no  | no  | -   | -  | no  | no  | InSync   |                     |
    | no  | no  | no  | no  | -  | no  | yes | Planning |                     |
  )",
                     std::vector<Domain>(7, YesNo()), [](const Inputs& in) {
                       const HistoryVerdict verdict = VerdictOfHistory({.dirty = in.Yes(0),
                                                                        .modified = in.Yes(1),
                                                                        .out_of_order = in.Yes(2),
                                                                        .unresolved_run = in.Yes(3),
                                                                        .settled = in.Yes(4),
                                                                        .ahead = in.Yes(5),
                                                                        .pending = in.Yes(6)});
                       return absl::StrCat(HistoryPhase(verdict), "; ",
                                           HistoryBlockedReason(verdict));
                     });
}

TEST(HistoryVerdictTest, SettlesOnlyWhenNothingIsPendingInTheRunsOwnDatabase) {
  // Pending | record's target digest | history's target digest | settled
  ExpectFollowsTable(
      R"(
    | 1/2 | -     | -       | no  |
    | 0   | empty | -       | no  |
    | 0   | a     | a       | yes |
    | 0   | a     | b/empty | no  |
  )",
      {{"0", "1", "2"}, {"empty", "a"}, {"empty", "a", "b"}}, [](const Inputs& in) -> std::string {
        const auto digest = [&](size_t column) {
          return in[column] == "empty" ? std::string() : in[column];
        };
        return SettledByReading(std::stoi(in[0]), digest(1), digest(2)) ? "yes" : "no";
      });
}

}  // namespace
}  // namespace lifecycle::rules
