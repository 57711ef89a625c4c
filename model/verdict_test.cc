#include "model/verdict.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/schema.pb.h"
#include "model/check.h"
#include "model/scenario.h"
#include "sim/interner.h"
#include "sim/lease_watch.h"

namespace model {
namespace {

namespace api = lifecycle::api;

constexpr char kJobUid[] = "the-job-uid";

// One mutating operation of a resource "a" and what is stored around it. A test lays down the
// resource before and after, and the truth; the verdicts come back as text.
class VerdictTest : public testing::Test {
 protected:
  VerdictTest() : realm_(api::DigestOf("realm")) {
    world_.now_ms = 1'000'000;
    Apply("op");
    sim::Database database;
    database.coordination_digest = realm_;
    database.identity_digest = "the planned one";
    for (const char* version : {"1", "2", "3"}) {
      database.files.push_back({.version = version, .statements = 2});
    }
    world_.truth.databases.emplace_back(database);
  }

  // The truth of an operation, which a test edits.
  sim::OperationTruth& Truth(const std::string& id) { return world_.truth.operations.Edit(id); }
  sim::Database& Database() { return world_.truth.databases[0].Edit(); }

  sim::OperationTruth& Apply(const std::string& id) {
    sim::OperationTruth& operation = Truth(id);
    operation.id = id;
    operation.type = api::operation::kApply;
    operation.mutating = true;
    operation.holder = id + "'s holder";
    operation.coordination_digest = realm_;
    operation.job_names = {id + "-job"};
    return operation;
  }
  sim::OperationTruth& Reading(const std::string& id) {
    sim::OperationTruth& operation = Apply(id);
    operation.type = api::operation::kHistory;
    operation.mutating = false;
    operation.reading = sim::Reading{};
    return operation;
  }
  // Now the operation can send SQL.
  void LetRun(const std::string& id) {
    sim::Run run;
    run.pod_uid = "a-pod";
    run.operation_id = id;
    run.state = sim::RunState::kRunning;
    world_.runs.push_back(run);
  }
  // One ended Pod, and this much of each file.
  void LetHaveRun(const std::string& id, std::vector<sim::FileEffect> effect, bool ok) {
    sim::OperationTruth& operation = Truth(id);
    operation.created = sim::Count::kOne;
    operation.marked = true;
    operation.pods = sim::Count::kOne;
    operation.effect = std::move(effect);
    operation.finished_ok = ok;
  }

  template <class T>
  sim::Handle Stored(T object, const std::string& name) {
    object.mutable_metadata()->set_namespace_("team");
    object.mutable_metadata()->set_name(name);
    return interner_.Intern(api::KindOf<T>(), std::make_shared<const T>(object));
  }
  template <class T>
  void Put(T object, const std::string& name) {
    world_.Put({.object = Stored(std::move(object), name)});
  }

  template <class T>
  T Claimed(const std::string& id, const char* type = api::operation::kApply) {
    T resource;
    api::ActiveOperation* claim = resource.mutable_status()->mutable_active_operation();
    claim->set_id(id);
    claim->set_type(type);
    claim->set_target_identity_digest("the planned one");
    claim->set_lease_epoch("epoch");
    return resource;
  }
  template <class T>
  static T Unclaimed(T resource) {
    resource.mutable_status()->clear_active_operation();
    return resource;
  }
  static api::Lease Held(const std::string& holder) {
    api::Lease lease;
    lease.mutable_spec()->set_holder_identity(holder);
    (*lease.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] = "epoch";
    return lease;
  }

  // The verdicts of one status patch, each with what is unsound of it.
  template <class T>
  std::string Change(const T& before, const T& after, WriteSet writes = {}) {
    return Of(Stored(before, "a"), Stored(after, "a"), writes);
  }
  std::string ChangeLease(const api::Lease& before, const api::Lease& after) {
    const std::string name = sim::LeaseNameOf(realm_);
    return Of(Stored(before, name), Stored(after, name), {});
  }
  std::string Create(const std::string& job) {
    api::Request request;
    request.verb = api::Verb::kCreate;
    request.key = {api::Kind::kJob, "team", job};
    SentWrite write;
    write.request = &request;
    return Said(write);
  }

