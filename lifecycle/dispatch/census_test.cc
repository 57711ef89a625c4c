#include "lifecycle/dispatch/census.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lifecycle/api/memory.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

constexpr int64_t kNow = 1'000'000;

api::TargetSpec Key(const std::string& key, bool shared = false) {
  api::TargetSpec target;
  target.set_engine("postgres");
  target.set_coordination_key(key);
  target.set_shared_realm(shared);
  return target;
}

api::TargetSpec Realm(const std::string& name, bool shared = false) {
  api::TargetSpec target;
  target.set_engine("postgres");
  target.mutable_realm_ref()->set_name(name);
  target.set_shared_realm(shared);
  return target;
}

template <class Resource>
Resource Named(const std::string& namespace_, const std::string& name,
               const api::TargetSpec& target) {
  Resource resource;
  resource.mutable_metadata()->set_namespace_(namespace_);
  resource.mutable_metadata()->set_name(name);
  resource.mutable_metadata()->set_uid(name + "-uid");
  *resource.mutable_spec()->mutable_target() = target;
  return resource;
}

class CensusTest : public ::testing::Test {
 protected:
  // Takes the census of app/self, which the cache may or may not hold.
  std::string Ask(const api::TargetSpec& target) {
    const auto self = Named<api::PtahMigration>("app", "self", target);
    const auto refusal = TakeCensus({.metadata = self.metadata(),
                                     .target = target,
                                     .now_ms = kNow,
                                     .interval_ms = interval_ms_,
                                     .stored_deadline_ms = stored_deadline_ms_,
                                     .conditions = conditions_},
                                    context_);
    if (!refusal.ok()) return "error";
    recheck_at_ms_ = *refusal ? (*refusal)->recheck_at_ms : 0;
    return *refusal ? (*refusal)->reason : "admitted";
  }

  void PutRealm(const std::string& sharing, const std::string& engine = "postgresql") {
    api::PtahRealm realm;
    realm.mutable_metadata()->set_name("main");
    realm.mutable_spec()->set_engine(engine);
    realm.mutable_spec()->add_namespaces("app");
    realm.mutable_spec()->add_namespaces("other");
    realm.mutable_spec()->set_sharing(sharing);
    door_.Put(realm);
  }

  bool Journaled(const std::string& rule) const {
    return std::count(door_.journal().begin(), door_.journal().end(), rule) > 0;
  }

  testing::MemoryDoor door_;
  api::Client client_{door_, "manager"};
  api::Memory memory_;
  api::Configuration configuration_ = api::DefaultConfiguration();
  api::Timing timing_;
  Design design_;
  Context context_{client_, memory_, configuration_, timing_, design_};
  Conditions conditions_;
  int64_t interval_ms_ = 600'000;
  int64_t stored_deadline_ms_ = 0;
  int64_t recheck_at_ms_ = 0;
};

TEST_F(CensusTest, AResourceAloneInItsRealmIsAdmitted) {
  door_.Put(Named<api::PtahMigration>("app", "self", Key("main")));
  door_.Put(Named<api::PtahSchema>("app", "neighbour", Key("another")));
  door_.Put(Named<api::PtahSchema>("other", "namesake", Key("main")));
  EXPECT_EQ(Ask(Key("main")), "admitted");
}

TEST_F(CensusTest, AKeyOfAnotherNamespaceContestsNothing) {
  door_.Put(Named<api::PtahSchema>("other", "s", Key("main")));
  door_.Put(Named<api::PtahMigration>("other", "m", Key("main")));
  EXPECT_EQ(Ask(Key("main")), "admitted");
}

TEST_F(CensusTest, AResourceOfTheOtherFamilyInTheSameRealmIsAConflict) {
  door_.Put(Named<api::PtahSchema>("app", "s", Key("main")));
  EXPECT_EQ(Ask(Key("main")), api::reason::kRealmConflict);
  EXPECT_TRUE(Journaled("Q-3"));
}

TEST_F(CensusTest, OneDatabaseIsOneRealmInEverySpellingOfItsEngine) {
  api::TargetSpec other = Key("main");
  other.set_engine("pgx");
  door_.Put(Named<api::PtahSchema>("app", "s", other));
  EXPECT_EQ(Ask(Key("main")), api::reason::kRealmConflict);
}

