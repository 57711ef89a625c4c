// Each rule of api-server.md is a test of its name; rules it is silent about follow a real server.

#include "sim/api_server.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "lifecycle/api/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using api::Subresource;

constexpr char kFinalizer[] = "operator.ptah.run/active-operation";

api::ConfigMap SomeConfig() {
  api::ConfigMap config = Named<api::ConfigMap>("c");
  (*config.mutable_data())["key"] = "value";
  return config;
}

api::Job SomeJob(const std::string& name = "j") {
  api::Job job = Named<api::Job>(name);
  auto* container = job.mutable_spec()->mutable_template_()->mutable_spec()->add_containers();
  container->set_name("ptah");
  return job;
}

// ---- Versions ----

TEST(VersionsTest, EveryChangeGivesAVersionThatTheObjectDidNotHave) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  const api::Version first = store.VersionOf<api::PtahSchema>("a");
  schema.mutable_spec()->set_suspend(true);
  schema = store.Patch(schema);
  const api::Version second = store.VersionOf<api::PtahSchema>("a");
  schema.mutable_status()->set_phase("Pending");
  store.PatchStatus(schema);
  EXPECT_NE(first, second);
  EXPECT_NE(store.VersionOf<api::PtahSchema>("a"), first);
  EXPECT_NE(store.VersionOf<api::PtahSchema>("a"), second);
}

TEST(VersionsTest, AnObjectMadeAgainInTheSameStepHasAnotherVersion) {
  TestStore store;
  store.Create(SomeConfig());
  const api::Version held = store.VersionOf<api::ConfigMap>("c");
  store.Delete<api::ConfigMap>("c");
  store.Create(SomeConfig());
  EXPECT_NE(store.VersionOf<api::ConfigMap>("c"), held);
}

TEST(VersionsTest, UpdateWithAnotherVersionIsConflictAndChangesNothing) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  api::Request request = store.UpdateRequest(schema);
  request.version += 1;
  const World before = store.world;
  const api::Answer answer = store.Send(request);
  EXPECT_EQ(Said(answer.status), "409 Conflict");
  EXPECT_EQ(answer.status.message(),
            "Operation cannot be fulfilled on ptahschemas.operator.ptah.run \"a\": the object has "
            "been modified; please apply your changes to the latest version and try again");
  EXPECT_EQ(StateKey(store.world, {}), StateKey(before, {}));
}

TEST(VersionsTest, APatchConflictsOnlyWhenItsBodyCarriesAVersion) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  api::Request request = store.PatchRequest(schema);
  request.version = 77;
  EXPECT_EQ(Said(store.Send(request).status), "409 Conflict");
  request.version = 0;
  EXPECT_EQ(Said(store.Send(request).status), "OK");
  EXPECT_TRUE(store.Get<api::PtahSchema>("a")->spec().suspend());
}

TEST(VersionsTest, AnUpdateWithoutAVersionIsInvalidForCustomKinds) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  api::Request request = store.UpdateRequest(schema);
  request.version = 0;
  EXPECT_EQ(Said(store.Send(request).status), "422 Invalid");
  EXPECT_FALSE(store.Get<api::PtahSchema>("a")->spec().suspend());
}

TEST(VersionsTest, TheOldBuiltInKindsAcceptAnUpdateWithoutAVersion) {
  TestStore store;
  api::ConfigMap config = store.Create(SomeConfig());
  (*config.mutable_data())["key"] = "other";
  api::Request request = store.UpdateRequest(config);
  request.version = 0;
  EXPECT_EQ(Said(store.Send(request).status), "OK");
  EXPECT_EQ(store.Get<api::ConfigMap>("c")->data().at("key"), "other");
}

TEST(VersionsTest, ALeaseIsNoOldKindAndNeedsAVersionToBeUpdated) {
  TestStore store;
  const api::Lease lease = store.Create(Named<api::Lease>("l"));
  api::Request request = store.UpdateRequest(lease);
  request.version = 0;
  EXPECT_EQ(Said(store.Send(request).status), "422 Invalid");
}

TEST(VersionsTest, AListIsOneSnapshotInOrderWithAVersionEach) {
  TestStore store;
  store.Create(Named<api::ConfigMap>("b"));
  store.Create(Named<api::ConfigMap>("a"));
  store.Create(Named<api::Lease>("a"));
  api::ConfigMap elsewhere = Named<api::ConfigMap>("c");
  elsewhere.mutable_metadata()->set_namespace_("other");
  store.Create(elsewhere);
  const api::Answer here =
      store.server.List(store.world, {.kind = api::Kind::kConfigMap, .namespace_ = "ns"});
  ASSERT_EQ(here.list.size(), 2u);
  EXPECT_EQ(api::MetaOf(*here.list[0].object).name(), "a");
  EXPECT_EQ(api::MetaOf(*here.list[1].object).name(), "b");
  EXPECT_EQ(here.list[0].version, store.VersionOf<api::ConfigMap>("a"));
  const api::Answer everywhere =
      store.server.List(store.world, {.kind = api::Kind::kConfigMap, .namespace_ = ""});
  EXPECT_EQ(everywhere.list.size(), 3u);
}

