#include "sim/runner.h"

#include <algorithm>
#include <memory>

#include "gtest/gtest.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/plan_content.h"
#include "sim/actor_testing.h"
#include "sim/database.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

TestJob SchemaApply() { return {.operation = api::runner_operation::kApply}; }
TestJob Reader(const char* operation) { return {.operation = operation}; }

// ---- Schema ----

TEST(SchemaRunTest, AnUndisturbedApplyDeclaresTheDatabaseAndSaysSo) {
  ActorWorld at;
  at.UseSchema(3);
  at.AddJob(SchemaApply());
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  EXPECT_TRUE(IsDeclared(at.TheDatabase()));
  EXPECT_EQ(at.TheOperation().effect[0].committed, 3);
  EXPECT_TRUE(at.TheOperation().finished_ok);
  EXPECT_FALSE(at.TheOperation().disturbed);
  const auto frame = at.Frame(SchemaApply());
  ASSERT_TRUE(frame.has_value());
  EXPECT_TRUE(frame->mutation_started());
  EXPECT_FALSE(frame->uncertain());
  EXPECT_FALSE(frame->has_error());
  EXPECT_EQ(frame->target_identity_digest(), at.TheDatabase().identity_digest);
  EXPECT_EQ(at.TerminationMessage(), "") << "only a migration's Apply writes a summary";
}

TEST(SchemaRunTest, AKillAtEveryStatementLeavesExactlyThatMany) {
  for (int32_t k = 0; k <= 3; ++k) {
    SCOPED_TRACE(k);
    ActorWorld at;
    at.UseSchema(3);
    at.AddJob(SchemaApply());
    at.Take(StepKind::kStartPod);
    at.Take(StepKind::kKillPod, "hard", k);

    EXPECT_EQ(at.TheDatabase().in_force, k);
    EXPECT_EQ(at.Log(), "");
    EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kFailed);
    EXPECT_TRUE(at.TheOperation().disturbed);
    EXPECT_EQ(at.TheOperation().finished_ok, k == 3);
  }
}

TEST(SchemaRunTest, AKillWithGraceReportsAnUncertainRun) {
  ActorWorld at;
  at.UseSchema(3);
  at.AddJob(SchemaApply());
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kKillPod, "grace", 1);

  const auto frame = at.Frame(SchemaApply());
  ASSERT_TRUE(frame.has_value());
  EXPECT_TRUE(frame->uncertain());
  EXPECT_TRUE(frame->has_error());
  EXPECT_EQ(at.TheDatabase().in_force, 1);
}

TEST(SchemaRunTest, APlanOfNothingLeftIsRunAllTheSame) {
  ActorWorld at;
  at.UseSchema(2, 2);
  TestJob job = SchemaApply();
  job.plan_digest = api::DigestOf("a plan that somebody else carried out");
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish", 0);

  EXPECT_TRUE(at.TheOperation().finished_ok);
  EXPECT_FALSE(at.Frame(job)->has_error());
}

TEST(SchemaRunTest, AnotherPlanThanItWasToldIsNotRun) {
  ActorWorld at;
  at.UseSchema(3);
  auto chunk = std::make_shared<api::ConfigMap>();
  chunk->mutable_metadata()->set_namespace_("test");
  chunk->mutable_metadata()->set_name("chunk");
  (*chunk->mutable_binary_data())["plan"] = "another plan";
  at.Add(chunk);
  TestJob job = SchemaApply();
  job.mounts = "chunk";
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish", 0);

  EXPECT_EQ(at.TheDatabase().in_force, 0);
  EXPECT_EQ(at.Frame(job)->child_exit_code(), -1);
}

TEST(SchemaRunTest, APlanPublishesWhatItsBytesDigestTo) {
  ActorWorld at;
  at.UseSchema(3, 1);
  at.AddJob(Reader(api::runner_operation::kPlan));
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  const auto frame = at.Frame(Reader(api::runner_operation::kPlan));
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->plan_outcome(), api::plan_outcome::kChanges);
  EXPECT_EQ(api::DigestOf(frame->stdout()), frame->plan_content_digest());
  EXPECT_EQ(frame->plan_content_digest(),
            PlanToDeclared(at.TheDatabase(), "postgres").content_digest);
  EXPECT_EQ(at.TheOperation().reading,
            (Reading{.declared = false, .recorded = {}, .dirty = false}));
}

