// Every row of the webhook's table, admitted and refused.

#include "lifecycle/admission/operator_admission.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/admission/author.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/dispatch/workload_samples.h"
#include "lifecycle/migration/scene.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/projection.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::admission {
namespace {

using dispatch::samples::Digest;
using dispatch::samples::Epoch;
using lifecycle::testing::MemoryDoor;
using migration::Scene;

class Webhook {
 public:
  explicit Webhook(const MemoryDoor& store,
                   api::Configuration configuration = api::DefaultConfiguration())
      : store_(store), configuration_(std::move(configuration)) {}

  template <class T>
  api::AdmissionAnswer Create(const T& object, const std::string& sender) const {
    return Ask(api::Verb::kCreate, api::Subresource::kMain, nullptr, std::make_shared<T>(object),
               sender);
  }
  template <class T>
  bool AdmitsCreate(const T& object) const {
    return Create(object, configuration_.user).status.ok();
  }
  template <class T>
  api::AdmissionAnswer Update(const T& before, const T& after, const std::string& sender) const {
    return Ask(api::Verb::kPatch, api::Subresource::kMain, std::make_shared<T>(before),
               std::make_shared<T>(after), sender);
  }
  template <class T>
  bool AdmitsUpdate(const T& before, const T& after, const std::string& sender,
                    api::Subresource subresource = api::Subresource::kMain) const {
    return Ask(api::Verb::kPatch, subresource, std::make_shared<T>(before),
               std::make_shared<T>(after), sender)
        .status.ok();
  }
  const std::string& manager() const { return configuration_.user; }

 private:
  api::AdmissionAnswer Ask(api::Verb verb, api::Subresource subresource, api::MessagePtr before,
                           api::MessagePtr after, const std::string& sender) const {
    return OperatorAdmission(configuration_)
        .Review({.verb = verb,
                 .key = api::KeyOf(*after),
                 .subresource = subresource,
                 .before = std::move(before),
                 .after = std::move(after),
                 .sender = sender,
                 .request = "request-7"},
                store_);
  }

  const MemoryDoor& store_;
  const api::Configuration configuration_;
};

// --- Jobs of a migration -------------------------------------------------------------------------

class MigrationJobTest : public ::testing::Test {
 protected:
  MigrationJobTest() : scene_("Always"), webhook_(scene_.store) { scene_.PassUntilRecorded(); }

  // The claim as it stands between the mark and the record, and the Job it would submit.
  api::Job Submitted() {
    api::Job job = scene_.job();
    scene_.store.Remove({api::Kind::kJob, "app", job.metadata().name()});
    scene_.EditMigration([](api::PtahMigration& migration) {
      migration.mutable_status()->mutable_active_operation()->clear_job_uid();
    });
    return job;
  }
  api::Job Ended() {
    scene_.EndJobWithFrame(scene_.RunFrame("applied", {3, 4}));
    return scene_.job();
  }
  static api::Job WithTtl(api::Job job, int seconds = 300) {
    job.mutable_spec()->set_ttl_seconds_after_finished(seconds);
    return job;
  }

  Scene scene_;
  Webhook webhook_;
};

TEST_F(MigrationJobTest, TheClaimsOwnJobIsAdmitted) {
  const api::Job job = Submitted();
  EXPECT_TRUE(webhook_.AdmitsCreate(job));
}

TEST_F(MigrationJobTest, ACreateIsRefusedWhenOneThingIsAnother) {
  const api::Job job = Submitted();
  const api::PtahMigration reserved = scene_.migration();
  using Migration = api::PtahMigration;
  const auto claim = [](Migration& migration) {
    return migration.mutable_status()->mutable_active_operation();
  };
  const std::vector<std::pair<const char*, std::function<void(Migration&)>>> variations = {
      {"no claim", [](Migration& m) { m.mutable_status()->clear_active_operation(); }},
      {"another name", [&](Migration& m) { claim(m)->set_job_name("other"); }},
      {"a recorded UID", [&](Migration& m) { claim(m)->set_job_uid("uid"); }},
      {"another owner UID", [](Migration& m) { m.mutable_metadata()->set_uid("other"); }},
      {"a deleting owner",
       [](Migration& m) { m.mutable_metadata()->set_deletion_timestamp_ms(1); }},
      {"another epoch in force",
       [](Migration& m) {
         m.mutable_status()->mutable_execution_binding()->set_epoch(Epoch('f'));
       }},
      {"another attempt", [&](Migration& m) { claim(m)->set_id(Digest('f')); }},
      {"no snapshot", [&](Migration& m) { claim(m)->clear_admission_snapshot(); }},
      {"a replaced plan", [&](Migration& m) { claim(m)->mutable_plan_ref()->set_uid("other"); }},
      {"another deadline",
       [&](Migration& m) {
         claim(m)->set_execution_not_after_ms(claim(m)->execution_not_after_ms() + 1000);
       }},
  };
  for (const auto& [what, vary] : variations) {
    SCOPED_TRACE(what);
    api::PtahMigration varied = reserved;
    vary(varied);
    scene_.store.Put(varied);
    EXPECT_FALSE(webhook_.AdmitsCreate(job));
  }
  scene_.store.Put(reserved);
  EXPECT_TRUE(webhook_.AdmitsCreate(job));
}

TEST_F(MigrationJobTest, AJobThatIsNotWhatTheClaimBuildsIsRefused) {
  api::Job job = Submitted();
  job.mutable_spec()->set_parallelism(2);
  EXPECT_FALSE(webhook_.AdmitsCreate(job));
  job.mutable_metadata()->clear_owner_references();
  EXPECT_FALSE(webhook_.AdmitsCreate(job));
}

TEST_F(MigrationJobTest, TheCleanupTtlOfTheClaimsEndedJobIsAdmitted) {
  const api::Job job = Ended();
  EXPECT_TRUE(webhook_.AdmitsUpdate(job, WithTtl(job), webhook_.manager()));
  // A deleting resource may still clean up.
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_metadata()->set_deletion_timestamp_ms(1);
  });
  EXPECT_TRUE(webhook_.AdmitsUpdate(job, WithTtl(job), webhook_.manager()));
}

