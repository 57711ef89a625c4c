#include "sim/runner.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/plan_content.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/actor.h"
#include "sim/database.h"
#include "sim/edits.h"
#include "sim/refusal.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr int32_t kNotStarted = -1;

bool Is(absl::string_view operation, absl::string_view name) { return operation == name; }

const Database& DatabaseIn(const RunView& view) {
  return *view.world.truth.databases[view.database];
}

// The instants and numbers a Pod was told; texts are taken as they are.
void Read(const api::EnvVar& variable, Instructions& told) {
  const absl::string_view name = variable.name();
  const absl::string_view value = variable.value();
  if (name == api::kEnvOperation) told.operation = value;
  if (name == api::kEnvOperationId) told.operation_id = value;
  if (name == api::kEnvProtocolVersion && !absl::SimpleAtoi(value, &told.protocol_version)) {
    told.protocol_version = 0;
  }
  if (name == api::kEnvCoordinationDigest) told.coordination_digest = value;
  if (name == api::kEnvEngine) told.engine = value;
  if (name == api::kEnvArtifactReference) told.artifact_reference = value;
  if (name == api::kEnvArtifactDigest) told.artifact_digest = value;
  if (name == api::kEnvPolicyDigest) told.policy_digest = value;
  if (name == api::kEnvExpectSequence) told.expect_sequence = value;
  if (name == api::kEnvPlanContentDigest) told.plan_content_digest = value;
  if (name == api::kEnvDispatchNotAfter) told.dispatch_not_after_ms = variable.time_ms();
  if (name == api::kEnvExecutionNotAfter) told.execution_not_after_ms = variable.time_ms();
  if (name == api::kEnvTerminationGrace && !absl::SimpleAtoi(value, &told.grace_seconds)) {
    told.grace_seconds = 0;
  }
}

bool MountsSecret(const api::Pod& pod, const std::string& secret) {
  const api::Container* executor = ExecutorOf(pod.spec());
  if (executor == nullptr) return false;
  return std::any_of(executor->env().begin(), executor->env().end(),
                     [&secret](const api::EnvVar& variable) {
                       return variable.value_from().secret_key_ref().name() == secret;
                     });
}

bool IsToldEverything(const Instructions& told) {
  const bool migration = Is(told.operation, api::runner_operation::kMigrationApply);
  return !told.operation_id.empty() && !told.coordination_digest.empty() &&
         told.dispatch_not_after_ms != 0 && told.execution_not_after_ms != 0 &&
         told.grace_seconds > 0 && told.protocol_version > 0 &&
         !(migration ? told.expect_sequence : told.plan_content_digest).empty();
}

// The plan's bytes as they are mounted; a chunk whose ConfigMap has gone since is taken as mounted
// before that.
bool MountsAnotherPlan(const RunView& view) {
  std::string bytes;
  for (const api::Volume& volume : view.pod.spec().volumes()) {
    if (volume.name() != api::kPlanVolume) continue;
    for (const api::VolumeProjection& source : volume.projected().sources()) {
      const auto* chunk = view.world.Get<api::ConfigMap>(view.pod.metadata().namespace_(),
                                                         source.config_map().name());
      if (chunk == nullptr) return false;
      for (const auto& [key, data] : chunk->binary_data()) bytes += data;
    }
  }
  return !bytes.empty() && api::DigestOf(bytes) != view.told.plan_content_digest;
}

// Ptah's own lock keeps two Pods of one Job apart. Runs of different operations are not kept apart
// by it here: that they never meet is what the realm is for, and S-10 has to hold without help.
bool ItsOtherPodRuns(const RunView& view) {
  return std::any_of(view.world.runs.begin(), view.world.runs.end(), [&](const Run& other) {
    return other.pod_uid != view.run.pod_uid && other.state == RunState::kRunning &&
           other.operation_id == view.run.operation_id && other.database == view.database;
  });
}