TEST(SchemaRunTest, AReadingOfTheDeclaredDatabaseFindsNothing) {
  for (const char* operation : {api::runner_operation::kPlan, api::runner_operation::kObserve}) {
    ActorWorld at;
    at.UseSchema(3, 3);
    at.AddJob(Reader(operation));
    at.Take(StepKind::kStartPod);
    at.Take(StepKind::kRun, "finish");

    const auto frame = at.Frame(Reader(operation));
    ASSERT_TRUE(frame.has_value());
    EXPECT_FALSE(frame->observed_drift());
    EXPECT_NE(frame->plan_outcome(), api::plan_outcome::kChanges);
    EXPECT_TRUE(at.TheOperation().reading->declared);
  }
}

TEST(SchemaRunTest, ALongPlanGrantsThenDropsAndSaysSo) {
  Database database;
  for (const int32_t statements : {3, 4, 5}) {
    database.statements = statements;
    const SchemaPlan plan = PlanToDeclared(database, "postgres");
    const auto content = api::ParsePlanContent(plan.bytes);
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(content->statements.size(), static_cast<size_t>(statements));
    EXPECT_EQ(content->privilege_changes.size(), statements > 3 ? 1u : 0u);
    EXPECT_EQ(content->destructive, statements > 4);
    EXPECT_EQ(plan.destructive, content->destructive);
    EXPECT_EQ(plan.privilege_changes, content->privilege_changes);
  }
  // What is in force already is no part of it.
  database.in_force = 4;
  EXPECT_TRUE(PlanToDeclared(database, "postgres").privilege_changes.empty());
  EXPECT_TRUE(PlanToDeclared(database, "postgres").destructive);
}

TEST(SchemaRunTest, APlanThatWouldChangeAProtectedTableIsRefusedAndNotPrinted) {
  for (const bool by_hand : {true, false}) {
    for (const int32_t statements : {3, 6}) {
      for (const char* protects : {"ledger", "ledger,audit"}) {
        ActorWorld at;
        at.UseSchema(statements, 1);
        if (by_hand) at.world.truth.databases[0].Edit().last_changed_by = "person";
        const TestJob job = Reader(api::runner_operation::kPlan);
        at.AddJob(job);
        auto told = std::make_shared<api::Job>(*at.TheJob());
        api::EnvVar* variable = told->mutable_spec()
                                    ->mutable_template_()
                                    ->mutable_spec()
                                    ->mutable_containers(0)
                                    ->add_env();
        variable->set_name("PTAH_PROTECTED_TABLES");
        variable->set_value(protects);
        at.world.Put({.object = at.interner.Intern(api::Kind::kJob, std::move(told))});
        at.Take(StepKind::kStartPod);
        at.Take(StepKind::kRun, "finish");
        const bool refused = (by_hand || statements == 6) && std::string(protects) != "ledger";
        const auto frame = at.Frame(job);
        ASSERT_TRUE(frame.has_value());
        EXPECT_EQ(frame->error().code(), refused ? "ProtectedTable" : "");
        EXPECT_EQ(frame->stdout().empty(), refused);
        EXPECT_EQ(at.ThePod()->status().phase(),
                  refused ? api::pod_phase::kFailed : api::pod_phase::kSucceeded);
        EXPECT_EQ(frame->target_identity_digest(), at.TheDatabase().identity_digest);
      }
    }
  }
}

TEST(VerifyRunTest, AnArtifactThatIsStillToBeSignedIsRefusedWithTheEvidence) {
  for (const bool is_signed : {true, false}) {
    ActorWorld at;
    if (!is_signed) at.world.person.Edit("sign") = 1;
    at.AddJob(Reader(api::runner_operation::kVerify));
    at.Take(StepKind::kStartPod);
    at.Take(StepKind::kRun, "finish");
    const auto frame = at.Frame(Reader(api::runner_operation::kVerify));
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->error().code(), is_signed ? "" : "VerificationRefused");
    EXPECT_NE(frame->resolved_digest(), "");
  }
}

// ---- Migration ----

TEST(MigrationRunTest, AnUndisturbedApplyRecordsEveryFile) {
  ActorWorld at;
  at.UseMigration({{.statements = 2}, {.statements = 1, .transactional = false}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  EXPECT_TRUE(PendingFiles(at.TheDatabase()).empty());
  const auto frame = at.Frame();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->migration_run().outcome(), api::report_outcome::kApplied);
  EXPECT_EQ(frame->migration_run().applied_size(), 2);
  const auto summary = at.Summary();
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->migration().applied_count(), 2);
  EXPECT_EQ(summary->migration().first_applied(), 1);
  EXPECT_EQ(summary->migration().last_applied(), 2);
  EXPECT_TRUE(at.TheOperation().finished_ok);
}