TEST_F(MigrationJobTest, AnythingButTheTtlFromAbsentTo300IsRefused) {
  const api::Job job = Ended();
  EXPECT_FALSE(webhook_.AdmitsUpdate(job, WithTtl(job, 299), webhook_.manager()));
  EXPECT_FALSE(webhook_.AdmitsUpdate(WithTtl(job), job, webhook_.manager()));
  api::Job more = WithTtl(job);
  more.mutable_spec()->set_suspend(true);
  EXPECT_FALSE(webhook_.AdmitsUpdate(job, more, webhook_.manager()));
  api::Job relabelled = WithTtl(job);
  (*relabelled.mutable_metadata()->mutable_labels())["a"] = "b";
  EXPECT_FALSE(webhook_.AdmitsUpdate(job, relabelled, webhook_.manager()));
}

TEST_F(MigrationJobTest, TheTtlOfARunningJobOrOfAnotherIsRefused) {
  const api::Job running = scene_.job();
  EXPECT_FALSE(webhook_.AdmitsUpdate(running, WithTtl(running), webhook_.manager()));
  const api::Job job = Ended();
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->set_job_uid("other");
  });
  EXPECT_FALSE(webhook_.AdmitsUpdate(job, WithTtl(job), webhook_.manager()));
  scene_.EditMigration(
      [](api::PtahMigration& migration) { migration.mutable_status()->clear_active_operation(); });
  EXPECT_FALSE(webhook_.AdmitsUpdate(job, WithTtl(job), webhook_.manager()));
}

// S-44 under two builders: a create is held to the rebuild of the release that asks, a cleanup to
// what the claim fixes, and so does the controller.
TEST(TwoBuildersTest, AReleaseAdmitsTheCreateOfItsOwnBuilderAndEitherCleansUp) {
  Scene scene("Always");
  scene.configuration.builder_revision = 2;
  scene.PassUntilRecorded();
  const Webhook second(scene.store, scene.configuration);
  const Webhook first(scene.store);
  const api::Job submitted = scene.job();
  scene.EndJobWithFrame(scene.RunFrame("applied", {3, 4}));
  const api::Job ended = scene.job();
  api::Job cleaned = ended;
  cleaned.mutable_spec()->set_ttl_seconds_after_finished(300);
  EXPECT_TRUE(second.AdmitsUpdate(ended, cleaned, second.manager()));
  EXPECT_TRUE(first.AdmitsUpdate(ended, cleaned, first.manager()));

  // As the claim stood between the mark and the record.
  scene.store.Remove({api::Kind::kJob, "app", submitted.metadata().name()});
  scene.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_active_operation()->clear_job_uid();
  });
  EXPECT_TRUE(second.AdmitsCreate(submitted));
  EXPECT_FALSE(first.AdmitsCreate(submitted));
}

TEST_F(MigrationJobTest, TheClusterItselfWritesJobStatusFreely) {
  const api::Job job = scene_.job();
  EXPECT_TRUE(webhook_.AdmitsUpdate(job, job, "system:job-controller", api::Subresource::kStatus));
}

// --- Plans of a migration, and decisions ---------------------------------------------------------

class MigrationDecisionTest : public ::testing::Test {
 protected:
  MigrationDecisionTest() : scene_("OnApproval"), webhook_(scene_.store) {
    approval_ = scene_.approval();
    approval_.mutable_metadata()->clear_uid();
    approval_.mutable_spec()->clear_approver();
    approval_.mutable_spec()->clear_approved_at_ms();
    approval_.mutable_spec()->clear_mutation_request_uid();
  }

  api::PtahMigrationPlan Plan() const {
    api::PtahMigrationPlan plan = scene_.store.At<api::PtahMigrationPlan>("app", scene_.plan_name);
    plan.mutable_metadata()->clear_uid();
    return plan;
  }

  Scene scene_;
  Webhook webhook_;
  api::PtahMigrationApproval approval_;
};

TEST_F(MigrationDecisionTest, APlanTheStoredEvidenceDerivesIsAdmitted) {
  api::PtahMigrationPlan plan = Plan();
  plan.mutable_spec()->set_created_at_ms(5);
  EXPECT_TRUE(webhook_.AdmitsCreate(plan));
}