// The files the run was told to run that the artifact has, in order.
std::vector<int32_t> SequenceFiles(const Instructions& told, const Database& database) {
  std::vector<int32_t> files;
  const std::vector<absl::string_view> entries = absl::StrSplit(told.expect_sequence, ',');
  for (size_t at = 0; at < database.files.size(); ++at) {
    const std::string prefix = absl::StrCat(VersionNumber(database.files[at]), ":");
    const bool named = std::any_of(entries.begin(), entries.end(), [&](absl::string_view entry) {
      return entry.substr(0, prefix.size()) == prefix;
    });
    if (named) files.push_back(static_cast<int32_t>(at));
  }
  return files;
}

int32_t FileAfter(const std::vector<int32_t>& sequence, int32_t file, const Database& database) {
  const auto next = std::upper_bound(sequence.begin(), sequence.end(), file);
  return next == sequence.end() ? static_cast<int32_t>(database.files.size()) : *next;
}

// Statements of `file` from `statement` on, its recording included; `ends` is set when the child
// ends inside it because a statement fails or somebody else recorded the file first.
int32_t LeftInFile(const Database::File& file, int32_t statement, bool& ends) {
  if (statement == 0 && (file.recorded || file.dirty)) {
    ends = true;
    return 0;
  }
  ends = file.fails_at >= 0;
  return (ends ? file.fails_at : file.statements + 1) - statement;
}

int32_t LeftInSequence(const RunView& view, int32_t file, int32_t statement) {
  const Database& database = DatabaseIn(view);
  const std::vector<int32_t> sequence = SequenceFiles(view.told, database);
  int32_t left = 0;
  bool ends = false;
  while (!ends && file < static_cast<int32_t>(database.files.size())) {
    left += LeftInFile(database.files[file], statement, ends);
    statement = 0;
    file = FileAfter(sequence, file, database);
  }
  return left;
}

FileEffect* EffectOn(OperationTruth* operation, const std::string& version) {
  if (operation == nullptr) return nullptr;
  for (FileEffect& effect : operation->effect) {
    if (effect.version == version) return &effect;
  }
  operation->effect.push_back(FileEffect{.version = version});
  return &operation->effect.back();
}

void RunSchemaStatement(Database& database, Run& run, OperationTruth* operation) {
  ++database.in_force;
  ++run.statement;
  if (FileEffect* effect = EffectOn(operation, "")) {
    ++effect->committed;
    effect->recorded = IsDeclared(database);
  }
}

// A statement of a file that is not transactional commits at once and leaves the row dirty until
// the file is recorded; a transactional one commits with its record or not at all.
void RunMigrationStatement(Database& database, Run& run, const Instructions& told,
                           OperationTruth* operation) {
  Database::File& file = database.files[run.file];
  file.run_again = file.run_again || file.recorded;
  const bool recording = run.statement == file.statements;
  ++run.statement;
  if (!recording && file.transactional) return;
  FileEffect* effect = EffectOn(operation, file.version);
  file.committed = recording ? file.statements : run.statement;
  file.recorded = recording;
  file.dirty = !recording;
  if (effect != nullptr) {
    effect->committed = file.committed;
    effect->recorded = recording;
  }
  if (!recording) return;
  run.file = FileAfter(SequenceFiles(told, database), run.file, database);
  run.statement = 0;
}

// ---- What a run reports ----

void Fail(absl::string_view code, absl::string_view message, RunReport& report) {
  report.frame.mutable_error()->set_code(std::string(code));
  report.frame.mutable_error()->set_message(std::string(message));
  report.exit_code = 1;
}

void ReportNotStarted(absl::string_view code, absl::string_view message, RunReport& report) {
  report.frame.set_child_exit_code(kNotStarted);
  Fail(code, message, report);
}