  sim::World world_;
  const std::string realm_;

 private:
  std::string Of(sim::Handle before, sim::Handle after, WriteSet writes) {
    api::Request request;
    request.verb = api::Verb::kPatch;
    request.key = before->key;
    SentWrite write;
    write.request = &request;
    write.stored = true;
    write.before = before;
    write.after = after;
    write.writes = writes;
    return Said(write);
  }
  std::string Said(SentWrite& write) {
    write.world_before = &world_;
    std::vector<std::string> said;
    for (const Judgement& judgement : Judge(write, trace_)) {
      said.push_back(absl::StrCat(VerdictName(judgement.verdict), " of ", judgement.operation,
                                  judgement.unsound ? ", but " : "",
                                  judgement.unsound.value_or("")));
    }
    return absl::StrJoin(said, "; ");
  }

  sim::Interner interner_;
  PassTrace trace_;
};

// --- dispatch ---

class DispatchVerdictTest : public VerdictTest {
 protected:
  DispatchVerdictTest() {
    Truth("op").resource = {api::Kind::kPtahSchema, "team", "a"};
    Truth("op").approval_uid = "approval";
    world_.truth.approvals.Edit("approval").consumed_by = "op";
    claimed_ = Claimed<api::PtahSchema>("op");
    claimed_.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
    Put(claimed_, "a");
    Put(Held("op's holder"), sim::LeaseNameOf(realm_));
  }
  std::string Dispatch() { return Create("op-job"); }

