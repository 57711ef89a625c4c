#include "sim/actor_testing.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/database.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr char kNamespace[] = "test";

void AddEnv(api::Container* container, const char* name, const std::string& value) {
  if (value.empty()) return;
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  variable->set_value(value);
}

void AddInstant(api::Container* container, const char* name, int64_t at_ms) {
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  variable->set_time_ms(at_ms);
}

bool Mutates(const TestJob& job) {
  return job.operation == api::runner_operation::kApply ||
         job.operation == api::runner_operation::kMigrationApply;
}

void Instruct(const TestJob& job, const Database& database, int64_t now_ms,
              api::Container* executor) {
  AddEnv(executor, api::kEnvOperation, job.operation);
  AddEnv(executor, api::kEnvOperationId, job.operation_id);
  AddEnv(executor, api::kEnvProtocolVersion, "1");
  AddEnv(executor, api::kEnvEngine, "postgresql");
  AddEnv(executor, api::kEnvArtifactReference, "registry/app:v1");
  AddEnv(executor, api::kEnvCoordinationDigest, database.coordination_digest);
  if (!Mutates(job)) return;
  AddInstant(executor, api::kEnvDispatchNotAfter, now_ms + job.window_ms);
  AddInstant(executor, api::kEnvExecutionNotAfter, now_ms + job.window_ms);
  AddEnv(executor, api::kEnvTerminationGrace,
         job.grace_seconds == 0 ? "" : absl::StrCat(job.grace_seconds));
  if (job.operation == api::runner_operation::kMigrationApply) {
    AddEnv(executor, api::kEnvExpectSequence,
           job.sequence.empty() ? PendingSequence(database) : job.sequence);
  } else {
    AddEnv(executor, api::kEnvPlanContentDigest,
           job.plan_digest.empty() ? PlanToDeclared(database, "postgres").content_digest
                                   : job.plan_digest);
  }
}

void Mount(const std::string& config_map, api::PodSpec* pod) {
  if (config_map.empty()) return;
  api::Volume* volume = pod->add_volumes();
  volume->set_name(api::kPlanVolume);
  volume->mutable_projected()->add_sources()->mutable_config_map()->set_name(config_map);
}

Database EmptyDatabase() {
  Database database;
  database.coordination_digest = api::DigestOf("realm");
  database.identity_digest = api::DigestOf("database");
  return database;
}

api::FrameExpectation Expected(const TestJob& job) {
  return {.operation = job.operation, .operation_id = job.operation_id, .protocol_version = 1};
}

}  // namespace

ActorWorld::ActorWorld(WorldRules rules) : server(interner, {}), actors(server, rules) {
  world.now_ms = kTestStartMs;
  world.truth.second_pods = rules.second_pods;
  UseMigration({TestFile{}});
  auto account = std::make_shared<api::ServiceAccount>();
  account->mutable_metadata()->set_namespace_(kNamespace);
  account->mutable_metadata()->set_name(api::kDefaultServiceAccount);
  Add(std::move(account));
}

void ActorWorld::UseSchema(int32_t statements, int32_t in_force) {
  Database database = EmptyDatabase();
  database.statements = statements;
  database.in_force = in_force;
  world.truth.databases = {Cow<Database>(std::move(database))};
}

void ActorWorld::UseMigration(const std::vector<TestFile>& files) {
  Database database = EmptyDatabase();
  for (const TestFile& file : files) {
    Database::File made;
    made.version = absl::StrCat(database.files.size() + 1);
    made.statements = file.statements;
    made.transactional = file.transactional;
    made.fails_at = file.fails_at;
    database.files.push_back(std::move(made));
  }
  world.truth.databases = {Cow<Database>(std::move(database))};
}

void ActorWorld::Add(std::shared_ptr<google::protobuf::Message> object) {
  const api::Answer answer = Create(server, world, "test", std::move(object));
  ASSERT_TRUE(answer.status.ok()) << answer.status;
}

