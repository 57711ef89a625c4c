// What a pass of real code, a copy and fingerprint of a world, and a search cost.
//
//   bazel run --config=release //model:model_benchmark

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/judge.h"
#include "model/scenario.h"
#include "model/scenario.pb.h"

namespace model {
namespace {

LoadedScenario Load(const char* name) {
  const auto scenario = LoadScenario(absl::StrCat("scenarios/", name, ".textproto"));
  if (!scenario.ok()) {
    std::fprintf(stderr, "%s\n", std::string(scenario.status().message()).c_str());
    std::exit(2);
  }
  return *scenario;
}

std::unique_ptr<Workbench> Bench(const char* name) {
  // Real code each time: a pass that is remembered is not run.
  CheckOptions options;
  options.memo = false;
  auto bench = Workbench::Make(Load(name), options);
  if (!bench.ok()) {
    std::fprintf(stderr, "%s\n", std::string(bench.status().message()).c_str());
    std::exit(2);
  }
  return *std::move(bench);
}

// Every world of an undisturbed run, before each of its passes.
std::vector<sim::World> WorldsOf(Workbench& bench) {
  std::vector<sim::World> worlds;
  sim::World world = bench.initial();
  while (worlds.size() < 20) {
    const sim::Process& process = world.processes[0];
    if (sim::IsDue(world, process, process.work[0])) {
      worlds.push_back(world);
      world = bench.runner().Run(world, {0, 0}, false, nullptr, nullptr);
      continue;
    }
    bool stepped = false;
    for (const sim::WorldStep& step : bench.actors().Offer(world)) {
      if (step.cost != 0 || step.what == "pause") continue;
      bench.actors().Take(world, step);
      sim::EndStep(world, {});
      stepped = true;
      break;
    }
    if (!stepped || HasEnded(world, 1, false)) break;
  }
  return worlds;
}

// One pass, averaged over those of an undisturbed run, with what the simulator does around it.
void BM_Pass(benchmark::State& state, const char* scenario) {
  const auto bench = Bench(scenario);
  const std::vector<sim::World> worlds = WorldsOf(*bench);
  size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench->runner().Run(worlds[at], {0, 0}, false, nullptr, nullptr));
    at = (at + 1) % worlds.size();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(BM_Pass, schema, "schema-approved");
BENCHMARK_CAPTURE(BM_Pass, migration, "migration-approved");

void BM_WorldCopy(benchmark::State& state) {
  const auto bench = Bench("schema-approved");
  const sim::World world = WorldsOf(*bench).back();
  for (auto _ : state) {
    sim::World copy = world;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_WorldCopy);

void BM_WorldFingerprint(benchmark::State& state) {
  const auto bench = Bench("schema-approved");
  const sim::World world = WorldsOf(*bench).back();
  for (auto _ : state) benchmark::DoNotOptimize(sim::StateKey(world, {}));
}
BENCHMARK(BM_WorldFingerprint);

// A whole search; the rate is of executed passes of real code, probes included.
void BM_Search(benchmark::State& state, const char* name, bool memo) {
  const LoadedScenario scenario = Load(name);
  uint64_t passes = 0;
  uint64_t states = 0;
  for (auto _ : state) {
    CheckOptions options;
    options.faults_max = 1;
    options.memo = memo;
    const auto result = Check(scenario, options);
    if (!result.ok()) std::exit(2);
    passes += result->statistics.passes + result->statistics.states;
    states += result->statistics.states;
  }
  state.counters["passes/s"] =
      benchmark::Counter(static_cast<double>(passes), benchmark::Counter::kIsRate);
  state.counters["states/s"] =
      benchmark::Counter(static_cast<double>(states), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Search, schema, "schema-always", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Search, schema_no_memo, "schema-always", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Search, migration, "migration-always", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Search, migration_no_memo, "migration-always", false)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace model
