#include "lifecycle/rules/retired_job_rule.h"

#include <map>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(RetiredJobRuleTest, AReadOnlyJobFollowsTheTable) {
  // Read error | Job found | UID known | matches envelope | this resource's and not stopped |
  // action
  ExpectFollowsTable(R"(
    | yes | -   | -   | -   | -   | error          |
    | no  | no  | -   | -   | -   | drop           |
    | no  | yes | no  | yes | -   | record UID     |
    | no  | yes | -   | -   | yes | wait           |
    | no  | yes | yes | yes | no  | TTL, then drop |
    | no  | yes | -   | no  | no  | drop           |
  )",
                     std::vector<Domain>(5, YesNo()), [](const Inputs& in) -> std::string {
                       switch (DecideRetiredReadOnly({.read_error = in.Yes(0),
                                                      .job_found = in.Yes(1),
                                                      .uid_known = in.Yes(2),
                                                      .matches = in.Yes(3),
                                                      .not_stopped = in.Yes(4)})) {
                         case RetiredReadOnlyAction::kError:
                           return "error";
                         case RetiredReadOnlyAction::kRecordUid:
                           return "record UID";
                         case RetiredReadOnlyAction::kWait:
                           return "wait";
                         case RetiredReadOnlyAction::kTtlThenDrop:
                           return "TTL, then drop";
                         case RetiredReadOnlyAction::kDrop:
                           return "drop";
                       }
                       return "?";
                     });
}

TEST(RetiredJobRuleTest, AnApplyJobFollowsTheTable) {
  const std::map<std::string, RetiredApplyJob> jobs = {
      {"missing", RetiredApplyJob::kMissing},
      {"no match", RetiredApplyJob::kNoMatch},
      {"TTL set", RetiredApplyJob::kTtlSet},
      {"not terminal", RetiredApplyJob::kNotTerminal},
      {"terminal", RetiredApplyJob::kTerminal}};
  // UID known | Pods running | Job | observeAfter reached | action
  ExpectFollowsTable(
      R"(
    | no  | -   | TTL set/not terminal/terminal | -   | record UID      |
    | no  | -   | missing/no match              | no  | wait            |
    | no  | -   | missing/no match              | yes | clear           |
    | yes | yes | -                             | -   | wait            |
    | yes | no  | missing/no match/TTL set      | -   | clear           |
    | yes | no  | not terminal                  | -   | wait            |
    | yes | no  | terminal                      | -   | TTL, then clear |
  )",
      {YesNo(), YesNo(), {"missing", "no match", "TTL set", "not terminal", "terminal"}, YesNo()},
      [&](const Inputs& in) -> std::string {
        switch (DecideRetiredApply({.uid_known = in.Yes(0),
                                    .pods_running = in.Yes(1),
                                    .job = jobs.at(in[2]),
                                    .observe_after_reached = in.Yes(3)})) {
          case RetiredApplyAction::kRecordUid:
            return "record UID";
          case RetiredApplyAction::kWait:
            return "wait";
          case RetiredApplyAction::kTtlThenClear:
            return "TTL, then clear";
          case RetiredApplyAction::kClear:
            return "clear";
        }
        return "?";
      });
}

}  // namespace
}  // namespace lifecycle::rules