TEST(MigrationRunTest, ATransactionalFileIsAppliedWholeOrNotAtAll) {
  for (int32_t k = 0; k <= 4; ++k) {
    SCOPED_TRACE(k);
    ActorWorld at;
    at.UseMigration({{.statements = 3}});
    at.AddJob();
    at.Take(StepKind::kStartPod);
    at.Take(StepKind::kKillPod, "hard", k);

    const Database::File& file = at.TheDatabase().files[0];
    EXPECT_EQ(file.committed, k == 4 ? 3 : 0);
    EXPECT_EQ(file.recorded, k == 4);
    EXPECT_FALSE(file.dirty);
    EXPECT_EQ(at.TheOperation().effect[0].committed, file.committed);
  }
}

TEST(MigrationRunTest, AFileWithoutTransactionIsCommittedStatementByStatement) {
  for (int32_t k = 0; k <= 4; ++k) {
    SCOPED_TRACE(k);
    ActorWorld at;
    at.UseMigration({{.statements = 3, .transactional = false}});
    at.AddJob();
    at.Take(StepKind::kStartPod);
    at.Take(StepKind::kKillPod, "hard", k);

    const Database::File& file = at.TheDatabase().files[0];
    EXPECT_EQ(file.committed, std::min(k, 3));
    EXPECT_EQ(file.recorded, k == 4);
    EXPECT_EQ(file.dirty, k > 0 && k < 4);
  }
}

TEST(MigrationRunTest, AFailingStatementOfATransactionLeavesNothingOfItsFile) {
  ActorWorld at;
  at.UseMigration({{.statements = 1}, {.statements = 3, .fails_at = 1}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  EXPECT_TRUE(at.TheDatabase().files[0].recorded);
  EXPECT_EQ(at.TheDatabase().files[1].committed, 0);
  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kFailed);
  EXPECT_FALSE(at.Frame()->uncertain());
  EXPECT_EQ(at.Frame()->migration_run().applied_size(), 1);
  EXPECT_FALSE(at.TheOperation().finished_ok);
  EXPECT_FALSE(at.TheOperation().disturbed);
}

TEST(MigrationRunTest, AFailingStatementWithoutTransactionLeavesADirtyRow) {
  ActorWorld at;
  at.UseMigration({{.statements = 1}, {.statements = 3, .transactional = false, .fails_at = 1}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  EXPECT_EQ(at.TheDatabase().files[1].committed, 1);
  EXPECT_TRUE(at.TheDatabase().files[1].dirty);
  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kPartial);
  EXPECT_TRUE(at.Frame()->uncertain());
}

TEST(MigrationRunTest, AMovedHistoryIsRefusedBeforeAnyChange) {
  ActorWorld at;
  at.UseMigration({{.statements = 1}, {.statements = 1}});
  at.AddJob();
  at.world.truth.databases[0].Edit().files[0].recorded = true;
  const Database before = at.TheDatabase();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  EXPECT_EQ(ReadHistory(at.TheDatabase()).fingerprint(), ReadHistory(before).fingerprint());
  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kFailed);
  EXPECT_EQ(at.Frame()->migration_run().applied_size(), 0);
}

TEST(MigrationRunTest, NothingPendingIsUpToDate) {
  ActorWorld at;
  at.UseMigration({{.statements = 1}});
  at.AddJob();
  at.world.truth.databases[0].Edit().files[0].recorded = true;
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kUpToDate);
  EXPECT_TRUE(at.TheOperation().finished_ok);
}

TEST(MigrationRunTest, AHistoryReadsWhatIsRecordedAndWhatIsPending) {
  ActorWorld at;
  at.UseMigration({{.statements = 1}, {.statements = 1}, {.statements = 1}});
  at.world.truth.databases[0].Edit().files[0].recorded = true;
  at.world.truth.databases[0].Edit().files[1].dirty = true;
  const TestJob job = Reader(api::runner_operation::kMigrationHistory);
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");

  const auto frame = at.Frame(job);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->migration_history().current_version(), 1);
  EXPECT_EQ(frame->migration_history().artifact_version(), 3);
  EXPECT_EQ(frame->migration_history().pending_size(), 2);
  EXPECT_TRUE(frame->migration_history().dirty());
  EXPECT_EQ(at.TheOperation().reading,
            (Reading{.declared = false, .recorded = {"1"}, .dirty = true}));
}