TEST_F(MigrationDecisionTest, APlanThatDiffersFromTheStoredEvidenceIsRefused) {
  api::PtahMigrationPlan longer = Plan();
  longer.mutable_spec()->add_migrations()->set_version(5);
  EXPECT_FALSE(webhook_.AdmitsCreate(longer));

  api::PtahMigrationPlan renamed = Plan();
  renamed.mutable_metadata()->set_name("other");
  EXPECT_FALSE(webhook_.AdmitsCreate(renamed));

  api::PtahMigrationPlan other_sequence = Plan();
  other_sequence.mutable_spec()->mutable_migrations(0)->set_checksum("x");
  EXPECT_FALSE(webhook_.AdmitsCreate(other_sequence));

  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_history()->set_fingerprint(Digest('e'));
  });
  EXPECT_FALSE(webhook_.AdmitsCreate(Plan()));
}

TEST_F(MigrationDecisionTest, NoPlanIsPublishedWhileARunIsUnresolved) {
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_unresolved_run()->set_outcome("Unknown");
  });
  EXPECT_FALSE(webhook_.AdmitsCreate(Plan()));
}

TEST_F(MigrationDecisionTest, AnApprovalIsStampedWithWhoAskedWhenAndInWhichRequest) {
  approval_.mutable_spec()->mutable_approver()->set_username("mallory");
  const api::AdmissionAnswer answer = webhook_.Create(approval_, "alice");
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  const auto& stamped = static_cast<const api::PtahMigrationApproval&>(*answer.mutated);
  EXPECT_EQ(stamped.spec().approver().username(), "alice");
  EXPECT_EQ(stamped.spec().approved_at_ms(), scene_.store.wall_ms);
  EXPECT_EQ(stamped.spec().mutation_request_uid(), "request-7");
  EXPECT_FALSE(stamped.has_status());
}

TEST_F(MigrationDecisionTest, AnApprovalIsRefusedUnlessItsPlanIsAwaitedAndCurrent) {
  const api::PtahMigration waiting = scene_.migration();
  using Migration = api::PtahMigration;
  const std::vector<std::pair<const char*, std::function<void(Migration&)>>> variations = {
      {"deleting", [](Migration& m) { m.mutable_metadata()->set_deletion_timestamp_ms(1); }},
      {"another UID", [](Migration& m) { m.mutable_metadata()->set_uid("other"); }},
      {"another phase", [](Migration& m) { m.mutable_status()->set_phase("Planning"); }},
      {"no approval required",
       [](Migration& m) { m.mutable_status()->mutable_conditions(0)->set_status("False"); }},
      {"an active operation",
       [](Migration& m) { m.mutable_status()->mutable_active_operation()->set_type("Resolve"); }},
      {"another plan", [](Migration& m) { m.mutable_status()->mutable_plan()->set_uid("other"); }},
      {"no plan", [](Migration& m) { m.mutable_status()->clear_plan(); }},
      {"another history",
       [](Migration& m) { m.mutable_status()->mutable_history()->set_fingerprint(Digest('e')); }},
      {"another database",
       [](Migration& m) {
         m.mutable_status()->mutable_history()->set_target_identity_digest(Digest('e'));
       }},
      {"another artifact",
       [](Migration& m) { m.mutable_status()->mutable_artifact()->set_digest(Digest('e')); }},
      {"another epoch",
       [](Migration& m) {
         m.mutable_status()->mutable_execution_binding()->set_epoch(Epoch('e'));
       }},
      {"another realm",
       [](Migration& m) { m.mutable_spec()->mutable_target()->set_coordination_key("other"); }},
      {"another apply policy",
       [](Migration& m) { m.mutable_spec()->mutable_policy()->set_transaction_mode("none"); }},
  };
  for (const auto& [what, vary] : variations) {
    SCOPED_TRACE(what);
    api::PtahMigration varied = waiting;
    vary(varied);
    scene_.store.Put(varied);
    EXPECT_FALSE(webhook_.Create(approval_, "alice").status.ok());
  }
  scene_.store.Put(waiting);
  EXPECT_TRUE(webhook_.Create(approval_, "alice").status.ok());
}

TEST_F(MigrationDecisionTest, AnApprovalIsRefusedWhenItDoesNotDescribeThePlanOrThePolicyMoved) {
  api::PtahMigrationApproval other = approval_;
  other.mutable_spec()->set_plan_fingerprint(Digest('e'));
  EXPECT_FALSE(webhook_.Create(other, "alice").status.ok());
  other = approval_;
  other.mutable_spec()->set_history_fingerprint(Digest('e'));
  EXPECT_FALSE(webhook_.Create(other, "alice").status.ok());
  api::ConfigMap policy = scene_.store.At<api::ConfigMap>("app", "policy");
  policy.mutable_metadata()->set_uid("recreated");
  scene_.store.Put(policy);
  EXPECT_FALSE(webhook_.Create(approval_, "alice").status.ok());
}

