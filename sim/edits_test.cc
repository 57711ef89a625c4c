#include "sim/edits.h"

#include <memory>

#include "gtest/gtest.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/actor_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

template <class Object>
std::shared_ptr<Object> Named(const std::string& name) {
  auto object = std::make_shared<Object>();
  object->mutable_metadata()->set_namespace_(api::IsNamespaced(api::KindOf<Object>()) ? "test"
                                                                                      : "");
  object->mutable_metadata()->set_name(name);
  return object;
}

// A schema and a migration, each with a policy and a realm.
struct Edited : ActorWorld {
  explicit Edited(WorldRules rules = {}) : ActorWorld(rules) {
    auto policy = Named<api::ConfigMap>("policy");
    (*policy->mutable_data())["policy.yaml"] = "require: signature";
    policy->set_immutable(true);
    Add(policy);
    auto realm = Named<api::PtahRealm>("orders");
    realm->mutable_spec()->set_engine("postgresql");
    realm->mutable_spec()->add_namespaces("test");
    Add(realm);
    auto migration = Named<api::PtahMigration>("m");
    migration->mutable_spec()->mutable_target()->mutable_realm_ref()->set_name("orders");
    migration->mutable_spec()->mutable_artifact()->mutable_verification_policy_from()->set_name(
        "policy");
    migration->mutable_metadata()->add_finalizers(api::kMigrationFinalizer);
    Add(migration);
    Process process;
    process.name = "manager";
    Work work;
    work.resource = {api::Kind::kPtahMigration, "test", "m"};
    work.due.when = Due::When::kNever;
    process.work = {work};
    world.processes = {process};
  }

  const api::PtahMigration& Migration() const {
    return *world.Get<api::PtahMigration>("test", "m");
  }
  void SetStatus(const api::PtahMigrationStatus& status) {
    auto next = std::make_shared<api::PtahMigration>(Migration());
    *next->mutable_status() = status;
    ASSERT_TRUE(Update(server, world, "test", next, api::Subresource::kStatus).status.ok());
    EndStep(world, {});
  }
  void Do(const char* what) {
    world.person.Edit(what) = 1;
    Take(StepKind::kPerson, what);
  }
  bool Offers(const char* what) { return Find(StepKind::kPerson, what).has_value(); }
  bool IsWoken() const { return world.processes[0].work[0].due.when == Due::When::kNow; }
};

TEST(EditTest, SuspendsAndResumesAndBothMoveTheGeneration) {
  Edited at;
  const int64_t generation = at.Migration().metadata().generation();
  at.world.person.Edit(act::kResume) = 1;
  EXPECT_FALSE(at.Offers(act::kResume));
  at.Do(act::kSuspend);
  EXPECT_TRUE(at.Migration().spec().suspend());
  EXPECT_EQ(at.Migration().metadata().generation(), generation + 1);
  EXPECT_TRUE(at.IsWoken());
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kResume)->cost, 0);
  at.Take(StepKind::kPerson, act::kResume);
  EXPECT_FALSE(at.Migration().spec().suspend());
}

TEST(EditTest, OfTheSpecMovesTheGenerationAndTheLockTimeout) {
  Edited at;
  const int64_t generation = at.Migration().metadata().generation();
  at.Do(act::kEditSpec);
  EXPECT_EQ(at.Migration().metadata().generation(), generation + 1);
  EXPECT_EQ(at.Migration().spec().policy().lock_timeout_seconds(), 60);
}

TEST(EditTest, DeletionWaitsForTheFinalizer) {
  Edited at;
  at.Do(act::kDelete);
  EXPECT_NE(at.Migration().metadata().deletion_timestamp_ms(), 0);
  EXPECT_TRUE(at.IsWoken());
  at.world.person.Edit(act::kDelete) = 1;
  at.world.person.Edit(act::kSuspend) = 1;
  EXPECT_FALSE(at.Offers(act::kDelete)) << "it is being deleted";
  EXPECT_FALSE(at.Offers(act::kSuspend));
}

