#include "sim/names.h"

#include <gtest/gtest.h>

#include <memory>
#include <regex>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/identity.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

const api::Key kKey{api::Kind::kJob, "ns", "j"};

TEST(NamesTest, AUidLooksLikeOneAndIsAFunctionOfWhatItNames) {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  EXPECT_TRUE(std::regex_match(MakeUid(kKey, 0), form));
  EXPECT_TRUE(std::regex_match(MakeUid(kKey, 7), form));
  EXPECT_EQ(MakeUid(kKey, 0), MakeUid(kKey, 0));
  EXPECT_NE(MakeUid(kKey, 0), MakeUid(kKey, 1));
  EXPECT_NE(MakeUid(kKey, 0), MakeUid({api::Kind::kPod, "ns", "j"}, 0));
  EXPECT_NE(MakeUid(kKey, 0), MakeUid({api::Kind::kJob, "other", "j"}, 0));
  EXPECT_NE(MakeUid(kKey, 0), MakeUid({api::Kind::kJob, "ns", "k"}, 0));
}

TEST(NamesTest, ATokenIsAFunctionOfWhatItIsFor) {
  const std::string token = MakeToken("manager", "uid", "operation id", 0);
  EXPECT_EQ(token.size(), 16u);
  EXPECT_EQ(token, MakeToken("manager", "uid", "operation id", 0));
  EXPECT_NE(token, MakeToken("other", "uid", "operation id", 0));
  EXPECT_NE(token, MakeToken("manager", "uie", "operation id", 0));
  EXPECT_NE(token, MakeToken("manager", "uid", "lease epoch", 0));
  EXPECT_NE(token, MakeToken("manager", "uid", "operation id", 1));
}

TEST(NamesTest, AUidIsNotGivenAgainWhileAnythingStemsFromIt) {
  const std::string first = MakeUid(kKey, 0);
  const std::string second = MakeUid(kKey, 1);
  World world;
  EXPECT_EQ(NextUid(world, kKey), first);

  TestStore stored;
  api::ConfigMap config = Named<api::ConfigMap>("c");
  (*config.mutable_data())["text"] = "the job was " + first + ".";
  stored.Create(config);
  EXPECT_EQ(NextUid(stored.world, kKey), second);

  World in_flight;
  in_flight.in_flight.push_back({.request = TestStore::CreateRequest(config)});
  EXPECT_EQ(NextUid(in_flight, kKey), second);

  World remembered;
  remembered.processes.push_back(Manager());
  remembered.processes[0].memory.Edit().log_failures[first] = {};
  EXPECT_EQ(NextUid(remembered, kKey), second);

  World paused;
  paused.processes.push_back(Manager());
  auto pass = std::make_shared<PausedPass>();
  pass->answers.emplace_back();
  pass->answers.back().stored.object = std::make_shared<api::ConfigMap>(config);
  paused.processes[0].work.push_back(WorkOn(kKey));
  paused.processes[0].work[0].paused = pass;
  EXPECT_EQ(NextUid(paused, kKey), second);

  World told;
  told.truth.operations.Edit("o").job_uids = {first};
  EXPECT_EQ(NextUid(told, kKey), second);
  // The smallest one that is free.
  told.truth.operations.Edit("o").job_uids = {second};
  EXPECT_EQ(NextUid(told, kKey), first);
}

TEST(NamesTest, AnEpochIsDrawnAgainOnceNothingMentionsIt) {
  TestStore store;
  const std::string first = NextToken(store.world, "manager", "uid", api::kLeaseEpochPurpose, {});
  EXPECT_EQ(NextToken(store.world, "manager", "uid", api::kLeaseEpochPurpose, {}), first);
  EXPECT_NE(NextToken(store.world, "manager", "uid", api::kLeaseEpochPurpose, {first}), first);
  api::Lease lease = Named<api::Lease>("l");
  (*lease.mutable_metadata()->mutable_annotations())["epoch"] = api::EpochOf(first);
  store.Create(lease);
  EXPECT_NE(NextToken(store.world, "manager", "uid", api::kLeaseEpochPurpose, {}), first);
  store.Delete<api::Lease>("l");
  EXPECT_EQ(NextToken(store.world, "manager", "uid", api::kLeaseEpochPurpose, {}), first);
}

TEST(NamesTest, ANonceIsTakenWhileAnOperationOfTheResourceWasDrawnWithIt) {
  World world;
  const std::string first = MakeToken("manager", "uid", api::kOperationPurpose, 0);
  EXPECT_EQ(NextToken(world, "manager", "uid", api::kOperationPurpose, {}), first);
  OperationTruth& operation = world.truth.operations.Edit("o");
  operation.resource_uid = "uid";
  operation.nonce = 0;
  EXPECT_EQ(NextToken(world, "manager", "uid", api::kOperationPurpose, {}),
            MakeToken("manager", "uid", api::kOperationPurpose, 1));
  // Of another resource it is free.
  EXPECT_EQ(NextToken(world, "manager", "uie", api::kOperationPurpose, {}),
            MakeToken("manager", "uie", api::kOperationPurpose, 0));
}

}  // namespace
}  // namespace sim