void ReportSource(const RunView& view, RunReport& report) {
  const std::string reference(view.told.artifact_reference);
  const std::string digest = view.told.artifact_digest.empty()
                                 ? ArtifactDigestOf(reference)
                                 : std::string(view.told.artifact_digest);
  const bool pinned = reference.find("@sha256:") != std::string::npos;
  report.frame.set_resolved_digest(digest);
  report.frame.set_resolved_reference(pinned ? reference : absl::StrCat(reference, "@", digest));
  report.frame.set_resolved_media_type("application/vnd.oci.image.manifest.v1+json");
  report.frame.set_resolved_size(1024);
}

void ReportVerification(const RunView& view, RunReport& report) {
  ReportSource(view, report);
  report.frame.set_verification_policy_digest(std::string(view.told.policy_digest));
  report.frame.set_observed_artifact_type("application/vnd.ptah.artifact.v1");
  report.frame.add_verification_requirements("signature");
  if (PersonHasLeft(view.world, act::kSign) == 0) return;
  report.frame.set_child_exit_code(1);
  Fail(api::error_code::kVerificationRefused, "the artifact is not signed", report);
}

void ReportDrift(const Database& database, RunReport& report) {
  api::FramePayload& frame = report.frame;
  frame.set_drift_report_digest(DriftReportDigest(database));
  frame.set_observed_drift(!IsDeclared(database));
  if (IsDeclared(database)) return;
  frame.set_highest_drift_severity("warning");
  frame.set_drift_finding_count(database.statements - database.in_force);
  for (int32_t at = database.in_force; at < database.statements; ++at) {
    api::DriftFinding* finding = frame.add_drift_findings();
    finding->set_severity("warning");
    finding->set_object(absl::StrCat("declared.c", at + 1));
    finding->set_change("missing");
  }
}

// Whether the Pod is told that no plan may touch the table.
bool IsProtected(const api::Pod& pod, absl::string_view table) {
  for (const api::EnvVar& variable : ExecutorOf(pod.spec())->env()) {
    if (variable.name() != api::kEnvProtectedTables) continue;
    const std::vector<absl::string_view> tables = absl::StrSplit(variable.value(), ',');
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  }
  return false;
}

// Whether the plan changes the table "audit": by what is declared of it, or because a person
// changed it by hand.
bool ChangesAudit(const Database& database, const SchemaPlan& plan) {
  return plan.statement_count > 0 &&
         (database.last_changed_by == "person" || absl::StrContains(plan.bytes, " audit "));
}

// A plan that would change a protected table is not printed.
void ReportPlan(const Database& database, const RunView& view, RunReport& report) {
  const SchemaPlan plan = PlanToDeclared(database, view.told.engine);
  if (ChangesAudit(database, plan) && IsProtected(view.pod, "audit")) {
    report.frame.set_child_exit_code(1);
    return Fail(api::error_code::kProtectedTable, "the plan changes a protected table", report);
  }
  report.frame.set_plan_outcome(plan.statement_count == 0 ? api::plan_outcome::kNoChanges
                                                          : api::plan_outcome::kChanges);
  report.frame.set_plan_content_digest(plan.content_digest);
  report.frame.set_stdout(plan.bytes);
}

void ReportReading(const RunView& view, RunReport& report) {
  const absl::string_view operation = view.told.operation;
  if (Is(operation, api::runner_operation::kResolve)) return ReportSource(view, report);
  if (Is(operation, api::runner_operation::kVerify)) return ReportVerification(view, report);
  if (view.database < 0) {
    return ReportNotStarted("DatabaseUnreachable", "there is no database to open", report);
  }
  const Database& database = DatabaseIn(view);
  if (Is(operation, api::runner_operation::kObserve)) return ReportDrift(database, report);
  if (Is(operation, api::runner_operation::kPlan)) return ReportPlan(database, view, report);
  if (Is(operation, api::runner_operation::kMigrationHistory)) {
    *report.frame.mutable_migration_history() = ReadHistory(database);
    return;
  }
  ReportNotStarted("UnknownOperation", "the runner knows no such operation", report);
}