TEST_F(MigrationDecisionTest, WhoWroteTheSpecIsStampedWhereADistinctApproverIsRequired) {
  const api::PtahMigration stored = scene_.migration();
  api::PtahMigration next = stored;
  next.mutable_spec()->set_interval_seconds(60);
  EXPECT_EQ(webhook_.Update(stored, next, "alice").mutated, nullptr);

  next.mutable_spec()->mutable_policy()->set_require_distinct_approver(true);
  (*next.mutable_metadata()->mutable_annotations())[kSpecAuthor] = "mallory";
  const api::AdmissionAnswer stamped = webhook_.Update(stored, next, "alice");
  ASSERT_NE(stamped.mutated, nullptr);
  const auto& written = static_cast<const api::PtahMigration&>(*stamped.mutated);
  EXPECT_EQ(written.metadata().annotations().at(kSpecAuthor), "alice");

  // A write that leaves the spec alone leaves the stamp alone, whoever makes it.
  api::PtahMigration relabelled = written;
  (*relabelled.mutable_metadata()->mutable_annotations())[kSpecAuthor] = "mallory";
  const api::AdmissionAnswer kept = webhook_.Update(written, relabelled, "mallory");
  ASSERT_NE(kept.mutated, nullptr);
  EXPECT_TRUE(api::Equal(*kept.mutated, written));
  api::PtahMigration with_finalizer = written;
  with_finalizer.mutable_metadata()->add_finalizers(api::kMigrationFinalizer);
  EXPECT_EQ(webhook_.Update(written, with_finalizer, webhook_.manager()).mutated, nullptr);
}

TEST_F(MigrationDecisionTest, WhereADistinctApproverIsRequiredTheAuthorIsNone) {
  const auto require = [&](const char* author) {
    scene_.EditMigration([&](api::PtahMigration& migration) {
      migration.mutable_spec()->mutable_policy()->set_require_distinct_approver(true);
      auto& annotations = *migration.mutable_metadata()->mutable_annotations();
      annotations.clear();
      if (author != nullptr) annotations[kSpecAuthor] = author;
    });
  };
  require("alice");
  EXPECT_FALSE(webhook_.Create(approval_, "alice").status.ok());
  EXPECT_TRUE(webhook_.Create(approval_, "bob").status.ok());
  require(nullptr);
  EXPECT_FALSE(webhook_.Create(approval_, "bob").status.ok());
}

TEST_F(MigrationDecisionTest, ADecisionChangesItsMetadataAndNothingElse) {
  const api::PtahMigrationApproval& stored = scene_.approval();
  api::PtahMigrationApproval next = stored;
  (*next.mutable_metadata()->mutable_labels())["a"] = "b";
  EXPECT_TRUE(webhook_.AdmitsUpdate(stored, next, "alice"));
  next.mutable_spec()->set_plan_fingerprint(Digest('e'));
  EXPECT_FALSE(webhook_.AdmitsUpdate(stored, next, "alice"));
}

TEST_F(MigrationDecisionTest, OnlyTheRunThatIsUnresolvedCanBeAcknowledged) {
  api::PtahMigrationRunAcknowledgment acknowledgment;
  acknowledgment.mutable_metadata()->set_namespace_("app");
  acknowledgment.mutable_metadata()->set_name("known");
  acknowledgment.mutable_spec()->mutable_migration_ref()->set_name("m");
  acknowledgment.mutable_spec()->mutable_migration_ref()->set_uid("m-uid");
  acknowledgment.mutable_spec()->set_operation_id(Digest('1'));
  EXPECT_FALSE(webhook_.Create(acknowledgment, "alice").status.ok());
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_unresolved_run()->set_operation_id(Digest('1'));
  });
  const api::AdmissionAnswer answer = webhook_.Create(acknowledgment, "alice");
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  const auto& stamped = static_cast<const api::PtahMigrationRunAcknowledgment&>(*answer.mutated);
  EXPECT_EQ(stamped.spec().acknowledged_by().username(), "alice");
  EXPECT_NE(stamped.spec().acknowledged_at_ms(), 0);
  acknowledgment.mutable_spec()->set_operation_id(Digest('2'));
  EXPECT_FALSE(webhook_.Create(acknowledgment, "alice").status.ok());
  acknowledgment.mutable_spec()->set_operation_id(Digest('1'));
  acknowledgment.mutable_spec()->mutable_migration_ref()->set_uid("other");
  EXPECT_FALSE(webhook_.Create(acknowledgment, "alice").status.ok());
  acknowledgment.mutable_spec()->mutable_migration_ref()->set_uid("m-uid");
  EXPECT_TRUE(webhook_.Create(acknowledgment, "alice").status.ok());
  scene_.EditMigration([](api::PtahMigration& migration) {
    migration.mutable_metadata()->set_deletion_timestamp_ms(1);
  });
  EXPECT_FALSE(webhook_.Create(acknowledgment, "alice").status.ok());
}

TEST_F(MigrationDecisionTest, NobodyButTheManagerJudgesADecision) {
  const api::PtahMigrationApproval& approval = scene_.approval();
  const api::PtahSchemaApproval schema_approval;
  const api::PtahMigrationRunAcknowledgment acknowledgment;
  const auto status = api::Subresource::kStatus;
  EXPECT_FALSE(webhook_.AdmitsUpdate(approval, approval, "alice", status));
  EXPECT_FALSE(webhook_.AdmitsUpdate(schema_approval, schema_approval, "alice", status));
  EXPECT_FALSE(webhook_.AdmitsUpdate(acknowledgment, acknowledgment, "alice", status));
  EXPECT_TRUE(webhook_.AdmitsUpdate(approval, approval, webhook_.manager(), status));
}

