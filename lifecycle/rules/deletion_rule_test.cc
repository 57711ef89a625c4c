#include "lifecycle/rules/deletion_rule.h"

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(DeletionRuleTest, AClaimEndsAsTheTableSays) {
  // Continuity lost | mutating | may have dispatched | holds the realm | a Job of this resource
  // stands | terminal | action
  ExpectFollowsTable(R"(
    | yes | -   | -   | -   | -   | -   | F-9              |
    | no  | yes | yes | -   | no  | -   | lose the account |
    | no  | yes | no  | -   | no  | -   | discard          |
    | no  | no  | -   | -   | no  | -   | discard          |
    | no  | -   | -   | yes | yes | no  | renew and wait   |
    | no  | yes | -   | no  | yes | -   | account          |
    | no  | yes | -   | yes | yes | yes | account          |
    | no  | no  | -   | no  | yes | -   | discard          |
    | no  | no  | -   | yes | yes | yes | discard          |
  )",
                     {YesNo(), YesNo(), YesNo(), YesNo(), YesNo(), YesNo()},
                     [](const Inputs& in) -> std::string {
                       switch (DecideDeletedClaim({.continuity_lost = in.Yes(0),
                                                   .mutating = in.Yes(1),
                                                   .may_have_dispatched = in.Yes(2),
                                                   .holds_realm = in.Yes(3),
                                                   .job_stands = in.Yes(4),
                                                   .job_terminal = in.Yes(5)})) {
                         case DeletedClaimAction::kSettleContinuity:
                           return "F-9";
                         case DeletedClaimAction::kLoseAccount:
                           return "lose the account";
                         case DeletedClaimAction::kRenewAndWait:
                           return "renew and wait";
                         case DeletedClaimAction::kAccount:
                           return "account";
                         case DeletedClaimAction::kDiscard:
                           return "discard";
                       }
                       return "?";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