TEST(VersionsTest, AWriteThatChangesNothingGivesNoNewVersion) {
  TestStore store;
  const api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  const api::Version before = store.VersionOf<api::PtahSchema>("a");
  const api::Answer answer = store.Send(store.UpdateRequest(schema));
  EXPECT_EQ(Said(answer.status), "OK");
  EXPECT_EQ(answer.stored.version, before);
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), before);
}

TEST(VersionsTest, ACreateThatCarriesAVersionIsRefused) {
  TestStore store;
  api::Request request = TestStore::CreateRequest(SomeConfig());
  request.version = 3;
  EXPECT_EQ(store.Send(request).status.message(),
            "resourceVersion should not be set on objects to be created");
}

// ---- Generation ----

TEST(GenerationTest, IsOneOnCreateAndOneMoreOnAChangeOfTheSpec) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->set_generation(9);
  schema = store.Create(schema);
  EXPECT_EQ(schema.metadata().generation(), 1);
  schema.mutable_spec()->set_suspend(true);
  EXPECT_EQ(store.Patch(schema).metadata().generation(), 2);
}

TEST(GenerationTest, IsUnchangedByLabelsAnnotationsFinalizersAndStatus) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  (*schema.mutable_metadata()->mutable_labels())["l"] = "1";
  schema = store.Patch(schema);
  (*schema.mutable_metadata()->mutable_annotations())["a"] = "1";
  schema = store.Patch(schema);
  schema.mutable_metadata()->add_finalizers(kFinalizer);
  schema = store.Patch(schema);
  schema.mutable_status()->set_phase("Pending");
  schema = store.PatchStatus(schema);
  EXPECT_EQ(schema.metadata().generation(), 1);
  EXPECT_EQ(schema.metadata().finalizers_size(), 1);
  EXPECT_EQ(schema.status().phase(), "Pending");
}

TEST(GenerationTest, WhatAClientSendsIsIgnored) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_metadata()->set_generation(7);
  EXPECT_EQ(store.Patch(schema).metadata().generation(), 1);
  EXPECT_EQ(Said(store.Send(store.UpdateRequest(schema)).status), "OK");
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->metadata().generation(), 1);
}

TEST(GenerationTest, MovesWhenAnObjectIsMarkedForDeletionAsOnARealServer) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers(kFinalizer);
  store.Create(schema);
  store.Delete<api::PtahSchema>("a");
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->metadata().generation(), 2);
  store.Delete<api::PtahSchema>("a");
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->metadata().generation(), 2);
}

TEST(GenerationTest, KindsWithoutOneHaveNone) {
  TestStore store;
  EXPECT_EQ(store.Create(SomeConfig()).metadata().generation(), 0);
  EXPECT_EQ(store.Create(SomeJob()).metadata().generation(), 1);
}

// ---- Status subresource ----

TEST(StatusTest, AWriteToTheObjectIgnoresStatus) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  schema.mutable_status()->set_phase("Applying");
  api::Request request = store.PatchRequest(schema);
  schema = static_cast<const api::PtahSchema&>(*store.Send(request).stored.object);
  EXPECT_TRUE(schema.spec().suspend());
  EXPECT_FALSE(schema.has_status());
  schema.mutable_status()->set_phase("Applying");
  store.Send(store.UpdateRequest(schema));
  EXPECT_FALSE(store.Get<api::PtahSchema>("a")->has_status());
}

TEST(StatusTest, AWriteToTheStatusIgnoresSpecAndMetadata) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_spec()->set_suspend(true);
  (*schema.mutable_metadata()->mutable_labels())["l"] = "1";
  schema.mutable_status()->set_phase("Pending");
  const api::PtahSchema patched = store.PatchStatus(schema);
  EXPECT_FALSE(patched.spec().suspend());
  EXPECT_EQ(patched.metadata().labels_size(), 0);
  EXPECT_EQ(patched.status().phase(), "Pending");
  schema.mutable_status()->set_phase("Planning");
  store.Send(store.UpdateRequest(schema, Subresource::kStatus));
  EXPECT_FALSE(store.Get<api::PtahSchema>("a")->spec().suspend());
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->status().phase(), "Planning");
}

TEST(StatusTest, BothMoveTheVersion) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  const api::Version created = store.VersionOf<api::PtahSchema>("a");
  schema.mutable_status()->set_phase("Pending");
  schema = store.PatchStatus(schema);
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), created + 1);
  schema.mutable_spec()->set_suspend(true);
  store.Patch(schema);
  EXPECT_EQ(store.VersionOf<api::PtahSchema>("a"), created + 2);
}

TEST(StatusTest, AKindWithoutTheSubresourceAnswersNotFound) {
  TestStore store;
  store.Create(SomeConfig());
  api::Request request = store.PatchRequest(SomeConfig(), Subresource::kStatus);
  EXPECT_EQ(Said(store.Send(request).status), "404 NotFound");
}