  api::PtahSchema claimed_;
};

TEST_F(DispatchVerdictTest, IsSoundOnce) {
  EXPECT_EQ(Dispatch(), "dispatch of op");
  Truth("op").created = sim::Count::kOne;
  EXPECT_EQ(Dispatch(), "dispatch of op, but a Job of this claim was stored before");
}

TEST_F(DispatchVerdictTest, NotBesideACreateThatMayStillBeStored) {
  Truth("op").flying = sim::Count::kOne;
  EXPECT_EQ(Dispatch(), "dispatch of op, but an earlier create may still be stored");
}

TEST_F(DispatchVerdictTest, NotWithoutTheMark) {
  claimed_.mutable_status()->mutable_active_operation()->clear_dispatch_started();
  Put(claimed_, "a");
  EXPECT_EQ(Dispatch(), "dispatch of op, but the claim's mark is not stored");
}

TEST_F(DispatchVerdictTest, NotForAnotherClaim) {
  claimed_.mutable_status()->mutable_active_operation()->set_id("a later one");
  Put(claimed_, "a");
  EXPECT_EQ(Dispatch(), "dispatch of op, but the claim is gone");
}

TEST_F(DispatchVerdictTest, NotUnderAnotherHolderOrAcquisition) {
  Put(Held("somebody"), sim::LeaseNameOf(realm_));
  EXPECT_EQ(Dispatch(), "dispatch of op, but the stored Lease names another holder");
  Put(Held("op's holder"), sim::LeaseNameOf(realm_));
  claimed_.mutable_status()->mutable_active_operation()->set_lease_epoch("an older one");
  Put(claimed_, "a");
  EXPECT_EQ(Dispatch(), "dispatch of op, but the stored Lease has another epoch");
}

TEST_F(DispatchVerdictTest, NotBesideAnotherThatCanRun) {
  Apply("other");
  LetRun("other");
  EXPECT_EQ(Dispatch(), "dispatch of op, but another operation of the realm can still run: other");
  Truth("other").coordination_digest = api::DigestOf("another realm");
  EXPECT_EQ(Dispatch(), "dispatch of op");
}

TEST_F(DispatchVerdictTest, NotUnderAnApprovalThatAnotherUsed) {
  world_.truth.approvals.Edit("approval").spent_by = {"other"};
  EXPECT_EQ(Dispatch(), "dispatch of op, but its approval authorized another operation's Job");
}

TEST_F(DispatchVerdictTest, NotUnderANameThatNobodyReserved) {
  EXPECT_EQ(Create("some-job"), "dispatch of , but no claim ever reserved this name");
}

TEST_F(DispatchVerdictTest, AReadingProvesNothingWhileItsApplyCanRun) {
  Reading("reading").resource = {api::Kind::kPtahSchema, "team", "a"};
  claimed_.mutable_status()->mutable_pending_observation()->set_apply_operation_id("op");
  Put(claimed_, "a");
  EXPECT_EQ(Create("reading-job"), "dispatch, read-only of reading");
  LetRun("op");
  EXPECT_EQ(Create("reading-job"),
            "dispatch, read-only of reading, but the Apply to be proved can still run");
}

// --- the claim ---

TEST_F(VerdictTest, AMarkIsWithdrawnWhenNothingWasOrWillBeStored) {
  const auto before = [&] {
    auto marked = Claimed<api::PtahMigration>("op");
    marked.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
    return marked;
  }();
  const auto after = Claimed<api::PtahMigration>("op");
  EXPECT_EQ(Change(before, after), "withdraw of op");
  Truth("op").flying = sim::Count::kOne;
  EXPECT_EQ(Change(before, after),
            "withdraw of op, but a create of this claim may still be stored");
  Truth("op").created = sim::Count::kOne;
  EXPECT_EQ(Change(before, after), "withdraw of op, but a Job of this claim was stored");
}

TEST_F(VerdictTest, AUidIsOfTheOneJobThatWasReadBack) {
  const auto before = Claimed<api::PtahMigration>("op");
  auto after = before;
  after.mutable_status()->mutable_active_operation()->set_job_uid(kJobUid);
  EXPECT_EQ(Change(before, after), "adopt of op, but no Job of this claim has that UID");
  Truth("op").job_uids = {kJobUid};
  Truth("op").created = sim::Count::kMore;
  EXPECT_EQ(Change(before, after), "adopt of op, but more than one Job of this claim was stored");
  Truth("op").created = sim::Count::kOne;
  EXPECT_EQ(Change(before, after), "adopt of op, but nobody read the Job back");
  Truth("op").read_back = {kJobUid};
  EXPECT_EQ(Change(before, after),
            "adopt of op, but the Job does not match the claim: there is no claim");
}

TEST_F(VerdictTest, OnlyAReadingGetsASecondAttempt) {
  const auto before = Claimed<api::PtahMigration>("op");
  auto after = before;
  after.mutable_status()->mutable_active_operation()->set_attempt(2);
  EXPECT_EQ(Change(before, after), "retry of op, but a mutating claim gets no second attempt");
  Reading("op");
  EXPECT_EQ(Change(before, after), "retry of op");
}

TEST_F(VerdictTest, AnApplyIsDiscardedWhenNothingWasOrWillBeStored) {
  const auto before = Claimed<api::PtahMigration>("op");
  EXPECT_EQ(Change(before, Unclaimed(before), 24), "discard of op");
  Truth("op").flying = sim::Count::kOne;
  EXPECT_EQ(Change(before, Unclaimed(before), 24),
            "discard of op, but a create of this claim may still be stored");
  Truth("op").created = sim::Count::kOne;
  EXPECT_EQ(Change(before, Unclaimed(before), 24),
            "discard of op, but a Job of this claim was stored");
}

TEST_F(VerdictTest, AReadingIsDiscardedAtAnyTime) {
  Reading("op").created = sim::Count::kOne;
  const auto before = Claimed<api::PtahMigration>("op", api::operation::kHistory);
  EXPECT_EQ(Change(before, Unclaimed(before), 24), "discard of op");
  EXPECT_EQ(Change(before, Unclaimed(before), 49), "") << "it came to its result";
}

// --- accounts ---

class SchemaAccountTest : public VerdictTest {
 protected:
  std::string Account(const char* outcome) {
    const auto before = Claimed<api::PtahSchema>("op");
    auto after = Unclaimed(before);
    auto* proof = after.mutable_status()->mutable_pending_observation();
    proof->set_apply_operation_id("op");
    proof->set_outcome(outcome);
    return Change(before, after);
  }
  std::string Succeeded() { return Account(api::proof_outcome::kApplySucceeded); }
};

TEST_F(SchemaAccountTest, SuccessIsOfOnePodThatDidAll) {
  LetHaveRun("op", {{.version = "", .committed = 2}}, true);
  EXPECT_EQ(Succeeded(), "accounted of op");
  Truth("op").finished_ok = false;
  EXPECT_EQ(Succeeded(), "accounted of op, but the run did not do all it was to do");
  Truth("op").pods = sim::Count::kMore;
  EXPECT_EQ(Succeeded(), "accounted of op, but not exactly one Pod ran");
}

TEST_F(SchemaAccountTest, SuccessIsOfARunThatEnded) {
  LetHaveRun("op", {{.version = "", .committed = 2}}, true);
  LetRun("op");
  EXPECT_EQ(Succeeded(), "accounted of op, but the run can still send SQL");
}

TEST_F(SchemaAccountTest, SuccessIsInThePlannedDatabase) {
  LetHaveRun("op", {{.version = "", .committed = 2}}, true);
  Database().identity_digest = "another one";
  EXPECT_EQ(Succeeded(),
            "accounted of op, but it ran against another database than the planned one");
}

TEST_F(SchemaAccountTest, DoubtIsOfWhatMayHaveBegun) {
  EXPECT_EQ(Account(api::proof_outcome::kOutcomeUnknown),
            "unaccounted of op, but nothing was ever marked or created");
  Truth("op").marked = true;
  EXPECT_EQ(Account(api::proof_outcome::kOutcomeUnknown), "unaccounted of op");
}

class MigrationAccountTest : public VerdictTest {
 protected:
  std::string Run(const char* outcome, std::vector<int64_t> versions) {
    const auto before = Claimed<api::PtahMigration>("op");
    auto after = Unclaimed(before);
    api::RunRecord* run = after.mutable_status()->mutable_last_run();
    run->set_outcome(outcome);
    for (const int64_t version : versions) run->add_applied_versions(version);
    return Change(before, after, 21);
  }
  static sim::FileEffect Applied(const char* version) {
    return {.version = version, .committed = 2, .recorded = true};
  }
};

TEST_F(MigrationAccountTest, AppliedNamesWhatWasApplied) {
  LetHaveRun("op", {Applied("1"), Applied("2")}, true);
  EXPECT_EQ(Run(api::run_outcome::kApplied, {1, 2}), "accounted of op");
  EXPECT_EQ(Run(api::run_outcome::kApplied, {1, 3}),
            "accounted of op, but the record names 1, 3 as applied, the run applied 1, 2");
  EXPECT_EQ(Run(api::run_outcome::kApplied, {}),
            "accounted of op, but the record names  as applied, the run applied 1, 2");
  Truth("op").finished_ok = false;
  EXPECT_EQ(Run(api::run_outcome::kApplied, {1, 2}),
            "accounted of op, but not every file of the plan was applied");
}

// A termination summary has room for two.
TEST_F(MigrationAccountTest, ThreeNeedNotBeNamed) {
  LetHaveRun("op", {Applied("1"), Applied("2"), Applied("3")}, true);
  EXPECT_EQ(Run(api::run_outcome::kApplied, {}), "accounted of op");
}

TEST_F(MigrationAccountTest, FailedLeftNothingHalfDone) {
  LetHaveRun("op", {Applied("1"), {.version = "2"}}, false);
  EXPECT_EQ(Run(api::run_outcome::kFailed, {1}), "accounted of op");
  EXPECT_EQ(Run(api::run_outcome::kFailed, {}),
            "accounted of op, but the record names  as applied, the run applied 1");
  Truth("op").effect[1].committed = 1;
  EXPECT_EQ(Run(api::run_outcome::kFailed, {1}), "accounted of op, but a file was left half done");
}

TEST_F(MigrationAccountTest, UpToDateAppliedNothing) {
  LetHaveRun("op", {{.version = "1"}}, true);
  EXPECT_EQ(Run(api::run_outcome::kUpToDate, {}), "accounted of op");
  Truth("op").effect = {Applied("1")};
  EXPECT_EQ(Run(api::run_outcome::kUpToDate, {1}), "accounted of op, but files were applied");
}

TEST_F(MigrationAccountTest, ARecordIsOfWhatMayHaveBegun) {
  const auto before = Claimed<api::PtahMigration>("op");
  auto after = Unclaimed(before);
  api::UnresolvedRun* record = after.mutable_status()->mutable_unresolved_run();
  record->set_operation_id("op");
  record->set_outcome(api::run_outcome::kPartial);
  EXPECT_EQ(Change(before, after, 21), "partial of op, but nothing was ever marked or created");
  Truth("op").created = sim::Count::kOne;
  EXPECT_EQ(Change(before, after, 21), "partial of op");
  record->set_outcome(api::run_outcome::kUnknown);
  EXPECT_EQ(Change(before, after, 21), "unaccounted of op");
}

// --- the realm ---

TEST_F(VerdictTest, AReleaseIsStagedWhenNothingCanRunAndNoProofIsLeft) {
  const api::PtahSchema before;
  auto after = before;
  after.mutable_status()->mutable_pending_lock_release()->set_operation_id("op");
  EXPECT_EQ(Change(before, after), "stage a release of op");
  after.mutable_status()->mutable_pending_observation();
  EXPECT_EQ(Change(before, after), "stage a release of op, but a proof still needs the realm");
  LetRun("op");
  EXPECT_EQ(Change(before, after), "stage a release of op, but what held the realm can still run");
}

TEST_F(VerdictTest, ALeaseIsReleasedAsARecordSaysThatNamesItsAcquisition) {
  const api::Lease held = Held("op's holder");
  const api::Lease released = Held("");
  EXPECT_EQ(ChangeLease(held, released),
            "release of op, but no stored record owes this holder's release");
  api::PtahSchema owing;
  owing.mutable_status()->mutable_pending_lock_release()->set_operation_id("op");
  owing.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("an older one");
  Put(owing, "a");
  EXPECT_EQ(ChangeLease(held, released),
            "release of op, but no stored record owes this holder's release");
  owing.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("epoch");
  Put(owing, "a");
  EXPECT_EQ(ChangeLease(held, released), "release of op");
  LetRun("op");
  EXPECT_EQ(ChangeLease(held, released), "release of op, but what held the realm can still run");
}

TEST_F(VerdictTest, ALeaseIsTakenOverFromWhatCannotRun) {
  EXPECT_EQ(ChangeLease(Held("op's holder"), Held("another")), "take over of op");
  EXPECT_EQ(ChangeLease(Held("op's holder"), Held("op's holder")), "") << "a renewal";
  EXPECT_EQ(ChangeLease(Held(""), Held("op's holder")), "") << "nobody held it";
  LetRun("op");
  EXPECT_EQ(ChangeLease(Held("op's holder"), Held("another")),
            "take over of op, but what held the realm can still run");
}

// --- settling ---

class ProofVerdictTest : public VerdictTest {
 protected:
  ProofVerdictTest() {
    LetHaveRun("op", {{.version = "", .committed = 2}}, true);
    Reading("plan").reading->declared = true;
    Database().last_changed_by = "op";
    before_ = Claimed<api::PtahSchema>("plan", api::operation::kPlan);
    before_.mutable_status()->mutable_pending_observation()->set_apply_operation_id("op");
    after_ = Unclaimed(before_);
    after_.mutable_status()->clear_pending_observation();
    after_.mutable_status()->set_phase(api::phase::kInSync);
  }
  std::string Settle() { return Change(before_, after_, 36); }