void ReportSchemaApply(const RunView& view, Ending ending, RunReport& report) {
  report.frame.set_mutation_started(true);
  report.did_all = StatementsLeft(view) == 0;
  if (ending == Ending::kByItself || (ending == Ending::kStopped && report.did_all)) return;
  report.frame.set_uncertain(true);
  report.frame.set_child_exit_code(1);
  Fail("Interrupted", "the child was ended before it was done", report);
}

// Up-to-date, applied, failed, partial or unknown, from where the run stands.
const char* MigrationOutcome(const RunView& view, Ending ending) {
  const Database& database = DatabaseIn(view);
  if (ending == Ending::kKilled) return api::report_outcome::kUnknown;
  if (view.run.file >= static_cast<int32_t>(database.files.size())) {
    return api::report_outcome::kApplied;
  }
  const bool left_something =
      view.run.statement > 0 && !database.files[view.run.file].transactional;
  return left_something ? api::report_outcome::kPartial : api::report_outcome::kFailed;
}

void AddVersions(const RunView& view, api::MigrationRunReport& run) {
  const Database& database = DatabaseIn(view);
  const bool unknown = run.outcome() == api::report_outcome::kUnknown;
  for (const int32_t at : SequenceFiles(view.told, database)) {
    run.add_planned(VersionNumber(database.files[at]));
    if (at < view.run.file && !unknown) run.add_applied(VersionNumber(database.files[at]));
  }
}

void SetMigrationOutcome(const char* outcome, RunReport& report) {
  report.frame.mutable_migration_run()->set_outcome(outcome);
  const bool done =
      outcome == api::report_outcome::kApplied || outcome == api::report_outcome::kUpToDate;
  const bool uncertain =
      outcome == api::report_outcome::kPartial || outcome == api::report_outcome::kUnknown;
  report.frame.set_mutation_started(outcome != api::report_outcome::kUpToDate);
  report.frame.set_uncertain(uncertain);
  report.did_all = done;
  if (done) return;
  report.frame.set_child_exit_code(1);
  Fail(uncertain ? "RunUncertain" : "RunFailed", "the migrations did not all run", report);
}

void SummarizeRun(const api::MigrationRunReport& run, api::SummaryMigration& summary) {
  summary.set_outcome(run.outcome());
  summary.set_applied_count(run.applied_size());
  if (run.applied_size() == 0) return;
  summary.set_first_applied(run.applied(0));
  summary.set_last_applied(run.applied(run.applied_size() - 1));
}

// U-5: a migration's Apply says the same once more, in its termination message.
void Summarize(RunReport& report) {
  const api::FramePayload& frame = report.frame;
  api::TerminationSummary summary;
  summary.set_protocol_version(frame.protocol_version());
  summary.set_operation(frame.operation());
  summary.set_operation_id(frame.operation_id());
  summary.set_mutation_started(frame.mutation_started());
  summary.set_uncertain(frame.uncertain());
  summary.set_error_code(frame.error().code());
  summary.set_coordination_digest(frame.coordination_digest());
  summary.set_target_identity_digest(frame.target_identity_digest());
  if (frame.has_migration_run()) {
    SummarizeRun(frame.migration_run(), *summary.mutable_migration());
  }
  report.summary = std::move(summary);
}

void ReportMigrationApply(const RunView& view, Ending ending, RunReport& report) {
  SetMigrationOutcome(MigrationOutcome(view, ending), report);
  AddVersions(view, *report.frame.mutable_migration_run());
}