TEST_F(CensusTest, SharingAKeyTakesTheWordOfEveryClaimant) {
  door_.Put(Named<api::PtahSchema>("app", "s", Key("main", /*shared=*/true)));
  EXPECT_EQ(Ask(Key("main", /*shared=*/false)), api::reason::kRealmConflict);
  EXPECT_EQ(Ask(Key("main", /*shared=*/true)), "admitted");
  door_.Put(Named<api::PtahMigration>("app", "m", Key("main", /*shared=*/false)));
  EXPECT_EQ(Ask(Key("main", /*shared=*/true)), api::reason::kRealmConflict);
}

TEST_F(CensusTest, ASuspendedOrDeletingResourceIsNotCounted) {
  auto suspended = Named<api::PtahSchema>("app", "s", Key("main"));
  suspended.mutable_spec()->set_suspend(true);
  door_.Put(suspended);
  auto deleting = Named<api::PtahMigration>("app", "m", Key("main"));
  deleting.mutable_metadata()->set_deletion_timestamp_ms(1);
  door_.Put(deleting);
  EXPECT_EQ(Ask(Key("main")), "admitted");
}

TEST_F(CensusTest, ARealmThatDoesNotGrantAdmitsNobody) {
  EXPECT_EQ(Ask(Realm("main")), api::reason::kRealmNotAuthorized);
  PutRealm(api::sharing::kShared, "mysql");
  EXPECT_EQ(Ask(Realm("main")), api::reason::kRealmNotAuthorized);
  PutRealm(api::sharing::kShared);
  EXPECT_EQ(Ask(Realm("main")), "admitted");
  door_.Edit<api::PtahRealm>("", "main", [](api::PtahRealm& realm) {
    realm.mutable_spec()->mutable_namespaces()->DeleteSubrange(0, 1);
  });
  EXPECT_EQ(Ask(Realm("main")), api::reason::kRealmNotAuthorized);
  EXPECT_TRUE(Journaled("Q-2"));
}

TEST_F(CensusTest, ARealmCountsOnlyTheNamespacesItLists) {
  PutRealm(api::sharing::kExclusive);
  door_.Put(Named<api::PtahSchema>("unlisted", "s", Realm("main")));
  EXPECT_EQ(Ask(Realm("main")), "admitted");
  door_.Put(Named<api::PtahSchema>("other", "t", Realm("main", /*shared=*/true)));
  EXPECT_EQ(Ask(Realm("main", /*shared=*/true)), api::reason::kRealmConflict);
  PutRealm(api::sharing::kShared);
  EXPECT_EQ(Ask(Realm("main", /*shared=*/true)), "admitted");
  EXPECT_EQ(Ask(Realm("main", /*shared=*/false)), api::reason::kRealmConflict);
}

TEST_F(CensusTest, ARefusalIsLookedAtAgainWithinAMinuteAndNotLaterEachTime) {
  door_.Put(Named<api::PtahSchema>("app", "s", Key("main")));
  EXPECT_EQ(Ask(Key("main")), api::reason::kRealmConflict);
  EXPECT_EQ(recheck_at_ms_, kNow + 60'000);
  interval_ms_ = 10'000;
  EXPECT_EQ(Ask(Key("main")), api::reason::kRealmConflict);
  EXPECT_EQ(recheck_at_ms_, kNow + 10'000);
  stored_deadline_ms_ = kNow + 5;
  EXPECT_EQ(Ask(Key("main")), api::reason::kRealmConflict);
  EXPECT_EQ(recheck_at_ms_, kNow + 5);
}

TEST_F(CensusTest, AGrantWaitsForTheStandingRefusalToBeDue) {
  PutRealm(api::sharing::kShared);
  conditions_.Add()->set_reason(api::reason::kRealmNotAuthorized);
  EXPECT_EQ(Ask(Realm("main")), "admitted");
  EXPECT_FALSE(Journaled("Q-5"));
  stored_deadline_ms_ = kNow + 5;
  EXPECT_EQ(Ask(Realm("main")), "admitted");
  EXPECT_TRUE(Journaled("Q-5"));
}

TEST_F(CensusTest, ACacheThatCannotBeReadAdmitsNobody) {
  door_.refuse_read = [](const api::Key&) {
    return api::ToStatus({500, api::kInternalError, "no cache"});
  };
  EXPECT_EQ(Ask(Realm("main")), "error");
}

}  // namespace
}  // namespace lifecycle::dispatch