TEST_F(MigrationDecisionTest, NobodyButTheManagerWritesAFamilysStatus) {
  const api::PtahMigration& stored = scene_.migration();
  api::PtahMigration next = stored;
  next.mutable_status()->clear_unresolved_run();
  next.mutable_status()->set_phase("Planning");
  EXPECT_FALSE(webhook_.AdmitsUpdate(stored, next, "alice", api::Subresource::kStatus));
  EXPECT_TRUE(webhook_.AdmitsUpdate(stored, next, webhook_.manager(), api::Subresource::kStatus));
  api::PtahSchema schema;
  schema.mutable_metadata()->set_name("s");
  EXPECT_FALSE(webhook_.AdmitsUpdate(schema, schema, "alice", api::Subresource::kStatus));
}

// --- Schemas -------------------------------------------------------------------------------------

// The schema app/a with a published, projected plan of two chunks and an undispatched Apply claim.
class SchemaTest : public ::testing::Test {
 protected:
  SchemaTest() : webhook_(store_) {
    LayDownPolicy();
    LayDownEvidence();
    LayDownPlan();
    sample_.TakeSnapshot();
    store_.Put(sample_.schema);
    store_.Put(sample_.plan);
    for (const auto& chunk : chunks_) {
      store_.Put(chunk);
      store_.Put(schema::ProjectionOf(sample_.schema, sample_.plan, chunk));
    }
  }

  void LayDownPolicy() {
    policy_.mutable_metadata()->set_namespace_("app");
    policy_.mutable_metadata()->set_name("policy");
    policy_.mutable_metadata()->set_uid("policy-uid");
    (*policy_.mutable_data())["policy"] = "signed";
    store_.Put(policy_);
  }

  void LayDownEvidence() {
    api::PtahSchema& schema = sample_.schema;
    schema.mutable_spec()->mutable_target()->set_engine("postgres");
    schema.mutable_spec()->mutable_target()->set_coordination_key("main");
    schema.mutable_spec()->mutable_desired()->mutable_verification_policy_from()->set_name(
        "policy");
    schema.mutable_spec()->mutable_desired()->mutable_verification_policy_from()->set_key("policy");
    api::SourceRecord* source = schema.mutable_status()->mutable_source();
    source->set_digest(Digest('6'));
    source->set_verification_policy_uid("policy-uid");
    source->set_verification_policy_digest(api::DigestOf("signed"));
    schema.mutable_status()->mutable_target()->set_identity_digest(Digest('5'));
    schema.mutable_status()->mutable_target()->set_coordination_digest(
        schema::CoordinationDigest(schema));
  }

  void LayDownPlan() {
    api::PtahSchemaPlan& plan = sample_.plan;
    api::PtahSchema& schema = sample_.schema;
    api::PtahSchemaPlanSpec* spec = plan.mutable_spec();
    spec->clear_chunks();
    spec->set_contract_version(3);
    spec->mutable_schema_ref()->set_name("a");
    spec->mutable_schema_ref()->set_uid("schema-uid");
    spec->set_content_digest(api::DigestOf("onetwo"));
    spec->set_size(6);
    spec->set_artifact_digest(Digest('6'));
    spec->set_coordination_digest(schema::CoordinationDigest(schema));
    spec->set_target_identity_digest(Digest('5'));
    spec->set_policy_fingerprint(schema::PolicyFingerprint(schema));
    spec->set_verification_policy_uid("policy-uid");
    spec->set_verification_policy_digest(api::DigestOf("signed"));
    spec->set_execution_binding_id(Epoch('1'));
    spec->set_controller_image(sample_.configuration.controller_image);
    spec->set_controller_revision(sample_.configuration.controller_revision);
    spec->set_controller_state_version(sample_.configuration.controller_state_version);
    spec->set_ptah_version(sample_.configuration.ptah_version);
    spec->set_executor_image(sample_.configuration.executor_image);
    spec->set_runner_image(sample_.configuration.runner_image);
    spec->set_runner_protocol_version(sample_.configuration.runner_protocol_version);
    spec->set_fingerprint(schema::PlanFingerprint(*spec));
    plan.mutable_metadata()->set_name(rules::PlanName(spec->fingerprint()));
    Own(api::Kind::kPtahSchema, schema.metadata(), plan.mutable_metadata());
    int index = 0;
    for (const char* data : {"one", "two"}) AddChunk(index++, data);
    api::Condition* ready = plan.mutable_status()->add_conditions();
    ready->set_type("Ready");
    ready->set_status("True");
    *schema.mutable_status()->mutable_plan() = schema::RecordOf(plan);
  }

  void AddChunk(int index, const std::string& data) {
    api::PtahSchemaPlan& plan = sample_.plan;
    const std::string name = rules::ChunkName(plan.metadata().name(), index);
    api::PlanChunkRef* ref = plan.mutable_spec()->add_chunks();
    ref->set_name(name);
    ref->set_index(index);
    ref->set_digest(api::DigestOf(data));
    ref->set_size(static_cast<int64_t>(data.size()));
    api::PtahSchemaPlanChunk chunk;
    chunk.mutable_metadata()->set_namespace_("app");
    chunk.mutable_metadata()->set_name(name);
    chunk.mutable_metadata()->set_uid(name + "-uid");
    Own(api::Kind::kPtahSchemaPlan, plan.metadata(), chunk.mutable_metadata());
    chunk.mutable_spec()->set_data(data);
    chunks_.push_back(chunk);
    api::PublishedChunk* published = plan.mutable_status()->add_published_chunks();
    published->set_name(name);
    published->set_uid(name + "-uid");
    published->set_index(index);
  }

