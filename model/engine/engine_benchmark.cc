// How fast the engine itself is: states a second on a graph that costs almost nothing to compute.
#include "benchmark/benchmark.h"
#include "model/engine/explorer.h"
#include "model/engine/synthetic_graph.h"

namespace model {
namespace {

void BM_Explore(benchmark::State& bench) {
  SyntheticGraph graph{.size = static_cast<uint64_t>(bench.range(0))};
  Statistics statistics;
  for (auto _ : bench) {
    statistics = Explorer(graph, {.faults_max = 3}).Explore().statistics;
  }
  const auto per_second = [&](uint64_t count) {
    return benchmark::Counter(static_cast<double>(count),
                              benchmark::Counter::kIsIterationInvariantRate);
  };
  bench.counters["states/s"] = per_second(statistics.states);
  bench.counters["edges/s"] = per_second(statistics.edges);
  bench.counters["states"] = static_cast<double>(statistics.states);
  bench.counters["bytes/state"] =
      static_cast<double>(statistics.bytes) / static_cast<double>(statistics.states);
}
BENCHMARK(BM_Explore)->Arg(10000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond);

void BM_KeyIndex(benchmark::State& bench) {
  for (auto _ : bench) {
    KeyIndex index;
    for (uint64_t i = 0; i < 1000000; ++i) index.Intern({i * 0x9e3779b97f4a7c15u, i / 2});
    benchmark::DoNotOptimize(index.size());
  }
  bench.SetItemsProcessed(bench.iterations() * 1000000);
}
BENCHMARK(BM_KeyIndex)->Unit(benchmark::kMillisecond);

void BM_AnalyseRecovery(benchmark::State& bench) {
  SyntheticGraph graph{.size = 1000000};
  Explorer explorer(graph, {.faults_max = 3});
  explorer.Explore();
  for (auto _ : bench) {
    benchmark::DoNotOptimize(AnalyseRecovery(explorer.recovery_graph(), explorer.nodes()));
  }
  bench.SetItemsProcessed(bench.iterations() * static_cast<int64_t>(explorer.nodes().size()));
}
BENCHMARK(BM_AnalyseRecovery)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace model