TEST(EditTest, WhatADeletedResourceOwnedIsCollected) {
  Edited at;
  auto plan = Named<api::PtahMigrationPlan>("plan");
  api::OwnerReference* owner = plan->mutable_metadata()->add_owner_references();
  owner->set_api_version(api::kGroupVersion);
  owner->set_kind("PtahMigration");
  owner->set_name("m");
  owner->set_uid(at.Migration().metadata().uid());
  at.Add(plan);
  auto next = std::make_shared<api::PtahMigration>(at.Migration());
  next->mutable_metadata()->clear_finalizers();
  ASSERT_TRUE(Update(at.server, at.world, "test", next, api::Subresource::kMain).status.ok());
  at.Do(act::kDelete);
  EXPECT_EQ(at.world.Get<api::PtahMigration>("test", "m"), nullptr);
  at.Take(StepKind::kCollect, "garbage");
  EXPECT_EQ(at.world.Get<api::PtahMigrationPlan>("test", "plan"), nullptr);
}

TEST(EditTest, APolicyIsReplacedByAnotherObjectWithOtherContentOrTheSame) {
  for (const char* what : {act::kMovePolicy, act::kRecreatePolicy}) {
    Edited at;
    const api::ConfigMap before = *at.world.Get<api::ConfigMap>("test", "policy");
    // A claim remembers it, so its UID is not given again.
    api::PtahMigrationStatus status;
    status.mutable_active_operation()->set_verification_policy_uid(before.metadata().uid());
    at.SetStatus(status);
    at.Do(what);
    const api::ConfigMap& after = *at.world.Get<api::ConfigMap>("test", "policy");
    EXPECT_NE(after.metadata().uid(), before.metadata().uid());
    const bool same = after.data().at("policy.yaml") == before.data().at("policy.yaml");
    EXPECT_EQ(same, what == act::kRecreatePolicy);
    EXPECT_TRUE(at.IsWoken());
  }
}

TEST(EditTest, AGrantIsWithdrawnAndGivenAgain) {
  Edited at;
  at.world.person.Edit(act::kGrant) = 1;
  EXPECT_FALSE(at.Offers(act::kGrant));
  EXPECT_EQ((at.world.person.Edit(act::kWithdrawGrant) = 1,
             at.Find(StepKind::kPerson, act::kWithdrawGrant)->cost),
            1);
  at.Take(StepKind::kPerson, act::kWithdrawGrant);
  EXPECT_TRUE(at.world.Get<api::PtahRealm>("", "orders")->spec().namespaces().empty());
  EXPECT_TRUE(at.IsWoken());
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kGrant)->cost, 0);
  at.Take(StepKind::kPerson, act::kGrant);
  EXPECT_EQ(at.world.Get<api::PtahRealm>("", "orders")->spec().namespaces(0), "test");
}

TEST(EditTest, ARealmThatIsNotThereIsMadeByItsGrant) {
  Edited at;
  Delete(at.server, at.world, "test", {api::Kind::kPtahRealm, "", "orders"});
  ASSERT_EQ(at.world.Get<api::PtahRealm>("", "orders"), nullptr);
  at.world.person.Edit(act::kWithdrawGrant) = 1;
  EXPECT_FALSE(at.Offers(act::kWithdrawGrant));
  at.Do(act::kGrant);
  ASSERT_NE(at.world.Get<api::PtahRealm>("", "orders"), nullptr);
  EXPECT_EQ(at.world.Get<api::PtahRealm>("", "orders")->spec().namespaces(0), "test");
}

TEST(EditTest, AProjectionsNameIsOccupiedWhileNothingStandsThereAndFreedAgain) {
  Edited at;
  auto plan = Named<api::PtahSchemaPlan>("plan");
  plan->mutable_spec()->add_chunks()->set_name("plan-000");
  at.Add(plan);
  auto schema = Named<api::PtahSchema>("s");
  schema->mutable_metadata()->add_finalizers(api::kSchemaFinalizer);
  at.Add(schema);
  at.world.person.Edit(act::kOccupyProjection) = 1;
  EXPECT_FALSE(at.Offers(act::kOccupyProjection)) << "status names no plan";
  auto planned = std::make_shared<api::PtahSchema>(*at.world.Get<api::PtahSchema>("test", "s"));
  planned->mutable_status()->mutable_plan()->set_name("plan");
  ASSERT_TRUE(Update(at.server, at.world, "test", planned, api::Subresource::kStatus).status.ok());
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kOccupyProjection)->cost, 1);
  at.Take(StepKind::kPerson, act::kOccupyProjection);
  ASSERT_NE(at.world.Get<api::ConfigMap>("test", "plan-000"), nullptr);
  at.world.person.Edit(act::kOccupyProjection) = 1;
  EXPECT_FALSE(at.Offers(act::kOccupyProjection));
  at.Do(act::kFreeProjection);
  EXPECT_EQ(at.world.Get<api::ConfigMap>("test", "plan-000"), nullptr);
}

