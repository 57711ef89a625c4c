#include "sim/cluster_objects.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// Two resources that name the same account and the same class.
struct Cluster : ActorWorld {
  Cluster() {
    AddResource<api::PtahSchema>();
    AddResource<api::PtahMigration>();
    auto account = std::make_shared<api::ServiceAccount>();
    account->mutable_metadata()->set_namespace_("test");
    account->mutable_metadata()->set_name("runner");
    Add(account);
    auto runtime = std::make_shared<api::RuntimeClass>();
    runtime->mutable_metadata()->set_name("sandboxed");
    runtime->set_handler(kRuntimeHandler);
    Add(runtime);
  }

  template <class Resource>
  void AddResource() {
    auto resource = std::make_shared<Resource>();
    resource->mutable_metadata()->set_namespace_("test");
    resource->mutable_metadata()->set_name("a");
    resource->mutable_spec()->mutable_execution()->set_service_account_name("runner");
    resource->mutable_spec()->mutable_execution()->set_runtime_class_name("sandboxed");
    Add(resource);
  }
  int Offers(const char* what) {
    world.person.Edit(what) = 1;
    int count = 0;
    for (const WorldStep& step : Offer()) count += step.what == what ? 1 : 0;
    return count;
  }
  int32_t Cost(const char* what) {
    world.person.Edit(what) = 1;
    return Find(StepKind::kPerson, what)->cost;
  }
  void Do(const char* what) {
    world.person.Edit(what) = 1;
    Take(StepKind::kPerson, what);
  }
  const api::ServiceAccount* Account() const {
    return world.Get<api::ServiceAccount>("test", "runner");
  }
  const api::RuntimeClass* Runtime() const { return world.Get<api::RuntimeClass>("", "sandboxed"); }
  // Keeps the account's UID from being given again, as a snapshot that binds it does.
  void BindAccount() {
    auto next = std::make_shared<api::PtahSchema>(*world.Get<api::PtahSchema>("test", "a"));
    next->mutable_status()
        ->mutable_active_operation()
        ->mutable_admission_snapshot()
        ->mutable_service_account()
        ->set_uid(Account()->metadata().uid());
    ASSERT_TRUE(Update(server, world, "test", next, api::Subresource::kStatus).status.ok());
  }
};

TEST(ClusterObjectsTest, WhatSeveralResourcesNameIsOfferedOnce) {
  Cluster cluster;
  EXPECT_EQ(cluster.Offers(act::kDeleteAccount), 1);
  EXPECT_EQ(cluster.Offers(act::kReplaceAccount), 1);
  EXPECT_EQ(cluster.Offers(act::kAnnotateAccount), 1);
  EXPECT_EQ(cluster.Offers(act::kDeleteRuntime), 1);
  EXPECT_EQ(cluster.Offers(act::kRestoreAccount), 0);
  EXPECT_EQ(cluster.Offers(act::kRestoreRuntime), 0);
}

TEST(ClusterObjectsTest, TakingAwayIsADisturbanceAndBringingBackIsHelp) {
  Cluster cluster;
  EXPECT_EQ(cluster.Cost(act::kDeleteAccount), 1);
  EXPECT_EQ(cluster.Cost(act::kReplaceAccount), 1);
  EXPECT_EQ(cluster.Cost(act::kAnnotateAccount), 1);
  EXPECT_EQ(cluster.Cost(act::kDeleteRuntime), 1);
  cluster.Do(act::kDeleteAccount);
  cluster.Do(act::kDeleteRuntime);
  EXPECT_EQ(cluster.Offers(act::kDeleteAccount), 0);
  EXPECT_EQ(cluster.Cost(act::kRestoreAccount), 0);
  EXPECT_EQ(cluster.Cost(act::kRestoreRuntime), 0);
}

TEST(ClusterObjectsTest, WhatComesBackIsAnotherObjectOfTheSameName) {
  for (const bool at_once : {false, true}) {
    Cluster cluster;
    cluster.BindAccount();
    const std::string before = cluster.Account()->metadata().uid();
    if (at_once) {
      cluster.Do(act::kReplaceAccount);
    } else {
      cluster.Do(act::kDeleteAccount);
      EXPECT_EQ(cluster.Account(), nullptr);
      cluster.Do(act::kRestoreAccount);
    }
    ASSERT_NE(cluster.Account(), nullptr);
    EXPECT_NE(cluster.Account()->metadata().uid(), before);
  }
}

TEST(ClusterObjectsTest, ARuntimeClassComesBackWithItsHandler) {
  Cluster cluster;
  cluster.Do(act::kDeleteRuntime);
  EXPECT_EQ(cluster.Runtime(), nullptr);
  cluster.Do(act::kRestoreRuntime);
  ASSERT_NE(cluster.Runtime(), nullptr);
  EXPECT_EQ(cluster.Runtime()->handler(), kRuntimeHandler);
}

TEST(ClusterObjectsTest, WhoeverWritesOnAnAccountMovesItsVersionForGoodAndNothingElse) {
  Cluster cluster;
  const api::Key key{api::Kind::kServiceAccount, "test", "runner"};
  const std::string uid = cluster.Account()->metadata().uid();
  const api::Version before = cluster.world.Find(key)->version;
  cluster.Do(act::kAnnotateAccount);
  EXPECT_EQ(cluster.world.Find(key)->version, before + 1);
  EXPECT_EQ(cluster.Account()->metadata().uid(), uid);
  EXPECT_EQ(cluster.Offers(act::kAnnotateAccount), 0);
}

TEST(ClusterObjectsTest, ALimitRangeComesIntoEachNamespaceOnce) {
  Cluster cluster;
  EXPECT_EQ(cluster.Offers(act::kAddLimitRange), 1) << "both resources stand in one namespace";
  EXPECT_EQ(cluster.Cost(act::kAddLimitRange), 1);
  cluster.Do(act::kAddLimitRange);
  const auto* range = cluster.world.Get<api::LimitRange>("test", "volumes");
  ASSERT_NE(range, nullptr);
  ASSERT_EQ(range->spec().limits_size(), 1);
  EXPECT_EQ(range->spec().limits(0).type(), "PersistentVolumeClaim") << "it asks nothing of a Pod";
  EXPECT_EQ(cluster.Offers(act::kAddLimitRange), 0);
}

TEST(ClusterObjectsTest, AClassOfEveryPodComesWhereSomebodyNamesNone) {
  Cluster cluster;
  EXPECT_EQ(cluster.Offers(act::kAddDefaultPriority), 1);
  cluster.Do(act::kAddDefaultPriority);
  const auto* usual = cluster.world.Get<api::PriorityClass>("", "usual");
  ASSERT_NE(usual, nullptr);
  EXPECT_TRUE(usual->global_default());
  EXPECT_EQ(cluster.Offers(act::kAddDefaultPriority), 0);
}

}  // namespace
}  // namespace sim