TEST(StatusTest, ACreateDropsItOfEveryKindThatHasIt) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_status()->set_phase("InSync");
  EXPECT_FALSE(store.Create(schema).has_status());
}

// ---- Deletion ----

TEST(DeletionTest, WithoutFinalizersAnObjectIsGoneAtOnce) {
  TestStore store;
  store.Create(Named<api::PtahSchema>("a"));
  store.Delete<api::PtahSchema>("a");
  EXPECT_EQ(store.Get<api::PtahSchema>("a"), nullptr);
}

TEST(DeletionTest, WithFinalizersItStaysWithADeletionTimestamp) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers(kFinalizer);
  store.Create(schema);
  store.Delete<api::PtahSchema>("a");
  ASSERT_NE(store.Get<api::PtahSchema>("a"), nullptr);
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->metadata().deletion_timestamp_ms(),
            store.world.now_ms);
}

TEST(DeletionTest, ClientsCannotSetMoveOrClearTheDeletionTimestamp) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers(kFinalizer);
  schema.mutable_metadata()->set_deletion_timestamp_ms(5);
  schema = store.Create(schema);
  EXPECT_EQ(schema.metadata().deletion_timestamp_ms(), 0);
  schema.mutable_metadata()->set_deletion_timestamp_ms(5);
  EXPECT_EQ(Said(store.Send(store.PatchRequest(schema)).status), "422 Invalid");
  EXPECT_EQ(Said(store.Send(store.UpdateRequest(schema)).status), "422 Invalid");
  store.Delete<api::PtahSchema>("a");
  schema = *store.Get<api::PtahSchema>("a");
  schema.mutable_metadata()->set_deletion_timestamp_ms(5);
  EXPECT_EQ(Said(store.Send(store.PatchRequest(schema)).status), "422 Invalid");
  schema.mutable_metadata()->clear_deletion_timestamp_ms();
  EXPECT_EQ(Said(store.Send(store.PatchRequest(schema)).status), "OK");
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->metadata().deletion_timestamp_ms(),
            store.world.now_ms);
}

TEST(DeletionTest, TheWriteThatRemovesTheLastFinalizerDeletesAndStillReturnsTheObject) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers(kFinalizer);
  schema.mutable_metadata()->add_finalizers("another");
  store.Create(schema);
  store.Delete<api::PtahSchema>("a");
  schema = *store.Get<api::PtahSchema>("a");
  schema.mutable_metadata()->mutable_finalizers()->RemoveLast();
  schema = store.Patch(schema);
  ASSERT_NE(store.Get<api::PtahSchema>("a"), nullptr);
  schema.mutable_metadata()->clear_finalizers();
  const api::Answer answer = store.Send(store.PatchRequest(schema));
  EXPECT_EQ(Said(answer.status), "OK");
  EXPECT_EQ(api::MetaOf(*answer.stored.object).name(), "a");
  EXPECT_EQ(store.Get<api::PtahSchema>("a"), nullptr);
}

TEST(DeletionTest, AnObjectThatIsBeingDeletedTakesNoNewFinalizer) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers("another");
  store.Create(schema);
  store.Delete<api::PtahSchema>("a");
  schema = *store.Get<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers(kFinalizer);
  EXPECT_EQ(Said(store.Send(store.PatchRequest(schema)).status), "422 Invalid");
}

TEST(DeletionTest, APodOnANodeIsMarkedFirstAndRemovedByTheKubeletLater) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  api::Pod pod = Named<api::Pod>("p");
  pod.mutable_spec()->set_node_name("node-1");
  store.Create(pod);
  store.Delete<api::Pod>("p");
  ASSERT_NE(store.Get<api::Pod>("p"), nullptr);
  EXPECT_EQ(store.Get<api::Pod>("p")->metadata().deletion_grace_period_seconds(), 30);
  EXPECT_EQ(store.Get<api::Pod>("p")->metadata().deletion_timestamp_ms(),
            store.world.now_ms + 30'000);
  api::Request request = TestStore::DeleteRequest<api::Pod>("p");
  request.sender = kKubelet;
  EXPECT_EQ(Said(store.Send(request).status), "OK");
  EXPECT_EQ(store.Get<api::Pod>("p"), nullptr);
}

TEST(DeletionTest, APodWithAFinalizerOutlivesTheKubeletsDelete) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  api::Pod pod = Named<api::Pod>("p");
  pod.mutable_spec()->set_node_name("node-1");
  pod.mutable_metadata()->add_finalizers("batch.kubernetes.io/job-tracking");
  store.Create(pod);
  store.Delete<api::Pod>("p");
  api::Request request = TestStore::DeleteRequest<api::Pod>("p");
  request.sender = kKubelet;
  store.Send(request);
  ASSERT_NE(store.Get<api::Pod>("p"), nullptr);
  pod = *store.Get<api::Pod>("p");
  pod.mutable_metadata()->clear_finalizers();
  store.Patch(pod);
  EXPECT_EQ(store.Get<api::Pod>("p"), nullptr);
}