  api::PtahSchema before_;
  api::PtahSchema after_;
};

TEST_F(ProofVerdictTest, NoChangesIsOfTheDatabaseAsItWasRead) {
  EXPECT_EQ(Settle(), "settle of op");
  Truth("plan").reading->declared = false;
  EXPECT_EQ(Settle(), "settle of op, but the database was not the declared one when it was read");
  after_.mutable_status()->set_phase(api::phase::kAwaitingApproval);
  EXPECT_EQ(Settle(), "settle of op") << "a plan with changes says so";
}

TEST_F(ProofVerdictTest, NotWhileTheApplyCanRun) {
  LetRun("op");
  EXPECT_EQ(Settle(), "settle of op, but the Apply can still run");
}

TEST_F(ProofVerdictTest, OnlyByAPlan) {
  before_.mutable_status()->mutable_active_operation()->set_type(api::operation::kObserve);
  EXPECT_EQ(Settle(), "settle of op, but no Plan ended the proof");
}

TEST_F(ProofVerdictTest, OnlyWhatSucceededIsAttributed) {
  after_.mutable_status()->mutable_applied()->set_plan_fingerprint("plan");
  EXPECT_EQ(Settle(), "settle of op; attribute of op");
  Database().last_changed_by = "rival";
  EXPECT_EQ(Settle(), "settle of op; attribute of op, but the database was changed since by rival");
  Truth("op").finished_ok = false;
  EXPECT_EQ(Settle(), "settle of op; attribute of op, but no Apply did what is attributed to it");
}

TEST_F(ProofVerdictTest, DoubtThatIsAddedIsOfWhatMayHaveBegun) {
  auto doubted = before_;
  doubted.mutable_status()->mutable_pending_observation()->set_outcome(
      api::proof_outcome::kOutcomeUnknown);
  EXPECT_EQ(Change(before_, doubted), "unaccounted of op");
}

class UnresolvedVerdictTest : public VerdictTest {
 protected:
  UnresolvedVerdictTest() {
    LetHaveRun("op", {}, false);
    settled_.mutable_metadata()->set_namespace_("team");
    settled_.mutable_metadata()->set_uid("the-migration-uid");
    unresolved_ = settled_;
    unresolved_.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  }
  // The history claim that reads, and its result.
  std::string SettleByReading() {
    auto before = unresolved_;
    *before.mutable_status()->mutable_active_operation() =
        Claimed<api::PtahMigration>("reading", api::operation::kHistory)
            .status()
            .active_operation();
    return Change(before, settled_, 49);
  }
  std::string Acknowledge() {
    auto after = settled_;
    auto* resolved = after.mutable_status()->mutable_resolved_run();
    resolved->mutable_acknowledgment_ref()->set_name("word");
    resolved->mutable_acknowledgment_ref()->set_uid("the-word-uid");
    resolved->mutable_acknowledged_by()->set_username("ann");
    return Change(unresolved_, after, 54);
  }

