#include "model/setup.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/rules/names_rule.h"
#include "model/objects.h"
#include "model/scenario.pb.h"
#include "sim/names.h"

namespace model {
namespace {

namespace api = lifecycle::api;

constexpr int64_t kStartMs = 1'000'000'000;
constexpr int kQuietStepsMax = 400;
constexpr char kPolicyName[] = "verification-policy";
constexpr char kEngine[] = "postgresql";
constexpr char kCoordinationKey[] = "orders";

std::string CoordinationDigest() {
  return lifecycle::rules::CoordinationDigest(
      {.engine = kEngine, .namespace_ = kScenarioNamespace, .coordination_key = kCoordinationKey});
}

// Puts an object into the store as if it had been there for ever.
template <class T>
void LayDown(T object, sim::World& world, const sim::ApiServer& server) {
  const api::Key key{api::KindOf<T>(), object.metadata().namespace_(), object.metadata().name()};
  object.mutable_metadata()->set_uid(sim::NextUid(world, key));
  object.mutable_metadata()->set_generation(1);
  object.mutable_metadata()->set_creation_timestamp_ms(world.now_ms);
  world.Put({.object = server.interner().Intern(key.kind, std::make_shared<T>(std::move(object)))});
}

api::ObjectMeta Meta(const char* name) {
  api::ObjectMeta meta;
  meta.set_namespace_(kScenarioNamespace);
  meta.set_name(name);
  return meta;
}

void FillTarget(api::TargetSpec& target) {
  target.set_engine(kEngine);
  target.set_coordination_key(kCoordinationKey);
  target.mutable_url_from()->set_name("orders-database");
  target.mutable_url_from()->set_key("url");
}

void FillArtifact(api::ArtifactSpec& artifact) {
  artifact.set_oci_ref("registry.example/orders:v1");
  artifact.mutable_verification_policy_from()->set_name(kPolicyName);
  artifact.mutable_verification_policy_from()->set_key("policy.yaml");
}

void FillBinding(const api::Configuration& configuration, api::ExecutionBinding& binding) {
  binding.set_epoch(lifecycle::rules::EpochFromRandom(
      sim::MakeToken("administrator", "installation", "binding", 0)));
  binding.set_controller_state_version(configuration.controller_state_version);
  binding.set_ptah_version(configuration.ptah_version);
  binding.set_executor_image(configuration.executor_image);
  binding.set_runner_protocol_version(configuration.runner_protocol_version);
}

std::string PolicyOf(const Scenario& scenario) {
  return scenario.policy().empty() ? api::apply_policy::kOnApproval : scenario.policy();
}

void LayDownResource(const Scenario& scenario, const api::Configuration& configuration,
                     sim::World& world, const sim::ApiServer& server) {
  if (scenario.family() == Scenario::SCHEMA) {
    api::PtahSchema schema;
    *schema.mutable_metadata() = Meta(kScenarioResource);
    FillTarget(*schema.mutable_spec()->mutable_target());
    FillArtifact(*schema.mutable_spec()->mutable_desired());
    schema.mutable_spec()->mutable_policy()->set_apply(PolicyOf(scenario));
    FillBinding(configuration, *schema.mutable_status()->mutable_execution_binding());
    LayDown(std::move(schema), world, server);
    return;
  }
  api::PtahMigration migration;
  *migration.mutable_metadata() = Meta(kScenarioResource);
  FillTarget(*migration.mutable_spec()->mutable_target());
  FillArtifact(*migration.mutable_spec()->mutable_artifact());
  migration.mutable_spec()->mutable_policy()->set_apply(PolicyOf(scenario));
  FillBinding(configuration, *migration.mutable_status()->mutable_execution_binding());
  LayDown(std::move(migration), world, server);
}

sim::Database DatabaseOf(const Scenario& scenario) {
  sim::Database database;
  database.coordination_digest = CoordinationDigest();
  database.identity_digest = api::DigestOf("the orders database");
  database.secret = "orders-database";
  if (scenario.family() == Scenario::SCHEMA) {
    database.statements = scenario.statements() == 0 ? 2 : scenario.statements();
    return database;
  }
  for (const Scenario::File& file : scenario.files()) {
    sim::Database::File one;
    one.version = absl::StrCat(file.version());
    one.statements = file.statements() == 0 ? 2 : file.statements();
    one.transactional = file.transactional();
    one.fails_at = file.fails_at() - 1;
    one.recorded = file.applied();
    one.committed = file.applied() ? one.statements : 0;
    database.files.push_back(std::move(one));
  }
  return database;
}

// Whether the resource's plan is published and everything that led to it is put away.
bool PlanStands(const sim::World& world) {
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    const bool plan = view.schema != nullptr ? view.schema->status().has_plan()
                                             : view.migration->status().has_plan();
    return plan && view.claim == nullptr && view.release == nullptr;
  }
  return false;
}

// Takes the one thing a quiet world does next: a due pass, else a step without a fault.
bool TakeQuietStep(sim::World& world, const PassRunner& runner, const sim::Actors& actors,
                   const sim::DigestOptions& digest) {
  const sim::Process& process = world.processes[0];
  for (size_t work = 0; work < process.work.size(); ++work) {
    if (!sim::IsDue(world, process, process.work[work])) continue;
    world = runner.Run(world, {0, work}, false, nullptr, nullptr);
    return true;
  }
  for (const sim::WorldStep& step : actors.Offer(world)) {
    if (step.cost != 0 || step.kind == sim::StepKind::kPerson ||
        step.kind == sim::StepKind::kRival || step.what == "pause") {
      continue;
    }
    actors.Take(world, step);
    sim::EndStep(world, digest);
    return true;
  }
  return false;
}

// Removes what only led to the plan: finished Jobs, their Pods, logs and runs, and given-back
// Leases.
void Sweep(sim::World& world) {
  std::vector<api::Key> gone;
  for (const sim::Entry& entry : world.objects) {
    const api::Kind kind = entry.object->key.kind;
    if (kind == api::Kind::kJob || kind == api::Kind::kPod || kind == api::Kind::kLease) {
      gone.push_back(entry.object->key);
    }
  }
  for (const api::Key& key : gone) world.Erase(key);
  world.logs = {};
  world.runs.clear();
}

std::string WhereItStands(const sim::World& world) {
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    return absl::StrCat("phase ", *view.phase, ", claim ",
                        view.claim == nullptr ? "none" : view.claim->type());
  }
  return "the resource is gone";
}

}  // namespace