TEST(DeletionTest, APodThatEndedOrNeverHadANodeIsGoneAtOnce) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  store.Create(Named<api::Pod>("unscheduled"));
  store.Delete<api::Pod>("unscheduled");
  EXPECT_EQ(store.Get<api::Pod>("unscheduled"), nullptr);
  api::Pod pod = Named<api::Pod>("ended");
  pod.mutable_spec()->set_node_name("node-1");
  pod = store.Create(pod);
  pod.mutable_status()->set_phase("Succeeded");
  store.PatchStatus(pod);
  store.Delete<api::Pod>("ended");
  EXPECT_EQ(store.Get<api::Pod>("ended"), nullptr);
}

TEST(DeletionTest, HoldsToItsPreconditions) {
  TestStore store;
  store.Create(SomeConfig());
  api::Request request = TestStore::DeleteRequest<api::ConfigMap>("c");
  request.uid = "another";
  EXPECT_EQ(Said(store.Send(request).status), "409 Conflict");
  request.uid.clear();
  request.version = 44;
  EXPECT_EQ(Said(store.Send(request).status), "409 Conflict");
  EXPECT_NE(store.Get<api::ConfigMap>("c"), nullptr);
}

// ---- Ownership ----

TEST(OwnershipTest, ReferencesBindByUidAndNotByName) {
  TestStore store;
  const api::PtahSchema first = store.Create(Named<api::PtahSchema>("a"));
  api::ConfigMap config = SomeConfig();
  SetOwner(first, &config);
  store.Create(config);
  store.server.CollectGarbage(store.world);
  EXPECT_NE(store.Get<api::ConfigMap>("c"), nullptr);
  store.Delete<api::PtahSchema>("a");
  store.Create(Named<api::PtahSchema>("a"));
  store.server.CollectGarbage(store.world);
  EXPECT_EQ(store.Get<api::ConfigMap>("c"), nullptr);
}

TEST(OwnershipTest, ADependentStaysWhileAnOwnerIsLeft) {
  TestStore store;
  const api::PtahSchema a = store.Create(Named<api::PtahSchema>("a"));
  const api::PtahSchema b = store.Create(Named<api::PtahSchema>("b"));
  api::ConfigMap config = SomeConfig();
  SetOwner(a, &config);
  SetOwner(b, &config);
  config.mutable_metadata()->mutable_owner_references(1)->set_controller(false);
  store.Create(config);
  store.Delete<api::PtahSchema>("a");
  EXPECT_FALSE(store.server.HasGarbage(store.world));
  store.Delete<api::PtahSchema>("b");
  EXPECT_TRUE(store.server.HasGarbage(store.world));
}

TEST(OwnershipTest, IsCollectedLaterAndThroughEveryGeneration) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  const api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  api::Job job = SomeJob();
  SetOwner(schema, &job);
  job = store.Create(job);
  api::Pod pod = Named<api::Pod>("p");
  SetOwner(job, &pod);
  store.Create(pod);
  store.Delete<api::PtahSchema>("a");
  EXPECT_NE(store.Get<api::Job>("j"), nullptr);
  store.server.CollectGarbage(store.world);
  EXPECT_EQ(store.Get<api::Job>("j"), nullptr);
  EXPECT_EQ(store.Get<api::Pod>("p"), nullptr);
}

TEST(OwnershipTest, OwnersMustBeInTheSameNamespace) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->set_namespace_("other");
  schema = store.Create(schema);
  api::ConfigMap config = SomeConfig();
  SetOwner(schema, &config);
  store.Create(config);
  store.server.CollectGarbage(store.world);
  EXPECT_EQ(store.Get<api::ConfigMap>("c"), nullptr);
}

TEST(OwnershipTest, OnlyOneReferenceIsTheController) {
  TestStore store;
  const api::PtahSchema a = store.Create(Named<api::PtahSchema>("a"));
  api::ConfigMap config = SomeConfig();
  SetOwner(a, &config);
  SetOwner(a, &config);
  EXPECT_EQ(Said(store.Send(TestStore::CreateRequest(config)).status), "422 Invalid");
}

// ---- Names and identity ----

TEST(IdentityTest, TheServerSetsUidAndCreationTime) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->set_uid("mine");
  schema.mutable_metadata()->set_creation_timestamp_ms(1);
  schema = store.Create(schema);
  EXPECT_EQ(schema.metadata().uid().size(), 36u);
  EXPECT_EQ(schema.metadata().creation_timestamp_ms(), store.world.now_ms);
}

TEST(IdentityTest, TheSameNameLaterIsAnotherUidWhileAnythingNamesTheFirst) {
  TestStore store;
  const api::PtahSchema first = store.Create(Named<api::PtahSchema>("a"));
  api::ConfigMap witness = SomeConfig();
  SetOwner(first, &witness);
  store.Create(witness);
  store.Delete<api::PtahSchema>("a");
  EXPECT_NE(store.Create(Named<api::PtahSchema>("a")).metadata().uid(), first.metadata().uid());
}

