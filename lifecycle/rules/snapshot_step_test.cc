#include "lifecycle/rules/snapshot_step.h"

#include <map>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(SnapshotStepTest, FollowsTheTable) {
  const std::map<std::string, TemplateDigestState> digests = {
      {"unreadable", TemplateDigestState::kUnreadable},
      {"equal", TemplateDigestState::kEqual},
      {"different", TemplateDigestState::kDifferent}};
  // Present | valid | template digest | resolvable | refreshed before | result
  ExpectFollowsTable(R"(
    | no  | -   | -          | yes | -   | write                        |
    | no  | -   | -          | no  | -   | Refuse: unresolvable         |
    | yes | no  | -          | -   | -   | Refuse: invalid              |
    | yes | yes | unreadable | -   | -   | Refuse: template unreadable  |
    | yes | yes | equal      | -   | -   | proceed                      |
    | yes | yes | different  | -   | no  | refresh                      |
    | yes | yes | different  | -   | yes | Refuse: template moved twice |
  )",
                     {YesNo(), YesNo(), {"unreadable", "equal", "different"}, YesNo(), YesNo()},
                     [&](const Inputs& in) -> std::string {
                       const SnapshotStep step = DecideSnapshot({.present = in.Yes(0),
                                                                 .valid = in.Yes(1),
                                                                 .digest = digests.at(in[2]),
                                                                 .resolvable = in.Yes(3),
                                                                 .refreshed_before = in.Yes(4)});
                       switch (step.action) {
                         case SnapshotAction::kWrite:
                           return "write";
                         case SnapshotAction::kProceed:
                           return "proceed";
                         case SnapshotAction::kRefresh:
                           return "refresh";
                         case SnapshotAction::kRefuse:
                           break;
                       }
                       switch (step.refusal) {
                         case JobRefusal::kSnapshotInvalid:
                           return "Refuse: invalid";
                         case JobRefusal::kSnapshotUnresolvable:
                           return "Refuse: unresolvable";
                         case JobRefusal::kTemplateUnreadable:
                           return "Refuse: template unreadable";
                         case JobRefusal::kTemplateMovedTwice:
                           return "Refuse: template moved twice";
                       }
                       return "?";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