TEST(EditTest, MayBeMeantForOneResourceOnly) {
  Edited at;
  at.world.person.Edit(ActOn(act::kSuspend, "another")) = 1;
  EXPECT_FALSE(at.Offers(act::kSuspend));
  at.world.person.Edit(ActOn(act::kSuspend, "m")) = 1;
  at.Take(StepKind::kPerson, act::kSuspend);
  EXPECT_EQ(PersonHasLeft(at.world, ActOn(act::kSuspend, "m")), 0);
  EXPECT_EQ(PersonHasLeft(at.world, ActOn(act::kSuspend, "another")), 1);
}

TEST(EditTest, SteppingBackFromAContestedRealmIsNoDisturbance) {
  Edited at;
  at.world.person.Edit(act::kSuspend) = 1;
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kSuspend)->cost, 1);
  api::PtahMigrationStatus status;
  api::Condition* blocked = status.add_conditions();
  blocked->set_type(api::condition::kBlocked);
  blocked->set_status(api::condition_status::kTrue);
  blocked->set_reason(api::reason::kRealmConflict);
  at.SetStatus(status);
  EXPECT_EQ(at.Find(StepKind::kPerson, act::kSuspend)->cost, 0);
}

TEST(EditTest, AClaimantAgreesToShare) {
  Edited at;
  at.Do(act::kShare);
  EXPECT_TRUE(at.Migration().spec().target().shared_realm());
  at.world.person.Edit(act::kShare) = 1;
  EXPECT_FALSE(at.Offers(act::kShare));
}

TEST(EditTest, ARunningJobIsDeletedAndItsPodGoesOnMeanwhile) {
  Edited at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Do(act::kDeleteJob);
  EXPECT_EQ(at.TheJob(), nullptr);
  ASSERT_NE(at.ThePod(), nullptr);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
}

TEST(EditTest, TamperingWithStatusIsNotedWhetherOrNotItIsRefused) {
  Edited at;
  api::PtahMigrationStatus status;
  status.mutable_unresolved_run()->set_operation_id("o");
  at.SetStatus(status);
  at.Do(act::kTamperStatus);
  // No webhook stands before this server, so nobody refuses.
  EXPECT_TRUE(at.world.truth.status_tampering_tried);
  EXPECT_TRUE(at.world.truth.status_tampered);
  EXPECT_FALSE(at.Migration().status().has_unresolved_run());
  at.world.person.Edit(act::kTamperStatus) = 1;
  EXPECT_FALSE(at.Offers(act::kTamperStatus)) << "there is nothing left to clear";
}

TEST(RestoreTest, BringsTheResourceBackUnderAnotherUidWithoutItsStatus) {
  Edited at;
  const api::PtahMigration before = at.Migration();
  // An approval remembers the resource, so its UID is not given again.
  auto approval = Named<api::PtahMigrationApproval>("approval");
  approval->mutable_spec()->mutable_migration_ref()->set_uid(before.metadata().uid());
  at.Add(approval);
  api::PtahMigrationStatus status;
  status.set_phase(api::phase::kInSync);
  at.SetStatus(status);
  at.Do(act::kRestore);
  EXPECT_NE(at.Migration().metadata().uid(), before.metadata().uid());
  EXPECT_FALSE(at.Migration().has_status());
  EXPECT_EQ(at.Migration().spec().target().realm_ref().name(), "orders");
  EXPECT_EQ(at.Migration().metadata().finalizers_size(), 1);
}

