#include "model/writes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "model/objects.h"

namespace model {
namespace {

using namespace lifecycle::api;  // The registry is of nothing else. NOLINT(using-namespace)

// A status, a decision or a Job as it was stored before; a test changes a copy of it.
class WritesTest : public testing::Test {
 protected:
  template <class T>
  std::string Status(const T& before, const T& after, WriteContext context = {}) {
    return Of(Verb::kPatch, Subresource::kStatus, &before, &after, context);
  }
  template <class T>
  std::string Main(const T& before, const T& after) {
    return Of(Verb::kPatch, Subresource::kMain, &before, &after, {});
  }
  template <class T>
  std::string Created(const T& object) {
    return Of<T>(Verb::kCreate, Subresource::kMain, nullptr, &object, {});
  }
  template <class T>
  std::string Gone(const T& before) {
    return Of<T>(Verb::kPatch, Subresource::kMain, &before, nullptr, {});
  }

 private:
  template <class T>
  std::string Of(Verb verb, Subresource subresource, const T* before, const T* after,
                 WriteContext context) {
    Request request;
    request.verb = verb;
    request.key = Key{KindOf<T>(), "team", "a"};
    request.subresource = subresource;
    const WriteSet writes = WritesOf(request, Stored(before), Stored(after), context);
    return writes.empty() ? "none" : WriteNames(writes);
  }
  template <class T>
  sim::Handle Stored(const T* object) {
    if (object == nullptr) return nullptr;
    T whole = *object;
    whole.mutable_metadata()->set_namespace_("team");
    whole.mutable_metadata()->set_name("a");
    return interner_.Intern(KindOf<T>(), std::make_shared<const T>(whole));
  }

