#include "lifecycle/dispatch/claim.h"

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

class ClaimTest : public ::testing::Test {
 protected:
  ClaimTest() : client_(door_, "manager") {
    resource_.set_name("orders");
    resource_.set_uid("uid-orders");
  }
  api::ActiveOperation Make(const char* type) {
    return MakeClaim(client_, {.family = rules::Family::kSchema,
                               .resource = resource_,
                               .type = type,
                               .epoch = epoch_,
                               .input_fingerprint = api::DigestOf("inputs"),
                               .started_at_ms = 5'000});
  }

  testing::MemoryDoor door_;
  api::Client client_;
  api::ObjectMeta resource_;
  const std::string epoch_ = api::EpochOf(std::string(16, 'e'));
};

TEST_F(ClaimTest, TwoClaimsFromTheSameInputsReserveDifferentNames) {
  const api::ActiveOperation a = Make(api::operation::kPlan);
  const api::ActiveOperation b = Make(api::operation::kPlan);
  EXPECT_NE(a.id(), b.id());
  EXPECT_NE(a.job_name(), b.job_name());
  EXPECT_EQ(a.attempt(), 1);
  EXPECT_EQ(a.started_at_ms(), 5'000);
  EXPECT_LE(a.job_name().size(), 63u);
}

TEST_F(ClaimTest, TheNextAttemptKeepsTheIdAndReservesAnotherName) {
  const api::ActiveOperation first = Make(api::operation::kPlan);
  api::ActiveOperation next = first;
  next.set_job_uid("uid-job");
  next.set_dispatch_started(true);
  next.mutable_admission_snapshot()->set_version("v1");
  MakeNextAttempt(rules::Family::kSchema, resource_, next);
  EXPECT_EQ(next.id(), first.id());
  EXPECT_EQ(next.attempt(), 2);
  EXPECT_NE(next.job_name(), first.job_name());
  EXPECT_FALSE(MayHaveDispatched(next));
  EXPECT_FALSE(next.has_admission_snapshot());
}

TEST_F(ClaimTest, AnApplysDeadlinesAreItsStartPlusTheWindow) {
  api::ActiveOperation claim = Make(api::operation::kApply);
  SetApplyDeadlines(900'000, 30, claim);
  EXPECT_EQ(claim.dispatch_not_after_ms(), 905'000);
  EXPECT_EQ(claim.execution_not_after_ms(), 905'000);
  EXPECT_EQ(claim.termination_grace_period_seconds(), 30);
}

TEST_F(ClaimTest, TheExpectedLeaseTokenIsAnEpochMadeFromTheId) {
  api::ActiveOperation claim = Make(api::operation::kApply);
  ExpectLease(960, claim);
  EXPECT_TRUE(api::IsEpoch(claim.lease_epoch()));
  EXPECT_NE(claim.lease_epoch(), epoch_);
  api::ActiveOperation other = Make(api::operation::kApply);
  ExpectLease(960, other);
  EXPECT_NE(other.lease_epoch(), claim.lease_epoch());
}

TEST_F(ClaimTest, AMarkOrAUidEachMeansThatAJobMayExist) {
  api::ActiveOperation claim = Make(api::operation::kApply);
  EXPECT_FALSE(MayHaveDispatched(claim));
  claim.set_dispatch_started(true);
  EXPECT_TRUE(MayHaveDispatched(claim));
  claim.clear_dispatch_started();
  claim.set_job_uid("uid-job");
  EXPECT_TRUE(MayHaveDispatched(claim));
}

TEST_F(ClaimTest, AMarkedApplyWithoutAJobIsUnaccountedAndAnUnmarkedOneDispatches) {
  api::ActiveOperation claim = Make(api::operation::kApply);
  EXPECT_EQ(JudgeJob(rules::Family::kSchema, resource_, claim, nullptr).verdict,
            rules::JobVerdict::kDispatch);
  claim.set_dispatch_started(true);
  EXPECT_EQ(JudgeJob(rules::Family::kSchema, resource_, claim, nullptr).verdict,
            rules::JobVerdict::kUnaccounted);
}

}  // namespace
}  // namespace lifecycle::dispatch