TEST(RestoreTest, InPlaceKeepsTheUid) {
  Edited at;
  const std::string uid = at.Migration().metadata().uid();
  api::PtahMigrationStatus status;
  status.set_phase(api::phase::kInSync);
  at.SetStatus(status);
  at.Do(act::kDropStatus);
  EXPECT_EQ(at.Migration().metadata().uid(), uid);
  EXPECT_EQ(at.Migration().status().phase(), "");
}

TEST(RestoreTest, AnAccountStaysOpenWhereTheCopyNamesIt) {
  for (const char* what : {act::kRestore, act::kDropStatus}) {
    for (const bool copied : {true, false}) {
      Edited at;
      const std::string id = "sha256:" + std::string(64, '7');
      api::PtahMigrationStatus status;
      status.mutable_unresolved_run()->set_operation_id(id);
      at.SetStatus(status);
      if (copied) {
        auto next = std::make_shared<api::PtahMigration>(at.Migration());
        (*next->mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
            "{\"operationID\":\"" + id + "\"}";
        ASSERT_TRUE(Update(at.server, at.world, "test", next, api::Subresource::kMain).status.ok());
      }
      ASSERT_TRUE(at.world.truth.operations.Get(id)->open);
      at.Do(what);
      const OperationTruth* operation = at.world.truth.operations.Get(id);
      EXPECT_EQ(operation != nullptr && operation->open, copied) << what;
      if (copied) {
        EXPECT_EQ(operation->resource_uid, at.Migration().metadata().uid());
      }
    }
  }
}

TEST(EditTest, ADeletedPolicyComesBackUnderAnotherUid) {
  Edited at;
  const std::string uid = at.world.Get<api::ConfigMap>("test", "policy")->metadata().uid();
  // Something remembers the policy, so its UID is not given again.
  api::PtahMigrationStatus status;
  status.mutable_active_operation()->set_verification_policy_uid(uid);
  at.SetStatus(status);
  at.world.person.Edit("restore-policy") = 1;
  EXPECT_FALSE(at.Offers("restore-policy"));
  at.Do("delete-policy");
  EXPECT_EQ(at.world.Get<api::ConfigMap>("test", "policy"), nullptr);
  EXPECT_TRUE(at.IsWoken());
  EXPECT_FALSE(at.Offers("delete-policy"));
  EXPECT_EQ(at.Find(StepKind::kPerson, "restore-policy")->cost, 0);
  at.Take(StepKind::kPerson, "restore-policy");
  ASSERT_NE(at.world.Get<api::ConfigMap>("test", "policy"), nullptr);
  EXPECT_NE(at.world.Get<api::ConfigMap>("test", "policy")->metadata().uid(), uid);
}

TEST(EditTest, APolicyThatNeverAppliesLetsGoOfThePlanThatWaits) {
  Edited at;
  at.world.person.Edit("permit") = 1;
  auto next = std::make_shared<api::PtahMigration>(at.Migration());
  next->mutable_spec()->mutable_policy()->set_apply(api::apply_policy::kNever);
  ASSERT_TRUE(Update(at.server, at.world, "test", next, api::Subresource::kMain).status.ok());
  EXPECT_FALSE(at.Offers("permit")) << "there is no plan";
  api::PtahMigrationStatus status;
  status.mutable_plan()->set_name("plan");
  at.SetStatus(status);
  EXPECT_EQ(at.Find(StepKind::kPerson, "permit")->cost, 0);
  at.Take(StepKind::kPerson, "permit");
  EXPECT_EQ(at.Migration().spec().policy().apply(), api::apply_policy::kAlways);
}

TEST(EditTest, ASchemaThatIsBlockedIsPermittedWhatItsPlanNeeds) {
  Edited at;
  auto schema = Named<api::PtahSchema>("s");
  schema->mutable_spec()->mutable_policy()->set_apply(api::apply_policy::kOnApproval);
  schema->mutable_spec()->mutable_policy()->add_protected_tables("audit");
  at.Add(schema);
  at.world.person.Edit("permit") = 1;
  EXPECT_FALSE(at.Offers("permit")) << "nothing is held back";
  auto blocked = std::make_shared<api::PtahSchema>(*at.world.Get<api::PtahSchema>("test", "s"));
  blocked->mutable_status()->set_phase(api::phase::kBlocked);
  ASSERT_TRUE(Update(at.server, at.world, "test", blocked, api::Subresource::kStatus).status.ok());
  at.Take(StepKind::kPerson, "permit");
  const api::SchemaPolicy& policy = at.world.Get<api::PtahSchema>("test", "s")->spec().policy();
  EXPECT_EQ(policy.protected_tables_size(), 0);
  EXPECT_TRUE(policy.allow_destructive());
  EXPECT_EQ(policy.apply(), api::apply_policy::kOnApproval);
}

TEST(EditTest, AnArtifactIsSignedOnce) {
  Edited at;
  EXPECT_FALSE(at.Offers("sign")) << "nobody has to";
  at.world.person.Edit("sign") = 1;
  EXPECT_EQ(at.Find(StepKind::kPerson, "sign")->cost, 0);
  at.Take(StepKind::kPerson, "sign");
  EXPECT_EQ(PersonHasLeft(at.world, "sign"), 0);
  EXPECT_FALSE(at.Offers("sign"));
}

TEST(EditTest, ASchemaThatDriftsLacksAStatementAgain) {
  Edited at;
  at.Add(Named<api::PtahSchema>("s"));
  at.UseSchema(2, 0);
  at.world.person.Edit("drift") = 1;
  EXPECT_FALSE(at.Offers("drift")) << "there is nothing to undo";
  at.UseSchema(2, 2);
  EXPECT_EQ(at.Find(StepKind::kPerson, "drift")->cost, 1);
  at.Take(StepKind::kPerson, "drift");
  EXPECT_EQ(at.TheDatabase().in_force, 1);
  EXPECT_EQ(at.TheDatabase().last_changed_by, "person");
}

TEST(RepointTest, TheSecretOpensTheOtherDatabaseFromThenOn) {
  Edited at;
  at.world.person.Edit(act::kRepoint) = 1;
  EXPECT_FALSE(at.Offers(act::kRepoint)) << "there is only one";
  at.world.truth.databases[0].Edit().secret = "url";
  Database other = at.TheDatabase();
  other.secret = "elsewhere";
  other.identity_digest = "other";
  at.world.truth.databases.emplace_back(other);
  at.Take(StepKind::kPerson, act::kRepoint);
  EXPECT_EQ(at.world.truth.databases[1]->secret, "url");
  EXPECT_EQ(at.world.truth.databases[0]->secret, "elsewhere");
}

TEST(RepointTest, ARunKeepsTheDatabaseItOpened) {
  Edited at;
  Database other = at.TheDatabase();
  other.coordination_digest = "elsewhere";
  at.world.truth.databases.emplace_back(other);
  at.AddJob();
  at.Take(StepKind::kStartPod);
  std::swap(at.world.truth.databases[0].Edit().coordination_digest,
            at.world.truth.databases[1].Edit().coordination_digest);
  at.Take(StepKind::kRun, "finish");
  EXPECT_TRUE(at.world.truth.databases[0]->files[0].recorded);
  EXPECT_FALSE(at.world.truth.databases[1]->files[0].recorded);
  EXPECT_EQ(at.TheOperation().database, 0);
}

TEST(RepointTest, AMutatingRunMayOpenTheOtherDatabaseByMistake) {
  Edited at({.wrong_database = true});
  at.AddJob();
  Database other = at.TheDatabase();
  other.coordination_digest = "elsewhere";
  other.identity_digest = "other";
  at.world.truth.databases.emplace_back(other);
  EXPECT_EQ(at.Find(StepKind::kStartPod, "elsewhere")->cost, 1);
  at.Take(StepKind::kStartPod, "elsewhere");
  at.Take(StepKind::kRun, "finish");
  EXPECT_EQ(at.TheOperation().database, 1);
  EXPECT_FALSE(at.TheDatabase().files[0].recorded);
  EXPECT_EQ(at.Frame()->target_identity_digest(), "other");
}

}  // namespace
}  // namespace sim