sim::WorldRules RulesOf(const Scenario& scenario) {
  const Scenario::World& world = scenario.world();
  return {.kills = world.kill_pods(),
          .lose_logs = world.lose_logs(),
          .late_clock = world.late_clock(),
          .slow_runs = world.slow_runs(),
          .rival_moves_history = world.rival_moves_history(),
          .rival_vanishes = world.rival_vanishes()};
}

int OperationsOf(const Scenario& scenario) {
  return scenario.operations() == 0 ? 1 : scenario.operations();
}

absl::StatusOr<sim::World> InitialWorld(const Scenario& scenario, const sim::ApiServer& server,
                                        const PassRunner& runner, const sim::Actors& actors,
                                        const sim::DigestOptions& digest) {
  sim::World world;
  world.now_ms = kStartMs;
  world.truth.apply_claims_max = OperationsOf(scenario) + 1;
  world.truth.databases.push_back(sim::Cow<sim::Database>(DatabaseOf(scenario)));

  api::ConfigMap policy;
  *policy.mutable_metadata() = Meta(kPolicyName);
  (*policy.mutable_data())["policy.yaml"] = "require: signature";
  policy.set_immutable(true);
  LayDown(std::move(policy), world, server);

  const api::Configuration configuration = api::DefaultConfiguration();
  LayDownResource(scenario, configuration, world, server);

  sim::Process process;
  process.name = "manager";
  process.configuration = sim::Cow<api::Configuration>(configuration);
  process.started_ms = world.now_ms;
  const bool schema = scenario.family() == Scenario::SCHEMA;
  sim::Work work;
  work.resource = api::Key{schema ? api::Kind::kPtahSchema : api::Kind::kPtahMigration,
                           kScenarioNamespace, kScenarioResource};
  process.work.push_back(std::move(work));
  world.processes.push_back(std::move(process));

  for (int steps = 0; !PlanStands(world); ++steps) {
    if (steps == kQuietStepsMax || !TakeQuietStep(world, runner, actors, digest)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the quiet run publishes no plan; it stands at ", WhereItStands(world)));
    }
  }
  Sweep(world);
  for (const Scenario::Act& act : scenario.person()) {
    world.person.Edit(act.what()) = act.times() == 0 ? 1 : act.times();
  }
  if (scenario.world().rival_rounds() > 0) {
    sim::Rival rival;
    rival.coordination_digest = CoordinationDigest();
    rival.holder = lifecycle::rules::HolderIdentity("rival", "rival");
    rival.rounds_left = scenario.world().rival_rounds();
    world.rivals.push_back(std::move(rival));
  }
  return Stopped(world, 0, digest);
}

}  // namespace model