TEST(IdentityTest, AnUpdateWhoseBodyCarriesAnotherUidIsConflict) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_metadata()->set_uid("11111111-1111-4111-8111-111111111111");
  EXPECT_EQ(Said(store.Send(store.UpdateRequest(schema)).status), "409 Conflict");
}

TEST(IdentityTest, AnUpdateOfAnObjectThatIsGoneIsConflictWhenItNamesAUid) {
  TestStore store;
  const api::ConfigMap config = store.Create(SomeConfig());
  const api::Request with_uid = store.UpdateRequest(config);
  api::Request without = store.UpdateRequest(SomeConfig());
  store.Delete<api::ConfigMap>("c");
  EXPECT_EQ(Said(store.Send(with_uid).status), "409 Conflict");
  EXPECT_EQ(Said(store.Send(without).status), "404 NotFound");
}

TEST(IdentityTest, ALeaseAloneMayBeCreatedByAnUpdate) {
  TestStore store;
  api::Request request = store.UpdateRequest(Named<api::Lease>("l"));
  EXPECT_EQ(Said(store.Send(request).status), "OK");
  EXPECT_NE(store.Get<api::Lease>("l"), nullptr);
}

TEST(IdentityTest, TheBodyMustBeAboutTheObjectThatTheRequestNames) {
  TestStore store;
  api::Request request = TestStore::CreateRequest(SomeConfig());
  request.key.name = "d";
  EXPECT_EQ(Said(store.Send(request).status), "400 BadRequest");
}

// ---- Errors by reason ----

TEST(ErrorsTest, AreWordedAsByARealServer) {
  TestStore store;
  store.Create(SomeJob());
  const api::Answer again = store.Send(TestStore::CreateRequest(SomeJob()));
  EXPECT_EQ(Said(again.status), "409 AlreadyExists");
  EXPECT_EQ(again.status.message(), "jobs.batch \"j\" already exists");
  const api::Answer missing =
      store.server.Read(store.world, {.key = api::KeyOf(Named<api::PtahMigration>("m"))});
  EXPECT_EQ(Said(missing.status), "404 NotFound");
  EXPECT_EQ(missing.status.message(), "ptahmigrations.operator.ptah.run \"m\" not found");
  const api::Answer gone = store.Send(TestStore::DeleteRequest<api::Pod>("p"));
  EXPECT_EQ(gone.status.message(), "pods \"p\" not found");
}

// ---- Patches ----

TEST(PatchTest, NullDeletesAndListsAreReplacedWhole) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  (*schema.mutable_metadata()->mutable_annotations())["gone"] = "1";
  (*schema.mutable_metadata()->mutable_annotations())["kept"] = "1";
  schema.mutable_spec()->mutable_policy()->add_exclude("one");
  schema.mutable_spec()->mutable_policy()->add_exclude("two");
  schema = store.Create(schema);
  schema.mutable_metadata()->mutable_annotations()->erase("gone");
  schema.mutable_spec()->mutable_policy()->clear_exclude();
  schema.mutable_spec()->mutable_policy()->add_exclude("three");
  schema = store.Patch(schema);
  EXPECT_EQ(schema.metadata().annotations_size(), 1);
  ASSERT_EQ(schema.spec().policy().exclude_size(), 1);
  EXPECT_EQ(schema.spec().policy().exclude(0), "three");
}

TEST(PatchTest, FieldsThatItDoesNotNameAreLeftAsTheyAre) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  api::PtahSchema mine = schema;
  (*mine.mutable_metadata()->mutable_labels())["mine"] = "1";
  api::Request request = store.PatchRequest(mine);
  request.version = 0;
  (*schema.mutable_metadata()->mutable_labels())["theirs"] = "1";
  store.Patch(schema);
  EXPECT_EQ(Said(store.Send(request).status), "OK");
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->metadata().labels_size(), 2);
}

// ---- Admission ----

// Does what a test says, and notes what it was asked.
class FakeWebhook final : public api::Admission {
 public:
  api::AdmissionAnswer Review(const api::AdmissionRequest& request,
                              const api::DirectReader& reader) const override {
    ++asked;
    last = request;
    read = reader.Read(request.key).object;
    api::AdmissionAnswer answer;
    answer.status = refusal;
    if (stamp && request.after != nullptr) {
      auto changed =
          std::make_shared<api::ConfigMap>(static_cast<const api::ConfigMap&>(*request.after));
      if ((*changed->mutable_data())["stamp"] != "yes") {
        (*changed->mutable_data())["stamp"] = "yes";
        answer.mutated = changed;
      }
    }
    if (spoil && request.after != nullptr) {
      auto changed =
          std::make_shared<api::ConfigMap>(static_cast<const api::ConfigMap&>(*request.after));
      changed->mutable_metadata()->add_owner_references();
      answer.mutated = changed;
    }
    return answer;
  }

  absl::Status refusal;
  bool stamp = false;
  bool spoil = false;
  mutable int asked = 0;
  mutable api::AdmissionRequest last;
  mutable api::MessagePtr read;
};

