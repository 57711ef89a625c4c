#include "lifecycle/rules/job_holding.h"

#include "gtest/gtest.h"

namespace lifecycle::rules {
namespace {

// A row of the table, in the table's words.
struct Row {
  JobAsker asker;
  MatchMode mode;
  bool in_force;
  bool manager_identity;
  bool record;
  bool succeeded_with_ttl;
};

TEST(JobHoldingTest, FollowsTheTable) {
  const Row rows[] = {
      {JobAsker::kReadBack, MatchMode::kBuiltStored, true, false, false, false},
      {JobAsker::kInputsHold, MatchMode::kBuiltStored, true, true, false, false},
      {JobAsker::kInputsMoved, MatchMode::kEnvelope, true, false, false, false},
      {JobAsker::kWebhookCreate, MatchMode::kBuiltSubmitted, true, false, false, false},
      {JobAsker::kWebhookTtl, MatchMode::kEnvelope, true, false, false, false},
      {JobAsker::kWebhookTtlRetiredReading, MatchMode::kEnvelope, false, false, true, false},
      {JobAsker::kWebhookTtlRetiredApply, MatchMode::kEnvelope, false, false, true, false},
      {JobAsker::kWebhookPublication, MatchMode::kBuiltStored, true, true, false, true},
      {JobAsker::kRotationCleanup, MatchMode::kEnvelope, false, false, true, false},
  };
  int asked = 0;
  for (const Row& row : rows) {
    EXPECT_EQ(static_cast<int>(row.asker), asked++) << "a row of the table is missing";
    const JobHolding holding = HoldingOf(row.asker);
    EXPECT_EQ(holding, (JobHolding{.mode = row.mode,
                                   .in_force = row.in_force,
                                   .takes_manager_identity = row.manager_identity,
                                   .held_to_record = row.record,
                                   .succeeded_with_ttl = row.succeeded_with_ttl}))
        << asked;
    EXPECT_EQ(IsHeldToBuilt(row.asker), row.mode != MatchMode::kEnvelope) << asked;
  }
  EXPECT_EQ(asked, static_cast<int>(JobAsker::kRotationCleanup) + 1);
}

}  // namespace
}  // namespace lifecycle::rules
