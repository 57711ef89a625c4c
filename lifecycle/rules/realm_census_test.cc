#include "lifecycle/rules/realm_census.h"

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(RealmCensusTest, FollowsTheTable) {
  // Names a PtahRealm | exists | lists the namespace | engine equal | sharing | claimants |
  // without sharedRealm | verdict
  ExpectFollowsTable(R"(
    | no  | -   | -   | -   | -         | 1   | -   | admitted           |
    | no  | -   | -   | -   | -         | 2/3 | 0   | admitted           |
    | no  | -   | -   | -   | -         | 2/3 | 1/2 | RealmConflict      |
    | yes | no  | -   | -   | -         | -   | -   | RealmNotAuthorized |
    | yes | yes | no  | -   | -         | -   | -   | RealmNotAuthorized |
    | yes | yes | yes | no  | -         | -   | -   | RealmNotAuthorized |
    | yes | yes | yes | yes | -         | 1   | -   | admitted           |
    | yes | yes | yes | yes | Exclusive | 2/3 | -   | RealmConflict      |
    | yes | yes | yes | yes | Shared    | 2/3 | 0   | admitted           |
    | yes | yes | yes | yes | Shared    | 2/3 | 1/2 | RealmConflict      |
  )",
                     {YesNo(),
                      YesNo(),
                      YesNo(),
                      YesNo(),
                      {"Exclusive", "Shared"},
                      {"1", "2", "3"},
                      {"0", "1", "2"}},
                     [](const Inputs& in) -> std::string {
                       switch (VerdictOfCensus({.names_realm = in.Yes(0),
                                                .realm_exists = in.Yes(1),
                                                .lists_namespace = in.Yes(2),
                                                .engine_equal = in.Yes(3),
                                                .shared = in[4] == "Shared",
                                                .claimants = std::stoi(in[5]),
                                                .without_shared_realm = std::stoi(in[6])})) {
                         case CensusVerdict::kAdmitted:
                           return "admitted";
                         case CensusVerdict::kRealmConflict:
                           return "RealmConflict";
                         case CensusVerdict::kRealmNotAuthorized:
                           return "RealmNotAuthorized";
                       }
                       return "?";
                     });
}

TEST(RealmCensusTest, ARefusalKeepsAStandingDeadline) {
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .stored_deadline_ms = 101, .interval_ms = 10}), 101);
}

TEST(RealmCensusTest, ADeadlineFromBeforeTheRefusalIsBroughtForward) {
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .stored_deadline_ms = 600'000, .interval_ms = 600'000}),
            60'100);
  EXPECT_EQ(RefusalDeadline({.now_ms = 200, .stored_deadline_ms = 60'100, .interval_ms = 600'000}),
            60'100);
}

TEST(RealmCensusTest, ARefusalIsLookedAtAgainAfterTheIntervalButWithinAMinute) {
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .stored_deadline_ms = 100, .interval_ms = 10}), 110);
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .interval_ms = 60'000}), 60'100);
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .interval_ms = 60'001}), 60'100);
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .interval_ms = 0}), 60'100);
  EXPECT_EQ(RefusalDeadline({.now_ms = 100, .interval_ms = -5}), 60'100);
}

}  // namespace
}  // namespace lifecycle::rules
