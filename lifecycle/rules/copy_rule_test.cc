#include "lifecycle/rules/copy_rule.h"

#include <map>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(CopyRuleTest, FollowsTheSevenRows) {
  const std::map<std::string, CopyState> copies = {{"absent", CopyState::kAbsent},
                                                   {"unreadable", CopyState::kUnreadable},
                                                   {"readable", CopyState::kReadable}};
  // Record in status | annotation | equals the record | names resolvedRun | names the live claim |
  // action
  ExpectFollowsTable(
      R"(
    | present | readable   | yes | -   | -   | nothing |
    | present | -          | -   | -   | -   | rewrite |
    | absent  | absent     | -   | -   | -   | nothing |
    | absent  | unreadable | -   | -   | -   | blocked |
    | absent  | readable   | -   | yes | -   | remove  |
    | absent  | readable   | -   | no  | yes | nothing |
    | absent  | readable   | -   | no  | no  | restore |
  )",
      {{"present", "absent"}, {"absent", "unreadable", "readable"}, YesNo(), YesNo(), YesNo()},
      [&](const Inputs& in) -> std::string {
        switch (DecideCopy({.record_present = in[0] == "present",
                            .copy = copies.at(in[1]),
                            .copy_equals_record = in.Yes(2),
                            .names_resolved_run = in.Yes(3),
                            .names_live_claim = in.Yes(4)})) {
          case CopyAction::kNothing:
            return "nothing";
          case CopyAction::kRewriteCopy:
            return "rewrite";
          case CopyAction::kBlocked:
            return "blocked";
          case CopyAction::kRemoveCopy:
            return "remove";
          case CopyAction::kRestoreRecord:
            return "restore";
        }
        return "?";
      });
}

}  // namespace
}  // namespace lifecycle::rules