TEST(AdmissionTest, ARefusalLeavesNothingBehind) {
  FakeWebhook webhook;
  webhook.refusal = absl::PermissionDeniedError("not now");
  TestStore store({&webhook});
  const World before = store.world;
  const api::Answer answer = store.Send(TestStore::CreateRequest(SomeConfig()));
  EXPECT_EQ(Said(answer.status), "403 Forbidden");
  EXPECT_TRUE(absl::StrContains(answer.status.message(), "denied the request: not now"));
  EXPECT_EQ(StateKey(store.world, {}), StateKey(before, {}));
}

TEST(AdmissionTest, AWebhookThatWordsItsOwnErrorIsQuotedAsItIs) {
  FakeWebhook webhook;
  webhook.refusal =
      api::ToStatus(api::ApiError{500, api::kInternalError, "failed calling webhook"});
  TestStore store({&webhook});
  EXPECT_EQ(Said(store.Send(TestStore::CreateRequest(SomeConfig())).status), "500 InternalError");
}

TEST(AdmissionTest, WhatComesBackMayDifferFromWhatWasSent) {
  FakeWebhook webhook;
  webhook.stamp = true;
  TestStore store({&webhook});
  const api::ConfigMap stored = store.Create(SomeConfig());
  EXPECT_EQ(stored.data().at("stamp"), "yes");
  EXPECT_EQ(stored.metadata().generation(), 0);
  EXPECT_EQ(stored.metadata().uid().size(), 36u);
}

TEST(AdmissionTest, MutatingThenSchemaThenValidating) {
  FakeWebhook webhook;
  webhook.spoil = true;  // Makes it invalid...
  webhook.refusal = absl::PermissionDeniedError("and refuses");
  TestStore store({&webhook});
  // ...which the schema notices before the refusal counts.
  EXPECT_EQ(Said(store.Send(TestStore::CreateRequest(SomeConfig())).status), "422 Invalid");
}

TEST(AdmissionTest, AWebhookSeesWhatIsStoredAndWhatWouldBe) {
  FakeWebhook webhook;
  TestStore store({&webhook});
  api::ConfigMap config = store.Create(SomeConfig());
  EXPECT_EQ(webhook.last.before, nullptr);
  EXPECT_EQ(webhook.read, nullptr);
  EXPECT_EQ(api::MetaOf(*webhook.last.after).uid(), config.metadata().uid());
  (*config.mutable_data())["key"] = "other";
  store.Patch(config);
  EXPECT_EQ(static_cast<const api::ConfigMap&>(*webhook.last.before).data().at("key"), "value");
  EXPECT_EQ(static_cast<const api::ConfigMap&>(*webhook.last.after).data().at("key"), "other");
  store.Delete<api::ConfigMap>("c");
  EXPECT_NE(webhook.last.before, nullptr);
  EXPECT_EQ(webhook.last.after, nullptr);
  EXPECT_EQ(webhook.last.sender, "tester");
}

TEST(AdmissionTest, ADecisionsRequestHasAUidOfItsOwn) {
  FakeWebhook webhook;
  TestStore store({&webhook});
  const api::PtahSchemaApproval stored = store.Create(Named<api::PtahSchemaApproval>("approval"));
  EXPECT_EQ(webhook.last.request.size(), 36u);
  EXPECT_NE(webhook.last.request, stored.metadata().uid());
}

TEST(AdmissionTest, ComesBeforeTheNameIsFoundTaken) {
  FakeWebhook webhook;
  TestStore store({&webhook});
  store.Create(SomeConfig());
  webhook.refusal = absl::PermissionDeniedError("no");
  EXPECT_EQ(Said(store.Send(TestStore::CreateRequest(SomeConfig())).status), "403 Forbidden");
}

TEST(AdmissionTest, ImmutableConfigMapsRefuseAChangeOfData) {
  TestStore store;
  api::ConfigMap config = SomeConfig();
  config.set_immutable(true);
  config = store.Create(config);
  api::ConfigMap changed = config;
  (*changed.mutable_data())["key"] = "other";
  EXPECT_EQ(Said(store.Send(store.PatchRequest(changed)).status), "422 Invalid");
  changed = config;
  changed.set_immutable(false);
  EXPECT_EQ(Said(store.Send(store.PatchRequest(changed)).status), "422 Invalid");
  changed = config;
  (*changed.mutable_metadata()->mutable_labels())["l"] = "1";
  EXPECT_EQ(Said(store.Send(store.PatchRequest(changed)).status), "OK");
}

TEST(AdmissionTest, TheSpecOfPlansApprovalsAndChunksIsImmutable) {
  TestStore store;
  api::PtahSchemaPlan plan = store.Create(Named<api::PtahSchemaPlan>("p"));
  plan.mutable_spec()->set_fingerprint("other");
  EXPECT_EQ(Said(store.Send(store.PatchRequest(plan)).status), "422 Invalid");
  api::PtahSchemaPlanChunk chunk = store.Create(Named<api::PtahSchemaPlanChunk>("p-000"));
  chunk.mutable_spec()->set_data("other");
  EXPECT_EQ(Said(store.Send(store.UpdateRequest(chunk)).status), "422 Invalid");
  api::PtahMigrationApproval approval = store.Create(Named<api::PtahMigrationApproval>("a"));
  approval.mutable_spec()->set_plan_fingerprint("other");
  EXPECT_EQ(Said(store.Send(store.PatchRequest(approval)).status), "422 Invalid");
  approval = *store.Get<api::PtahMigrationApproval>("a");
  approval.mutable_status()->set_observed_generation(1);
  EXPECT_EQ(Said(store.Send(store.PatchRequest(approval, Subresource::kStatus)).status), "OK");
}

