#include "lifecycle/lease/target_lock.h"

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::lease {
namespace {

constexpr char kNamespace[] = "ptah-system";
constexpr int64_t kDurationSeconds = 60;

class TargetLockTest : public ::testing::Test {
 protected:
  TargetLockTest() : digest_(api::DigestOf("realm")), client_(door_, "manager") {}

  Request RequestOf(const std::string& operation, const std::string& expected = "") const {
    return {.coordination_digest = digest_,
            .resource_uid = "uid-schema",
            .operation_id = operation,
            .duration_seconds = kDurationSeconds,
            .expected_epoch = expected};
  }
  absl::StatusOr<Acquisition> Take(const std::string& operation, const std::string& expected = "") {
    return Acquire(client_, memory_, kNamespace, RequestOf(operation, expected));
  }
  absl::Status GiveBack(const std::string& operation, const std::string& epoch) {
    api::PendingLockRelease release;
    release.set_coordination_digest(digest_);
    release.set_operation_id(operation);
    release.set_lease_duration_seconds(kDurationSeconds);
    release.set_lease_epoch(epoch);
    return Release(client_, memory_, kNamespace, "uid-schema", release);
  }
  const api::Lease& Lease() const {
    return door_.At<api::Lease>(kNamespace, rules::LeaseName(digest_));
  }
  // Another claimant's Lease, as it wrote it.
  void StoreForeign(const std::string& holder) {
    api::Lease lease;
    lease.mutable_metadata()->set_namespace_(kNamespace);
    lease.mutable_metadata()->set_name(rules::LeaseName(digest_));
    (*lease.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] =
        api::EpochOf(std::string(16, 'f'));
    lease.mutable_spec()->set_holder_identity(holder);
    lease.mutable_spec()->set_lease_duration_seconds(kDurationSeconds);
    lease.mutable_spec()->set_renew_time_ms(5);
    lease.mutable_spec()->set_lease_transitions(3);
    door_.Put(lease);
  }

  const std::string digest_;
  testing::MemoryDoor door_;
  api::Memory memory_;
  api::Client client_;
};

TEST_F(TargetLockTest, ARealmNobodyEverHeldIsTakenUnderANewEpoch) {
  const auto taken = Take("op");
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_TRUE(taken->acquired);
  EXPECT_FALSE(taken->continuity_lost);
  EXPECT_TRUE(api::IsEpoch(taken->epoch));
  EXPECT_EQ(Lease().spec().holder_identity(), rules::HolderIdentity("uid-schema", "op"));
  EXPECT_EQ(Lease().spec().lease_transitions(), 0);
  EXPECT_EQ(Lease().spec().lease_duration_seconds(), kDurationSeconds);
  EXPECT_EQ(Lease().metadata().annotations().at(api::annotation::kLeaseEpoch), taken->epoch);
}

TEST_F(TargetLockTest, TheHolderRenewsUnderTheEpochItHas) {
  const auto taken = Take("op");
  door_.wall_ms += 1000;
  const auto renewed = Take("op", taken->epoch);
  ASSERT_TRUE(renewed.ok());
  EXPECT_EQ(renewed->epoch, taken->epoch);
  EXPECT_FALSE(renewed->continuity_lost);
  EXPECT_EQ(Lease().spec().renew_time_ms(), door_.wall_ms);
}

TEST_F(TargetLockTest, RenewalNeverMovesATimeBackwards) {
  const auto taken = Take("op");
  const int64_t before = Lease().spec().renew_time_ms();
  door_.wall_ms -= 10'000;
  ASSERT_TRUE(Take("op", taken->epoch).ok());
  EXPECT_EQ(Lease().spec().renew_time_ms(), before);
}

TEST_F(TargetLockTest, AnEpochThatIsNotTheExpectedOneIsALossOfContinuity) {
  const auto taken = Take("op");
  const auto again = Take("op", rules::ExpectedLeaseToken(api::DigestOf("op")));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->epoch, taken->epoch);
  EXPECT_TRUE(again->continuity_lost);
}

TEST_F(TargetLockTest, AForeignHolderIsWaitedForByThisProcessesOwnWatch) {
  StoreForeign("somebody");
  const auto first = Take("op");
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(first->acquired);
  EXPECT_EQ(first->wait_ms, kDurationSeconds * 1000);

  door_.monotonic_ms += 20'000;
  EXPECT_EQ(Take("op")->wait_ms, 40'000);

  door_.monotonic_ms += 40'000;
  const auto taken = Take("op", api::EpochOf(std::string(16, 'x')));
  ASSERT_TRUE(taken.ok());
  EXPECT_TRUE(taken->acquired);
  EXPECT_TRUE(taken->continuity_lost);
  EXPECT_EQ(Lease().spec().lease_transitions(), 4);
  EXPECT_TRUE(memory_.leases.empty());
}

TEST_F(TargetLockTest, TheWallClockDecidesNothingAboutAForeignHolder) {
  StoreForeign("somebody");
  door_.wall_ms += 100 * kDurationSeconds * 1000;
  EXPECT_FALSE(Take("op")->acquired);
}

TEST_F(TargetLockTest, OneRenewalOfTheHolderStartsTheWaitAgain) {
  StoreForeign("somebody");
  ASSERT_TRUE(Take("op").ok());
  door_.monotonic_ms += 59'000;
  door_.Edit<api::Lease>(kNamespace, rules::LeaseName(digest_),
                         [](api::Lease& lease) { lease.mutable_spec()->set_renew_time_ms(6); });
  EXPECT_EQ(Take("op")->wait_ms, kDurationSeconds * 1000);
}

TEST_F(TargetLockTest, ARestartedProcessWaitsAgain) {
  StoreForeign("somebody");
  ASSERT_TRUE(Take("op").ok());
  door_.monotonic_ms += 59'000;
  memory_ = api::Memory();
  EXPECT_EQ(Take("op")->wait_ms, kDurationSeconds * 1000);
}

TEST_F(TargetLockTest, AForeignHolderThatCouldNeverLapseIsAnError) {
  StoreForeign("somebody");
  door_.Edit<api::Lease>(kNamespace, rules::LeaseName(digest_), [](api::Lease& lease) {
    lease.mutable_spec()->clear_lease_duration_seconds();
  });
  EXPECT_EQ(Take("op").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TargetLockTest, ALostRaceIsReadAgainAtMostFiveTimes) {
  int attempts = 0;
  door_.refuse = [&](const api::Request&) {
    ++attempts;
    return api::ToStatus({409, api::kConflict, "changed"});
  };
  EXPECT_EQ(Take("op").status().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(attempts, 5);
}

TEST_F(TargetLockTest, AnyOtherErrorIsTheAnswer) {
  door_.refuse = [](const api::Request&) {
    return api::ToStatus({500, api::kInternalError, "no"});
  };
  EXPECT_EQ(Take("op").status().message(), "no");
}

TEST_F(TargetLockTest, AReleaseEmptiesTheHolderAndLeavesTheEpoch) {
  const auto taken = Take("op");
  ASSERT_TRUE(GiveBack("op", taken->epoch).ok());
  EXPECT_TRUE(Lease().spec().holder_identity().empty());
  EXPECT_EQ(Lease().metadata().annotations().at(api::annotation::kLeaseEpoch), taken->epoch);

  const auto next = Take("other");
  ASSERT_TRUE(next.ok());
  EXPECT_NE(next->epoch, taken->epoch);
  EXPECT_EQ(Lease().spec().lease_transitions(), 1);
}

TEST_F(TargetLockTest, AReleaseOfAnythingElseTouchesNothing) {
  const auto taken = Take("op");
  door_.ForgetWrites();
  EXPECT_TRUE(GiveBack("op", api::EpochOf(std::string(16, 'x'))).ok());
  EXPECT_TRUE(GiveBack("other", taken->epoch).ok());
  EXPECT_TRUE(door_.writes().empty());
  EXPECT_FALSE(Lease().spec().holder_identity().empty());
}

TEST_F(TargetLockTest, AReleaseOfAnAbsentLeaseIsDone) {
  EXPECT_TRUE(GiveBack("op", api::EpochOf(std::string(16, 'x'))).ok());
}

TEST_F(TargetLockTest, AReleaseWithoutAnEpochIsAnError) {
  ASSERT_TRUE(Take("op").ok());
  EXPECT_FALSE(GiveBack("op", "").ok());
}

}  // namespace
}  // namespace lifecycle::lease