TEST(MigrationRunTest, AKillBetweenFrameAndSummaryLeavesTheFrameAlone) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kKillPod, "unsummarized");

  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kApplied);
  EXPECT_EQ(at.TerminationMessage(), "");
  EXPECT_EQ(at.ThePod()->status().phase(), api::pod_phase::kFailed);
}

TEST(MigrationRunTest, ASummarySurvivesItsLog) {
  ActorWorld at;
  at.AddJob();
  const api::Job* job = at.TheJob();
  auto migration = std::make_shared<api::PtahMigration>();
  migration->mutable_metadata()->set_namespace_("test");
  migration->mutable_metadata()->set_name("m");
  at.Add(migration);
  auto claimed =
      std::make_shared<api::PtahMigration>(*at.world.Get<api::PtahMigration>("test", "m"));
  claimed->mutable_status()->mutable_active_operation()->set_job_name(job->metadata().name());
  claimed->mutable_status()->mutable_active_operation()->set_id(TestJob{}.operation_id);
  ASSERT_TRUE(Update(at.server, at.world, "test", claimed, api::Subresource::kStatus).status.ok());
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish");
  at.Take(StepKind::kLoseLog);

  EXPECT_EQ(at.Log(), "");
  EXPECT_TRUE(at.Summary().has_value());
  EXPECT_TRUE(at.TheOperation().disturbed);
  EXPECT_FALSE(at.Find(StepKind::kLoseLog).has_value());
}

// ---- Instructions and deadlines ----

TEST(RunnerTest, AMutatingPodThatIsToldTooLittleStartsNothing) {
  TestJob job;
  job.grace_seconds = 0;
  ActorWorld at;
  at.AddJob(job);
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "finish", 0);

  EXPECT_EQ(at.TheDatabase().files[0].committed, 0);
  ASSERT_TRUE(at.Frame(job).has_value());
  EXPECT_EQ(at.Frame(job)->child_exit_code(), -1);
  EXPECT_FALSE(at.Frame(job)->mutation_started());
}

TEST(RunnerTest, NoChildIsStartedAfterDispatchNotAfter) {
  ActorWorld at;
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.world.now_ms = kTestStartMs + TestJob{}.window_ms;
  at.Take(StepKind::kRun, "finish", 0);

  EXPECT_EQ(at.TheDatabase().files[0].committed, 0);
  EXPECT_EQ(at.Frame()->child_exit_code(), -1);
  EXPECT_FALSE(CanRun(at.world, at.TheOperation()));
}

TEST(RunnerTest, AChildIsOverTwoThirdsOfTheGraceAfterItsDeadline) {
  ActorWorld at;
  at.UseMigration({{.statements = 3, .transactional = false}});
  at.AddJob();
  at.Take(StepKind::kStartPod);
  at.Take(StepKind::kRun, "pause", 1);
  const int64_t deadline = kTestStartMs + TestJob{}.window_ms;

  at.Take(StepKind::kAdvanceClock);
  EXPECT_EQ(at.world.now_ms, deadline);
  EXPECT_TRUE(CanRun(at.world, at.TheOperation()));
  EXPECT_TRUE(at.Find(StepKind::kRun, "finish").has_value()) << "it may still go on";

  at.Take(StepKind::kAdvanceClock);
  EXPECT_EQ(at.world.now_ms, deadline + 20'000);
  EXPECT_FALSE(CanRun(at.world, at.TheOperation()));
  EXPECT_EQ(at.Frame()->migration_run().outcome(), api::report_outcome::kUnknown);
  EXPECT_EQ(at.TheDatabase().files[0].committed, 1);
  EXPECT_TRUE(at.TheOperation().disturbed);
}

TEST(RunnerTest, TwoExecutorsOfOneDatabaseTakeTurnsStatementByStatement) {
  ActorWorld at;
  at.UseSchema(2);
  TestJob first = SchemaApply();
  TestJob second = SchemaApply();
  second.name = "second";
  second.operation_id = api::DigestOf("second");
  at.AddJob(first);
  at.Take(StepKind::kStartPod);
  EXPECT_FALSE(at.Find(StepKind::kRun, "pause", 1).has_value() &&
               at.Find(StepKind::kRun, "pause", 1)->cost == 0);
  at.AddJob(second);
  at.Take(StepKind::kStartPod);

  const auto one = at.Find(StepKind::kRun, "pause", 1);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->cost, 0);
  EXPECT_FALSE(at.Find(StepKind::kRun, "finish").has_value());
}

}  // namespace
}  // namespace sim