  api::PtahMigration unresolved_;
  api::PtahMigration settled_;
};

TEST_F(UnresolvedVerdictTest, AReadingSawEveryFileRecorded) {
  Reading("reading").reading->recorded = {"1", "2"};
  EXPECT_EQ(SettleByReading(),
            "settle by reading of op, but the reading saw files that are not recorded applied");
  LetRun("op");
  EXPECT_EQ(SettleByReading(),
            "settle by reading of op, but the run can still change something the reading did not "
            "see applied");
  Truth("reading").reading->recorded = {"1", "2", "3"};
  EXPECT_EQ(SettleByReading(), "settle by reading of op") << "nothing is left to change";
  Truth("reading").reading->dirty = true;
  world_.runs.clear();
  EXPECT_EQ(SettleByReading(),
            "settle by reading of op, but the reading saw files that are not recorded applied");
}

TEST_F(UnresolvedVerdictTest, AReadingRead) {
  Reading("reading").reading.reset();
  EXPECT_EQ(SettleByReading(), "settle by reading of op, but nothing was read");
}

TEST_F(UnresolvedVerdictTest, APersonNamedTheRun) {
  EXPECT_EQ(Acknowledge(), "acknowledge of op, but it is not stored");
  api::PtahMigrationRunAcknowledgment word;
  word.mutable_metadata()->set_uid("the-word-uid");
  word.mutable_spec()->set_operation_id("another");
  Put(word, "word");
  EXPECT_EQ(Acknowledge(), "acknowledge of op, but it names another run");
  word.mutable_spec()->set_operation_id("op");
  Put(word, "word");
  EXPECT_EQ(Acknowledge(), "acknowledge of op, but it names another migration");
  word.mutable_spec()->mutable_migration_ref()->set_uid("the-migration-uid");
  Put(word, "word");
  EXPECT_EQ(Acknowledge(), "acknowledge of op, but admission stamped nobody on it");
  word.mutable_spec()->mutable_acknowledged_by()->set_username("bob");
  word.mutable_spec()->set_mutation_request_uid("a-request-uid");
  Put(word, "word");
  EXPECT_EQ(Acknowledge(), "acknowledge of op, but it was somebody else's word");
  word.mutable_spec()->mutable_acknowledged_by()->set_username("ann");
  Put(word, "word");
  EXPECT_EQ(Acknowledge(), "acknowledge of op");
}

TEST_F(UnresolvedVerdictTest, WhatIsRestoredIsOpen) {
  EXPECT_EQ(Change(settled_, unresolved_, 48), "restore of op");
  Truth("op").open = false;
  EXPECT_EQ(Change(settled_, unresolved_, 48), "restore of op, but the run is settled");
}

// --- letting go ---

class FinalizerVerdictTest : public VerdictTest {
 protected:
  template <class T>
  std::string LetGo(const T& resource) {
    const api::Kind kind = api::KindOf<T>();
    Truth("op").resource = {kind, "team", "a"};
    Truth("op").family =
        kind == api::Kind::kPtahSchema ? sim::Family::kSchema : sim::Family::kMigration;
    return Change(resource, resource, 30);
  }
};

TEST_F(FinalizerVerdictTest, GoesWhenEveryAccountIsSettled) {
  EXPECT_EQ(LetGo(api::PtahSchema()), "finalizer off of , but an account of the resource is open");
  Truth("op").open = false;
  EXPECT_EQ(LetGo(api::PtahSchema()), "finalizer off of ");
}

TEST_F(FinalizerVerdictTest, StaysWhileASchemasApplyCanRun) {
  Truth("op").open = false;
  LetRun("op");
  EXPECT_EQ(LetGo(api::PtahSchema()),
            "finalizer off of , but an Apply of the resource can still run");
  EXPECT_EQ(LetGo(api::PtahMigration()), "finalizer off of ") << "a person's word settled it";
  Truth("op").lost = true;
  EXPECT_EQ(LetGo(api::PtahSchema()), "finalizer off of ") << "a restore lost what told of it";
}

TEST_F(FinalizerVerdictTest, AMigrationsUnresolvedRunIsAnnounced) {
  api::PtahMigration migration;
  EXPECT_EQ(LetGo(migration), "finalizer off of , but an account of the resource is open");
  migration.mutable_status()->mutable_unresolved_run()->set_operation_id("another");
  EXPECT_EQ(LetGo(migration), "finalizer off of , but an account of the resource is open");
  migration.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  EXPECT_EQ(LetGo(migration), "finalizer off of ");
  migration.mutable_status()->clear_unresolved_run();
  (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] = "{}";
  EXPECT_EQ(LetGo(migration), "finalizer off of ") << "only its copy is left";
  migration.mutable_status()->mutable_active_operation()->set_id("op");
  EXPECT_EQ(LetGo(migration), "finalizer off of , but an account of the resource is open");
}

// --- the whole way ---

// Collects what an undisturbed run says, each verdict once.
class VerdictsSaid final : public PassObserver {
 public:
  void Sent(const SentWrite& write, const PassTrace& trace) override {
    for (const Judgement& judgement : Judge(write, trace)) {
      said.Add(judgement.verdict);
      if (judgement.unsound) unsound.push_back(*judgement.unsound);
    }
  }
  VerdictSet said;
  std::vector<std::string> unsound;
};

// A Job of the real builder, which matches its claim.
TEST(VerdictOfARunTest, AJobThatWasReadBackAndMatchesIsRecorded) {
  const auto scenario = LoadScenario("scenarios/migration-always.textproto");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const auto bench = Workbench::Make(*scenario, {});
  ASSERT_TRUE(bench.ok()) << bench.status();
  VerdictsSaid observer;
  sim::World world = (*bench)->initial();
  while (sim::IsDue(world, world.processes[0], world.processes[0].work[0])) {
    world = (*bench)->runner().Run(world, {0, 0}, false, nullptr, &observer);
  }
  EXPECT_TRUE(observer.said.Has(Verdict::kDispatch));
  EXPECT_TRUE(observer.said.Has(Verdict::kRecord));
  EXPECT_FALSE(observer.said.Has(Verdict::kAdopt));
  EXPECT_EQ(absl::StrJoin(observer.unsound, "; "), "");
}

}  // namespace
}  // namespace model