  static void Own(api::Kind kind, const api::ObjectMeta& owner, api::ObjectMeta* metadata) {
    api::OwnerReference* reference = metadata->add_owner_references();
    reference->set_api_version(api::kGroupVersion);
    reference->set_kind(api::KindName(kind));
    reference->set_name(owner.name());
    reference->set_uid(owner.uid());
    reference->set_controller(true);
    reference->set_block_owner_deletion(true);
  }

  api::ConfigMap Projection(int index) const {
    return schema::ProjectionOf(sample_.schema, sample_.plan, chunks_[index]);
  }
  api::Job Submitted() const {
    api::Job job = sample_.Build();
    job.mutable_metadata()->set_uid("job-uid");
    return job;
  }
  template <class Edit>
  void EditSchema(Edit edit) {
    edit(*sample_.schema.mutable_status());
    store_.Put(sample_.schema);
  }

  MemoryDoor store_;
  Webhook webhook_;
  dispatch::samples::SchemaApply sample_;
  api::ConfigMap policy_;
  std::vector<api::PtahSchemaPlanChunk> chunks_;
};

TEST_F(SchemaTest, AnApplyJobIsAdmittedWithItsPlanManifestAndProjection) {
  EXPECT_TRUE(webhook_.AdmitsCreate(Submitted()));
}

TEST_F(SchemaTest, AnApplyJobIsRefusedWithoutItsPlanOrAnyPartOfIt) {
  const std::string chunk = chunks_[1].metadata().name();
  store_.Remove({api::Kind::kConfigMap, "app", chunk});
  EXPECT_FALSE(webhook_.AdmitsCreate(Submitted()));
  api::ConfigMap other = Projection(1);
  (*other.mutable_binary_data())[dispatch::kProjectionKey] = "owt";
  store_.Put(other);
  EXPECT_FALSE(webhook_.AdmitsCreate(Submitted()));
  store_.Put(Projection(1));
  EXPECT_TRUE(webhook_.AdmitsCreate(Submitted()));
  store_.Remove({api::Kind::kPtahSchemaPlanChunk, "app", chunk});
  EXPECT_FALSE(webhook_.AdmitsCreate(Submitted()));
  store_.Put(chunks_[1]);
  store_.Remove({api::Kind::kPtahSchemaPlan, "app", sample_.plan.metadata().name()});
  EXPECT_FALSE(webhook_.AdmitsCreate(Submitted()));
}

TEST_F(SchemaTest, TheTtlOfARunningApplyIsAdmittedAndOfARunningReadingIsNot) {
  EditSchema([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->set_job_uid("job-uid");
  });
  api::Job ttl = Submitted();
  ttl.mutable_spec()->set_ttl_seconds_after_finished(300);
  EXPECT_TRUE(webhook_.AdmitsUpdate(Submitted(), ttl, webhook_.manager()));
  EditSchema([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->set_type("Observe");
  });
  EXPECT_FALSE(webhook_.AdmitsUpdate(Submitted(), ttl, webhook_.manager()));
}

// --- Jobs a rotation left --------------------------------------------------------------------

class RetiredJobTest : public SchemaTest {
 protected:
  using Edit = std::function<void(api::PtahSchemaStatus&)>;

  static api::Job Ended(api::Job job) {
    job.mutable_metadata()->set_uid("job-uid");
    api::JobCondition* failed = job.mutable_status()->add_conditions();
    failed->set_type("Failed");
    failed->set_status("True");
    return job;
  }
  bool AdmitsTtl(const api::Job& job) const {
    api::Job next = job;
    next.mutable_spec()->set_ttl_seconds_after_finished(300);
    return webhook_.AdmitsUpdate(job, next, webhook_.manager());
  }
  // The epoch of the claim goes; the record names its Job.
  static void Rotate(const char* operation, api::PtahSchemaStatus& status) {
    api::PendingBindingRetirement* record = status.mutable_pending_binding_retirement();
    record->set_retired_epoch(status.execution_binding().epoch());
    record->mutable_job()->set_operation(operation);
    record->mutable_job()->set_name("apply-a-0123456789abcdef");
    record->mutable_job()->set_uid("job-uid");
    status.mutable_execution_binding()->set_epoch(Epoch('f'));
    status.clear_plan();
  }
  void RefusesWhenVaried(const api::Job& job,
                         const std::vector<std::pair<const char*, Edit>>& variations) {
    const api::PtahSchema retired = sample_.schema;
    for (const auto& [what, vary] : variations) {
      SCOPED_TRACE(what);
      sample_.schema = retired;
      EditSchema(vary);
      EXPECT_FALSE(AdmitsTtl(job));
    }
    sample_.schema = retired;
    store_.Put(retired);
    EXPECT_TRUE(AdmitsTtl(job));
  }
};

