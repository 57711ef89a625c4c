#include "lifecycle/rules/lease_rule.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

constexpr char kOne[] = "v1-11111111111111111111111111111111";
constexpr char kTwo[] = "v1-22222222222222222222222222222222";
constexpr char kDigest[] =
    "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

LeaseRequest Request() {
  return {.coordination_digest = kDigest,
          .coordination_namespace = "ptah-system",
          .holder = "ptah-h-us",
          .duration_ms = 960'000,
          .expected_epoch = ""};
}

std::string Describe(const LeaseDecision& decision) {
  const char* lost = decision.continuity_lost ? "lost" : "continuous";
  switch (decision.step) {
    case LeaseStep::kCreate:
      return absl::StrCat("create; ", lost);
    case LeaseStep::kTake:
      return absl::StrCat("take; ", lost);
    case LeaseStep::kRenew:
      return absl::StrCat("renew; ", lost);
    case LeaseStep::kContended:
      return absl::StrCat("contended; ", decision.wait_ms);
    case LeaseStep::kMalformed:
      return "error; malformed";
  }
  return "?";
}

TEST(LeaseRuleTest, AcquireFollowsTheTable) {
  const std::map<std::string, std::string> holders = {
      {"empty", ""}, {"us", "ptah-h-us"}, {"foreign", "ptah-h-them"}};
  const std::map<std::string, std::string> epochs = {
      {"one", kOne}, {"two", kTwo}, {"malformed", "v1-xyz"}, {"empty", ""}};
  // Stored | holder | epoch E | expected X | timing valid | observed remaining | action
  ExpectFollowsTable(R"(
    | no  | -       | -               | empty | -   | -  | create    | continuous |
    | no  | -       | -               | one   | -   | -  | create    | lost       |
    | yes | empty   | -               | empty | -   | -  | take      | continuous |
    | yes | empty   | -               | one   | -   | -  | take      | lost       |
    | yes | us      | one             | one   | -   | -  | renew     | continuous |
    | yes | us      | one/two         | empty | -   | -  | renew     | continuous |
    | yes | us      | two             | one   | -   | -  | renew     | lost       |
    | yes | us      | malformed/empty | empty | -   | -  | take      | continuous |
    | yes | us      | malformed/empty | one   | -   | -  | take      | lost       |
    | yes | foreign | -               | -     | no  | -  | error     | malformed  |
    | yes | foreign | -               | -     | yes | 7  | contended | 7          |
    | yes | foreign | -               | empty | yes | 0  | take      | continuous |
    | yes | foreign | -               | one   | yes | 0  | take      | lost       |
  )",
                     {YesNo(),
                      {"empty", "us", "foreign"},
                      {"one", "two", "malformed", "empty"},
                      {"empty", "one"},
                      YesNo(),
                      {"7", "0"}},
                     [&](const Inputs& in) {
                       std::optional<StoredLease> stored;
                       if (in.Yes(0)) {
                         stored = StoredLease{.holder = holders.at(in[1]),
                                              .epoch = epochs.at(in[2]),
                                              .timing_valid = in.Yes(4)};
                       }
                       LeaseRequest request = Request();
                       request.expected_epoch = epochs.at(in[3]);
                       return Describe(DecideAcquire(stored, request, in[5] == "7" ? 7 : 0));
                     });
}

TEST(LeaseRuleTest, AMalformedRequestIsRefusedBeforeAnythingIsTouched) {
  EXPECT_TRUE(ValidateLeaseRequest(Request()).ok());
  const auto refused = [](auto change) {
    LeaseRequest request = Request();
    change(request);
    return !ValidateLeaseRequest(request).ok();
  };
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.coordination_digest = "sha256:12"; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.coordination_namespace = ""; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.coordination_namespace = "Ptah"; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.coordination_namespace = "-ptah"; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.holder = ""; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.duration_ms = 0; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.duration_ms = 4'000; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.duration_ms = 5'500; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.duration_ms = -960'000; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.duration_ms = 86'521'000; }));
  EXPECT_TRUE(refused([](LeaseRequest& r) { r.expected_epoch = "v1-xyz"; }));
}