  sim::Interner interner_;
};

template <class Conditions>
void SetTrue(const char* type, Conditions& conditions) {
  auto* condition = conditions.Add();
  condition->set_type(type);
  condition->set_status(condition_status::kTrue);
}

void Bind(ExecutionBinding* binding, const std::string& epoch) { binding->set_epoch(epoch); }

void Claim(ActiveOperation* claim, const char* type) {
  claim->set_type(type);
  claim->set_id("op");
  claim->set_job_name("job");
}

// At rest under the binding "one".
PtahSchema Schema() {
  PtahSchema schema;
  Bind(schema.mutable_status()->mutable_execution_binding(), "one");
  schema.mutable_status()->set_phase(phase::kAwaitingApproval);
  return schema;
}

PtahMigration Migration() {
  PtahMigration migration;
  Bind(migration.mutable_status()->mutable_execution_binding(), "one");
  migration.mutable_status()->set_phase(phase::kAwaitingApproval);
  return migration;
}

template <class T>
T WithClaim(T resource, const char* type) {
  Claim(resource.mutable_status()->mutable_active_operation(), type);
  return resource;
}

template <class T>
T Deleting(T resource) {
  resource.mutable_metadata()->set_deletion_timestamp_ms(1);
  resource.mutable_metadata()->add_finalizers("held");
  return resource;
}

template <class T>
T WithoutClaim(T resource) {
  resource.mutable_status()->clear_active_operation();
  return resource;
}

PtahSchema WithProof(PtahSchema schema, const char* outcome) {
  PendingObservation& proof = *schema.mutable_status()->mutable_pending_observation();
  proof.set_outcome(outcome);
  proof.set_apply_job_name("job");
  return schema;
}

PtahSchema WithRetirement(PtahSchema schema, bool plan, const char* operation) {
  PendingBindingRetirement& record = *schema.mutable_status()->mutable_pending_binding_retirement();
  record.set_retired_epoch("zero");
  if (plan) record.mutable_plan()->set_name("plan");
  if (operation != nullptr) {
    record.mutable_job()->set_operation(operation);
    record.mutable_job()->set_name("job");
  }
  return schema;
}

TEST_F(WritesTest, AFinalizerOnAndOff) {
  PtahSchema with = Schema();
  with.mutable_metadata()->add_finalizers(kSchemaFinalizer);
  EXPECT_EQ(Main(Schema(), with), "W-01");
  EXPECT_EQ(Main(with, Schema()), "W-30");
  EXPECT_EQ(Gone(with), "W-30");
  PtahMigration migration = Migration();
  migration.mutable_metadata()->add_finalizers(kMigrationFinalizer);
  EXPECT_EQ(Main(Migration(), migration), "W-01");
  EXPECT_EQ(Main(migration, Migration()), "W-30");
}

TEST_F(WritesTest, AClaimIsWritten) {
  EXPECT_EQ(Status(Schema(), WithClaim(Schema(), operation::kApply)), "W-02");
  EXPECT_EQ(Status(Migration(), WithClaim(Migration(), operation::kHistory)), "W-02");
}

TEST_F(WritesTest, WhatAClaimGoesThrough) {
  const PtahSchema before = WithClaim(Schema(), operation::kApply);
  const auto change = [&](auto edit) {
    PtahSchema after = before;
    edit(*after.mutable_status()->mutable_active_operation());
    return Status(before, after);
  };
  EXPECT_EQ(change([](ActiveOperation& claim) { claim.set_lease_epoch("e"); }), "W-06");
  EXPECT_EQ(change([](ActiveOperation& claim) {
              claim.set_lease_epoch("e");
              claim.set_lease_continuity_lost(true);
            }),
            "W-07");
  EXPECT_EQ(change([](ActiveOperation& claim) { claim.mutable_admission_snapshot(); }), "W-09");
  EXPECT_EQ(change([](ActiveOperation& claim) { claim.set_dispatch_started(true); }), "W-12");
  EXPECT_EQ(change([](ActiveOperation& claim) { claim.set_job_uid("uid"); }), "W-16");
  EXPECT_EQ(change([](ActiveOperation& claim) { claim.set_attempt(1); }), "W-25");
}

TEST_F(WritesTest, TheUidIsRecordedByThePassThatCreatedTheJob) {
  const PtahMigration before = WithClaim(Migration(), operation::kApply);
  PtahMigration after = before;
  after.mutable_status()->mutable_active_operation()->set_job_uid("uid");
  EXPECT_EQ(Status(before, after, {.created_in_this_pass = true}), "W-15");
  EXPECT_EQ(Status(before, after), "W-16");
}

TEST_F(WritesTest, ASnapshotThatIsTakenBackAndAMarkThatIsWithdrawn) {
  PtahMigration before = WithClaim(Migration(), operation::kApply);
  before.mutable_status()->mutable_active_operation()->mutable_admission_snapshot();
  EXPECT_EQ(Status(before, WithClaim(Migration(), operation::kApply)), "W-10");
  before = WithClaim(Migration(), operation::kApply);
  before.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
  EXPECT_EQ(Status(before, WithClaim(Migration(), operation::kApply)), "W-14");
}

TEST_F(WritesTest, AnApplysOutcomeAndTheProofOfIt) {
  const PtahSchema apply = WithClaim(Schema(), operation::kApply);
  const PtahSchema read = WithProof(Schema(), proof_outcome::kApplySucceeded);
  const PtahSchema unknown = WithProof(Schema(), proof_outcome::kOutcomeUnknown);
  EXPECT_EQ(Status(apply, read), "W-18");
  EXPECT_EQ(Status(apply, unknown), "W-19");
  PtahSchema more = unknown;
  more.mutable_status()->mutable_pending_observation()->set_apply_pod_count(2);
  EXPECT_EQ(Status(unknown, more), "W-31");
  PtahSchema retaken = unknown;
  retaken.mutable_status()->mutable_pending_observation()->set_lease_epoch("e");
  EXPECT_EQ(Status(unknown, retaken), "W-32");
  EXPECT_EQ(Status(WithClaim(unknown, operation::kPlan), Schema()), "W-36");
  EXPECT_EQ(Status(Deleting(unknown), Deleting(Schema())), "W-56");
}

TEST_F(WritesTest, TheFirstBindingIsNoRotation) {
  PtahSchema schema;
  PtahSchema bound;
  Bind(bound.mutable_status()->mutable_execution_binding(), "one");
  EXPECT_EQ(Status(schema, bound), "W-38");
  PtahMigration migration;
  PtahMigration also;
  Bind(also.mutable_status()->mutable_execution_binding(), "one");
  EXPECT_EQ(Status(migration, also), "W-38");
}

TEST_F(WritesTest, ABindingOverNothingReadYetIsTheFirst) {
  PtahSchema before = Schema();
  before.mutable_status()->clear_phase();
  PtahSchema after = before;
  Bind(after.mutable_status()->mutable_execution_binding(), "two");
  EXPECT_EQ(Status(before, after), "W-38");
}

TEST_F(WritesTest, ASchemasRotationWhateverItFinds) {
  const auto rotated = [&](const PtahSchema& before, PtahSchema after) {
    Bind(after.mutable_status()->mutable_execution_binding(), "two");
    return Status(before, after);
  };
  PtahSchema planned = Schema();
  planned.mutable_status()->mutable_plan()->set_name("plan");
  EXPECT_EQ(rotated(planned, WithRetirement(Schema(), true, nullptr)), "W-39");
  const PtahSchema reading = WithClaim(Schema(), operation::kPlan);
  EXPECT_EQ(rotated(reading, WithRetirement(reading, false, operation::kPlan)), "W-39");
  const PtahSchema apply = WithClaim(Schema(), operation::kApply);
  EXPECT_EQ(rotated(apply, Schema()), "W-39") << "an undispatched one goes with it";
  EXPECT_EQ(rotated(apply, WithRetirement(WithProof(Schema(), proof_outcome::kOutcomeUnknown), true,
                                          operation::kApply)),
            "W-19+W-39")
      << "the account of a dispatched one is in the same patch";
}

TEST_F(WritesTest, ARetirementRecordIsWorkedOffPieceByPiece) {
  EXPECT_EQ(Status(WithRetirement(Schema(), true, nullptr), Schema()), "W-40");
  const PtahSchema reading =
      WithRetirement(WithClaim(Schema(), operation::kPlan), false, operation::kPlan);
  PtahSchema adopted = reading;
  adopted.mutable_status()->mutable_active_operation()->set_job_uid("uid");
  adopted.mutable_status()->mutable_pending_binding_retirement()->mutable_job()->set_uid("uid");
  EXPECT_EQ(Status(reading, adopted), "W-41");
  EXPECT_EQ(Status(adopted, Schema()), "W-42");
}

TEST_F(WritesTest, ARetiredApplyIsNamedByItsProof) {
  const PtahSchema proof =
      WithRetirement(WithProof(Schema(), proof_outcome::kOutcomeUnknown), false, operation::kApply);
  PtahSchema adopted = proof;
  adopted.mutable_status()->mutable_pending_observation()->set_apply_job_uid("uid");
  adopted.mutable_status()->mutable_pending_binding_retirement()->mutable_job()->set_uid("uid");
  EXPECT_EQ(Status(proof, adopted), "W-43");
  EXPECT_EQ(Status(adopted, WithProof(Schema(), proof_outcome::kOutcomeUnknown)), "W-44");
  EXPECT_EQ(Status(WithRetirement(Schema(), false, operation::kApply), Schema()), "W-45")
      << "nothing carries the Job it names";
}

TEST_F(WritesTest, AMigrationsRotationIsOneWrite) {
  PtahMigration planned = Migration();
  planned.mutable_status()->mutable_plan()->set_name("plan");
  PtahMigration after = Migration();
  Bind(after.mutable_status()->mutable_execution_binding(), "two");
  EXPECT_EQ(Status(planned, after), "W-46");
  EXPECT_EQ(Status(WithClaim(planned, operation::kApply), after), "W-46");
}

TEST_F(WritesTest, AnUnresolvedRunFromItsRecordToItsEnd) {
  const PtahMigration apply = WithClaim(Migration(), operation::kApply);
  PtahMigration unresolved = Migration();
  unresolved.mutable_status()->mutable_last_run()->set_outcome(run_outcome::kUnknown);
  unresolved.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  EXPECT_EQ(Status(apply, unresolved), "W-21");
  PtahMigration lost = unresolved;
  lost.mutable_status()->clear_unresolved_run();
  EXPECT_EQ(Status(lost, unresolved), "W-48") << "restored from its copy";
  EXPECT_EQ(Status(unresolved, lost), "W-54") << "acknowledged";
  PtahMigration read = lost;
  read.mutable_status()->mutable_history()->set_applied_count(2);
  EXPECT_EQ(Status(WithClaim(unresolved, operation::kHistory), read), "W-49");
}

TEST_F(WritesTest, TheCopyOfAnUnresolvedRun) {
  const auto with = [](PtahMigration migration, const char* copy) {
    (*migration.mutable_metadata()->mutable_annotations())[annotation::kUnresolvedRun] = copy;
    return migration;
  };
  PtahMigration recorded = Migration();
  recorded.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  EXPECT_EQ(Main(WithClaim(Migration(), operation::kApply),
                 with(WithClaim(Migration(), operation::kApply), "{}")),
            "W-20");
  EXPECT_EQ(Main(recorded, with(recorded, "{}")), "W-47");
  EXPECT_EQ(Main(with(recorded, "{}"), with(recorded, "{ }")), "W-47");
  EXPECT_EQ(Main(with(Migration(), "{}"), Migration()), "W-50");
}

TEST_F(WritesTest, AMigrationsPlanInItsStatus) {
  PtahMigration planned = Migration();
  planned.mutable_status()->mutable_plan()->set_name("plan");
  EXPECT_EQ(Status(Migration(), planned), "W-52");
  EXPECT_EQ(Status(planned, Migration()), "W-53");
}

TEST_F(WritesTest, AClaimThatGoesWithoutAResult) {
  EXPECT_EQ(Status(WithClaim(Schema(), operation::kApply), Schema()), "W-24");
  EXPECT_EQ(Status(WithClaim(Migration(), operation::kApply), Migration()), "W-24");
  PtahMigration failed = Migration();
  failed.mutable_status()->set_phase(phase::kFailed);
  EXPECT_EQ(Status(WithClaim(Migration(), operation::kApply), failed), "W-24+W-28");
}

TEST_F(WritesTest, AClaimThatGoesBecauseItsResourceDoes) {
  for (const char* type : {operation::kApply, operation::kResolve, "Nobody"}) {
    EXPECT_EQ(Status(WithClaim(Deleting(Schema()), type), Deleting(Schema())), "W-57") << type;
    EXPECT_EQ(Status(WithClaim(Deleting(Migration()), type), Deleting(Migration())), "W-58")
        << type;
  }
  PtahMigration unresolved = Deleting(Migration());
  unresolved.mutable_status()->mutable_last_run()->set_outcome(run_outcome::kUnknown);
  unresolved.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  EXPECT_EQ(Status(WithClaim(Deleting(Migration()), operation::kApply), unresolved), "W-21+W-58");
  EXPECT_EQ(Status(WithClaim(Deleting(Schema()), operation::kApply),
                   WithProof(Deleting(Schema()), proof_outcome::kOutcomeUnknown)),
            "W-19")
      << "every dispatched Apply leaves its record";
}

TEST_F(WritesTest, DecisionsAndWhatIsMadeOfThem) {
  PtahMigrationRunAcknowledgment judged;
  SetTrue(condition::kConsumed, *judged.mutable_status()->mutable_conditions());
  EXPECT_EQ(Status(PtahMigrationRunAcknowledgment(), judged), "W-55");
  PtahSchemaApproval spent;
  SetTrue(condition::kConsumed, *spent.mutable_status()->mutable_conditions());
  EXPECT_EQ(Status(PtahSchemaApproval(), spent), "W-11");
  PtahMigrationApproval stale;
  SetTrue(condition::kStale, *stale.mutable_status()->mutable_conditions());
  EXPECT_EQ(Status(PtahMigrationApproval(), stale), "W-04");
  PtahSchema reserved = Schema();
  reserved.mutable_status()->mutable_plan()->mutable_approval()->set_name("yes");
  PtahSchema planned = Schema();
  planned.mutable_status()->mutable_plan();
  EXPECT_EQ(Status(planned, reserved), "W-03");
}

TEST_F(WritesTest, ObjectsThatAreMade) {
  EXPECT_EQ(Created(Lease()), "W-05");
  EXPECT_EQ(Created(ConfigMap()), "W-08");
  EXPECT_EQ(Created(Job()), "W-13");
  EXPECT_EQ(Created(PtahSchemaPlan()), "W-33");
  EXPECT_EQ(Created(PtahSchemaPlanChunk()), "W-34");
  EXPECT_EQ(Created(PtahMigrationPlan()), "W-51");
}

TEST_F(WritesTest, EveryEntryOfThePagesTableHasItsRow) {
  std::string rows;
  for (int number = 1; number <= kWriteCount; ++number) {
    if (PageRowOf(number) != 0) {
      absl::StrAppend(&rows, WriteName(number), "=", PageRowOf(number), " ");
    }
  }
  EXPECT_EQ(rows,
            "W-01=1 W-02=2 W-06=3 W-08=5 W-09=4 W-11=6 W-12=7 W-15=8 W-16=8 W-17=9 W-18=10 "
            "W-19=10 W-21=10 W-22=11 W-23=11 W-39=12 ");
}

}  // namespace
}  // namespace model