// A mutating run whose child never changed anything.
void ReportRefusal(Refusal refusal, const RunView& view, RunReport& report) {
  switch (refusal) {
    case Refusal::kNone:
      return ReportNotStarted("Stopped", "asked to stop before the child was started", report);
    case Refusal::kIncomplete:
      return ReportNotStarted("IncompleteInstructions", "something it needs is missing", report);
    case Refusal::kTooLate:
      return ReportNotStarted("DispatchDeadlineExceeded", "dispatchNotAfter is past", report);
    case Refusal::kNoDatabase:
      return ReportNotStarted("DatabaseUnreachable", "there is no database to open", report);
    case Refusal::kWrongPlan:
      return ReportNotStarted("PlanMismatch", "the mounted plan is another one", report);
    case Refusal::kNothingPending:
      return SetMigrationOutcome(api::report_outcome::kUpToDate, report);
    case Refusal::kMoved:
    case Refusal::kDirty:
    case Refusal::kLocked:
      SetMigrationOutcome(api::report_outcome::kFailed, report);
      for (const int32_t at : PendingFiles(DatabaseIn(view))) {
        report.frame.mutable_migration_run()->add_planned(
            VersionNumber(DatabaseIn(view).files[at]));
      }
      return;
  }
}

// What every frame says: whose it is, and which database was opened.
RunReport Identified(const RunView& view) {
  RunReport report;
  api::FramePayload& frame = report.frame;
  frame.set_protocol_version(view.told.protocol_version);
  frame.set_operation(std::string(view.told.operation));
  frame.set_operation_id(std::string(view.told.operation_id));
  frame.set_coordination_digest(std::string(view.told.coordination_digest));
  if (view.database >= 0 && (view.told.mutating || view.told.reads)) {
    const Database& database = DatabaseIn(view);
    frame.set_target_identity_digest(database.identity_digest);
    frame.set_observed_dialect(api::DialectOfEngine(view.told.engine));
  }
  return report;
}

}  // namespace

Instructions InstructionsOf(const api::Pod& pod) {
  Instructions told;
  const api::Container* executor = ExecutorOf(pod.spec());
  if (executor == nullptr) return told;
  for (const api::EnvVar& variable : executor->env()) Read(variable, told);
  told.mutating = Is(told.operation, api::runner_operation::kApply) ||
                  Is(told.operation, api::runner_operation::kMigrationApply);
  told.reads = Is(told.operation, api::runner_operation::kObserve) ||
               Is(told.operation, api::runner_operation::kPlan) ||
               Is(told.operation, api::runner_operation::kMigrationHistory);
  return told;
}

int64_t KillTimeOf(const Instructions& told) {
  return told.execution_not_after_ms +
         told.grace_seconds * 1000 * api::kStopShareNumerator / api::kStopShareDenominator;
}

int32_t DatabaseOf(const World& world, const api::Pod& pod, const Instructions& told) {
  const size_t count = world.truth.databases.size();
  for (size_t at = 0; at < count; ++at) {
    const std::string& secret = world.truth.databases[at]->secret;
    if (!secret.empty() && MountsSecret(pod, secret)) return static_cast<int32_t>(at);
  }
  for (size_t at = 0; at < count; ++at) {
    if (world.truth.databases[at]->coordination_digest == told.coordination_digest) {
      return static_cast<int32_t>(at);
    }
  }
  return count == 1 ? 0 : -1;
}

RunView ViewOf(const World& world, const Run& run) {
  STOPGAP_CHECK(run.pod != nullptr, "a run that is looked at was started");
  const api::Pod& pod = run.pod->As<api::Pod>();
  return RunView{world, run, pod, InstructionsOf(pod), run.database};
}

Refusal RefusalOf(const RunView& view) {
  if (!IsToldEverything(view.told)) return Refusal::kIncomplete;
  if (view.world.now_ms >= view.told.dispatch_not_after_ms) return Refusal::kTooLate;
  if (view.database < 0) return Refusal::kNoDatabase;
  if (Is(view.told.operation, api::runner_operation::kApply)) {
    return MountsAnotherPlan(view) ? Refusal::kWrongPlan : Refusal::kNone;
  }
  const Database& database = DatabaseIn(view);
  if (ItsOtherPodRuns(view)) return Refusal::kLocked;
  if (IsDirty(database)) return Refusal::kDirty;
  const std::string pending = PendingSequence(database);
  if (pending.empty()) return Refusal::kNothingPending;
  return pending == view.told.expect_sequence ? Refusal::kNone : Refusal::kMoved;
}