TEST(LeaseRuleTest, TheBoundsOfTheDurationAreWithin) {
  LeaseRequest request = Request();
  request.duration_ms = 5'000;
  EXPECT_TRUE(ValidateLeaseRequest(request).ok());
  // A migration's longest window, 24 h, plus two minutes.
  request.duration_ms = 86'520'000;
  EXPECT_TRUE(ValidateLeaseRequest(request).ok());
  request.expected_epoch = kOne;
  EXPECT_TRUE(ValidateLeaseRequest(request).ok());
}

TEST(LeaseRuleTest, ALostRaceIsReadAgainFiveTimes) {
  const std::map<std::string, LeaseWrite> writes = {{"ok", LeaseWrite::kOk},
                                                    {"lost race", LeaseWrite::kLostRace},
                                                    {"other error", LeaseWrite::kOtherError}};
  ExpectFollowsTable(R"(
    | ok          | -       | done              |
    | lost race   | 1/2/3/4 | read again        |
    | lost race   | 5       | concurrent update |
    | other error | -       | error             |
  )",
                     {{"ok", "lost race", "other error"}, {"1", "2", "3", "4", "5"}},
                     [&](const Inputs& in) -> std::string {
                       switch (AfterLeaseWrite(writes.at(in[0]), std::stoi(in[1]))) {
                         case AttemptResult::kDone:
                           return "done";
                         case AttemptResult::kReadAgain:
                           return "read again";
                         case AttemptResult::kConcurrentUpdate:
                           return "concurrent update";
                         case AttemptResult::kError:
                           return "error";
                       }
                       return "?";
                     });
}

std::string Describe(const LeaseUse& use) {
  const char* pass = use.pass == LeasePass::kProceeds         ? "proceeds"
                     : use.pass == LeasePass::kEndsRequeueNow ? "ends, requeue now"
                                                              : "ends, requeue later";
  std::string write = "none";
  if (use.write_epoch) write = "epoch";
  if (use.latch) write += " latch";
  if (use.demote_proof) write += " demote";
  return absl::StrCat(write, "; ", pass);
}

TEST(LeaseRuleTest, TheClaimsUseFollowsTheTable) {
  // Contended | epoch equal | continuity lost | recorded empty | may have dispatched | proof's
  // epoch differs | write | pass
  ExpectFollowsTable(R"(
    | yes | -   | -   | -   | -   | -   | none               | ends, requeue later |
    | no  | -   | -   | -   | -   | yes | epoch latch demote | ends, requeue now   |
    | no  | yes | no  | -   | -   | no  | none               | proceeds            |
    | no  | -   | -   | no  | no  | no  | epoch              | ends, requeue now   |
    | no  | -   | -   | no  | yes | no  | epoch latch        | ends, requeue now   |
    | no  | -   | -   | yes | -   | no  | epoch latch        | ends, requeue now   |
  )",
                     {YesNo(), YesNo(), YesNo(), YesNo(), YesNo(), YesNo()}, [](const Inputs& in) {
                       return Describe(UseOfLease({.contended = in.Yes(0),
                                                   .epoch_equal = in.Yes(1),
                                                   .continuity_lost = in.Yes(2),
                                                   .recorded_empty = in.Yes(3),
                                                   .may_have_dispatched = in.Yes(4),
                                                   .proof_epoch_differs = in.Yes(5)}));
                     });
}

TEST(LeaseRuleTest, AProofWithoutAClaimIsDemotedWhenItsEpochChanged) {
  ExpectFollowsTable(
      R"(
    | yes | -   | -  | none         | ends, requeue later |
    | no  | yes | no | none         | proceeds            |
    | no  | -   | -  | epoch demote | ends, requeue now   |
  )",
      {YesNo(), YesNo(), YesNo()}, [](const Inputs& in) {
        return Describe(UseOfProofLease(
            {.contended = in.Yes(0), .epoch_equal = in.Yes(1), .continuity_lost = in.Yes(2)}));
      });
}