void ActorWorld::AddJob(const TestJob& job) {
  OperationTruth& operation = world.truth.operations.Edit(job.operation_id);
  operation.id = job.operation_id;
  operation.resource = {api::Kind::kPtahMigration, kNamespace, "m"};
  operation.mutating = Mutates(job);
  operation.coordination_digest = TheDatabase().coordination_digest;
  operation.job_names = {job.name};
  if (operation.mutating) {
    operation.dispatch_not_after_ms = world.now_ms + job.window_ms;
    operation.execution_not_after_ms = world.now_ms + job.window_ms;
    operation.grace_ms = job.grace_seconds * 1000;
  }
  auto stored = std::make_shared<api::Job>();
  stored->mutable_metadata()->set_namespace_(kNamespace);
  stored->mutable_metadata()->set_name(job.name);
  api::JobSpec* spec = stored->mutable_spec();
  spec->set_backoff_limit(0);
  spec->set_parallelism(1);
  spec->set_completions(1);
  spec->set_active_deadline_seconds(job.deadline_seconds);
  api::PodSpec* pod = spec->mutable_template_()->mutable_spec();
  pod->set_restart_policy(api::job_shape::kRestartNever);
  api::Container* executor = pod->add_containers();
  executor->set_name(api::kExecutorContainer);
  executor->set_image("executor");
  Instruct(job, TheDatabase(), world.now_ms, executor);
  Mount(job.mounts, pod);
  Add(std::move(stored));
}

std::optional<WorldStep> ActorWorld::Find(StepKind kind, const std::string& what,
                                          std::optional<int32_t> option) const {
  for (const WorldStep& step : Offer()) {
    if (step.kind == kind && (what.empty() || step.what == what) &&
        (!option.has_value() || step.option == *option)) {
      return step;
    }
  }
  return std::nullopt;
}

void ActorWorld::Take(StepKind kind, const std::string& what, std::optional<int32_t> option) {
  const std::optional<WorldStep> step = Find(kind, what, option);
  ASSERT_TRUE(step.has_value()) << "not offered: " << static_cast<int>(kind) << " " << what;
  Take(*step);
}

void ActorWorld::Take(const WorldStep& step) {
  actors.Take(world, step);
  EndStep(world, {});
}

const api::Job* ActorWorld::TheJob() const {
  const api::Job* found = nullptr;
  ForEachOfKind(world, api::Kind::kJob, [&found](const Entry& entry) {
    found = &entry.object->As<api::Job>();
    return false;
  });
  return found;
}

const api::Pod* ActorWorld::ThePod() const {
  const api::Pod* found = nullptr;
  ForEachOfKind(world, api::Kind::kPod, [&found](const Entry& entry) {
    found = &entry.object->As<api::Pod>();
    return false;
  });
  return found;
}

std::string ActorWorld::Log() const {
  const api::Pod* pod = ThePod();
  const PodLog* log = pod == nullptr ? nullptr : world.logs.Get(pod->metadata().uid());
  return log == nullptr || log->text == nullptr ? "" : *log->text;
}

std::string ActorWorld::TerminationMessage() const {
  const api::Pod* pod = ThePod();
  const api::ContainerStatus* status = pod == nullptr ? nullptr : ExecutorStatusOf(*pod);
  return status == nullptr ? "" : status->state().terminated().message();
}

std::optional<api::FramePayload> ActorWorld::Frame(const TestJob& job) const {
  const api::FrameResult parsed = api::ParseFrame(Log(), Expected(job));
  if (!parsed.ok()) return std::nullopt;
  return parsed.payload;
}

std::optional<api::TerminationSummary> ActorWorld::Summary(const TestJob& job) const {
  const absl::StatusOr<api::TerminationSummary> parsed =
      api::ParseSummary(TerminationMessage(), Expected(job));
  if (!parsed.ok()) return std::nullopt;
  return *parsed;
}

const OperationTruth& ActorWorld::TheOperation(const TestJob& job) const {
  return *world.truth.operations.Get(job.operation_id);
}

}  // namespace sim
