#include "lifecycle/rules/realm_holder.h"

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(RealmHolderTest, FollowsTheTable) {
  // Claim present | proof outstanding | serves proof | claim has an epoch | mutating | owner
  ExpectFollowsTable(R"(
    | no  | -   | -   | -   | -   | None  |
    | yes | yes | yes | yes | yes | Proof |
    | yes | yes | yes | yes | no  | Proof |
    | yes | yes | yes | no  | yes | Proof |
    | yes | yes | yes | no  | no  | Proof |
    | yes | yes | no  | yes | yes | Claim |
    | yes | yes | no  | yes | no  | None  |
    | yes | yes | no  | no  | yes | None  |
    | yes | yes | no  | no  | no  | None  |
    | yes | no  | yes | yes | yes | Claim |
    | yes | no  | yes | yes | no  | Claim |
    | yes | no  | yes | no  | yes | None  |
    | yes | no  | yes | no  | no  | None  |
    | yes | no  | no  | yes | yes | Claim |
    | yes | no  | no  | yes | no  | None  |
    | yes | no  | no  | no  | yes | None  |
    | yes | no  | no  | no  | no  | None  |
  )",
                     {YesNo(), YesNo(), YesNo(), YesNo(), YesNo()},
                     [](const Inputs& in) -> std::string {
                       switch (RealmHeldBy({.claim_present = in.Yes(0),
                                            .proof_outstanding = in.Yes(1),
                                            .serves_proof = in.Yes(2),
                                            .claim_has_epoch = in.Yes(3),
                                            .mutating = in.Yes(4)})) {
                         case RealmOwner::kNone:
                           return "None";
                         case RealmOwner::kClaim:
                           return "Claim";
                         case RealmOwner::kProof:
                           return "Proof";
                       }
                       return "?";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
