#include "lifecycle/rules/acknowledgment_rule.h"

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(AcknowledgmentRuleTest, FollowsTheTable) {
  // unresolvedRun set | stamped | names its operation | resolvedRun names it | action
  ExpectFollowsTable(R"(
    | yes | yes | yes | -   | candidate |
    | -   | -   | -   | yes | Consumed  |
    | -   | -   | -   | no  | Stale     |
  )",
                     std::vector<Domain>(4, YesNo()), [](const Inputs& in) -> std::string {
                       switch (JudgeAcknowledgment({.unresolved_run = in.Yes(0),
                                                    .stamped = in.Yes(1),
                                                    .names_operation = in.Yes(2),
                                                    .resolved_run_names_it = in.Yes(3)})) {
                         case AcknowledgmentAction::kCandidate:
                           return "candidate";
                         case AcknowledgmentAction::kMarkConsumed:
                           return "Consumed";
                         case AcknowledgmentAction::kMarkStale:
                           return "Stale";
                       }
                       return "?";
                     });
}

TEST(AcknowledgmentRuleTest, ACandidateThatMovedSinceSettlesNothing) {
  // Gone | UID equal | spec equal | deleting | judged | settles
  ExpectFollowsTable(R"(
    | no | yes | yes | no | no | settles |
    | -  | -   | -   | -  | -  | nothing |
  )",
                     std::vector<Domain>(5, YesNo()), [](const Inputs& in) -> std::string {
                       return CandidateSettles({.gone = in.Yes(0),
                                                .uid_equal = in.Yes(1),
                                                .spec_equal = in.Yes(2),
                                                .deleting = in.Yes(3),
                                                .judged = in.Yes(4)})
                                  ? "settles"
                                  : "nothing";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