api::LeaseObservation Foreign() {
  return {.version = 7,
          .uid = "lease-uid",
          .holder = "ptah-h-them",
          .duration_seconds = 60,
          .acquire_time_ms = 1'000,
          .renew_time_ms = 2'000,
          .transitions = 3,
          .first_seen_ms = 0};
}

api::LeaseObservation SeenAt(int64_t ms) {
  api::LeaseObservation seen = Foreign();
  seen.first_seen_ms = ms;
  return seen;
}

TEST(ForeignExpiryTest, FollowsTheTable) {
  // First sight starts the full duration.
  EXPECT_EQ(ObserveForeign(Foreign(), std::nullopt, 500),
            (ForeignExpiry{.remaining_ms = 60'000, .memory = SeenAt(500)}));
  // The clock is before our first sight: start again.
  EXPECT_EQ(ObserveForeign(Foreign(), SeenAt(500), 499),
            (ForeignExpiry{.remaining_ms = 60'000, .memory = SeenAt(499)}));
  // The same record, elapsed < D, unchanged.
  EXPECT_EQ(ObserveForeign(Foreign(), SeenAt(500), 500),
            (ForeignExpiry{.remaining_ms = 60'000, .memory = SeenAt(500)}));
  EXPECT_EQ(ObserveForeign(Foreign(), SeenAt(500), 60'499),
            (ForeignExpiry{.remaining_ms = 1, .memory = SeenAt(500)}));
  // Elapsed >= D: forgotten.
  EXPECT_EQ(ObserveForeign(Foreign(), SeenAt(500), 60'500), ForeignExpiry{});
  EXPECT_EQ(ObserveForeign(Foreign(), SeenAt(500), 99'999), ForeignExpiry{});
  // Own, empty or absent: forgotten.
  EXPECT_EQ(ObserveForeign(std::nullopt, SeenAt(500), 700), ForeignExpiry{});
  EXPECT_EQ(ObserveForeign(std::nullopt, std::nullopt, 700), ForeignExpiry{});
}

TEST(ForeignExpiryTest, AnyChangeOfTheRecordStartsTheFullDurationAgain) {
  const auto restarts = [](auto change) {
    api::LeaseObservation renewed = Foreign();
    change(renewed);
    const ForeignExpiry expiry = ObserveForeign(renewed, SeenAt(500), 60'500);
    renewed.first_seen_ms = 60'500;
    return expiry.memory == renewed && expiry.remaining_ms == renewed.duration_seconds * 1000;
  };
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.version = 8; }));
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.uid = "other"; }));
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.holder = "ptah-h-third"; }));
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.duration_seconds = 61; }));
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.acquire_time_ms = 1'001; }));
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.renew_time_ms = 2'001; }));
  EXPECT_TRUE(restarts([](api::LeaseObservation& r) { r.transitions = 4; }));
}

TEST(LeaseRuleTest, ReleaseFollowsTheTable) {
  // Request has an epoch | stored | holder equal | epoch equal | action
  ExpectFollowsTable(R"(
    | no  | -   | -   | -   | error        |
    | yes | no  | -   | -   | nothing      |
    | yes | yes | no  | -   | nothing      |
    | yes | yes | -   | no  | nothing      |
    | yes | yes | yes | yes | empty holder |
  )",
                     {YesNo(), YesNo(), YesNo(), YesNo()}, [](const Inputs& in) -> std::string {
                       switch (DecideRelease({.request_has_epoch = in.Yes(0),
                                              .stored = in.Yes(1),
                                              .holder_equal = in.Yes(2),
                                              .epoch_equal = in.Yes(3)})) {
                         case ReleaseStep::kError:
                           return "error";
                         case ReleaseStep::kNothingToDo:
                           return "nothing";
                         case ReleaseStep::kEmptyHolder:
                           return "empty holder";
                       }
                       return "?";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