int32_t StatementsLeft(const RunView& view) {
  if (!view.told.mutating || view.run.state == RunState::kEnded) return 0;
  const bool waiting = view.run.state == RunState::kWaiting;
  if (waiting && RefusalOf(view) != Refusal::kNone) return 0;
  const Database& database = DatabaseIn(view);
  if (Is(view.told.operation, api::runner_operation::kApply)) {
    return database.statements - database.in_force;
  }
  if (!waiting) return LeftInSequence(view, view.run.file, view.run.statement);
  return LeftInSequence(view, SequenceFiles(view.told, database).front(), 0);
}

bool WillRun(const RunView& view) {
  if (view.run.state == RunState::kWaiting) return RefusalOf(view) == Refusal::kNone;
  return view.run.state == RunState::kRunning;
}

std::vector<FileEffect> IntendedEffect(const World& world, const api::Pod& pod,
                                       const Instructions& told) {
  std::vector<FileEffect> effect;
  const int32_t index = DatabaseOf(world, pod, told);
  if (index < 0) return effect;
  if (Is(told.operation, api::runner_operation::kApply)) return {FileEffect{}};
  const Database& database = *world.truth.databases[index];
  for (const int32_t at : SequenceFiles(told, database)) {
    effect.push_back(FileEffect{.version = database.files[at].version});
  }
  return effect;
}

void RunStatements(World& world, const std::string& pod_uid, int32_t statements) {
  Run* run = EditRun(world, pod_uid);
  STOPGAP_CHECK(run != nullptr, "a run that moves is known");
  const RunView view = ViewOf(world, *run);
  const int32_t left = StatementsLeft(view);
  STOPGAP_CHECK(statements <= left, "a run never does more than is left");
  const bool migration = Is(view.told.operation, api::runner_operation::kMigrationApply);
  if (run->state == RunState::kWaiting) {
    run->state = RunState::kRunning;
    run->statement = 0;
    run->file =
        migration ? SequenceFiles(view.told, *world.truth.databases[view.database]).front() : 0;
  }
  if (statements == 0 && left > 0) return;
  // A child that finds nothing left to change is still the last that had its say.
  Database& database = world.truth.databases[view.database].Edit();
  OperationTruth* operation = EditOperation(world, run->operation_id);
  for (int32_t done = 0; done < statements; ++done) {
    if (migration) {
      RunMigrationStatement(database, *run, view.told, operation);
    } else {
      RunSchemaStatement(database, *run, operation);
    }
  }
  database.last_changed_by = run->operation_id;
}

std::string FrameText(const RunReport& report) { return api::RenderFrame(report.frame); }

std::string SummaryText(const RunReport& report) {
  api::TerminationSummary summary = *report.summary;
  summary.set_frame_digest(api::FrameDigestOf(report.frame));
  return api::RenderSummary(summary);
}

RunReport ReportOf(const RunView& view, Ending ending) {
  RunReport report = Identified(view);
  if (ending == Ending::kMismatch) {
    report.frame.set_protocol_version(view.told.protocol_version + 1);
    ReportNotStarted(api::kProtocolMismatchCode, "the runner speaks another protocol", report);
    return report;
  }
  if (!view.told.mutating) {
    ReportReading(view, report);
    report.did_all = report.exit_code == 0;
    return report;
  }
  if (view.run.state == RunState::kWaiting) {
    ReportRefusal(RefusalOf(view), view, report);
  } else if (Is(view.told.operation, api::runner_operation::kApply)) {
    ReportSchemaApply(view, ending, report);
  } else {
    ReportMigrationApply(view, ending, report);
  }
  if (Is(view.told.operation, api::runner_operation::kMigrationApply)) Summarize(report);
  return report;
}

}  // namespace sim