TEST(AdmissionTest, TheEngineOfARealmIsImmutableAndItsSharingIsNot) {
  TestStore store;
  api::PtahRealm realm = store.Create(Named<api::PtahRealm>("r"));
  realm.mutable_spec()->set_sharing("Shared");
  EXPECT_EQ(Said(store.Send(store.PatchRequest(realm)).status), "OK");
  realm = *store.Get<api::PtahRealm>("r");
  realm.mutable_spec()->set_engine("mysql");
  EXPECT_EQ(Said(store.Send(store.PatchRequest(realm)).status), "422 Invalid");
}

// ---- Two moments ----

TEST(TwoMomentsTest, ACreateAdmittedBeforeAnotherWriteIsStoredAfterIt) {
  FakeWebhook webhook;
  TestStore store({&webhook});
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  schema.mutable_status()->mutable_active_operation()->set_id("operation-1");
  schema.mutable_status()->mutable_active_operation()->set_job_name("j");
  schema.mutable_status()->mutable_active_operation()->set_type("Apply");
  schema = store.PatchStatus(schema);
  // A create is admitted while the claim stands...
  const absl::StatusOr<Admitted> admitted =
      store.server.Admit(store.world, TestStore::CreateRequest(SomeJob()));
  ASSERT_TRUE(admitted.ok());
  // ...the claim is removed, after which it would be refused...
  schema.mutable_status()->clear_active_operation();
  store.PatchStatus(schema);
  webhook.refusal = absl::PermissionDeniedError("no claim reserves this name");
  EXPECT_FALSE(store.server.Admit(store.world, TestStore::CreateRequest(SomeJob())).ok());
  // ...and it is stored all the same, because nobody asks again.
  store.world.now_ms += 5;
  const api::Answer answer = store.server.Store(store.world, *admitted);
  EXPECT_EQ(Said(answer.status), "OK");
  ASSERT_NE(store.Get<api::Job>("j"), nullptr);
  EXPECT_EQ(store.Get<api::Job>("j")->metadata().creation_timestamp_ms(), store.world.now_ms);
}

TEST(TwoMomentsTest, ACreateWhoseNameWasTakenMeanwhileAlreadyExists) {
  TestStore store;
  const absl::StatusOr<Admitted> admitted =
      store.server.Admit(store.world, TestStore::CreateRequest(SomeJob()));
  ASSERT_TRUE(admitted.ok());
  store.Create(SomeJob());
  EXPECT_EQ(Said(store.server.Store(store.world, *admitted).status), "409 AlreadyExists");
}

TEST(TwoMomentsTest, ACreateTakenFromTheListInFlightIsStoredWithoutBeingAskedAbout) {
  FakeWebhook webhook;
  webhook.refusal = absl::PermissionDeniedError("no");
  TestStore store({&webhook});
  const Admitted admitted{.request = TestStore::CreateRequest(SomeJob())};
  EXPECT_EQ(Said(store.server.Store(store.world, admitted).status), "OK");
  EXPECT_EQ(webhook.asked, 0);
}

TEST(TwoMomentsTest, APatchOfAnObjectThatChangedMeanwhileConflictsByItsVersion) {
  TestStore store;
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  api::PtahSchema suspended = schema;
  suspended.mutable_spec()->set_suspend(true);
  const absl::StatusOr<Admitted> admitted =
      store.server.Admit(store.world, store.PatchRequest(suspended));
  ASSERT_TRUE(admitted.ok());
  schema.mutable_spec()->set_interval_seconds(60);
  store.Patch(schema);
  EXPECT_EQ(Said(store.server.Store(store.world, *admitted).status), "409 Conflict");
}

TEST(TwoMomentsTest, APatchWithoutAVersionIsAdmittedAgainOnWhatIsStoredNow) {
  FakeWebhook webhook;
  TestStore store({&webhook});
  api::PtahSchema schema = store.Create(Named<api::PtahSchema>("a"));
  api::PtahSchema suspended = schema;
  suspended.mutable_spec()->set_suspend(true);
  api::Request request = store.PatchRequest(suspended);
  request.version = 0;
  const absl::StatusOr<Admitted> admitted = store.server.Admit(store.world, request);
  ASSERT_TRUE(admitted.ok());
  schema.mutable_spec()->set_interval_seconds(60);
  store.Patch(schema);
  const int asked = webhook.asked;
  EXPECT_EQ(Said(store.server.Store(store.world, *admitted).status), "OK");
  EXPECT_EQ(webhook.asked, asked + 1);
  EXPECT_TRUE(store.Get<api::PtahSchema>("a")->spec().suspend());
  EXPECT_EQ(store.Get<api::PtahSchema>("a")->spec().interval_seconds(), 60);
}

