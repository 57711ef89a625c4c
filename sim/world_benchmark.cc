// What a step pays for: copying a world, its key, a write that was made before, the end of a step.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "sim/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

std::string DigestText(int n) { return api::DigestOf(absl::StrCat(n)); }

void FillClaim(const api::PtahSchema& schema, api::ActiveOperation* claim) {
  claim->set_type("Apply");
  claim->set_id(DigestText(1));
  claim->set_input_fingerprint(DigestText(2));
  claim->set_job_name("ptah-apply-a-0123456789abcdef");
  claim->set_started_at_ms(900'000);
  claim->set_dispatch_not_after_ms(1'800'000);
  claim->set_execution_not_after_ms(1'800'000);
  claim->set_termination_grace_period_seconds(30);
  claim->set_coordination_digest(DigestText(3));
  claim->set_lease_epoch(api::EpochOf(std::string(16, 'e')));
  claim->mutable_admission_snapshot()->set_version("v1");
  claim->mutable_admission_snapshot()->set_digest(DigestText(4));
  claim->mutable_admission_snapshot()->set_template_digest(DigestText(5));
  claim->mutable_target()->set_engine("postgresql");
  claim->set_execution_binding_id(schema.status().execution_binding().epoch());
}

api::Job BigJob(const api::PtahSchema& schema, const std::string& name) {
  api::Job job = Named<api::Job>(name);
  SetOwner(schema, &job);
  for (int i = 0; i < 8; ++i) {
    (*job.mutable_metadata()->mutable_annotations())[absl::StrCat("operator.ptah.run/a", i)] =
        DigestText(i);
  }
  auto* pod = job.mutable_spec()->mutable_template_()->mutable_spec();
  api::Container* container = pod->add_containers();
  container->set_name("ptah");
  for (int i = 0; i < 14; ++i) {
    api::EnvVar* variable = container->add_env();
    variable->set_name(absl::StrCat("PTAH_VARIABLE_", i));
    variable->set_value(DigestText(i));
  }
  return job;
}

// Fifteen objects, one process, three operations: a schema in the middle of an Apply.
std::unique_ptr<TestStore> MidApply() {
  auto store = std::make_unique<TestStore>();
  World& world = store->world;
  world.processes.push_back(Manager());
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_metadata()->add_finalizers("operator.ptah.run/active-operation");
  schema.mutable_spec()->mutable_target()->set_engine("postgresql");
  schema.mutable_spec()->mutable_target()->set_coordination_key("orders");
  schema = store->Create(schema);
  world.processes[0].work.push_back(WorkOn(api::KeyOf(schema)));
  for (int i = 0; i < 12; ++i) {
    schema.mutable_status()->add_conditions()->set_type(absl::StrCat("Condition", i));
  }
  schema.mutable_status()->mutable_plan()->set_fingerprint(DigestText(7));
  schema = store->PatchStatus(schema);
  FillClaim(schema, schema.mutable_status()->mutable_active_operation());
  store->PatchStatus(schema);
  store->Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount));
  for (int i = 0; i < 4; ++i) {
    api::Job job = BigJob(schema, absl::StrCat("job-", i));
    job = store->Create(job);
    api::Pod pod = Named<api::Pod>(absl::StrCat("pod-", i));
    *pod.mutable_spec() = job.spec().template_().spec();
    SetOwner(job, &pod);
    pod = store->Create(pod);
    world.logs.Edit(pod.metadata().uid()).text = std::make_shared<std::string>("log");
  }
  for (int i = 0; i < 3; ++i) store->Create(Named<api::ConfigMap>(absl::StrCat("config-", i)));
  store->Create(Named<api::Lease>("lease"));
  store->Create(Named<api::PtahSchemaPlan>("plan"));
  store->Create(Named<api::PtahSchemaApproval>("approval"));
  Database database;
  database.files.resize(2);
  world.truth.databases.push_back(database);
  EndStep(world, {});
  return store;
}

void CopyWorld(benchmark::State& state) {
  const auto store = MidApply();
  for (auto _ : state) {
    World copy = store->world;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(CopyWorld);

void KeyOfWorld(benchmark::State& state) {
  const auto store = MidApply();
  for (auto _ : state) benchmark::DoNotOptimize(StateKey(store->world, {}));
}
BENCHMARK(KeyOfWorld);

void KeyOfViewAlone(benchmark::State& state) {
  const auto store = MidApply();
  for (auto _ : state) benchmark::DoNotOptimize(ViewDigest(store->world, {}));
}
BENCHMARK(KeyOfViewAlone);

void EndAStep(benchmark::State& state) {
  const auto store = MidApply();
  for (auto _ : state) EndStep(store->world, {});
}
BENCHMARK(EndAStep);

// The same patch of the same object, on a copy of the world each time.
void RepeatedPatch(benchmark::State& state) {
  const auto store = MidApply();
  api::PtahSchema schema = *store->Get<api::PtahSchema>("a");
  schema.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
  const api::Request request = store->PatchRequest(schema, api::Subresource::kStatus);
  for (auto _ : state) {
    World copy = store->world;
    benchmark::DoNotOptimize(store->server.Write(copy, request));
  }
}
BENCHMARK(RepeatedPatch);

void RepeatedCreate(benchmark::State& state) {
  const auto store = MidApply();
  const api::Request request =
      TestStore::CreateRequest(BigJob(*store->Get<api::PtahSchema>("a"), "job-new"));
  for (auto _ : state) {
    World copy = store->world;
    benchmark::DoNotOptimize(store->server.Write(copy, request));
  }
}
BENCHMARK(RepeatedCreate);

// An object nobody has seen before.
void InternANewObject(benchmark::State& state) {
  const auto store = MidApply();
  const api::PtahSchema& schema = *store->Get<api::PtahSchema>("a");
  int64_t at_ms = 2'000'000;
  for (auto _ : state) {
    auto next = std::make_shared<api::PtahSchema>(schema);
    next->mutable_status()->set_next_reconciliation_time_ms(++at_ms);
    benchmark::DoNotOptimize(store->interner.Intern(api::Kind::kPtahSchema, next));
  }
}
BENCHMARK(InternANewObject)->Iterations(20'000);

void DrawAToken(benchmark::State& state) {
  const auto store = MidApply();
  const std::string uid = store->Get<api::PtahSchema>("a")->metadata().uid();
  for (auto _ : state) {
    benchmark::DoNotOptimize(NextToken(store->world, "manager", uid, "lease epoch", {}));
  }
}
BENCHMARK(DrawAToken);

void ReadAnObject(benchmark::State& state) {
  const auto store = MidApply();
  const api::ReadQuestion question{.key = api::KeyOf(Named<api::PtahSchema>("a"))};
  for (auto _ : state) benchmark::DoNotOptimize(store->server.Read(store->world, question));
}
BENCHMARK(ReadAnObject);

}  // namespace
}  // namespace sim
