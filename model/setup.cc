#include "model/setup.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/admission/author.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/rules/names_rule.h"
#include "model/objects.h"
#include "model/scenario.pb.h"
#include "sim/actor.h"
#include "sim/cluster_objects.h"
#include "sim/informers.h"
#include "sim/names.h"
#include "sim/people.h"

namespace model {
namespace {

namespace api = lifecycle::api;

constexpr int64_t kStartMs = 1'000'000'000;
constexpr int kQuietStepsMax = 400;
constexpr int64_t kOwedLeaseSeconds = 900;
constexpr char kPolicyName[] = "verification-policy";
constexpr char kEngine[] = "postgresql";
constexpr char kCoordinationKey[] = "orders";
constexpr char kRealmName[] = "orders";
constexpr char kSecret[] = "orders-database";
constexpr char kAccountName[] = "orders-runner";
constexpr char kRuntimeName[] = "sandboxed";
constexpr char kPriorityName[] = "background";

// One resource that a scenario lays down.
struct Claimant {
  Scenario::Family family;
  std::string name;
  std::string namespace_;
  bool shared_realm = false;
  bool later = false;
};

std::vector<Claimant> ClaimantsOf(const Scenario& scenario) {
  std::vector<Claimant> claimants = {{.family = scenario.family(),
                                      .name = kScenarioResource,
                                      .namespace_ = kScenarioNamespace,
                                      .shared_realm = scenario.shared_realm()}};
  for (const Scenario::Claimant& other : scenario.others()) {
    claimants.push_back(
        {.family = other.family(),
         .name = std::string(1, static_cast<char>('a' + claimants.size())),
         .namespace_ = other.namespace_().empty() ? kScenarioNamespace : other.namespace_(),
         .shared_realm = other.shared_realm(),
         .later = other.later()});
  }
  return claimants;
}

api::Key KeyOf(const Claimant& claimant) {
  const bool schema = claimant.family == Scenario::SCHEMA;
  return {schema ? api::Kind::kPtahSchema : api::Kind::kPtahMigration, claimant.namespace_,
          claimant.name};
}

// A key in another namespace is another realm; the realm of a name is one everywhere.
std::string CoordinationDigest(const Scenario& scenario, const std::string& namespace_) {
  if (scenario.has_realm()) {
    return lifecycle::rules::CoordinationDigest({.engine = kEngine, .realm_name = kRealmName});
  }
  return lifecycle::rules::CoordinationDigest(
      {.engine = kEngine, .namespace_ = namespace_, .coordination_key = kCoordinationKey});
}

// One URL for all of a realm.
std::string SecretOf(const Scenario& scenario, const std::string& namespace_) {
  const bool own = !scenario.has_realm() && namespace_ != kScenarioNamespace;
  return own ? absl::StrCat(kSecret, "-of-", namespace_) : kSecret;
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

api::ObjectMeta Meta(const std::string& namespace_, const std::string& name) {
  api::ObjectMeta meta;
  meta.set_namespace_(namespace_);
  meta.set_name(name);
  return meta;
}

void FillTarget(const Scenario& scenario, const Claimant& claimant, api::TargetSpec& target) {
  target.set_engine(kEngine);
  if (scenario.has_realm()) {
    target.mutable_realm_ref()->set_name(kRealmName);
  } else {
    target.set_coordination_key(kCoordinationKey);
  }
  target.set_shared_realm(claimant.shared_realm);
  target.mutable_url_from()->set_name(SecretOf(scenario, claimant.namespace_));
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

// Where somebody else may approve, a migration asks for that.
bool HasAnotherApprover(const Scenario& scenario) {
  return std::any_of(scenario.person().begin(), scenario.person().end(),
                     [](const Scenario::Act& act) { return act.what() == "approve-as-another"; });
}

// Where what shapes Pods is at stake, the resources name an account and classes of their own.
bool NamesClusterObjects(const Scenario& scenario) {
  return std::any_of(scenario.person().begin(), scenario.person().end(),
                     [](const Scenario::Act& act) { return sim::IsClusterAct(act.what()); });
}

void FillExecution(const Scenario& scenario, api::ExecutionSpec& execution) {
  execution.set_service_account_name(kAccountName);
  execution.set_runtime_class_name(kRuntimeName);
  const bool unranked = std::any_of(
      scenario.person().begin(), scenario.person().end(),
      [](const Scenario::Act& act) { return act.what() == sim::act::kAddDefaultPriority; });
  if (!unranked) execution.set_priority_class_name(kPriorityName);
}

void LayDownAccount(const std::string& namespace_, const std::string& name, sim::World& world,
                    const sim::ApiServer& server) {
  if (world.Get<api::ServiceAccount>(namespace_, name) != nullptr) return;
  api::ServiceAccount account;
  *account.mutable_metadata() = Meta(namespace_, name);
  LayDown(std::move(account), world, server);
}

// What shapes the Pods of a namespace: the account that every namespace has, and what is named.
void LayDownClusterObjects(const Scenario& scenario, const std::string& namespace_,
                           sim::World& world, const sim::ApiServer& server) {
  LayDownAccount(namespace_, api::kDefaultServiceAccount, world, server);
  if (!NamesClusterObjects(scenario)) return;
  LayDownAccount(namespace_, kAccountName, world, server);
  if (world.Get<api::RuntimeClass>("", kRuntimeName) != nullptr) return;
  api::RuntimeClass runtime;
  *runtime.mutable_metadata() = Meta("", kRuntimeName);
  runtime.set_handler(sim::kRuntimeHandler);
  LayDown(std::move(runtime), world, server);
  api::PriorityClass priority;
  *priority.mutable_metadata() = Meta("", kPriorityName);
  LayDown(std::move(priority), world, server);
}

// A resource as a person created it, or one that a manager has installed its binding for.
void LayDownResource(const Scenario& scenario, const Claimant& claimant, bool installed,
                     sim::World& world, const sim::ApiServer& server) {
  const api::Configuration configuration = api::DefaultConfiguration();
  const auto fill = [&](auto& resource, api::ArtifactSpec& artifact) {
    *resource.mutable_metadata() = Meta(claimant.namespace_, claimant.name);
    if (HasAnotherApprover(scenario)) {
      // As admission stamped it when kPersonUser created the resource.
      (*resource.mutable_metadata()->mutable_annotations())[lifecycle::admission::kSpecAuthor] =
          sim::kPersonUser;
    }
    FillTarget(scenario, claimant, *resource.mutable_spec()->mutable_target());
    FillArtifact(artifact);
    resource.mutable_spec()->mutable_policy()->set_apply(PolicyOf(scenario));
    if (NamesClusterObjects(scenario)) {
      FillExecution(scenario, *resource.mutable_spec()->mutable_execution());
    }
    if (installed) {
      FillBinding(configuration, *resource.mutable_status()->mutable_execution_binding());
    }
    LayDown(std::move(resource), world, server);
  };
  if (claimant.family == Scenario::SCHEMA) {
    api::PtahSchema schema;
    schema.mutable_spec()->mutable_policy()->add_protected_tables("audit");
    fill(schema, *schema.mutable_spec()->mutable_desired());
  } else {
    api::PtahMigration migration;
    if (HasAnotherApprover(scenario)) {
      migration.mutable_spec()->mutable_policy()->set_require_distinct_approver(true);
    }
    fill(migration, *migration.mutable_spec()->mutable_artifact());
  }
}

void LayDownPolicy(const std::string& namespace_, sim::World& world, const sim::ApiServer& server) {
  if (world.Get<api::ConfigMap>(namespace_, kPolicyName) != nullptr) return;
  api::ConfigMap policy;
  *policy.mutable_metadata() = Meta(namespace_, kPolicyName);
  (*policy.mutable_data())["policy.yaml"] = "require: signature";
  policy.set_immutable(true);
  LayDown(std::move(policy), world, server);
}

// Every namespace of the scenario is granted the realm until the run begins.
void LayDownRealm(const Scenario& scenario, sim::World& world, const sim::ApiServer& server) {
  if (!scenario.has_realm() || scenario.realm().absent()) return;
  api::PtahRealm realm;
  realm.mutable_metadata()->set_name(kRealmName);
  realm.mutable_spec()->set_engine(kEngine);
  realm.mutable_spec()->set_sharing(
      scenario.realm().sharing().empty() ? "Exclusive" : scenario.realm().sharing());
  std::set<std::string> namespaces;
  for (const Claimant& claimant : ClaimantsOf(scenario)) namespaces.insert(claimant.namespace_);
  for (const std::string& namespace_ : namespaces) realm.mutable_spec()->add_namespaces(namespace_);
  LayDown(std::move(realm), world, server);
}

void AddFiles(const Scenario& scenario, sim::Database& database) {
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
}

// Adds to the database of the claimant's realm what the claimant needs there.
void AddDatabase(const Scenario& scenario, const Claimant& claimant, sim::World& world) {
  const std::string digest = CoordinationDigest(scenario, claimant.namespace_);
  std::vector<sim::Cow<sim::Database>>& databases = world.truth.databases;
  auto found = std::find_if(databases.begin(), databases.end(), [&](const auto& database) {
    return database->coordination_digest == digest;
  });
  if (found == databases.end()) {
    sim::Database database;
    database.coordination_digest = digest;
    database.secret = SecretOf(scenario, claimant.namespace_);
    database.identity_digest = api::DigestOf(absl::StrCat("the database of ", database.secret));
    databases.emplace_back(std::move(database));
    found = databases.end() - 1;
  }
  if (claimant.family == Scenario::SCHEMA && (*found)->statements == 0) {
    found->Edit().statements = scenario.statements() == 0 ? 2 : scenario.statements();
  } else if (claimant.family == Scenario::MIGRATION && (*found)->files.empty()) {
    AddFiles(scenario, found->Edit());
  }
}

// The database a person may point the URL at: of the same making, and another one.
void AddOtherDatabase(const Scenario& scenario, sim::World& world) {
  if (!scenario.world().other_database()) return;
  sim::Database other = *world.truth.databases.front();
  other.coordination_digest = api::DigestOf("the realm of another database");
  other.identity_digest = api::DigestOf("another database");
  other.secret = "another-database";
  world.truth.databases.emplace_back(std::move(other));
}

void AddWork(const Claimant& claimant, sim::World& world) {
  std::vector<sim::Work>& works = world.processes[0].work;
  sim::Work work;
  work.resource = KeyOf(claimant);
  const auto at = std::find_if(works.begin(), works.end(), [&](const sim::Work& other) {
    return work.resource < other.resource;
  });
  works.insert(at, std::move(work));
}

// Whether the resource's plan is published and everything that led to it is put away, or there is
// none to wait for: another claimant, or its realm, refuses it.
bool IsReady(const ResourceView& view) {
  const bool plan = view.schema != nullptr ? view.schema->status().has_plan()
                                           : view.migration->status().has_plan();
  return (plan || *view.phase == api::phase::kBlocked) && view.claim == nullptr &&
         view.release == nullptr;
}

bool IsReady(const sim::World& world, const api::Key& resource) {
  const sim::Entry* entry = world.Find(resource);
  return entry != nullptr && IsReady(ViewOf(entry->object));
}

bool AllAreReady(const sim::World& world) {
  const std::vector<sim::Work>& works = world.processes[0].work;
  return std::all_of(works.begin(), works.end(),
                     [&](const sim::Work& work) { return IsReady(world, work.resource); });
}

// Takes the one thing a quiet world does next: a due pass of a resource that is not ready, else a
// step without a fault.
bool TakeQuietStep(sim::World& world, const PassRunner& runner, const sim::Actors& actors,
                   const sim::DigestOptions& digest) {
  const sim::Process& process = world.processes[0];
  for (size_t work = 0; work < process.work.size(); ++work) {
    if (!sim::IsDue(world, process, process.work[work])) continue;
    if (IsReady(world, process.work[work].resource)) continue;
    world = runner.Run(world, {0, work}, false, nullptr, nullptr);
    return true;
  }
  for (const sim::WorldStep& step : actors.Offer(world)) {
    if (step.cost != 0 || step.kind == sim::StepKind::kPerson ||
        step.kind == sim::StepKind::kRival || step.kind == sim::StepKind::kInformers ||
        step.what == "pause") {
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
          .slow_people = world.slow_people(),
          .slow_runs = world.slow_runs(),
          .rival_moves_history = world.rival_moves_history(),
          .rival_vanishes = world.rival_vanishes(),
          .second_pods = world.second_pods(),
          .evictions = world.evictions(),
          .lost_nodes = world.lost_nodes(),
          .lingering_pods = world.lingering_pods(),
          .piecewise_ttl = world.piecewise_ttl(),
          .piecewise_garbage = world.piecewise_garbage(),
          .slow_logs = world.slow_logs(),
          .cut_logs = world.cut_logs(),
          .foreign_frames = world.foreign_frames(),
          .wrong_database = world.other_database(),
          .protocol_mismatch = world.protocol_mismatch(),
          .old_caches = world.old_caches()};
}

int OperationsOf(const Scenario& scenario) {
  return scenario.operations() == 0 ? 1 : scenario.operations();
}

namespace {

// Everything up to the published plans, by the real lifecycle in a quiet world.
absl::Status PublishPlans(sim::World& world, const PassRunner& runner, const sim::Actors& actors,
                          const sim::DigestOptions& digest) {
  for (int steps = 0; !AllAreReady(world); ++steps) {
    if (steps == kQuietStepsMax || !TakeQuietStep(world, runner, actors, digest)) {
      return absl::FailedPreconditionError(
          absl::StrCat("the quiet run publishes no plan; it stands at ", WhereItStands(world)));
    }
  }
  Sweep(world);
  return absl::OkStatus();
}

// Puts another version of the object into the store, as if it had been there for ever.
template <class T, class Change>
void Rewrite(const api::Key& key, Change change, sim::World& world, const sim::ApiServer& server) {
  const sim::Entry before = *world.Find(key);
  auto next = std::make_shared<T>(before.object->As<T>());
  change(*next);
  const sim::Handle after = server.interner().Intern(key.kind, std::move(next));
  world.Put({.object = after});
  sim::ObserveStore(world, before.object, after);
}

// The realm of an operation that is settled, and that is still to be given back.
api::PendingLockRelease OwedRelease(const std::string& coordination_digest) {
  api::PendingLockRelease owed;
  owed.set_coordination_digest(coordination_digest);
  owed.set_operation_id(api::DigestOf("an operation of a newer manager"));
  owed.set_lease_duration_seconds(kOwedLeaseSeconds);
  owed.set_lease_epoch(api::EpochOf("an acquisition16"));
  return owed;
}

// Its Lease, as it stands until then.
api::Lease LeaseOf(const std::string& resource_uid, const api::PendingLockRelease& owed) {
  api::Lease lease;
  *lease.mutable_metadata() = Meta(api::Configuration().coordination_namespace,
                                   lifecycle::rules::LeaseName(owed.coordination_digest()));
  (*lease.mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] =
      owed.lease_epoch();
  api::LeaseSpec& spec = *lease.mutable_spec();
  spec.set_holder_identity(lifecycle::rules::HolderIdentity(resource_uid, owed.operation_id()));
  spec.set_lease_duration_seconds(owed.lease_duration_seconds());
  spec.set_acquire_time_ms(kStartMs);
  spec.set_renew_time_ms(kStartMs);
  return lease;
}

// What a newer manager left: its version, and a realm that it owed when it went.
template <class Status>
void AddNewerState(const std::string& coordination_digest, Status& status) {
  api::ExecutionBinding& binding = *status.mutable_execution_binding();
  binding.set_controller_state_version(binding.controller_state_version() + 1);
  *status.mutable_pending_lock_release() = OwedRelease(coordination_digest);
}

template <class Status>
void AddUnknownClaim(Status& status) {
  api::ActiveOperation& claim = *status.mutable_active_operation();
  claim.set_type("Compact");
  claim.set_id(api::DigestOf("a claim of a type that nobody knows"));
  claim.set_input_fingerprint(api::DigestOf("what it was decided from"));
  claim.set_job_name("ptah-compact-a");
  claim.set_attempt(1);
  claim.set_started_at_ms(kStartMs);
  claim.set_execution_binding_id(status.execution_binding().epoch());
}

// What the scenario changes in the first resource just before the run begins.
template <class Resource>
void Prepare(const Scenario& scenario, Resource& resource) {
  if (scenario.suspended()) {
    resource.mutable_spec()->set_suspend(true);
    resource.mutable_metadata()->set_generation(resource.metadata().generation() + 1);
  }
  if (scenario.foreign() == Scenario::NOTHING) return;
  if (scenario.foreign() == Scenario::UNKNOWN_CLAIM) {
    AddUnknownClaim(*resource.mutable_status());
  } else {
    AddNewerState(CoordinationDigest(scenario, resource.metadata().namespace_()),
                  *resource.mutable_status());
  }
  resource.mutable_metadata()->clear_finalizers();
  resource.mutable_metadata()->add_finalizers(
      scenario.family() == Scenario::SCHEMA ? api::kSchemaFinalizer : api::kMigrationFinalizer);
}

void PrepareRun(const Scenario& scenario, sim::World& world, const sim::ApiServer& server) {
  const api::Key key = KeyOf(ClaimantsOf(scenario).front());
  if (scenario.suspended() || scenario.foreign() != Scenario::NOTHING) {
    const auto prepare = [&](auto& resource) { Prepare(scenario, resource); };
    if (scenario.family() == Scenario::SCHEMA) {
      Rewrite<api::PtahSchema>(key, prepare, world, server);
    } else {
      Rewrite<api::PtahMigration>(key, prepare, world, server);
    }
  }
  if (scenario.foreign() == Scenario::NEWER_VERSION) {
    const std::string& uid = api::MetaOf(*world.Find(key)->object->message).uid();
    LayDown(LeaseOf(uid, OwedRelease(CoordinationDigest(scenario, key.namespace_))), world, server);
  }
  if (scenario.realm().denied()) {
    Rewrite<api::PtahRealm>(
        {api::Kind::kPtahRealm, "", kRealmName},
        [](api::PtahRealm& realm) {
          auto& namespaces = *realm.mutable_spec()->mutable_namespaces();
          namespaces.erase(std::remove(namespaces.begin(), namespaces.end(), kScenarioNamespace),
                           namespaces.end());
        },
        world, server);
  }
  if (scenario.preemptions() > 0) {
    world.person.Edit(sim::act::kPreempt) = scenario.preemptions();
  }
  for (const Scenario::Act& act : scenario.person()) {
    world.person.Edit(act.resource().empty() ? act.what()
                                             : sim::ActOn(act.what(), act.resource())) =
        act.times() == 0 ? 1 : act.times();
  }
  if (scenario.world().rival_rounds() == 0) return;
  sim::Rival rival;
  rival.coordination_digest = CoordinationDigest(scenario, kScenarioNamespace);
  rival.holder = lifecycle::rules::HolderIdentity("rival", "rival");
  rival.rounds_left = scenario.world().rival_rounds();
  world.rivals.push_back(std::move(rival));
}

void AddManager(sim::World& world) {
  sim::Process process;
  process.name = "manager";
  process.configuration = sim::Cow<api::Configuration>(api::DefaultConfiguration());
  process.started_ms = world.now_ms;
  world.processes.push_back(std::move(process));
}

}  // namespace

absl::StatusOr<sim::World> InitialWorld(const Scenario& scenario, const sim::ApiServer& server,
                                        const PassRunner& runner, const sim::Actors& actors,
                                        const sim::DigestOptions& digest) {
  sim::World world;
  world.now_ms = kStartMs;
  world.truth.apply_claims_max = OperationsOf(scenario) + 1;
  world.truth.second_pods = scenario.world().second_pods();
  AddManager(world);
  LayDownRealm(scenario, world, server);
  // Where several claim the realm, no cache shows any of them yet: each sees itself alone.
  std::shared_ptr<const std::vector<sim::Entry>> shown;
  if (scenario.world().old_caches() && scenario.others_size() > 0) shown = sim::CacheOf(world);
  world.processes.front().cache = shown;
  const std::vector<Claimant> claimants = ClaimantsOf(scenario);
  const auto begin = [&](const Claimant& claimant) {
    LayDownPolicy(claimant.namespace_, world, server);
    LayDownClusterObjects(scenario, claimant.namespace_, world, server);
    LayDownResource(scenario, claimant, !scenario.from_start() && !claimant.later, world, server);
    AddWork(claimant, world);
  };
  for (const Claimant& claimant : claimants) {
    AddDatabase(scenario, claimant, world);
    if (!claimant.later) begin(claimant);
  }
  AddOtherDatabase(scenario, world);
  if (!scenario.from_start()) {
    absl::Status published = PublishPlans(world, runner, actors, digest);
    if (!published.ok()) return published;
  }
  for (const Claimant& claimant : claimants) {
    if (claimant.later) begin(claimant);
  }
  PrepareRun(scenario, world, server);
  sim::World initial = Stopped(world, 0, digest);
  initial.processes.front().cache = shown;
  sim::EndStep(initial, digest);
  return initial;
}

}  // namespace model