// ---- Jobs ----

TEST(JobsTest, StatusIsDroppedOnCreate) {
  TestStore store;
  api::Job job = SomeJob();
  job.mutable_status()->set_succeeded(1);
  EXPECT_FALSE(store.Create(job).has_status());
}

TEST(JobsTest, TheServerMakesTheSelectorAndTheIdentityLabels) {
  TestStore store;
  const api::Job job = store.Create(SomeJob());
  const std::string& uid = job.metadata().uid();
  const auto& labels = job.spec().template_().metadata().labels();
  EXPECT_EQ(labels.at(api::label::kControllerUid), uid);
  EXPECT_EQ(labels.at(api::label::kLegacyControllerUid), uid);
  EXPECT_EQ(labels.at(api::label::kJobName), "j");
  EXPECT_EQ(labels.at(api::label::kLegacyJobName), "j");
  EXPECT_EQ(job.spec().selector().match_labels().at(api::label::kControllerUid), uid);
}

TEST(JobsTest, TheTemplateIsImmutableAndTheCleanupTtlIsNot) {
  TestStore store;
  api::Job job = store.Create(SomeJob());
  job.mutable_spec()->set_ttl_seconds_after_finished(300);
  job = store.Patch(job);
  EXPECT_EQ(job.metadata().generation(), 2);
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_node_name("n");
  EXPECT_EQ(Said(store.Send(store.PatchRequest(job)).status), "422 Invalid");
}

TEST(JobsTest, DeletingOneDoesNotStopItsPodsAtThatMoment) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  const api::Job job = store.Create(SomeJob());
  api::Pod pod = Named<api::Pod>("p");
  pod.mutable_spec()->set_node_name("node-1");
  SetOwner(job, &pod);
  store.Create(pod);
  store.Delete<api::Job>("j");
  EXPECT_EQ(store.Get<api::Pod>("p")->metadata().deletion_timestamp_ms(), 0);
  store.server.CollectGarbage(store.world);
  EXPECT_NE(store.Get<api::Pod>("p")->metadata().deletion_timestamp_ms(), 0);
}

// ---- Pods and logs ----

TEST(PodsTest, AreMadePendingAndTheirSpecStays) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>("runner"));
  api::Pod pod = Named<api::Pod>("p");
  pod.mutable_status()->set_phase("Running");
  pod.mutable_spec()->set_service_account_name("runner");
  pod = store.Create(pod);
  EXPECT_EQ(pod.status().phase(), "Pending");
  EXPECT_EQ(pod.spec().service_account(), "runner");
  EXPECT_EQ(pod.spec().termination_grace_period_seconds(), 30);
  pod.mutable_spec()->set_node_name("node-1");
  pod = store.Patch(pod);
  pod.mutable_spec()->set_node_name("node-2");
  EXPECT_EQ(Said(store.Send(store.PatchRequest(pod)).status), "422 Invalid");
}

TEST(LogsTest, AreServedByTheContainerAndMayBeMissingOrGone) {
  TestStore store;
  store.Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  const api::LogQuestion question{.namespace_ = "ns", .pod = "p", .container = "ptah"};
  EXPECT_EQ(Said(store.server.Log(store.world, question).status), "404 NotFound");
  api::Pod pod = Named<api::Pod>("p");
  pod.mutable_spec()->add_containers()->set_name("ptah");
  pod = store.Create(pod);
  EXPECT_EQ(Said(store.server.Log(store.world, question).status), "400 BadRequest");
  store.world.logs.Edit(pod.metadata().uid()).text = std::make_shared<std::string>("hello");
  EXPECT_EQ(store.server.Log(store.world, question).bytes, "hello");
  EXPECT_EQ(
      Said(store.server.Log(store.world, {.namespace_ = "ns", .pod = "p", .container = "other"})
               .status),
      "400 BadRequest");
  store.world.logs.Edit(pod.metadata().uid()).lost = true;
  EXPECT_EQ(Said(store.server.Log(store.world, question).status), "404 NotFound");
}

// ---- Leases ----

TEST(LeasesTest, AreOrdinaryObjectsWithOptimisticLockingAndFenceNobody) {
  TestStore store;
  api::Lease lease = Named<api::Lease>("l");
  lease.mutable_spec()->set_holder_identity("a");
  lease = store.Create(lease);
  const api::Request stale = store.UpdateRequest(lease);
  lease.mutable_spec()->set_holder_identity("b");
  EXPECT_EQ(Said(store.Send(store.UpdateRequest(lease)).status), "OK");
  EXPECT_EQ(Said(store.Send(stale).status), "409 Conflict");
  // The holder that lost it writes elsewhere as before.
  EXPECT_EQ(Said(store.Send(TestStore::CreateRequest(SomeConfig())).status), "OK");
}

}  // namespace
}  // namespace sim