TEST_F(RetiredJobTest, TheTtlOfAKeptReadingsJobIsAdmittedForExactlyTheJobTheRecordNames) {
  api::ActiveOperation* claim = sample_.schema.mutable_status()->mutable_active_operation();
  claim->set_type("Plan");
  claim->clear_admission_snapshot();
  api::Job job = *dispatch::BuildSchemaJob(sample_.schema, *claim, nullptr, sample_.configuration);
  *claim->mutable_admission_snapshot() = dispatch::samples::SnapshotOf(job, *claim);
  claim->set_job_uid("job-uid");
  job = Ended(*dispatch::BuildSchemaJob(sample_.schema, *claim, nullptr, sample_.configuration));
  EditSchema([](api::PtahSchemaStatus& status) { Rotate("Plan", status); });
  RefusesWhenVaried(
      job,
      {{"no record", [](auto& s) { s.clear_pending_binding_retirement(); }},
       {"another operation",
        [](auto& s) {
          s.mutable_pending_binding_retirement()->mutable_job()->set_operation("Observe");
        }},
       {"another name",
        [](auto& s) { s.mutable_pending_binding_retirement()->mutable_job()->set_name("b"); }},
       {"another UID",
        [](auto& s) { s.mutable_pending_binding_retirement()->mutable_job()->set_uid("b"); }},
       {"no UID",
        [](auto& s) { s.mutable_pending_binding_retirement()->mutable_job()->clear_uid(); }},
       {"another epoch",
        [](auto& s) { s.mutable_pending_binding_retirement()->set_retired_epoch(Epoch('e')); }},
       {"no claim", [](auto& s) { s.clear_active_operation(); }},
       {"a claim of another Job", [](auto& s) { s.mutable_active_operation()->set_job_name("b"); }},
       {"an Apply claim", [](auto& s) { s.mutable_active_operation()->set_type("Apply"); }},
       {"another snapshot",
        [](auto& s) { s.mutable_active_operation()->clear_admission_snapshot(); }}});
  api::Job running = job;
  running.clear_status();
  EXPECT_FALSE(AdmitsTtl(running));
  // A deleting schema may still clean up.
  sample_.schema.mutable_metadata()->set_deletion_timestamp_ms(1);
  store_.Put(sample_.schema);
  EXPECT_TRUE(AdmitsTtl(job));
}

TEST_F(RetiredJobTest, TheTtlOfARetiredApplysJobIsAdmittedWhileItsOutcomeIsUnknown) {
  const api::Job job = Ended(sample_.Build());
  EditSchema([&](api::PtahSchemaStatus& status) {
    api::PendingObservation* proof = status.mutable_pending_observation();
    const api::ActiveOperation& claim = status.active_operation();
    proof->set_outcome("OutcomeUnknown");
    proof->set_apply_operation_id(claim.id());
    proof->set_apply_job_name(claim.job_name());
    proof->set_apply_job_uid("job-uid");
    *proof->mutable_admission_snapshot() = claim.admission_snapshot();
    *proof->mutable_plan() = status.plan();
    status.clear_active_operation();
    Rotate("Apply", status);
  });
  RefusesWhenVaried(
      job,
      {{"no record", [](auto& s) { s.clear_pending_binding_retirement(); }},
       {"another UID",
        [](auto& s) { s.mutable_pending_binding_retirement()->mutable_job()->set_uid("b"); }},
       {"no UID",
        [](auto& s) { s.mutable_pending_binding_retirement()->mutable_job()->clear_uid(); }},
       {"another epoch",
        [](auto& s) { s.mutable_pending_binding_retirement()->set_retired_epoch(Epoch('e')); }},
       {"an outcome that was read",
        [](auto& s) { s.mutable_pending_observation()->set_outcome("ApplySucceeded"); }},
       {"no proof", [](auto& s) { s.clear_pending_observation(); }},
       {"a proof of another Job",
        [](auto& s) { s.mutable_pending_observation()->set_apply_job_uid("b"); }},
       {"a proof of another attempt",
        [](auto& s) { s.mutable_pending_observation()->set_apply_operation_id(Digest('f')); }},
       {"another plan",
        [](auto& s) {
          s.mutable_pending_observation()->mutable_plan()->set_fingerprint(Digest('f'));
        }},
       {"a claim", [](auto& s) { s.mutable_active_operation()->set_type("Observe"); }}});
  api::Job running = job;
  running.clear_status();
  EXPECT_FALSE(AdmitsTtl(running));
}

TEST_F(SchemaTest, AJobOfARetiredEpochIsNeverCreated) {
  EXPECT_TRUE(webhook_.AdmitsCreate(Submitted()));
  EditSchema([](api::PtahSchemaStatus& status) {
    status.mutable_execution_binding()->set_epoch(Epoch('f'));
  });
  EXPECT_FALSE(webhook_.AdmitsCreate(Submitted()));
}

TEST_F(SchemaTest, AChunkItsManifestListsIsAdmittedAndAnyOtherRefused) {
  EXPECT_TRUE(webhook_.AdmitsCreate(chunks_[0]));
  api::PtahSchemaPlanChunk other = chunks_[0];
  other.mutable_spec()->set_data("eno");
  EXPECT_FALSE(webhook_.AdmitsCreate(other));
  other = chunks_[0];
  other.mutable_metadata()->set_name("other");
  EXPECT_FALSE(webhook_.AdmitsCreate(other));
  other = chunks_[0];
  other.mutable_metadata()->mutable_owner_references(0)->set_uid("other");
  EXPECT_FALSE(webhook_.AdmitsCreate(other));
}

TEST_F(SchemaTest, AProjectionIsAdmittedOnlyForAnApplyThatHasNotCrossedTheBoundary) {
  EXPECT_TRUE(webhook_.AdmitsCreate(Projection(0)));
  api::ConfigMap mutable_one = Projection(0);
  mutable_one.clear_immutable();
  EXPECT_FALSE(webhook_.AdmitsCreate(mutable_one));
  EditSchema([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->set_dispatch_started(true);
  });
  EXPECT_FALSE(webhook_.AdmitsCreate(Projection(0)));
  EditSchema([](api::PtahSchemaStatus& status) {
    status.mutable_active_operation()->set_dispatch_started(false);
    status.mutable_active_operation()->set_type("Plan");
  });
  EXPECT_FALSE(webhook_.AdmitsCreate(Projection(0)));
}

TEST_F(SchemaTest, APlanIsAdmittedOnlyFromItsSucceededJobOnItsWayOut) {
  EditSchema([](api::PtahSchemaStatus& status) {
    api::ActiveOperation* claim = status.mutable_active_operation();
    claim->set_type("Plan");
    claim->clear_admission_snapshot();
  });
  api::ActiveOperation* claim = sample_.schema.mutable_status()->mutable_active_operation();
  api::Job job = *dispatch::BuildSchemaJob(sample_.schema, *claim, nullptr, sample_.configuration);
  *claim->mutable_admission_snapshot() = dispatch::samples::SnapshotOf(job, *claim);
  claim->set_job_uid("job-uid");
  store_.Put(sample_.schema);
  job = *dispatch::BuildSchemaJob(sample_.schema, *claim, nullptr, sample_.configuration);
  job.mutable_metadata()->set_uid("job-uid");
  api::JobCondition* complete = job.mutable_status()->add_conditions();
  complete->set_type("Complete");
  complete->set_status("True");
  api::PtahSchemaPlan plan = sample_.plan;
  plan.clear_status();

  store_.Put(job);
  EXPECT_FALSE(webhook_.AdmitsCreate(plan));  // No TTL yet.
  job.mutable_spec()->set_ttl_seconds_after_finished(300);
  store_.Put(job);
  EXPECT_TRUE(webhook_.AdmitsCreate(plan));

  EXPECT_FALSE(webhook_.AdmitsCreate(sample_.plan));  // With a status.
  api::PtahSchemaPlan renamed = plan;
  renamed.mutable_metadata()->set_name("other");
  EXPECT_FALSE(webhook_.AdmitsCreate(renamed));
  api::PtahSchemaPlan other_manager = plan;
  other_manager.mutable_spec()->set_controller_revision("r2");
  EXPECT_FALSE(webhook_.AdmitsCreate(other_manager));
  api::PtahSchemaPlan malformed = plan;
  malformed.mutable_spec()->mutable_chunks(1)->set_size(4);
  EXPECT_FALSE(webhook_.AdmitsCreate(malformed));
  complete = job.mutable_status()->mutable_conditions(0);
  complete->set_type("Failed");
  store_.Put(job);
  EXPECT_FALSE(webhook_.AdmitsCreate(plan));
}

TEST_F(SchemaTest, AnApprovalIsAdmittedWhileThePlanIsAwaitedAndNoneIsRecorded) {
  api::PtahSchemaApproval approval;
  approval.mutable_metadata()->set_namespace_("app");
  approval.mutable_metadata()->set_name("ok");
  approval.mutable_spec()->mutable_schema_ref()->set_name("a");
  approval.mutable_spec()->mutable_schema_ref()->set_uid("schema-uid");
  approval.mutable_spec()->mutable_plan_ref()->set_name(sample_.plan.metadata().name());
  approval.mutable_spec()->mutable_plan_ref()->set_uid("plan-uid");
  approval.mutable_spec()->set_plan_fingerprint(sample_.plan.spec().fingerprint());
  EXPECT_FALSE(webhook_.Create(approval, "alice").status.ok());
  EditSchema([](api::PtahSchemaStatus& status) {
    status.clear_active_operation();
    status.set_phase("AwaitingApproval");
    api::Condition* required = status.add_conditions();
    required->set_type("ApprovalRequired");
    required->set_status("True");
  });
  const api::AdmissionAnswer answer = webhook_.Create(approval, "alice");
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(
      static_cast<const api::PtahSchemaApproval&>(*answer.mutated).spec().approver().username(),
      "alice");
  EditSchema([](api::PtahSchemaStatus& status) {
    status.mutable_plan()->mutable_approval()->set_name("earlier");
  });
  EXPECT_FALSE(webhook_.Create(approval, "alice").status.ok());
  EditSchema([](api::PtahSchemaStatus& status) { status.mutable_plan()->clear_approval(); });
  policy_.mutable_metadata()->set_uid("recreated");
  store_.Put(policy_);
  EXPECT_FALSE(webhook_.Create(approval, "alice").status.ok());
}

}  // namespace
}  // namespace lifecycle::admission
