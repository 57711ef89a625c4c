// What holding a Job to its claim costs: a supervising pass does it once.

#include "benchmark/benchmark.h"
#include "lifecycle/rules/job_claim.h"
#include "lifecycle/rules/job_fixture.h"

namespace lifecycle::rules {
namespace {

void BM_MatchBuilt(benchmark::State& state) {
  const JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  for (auto _ : state) benchmark::DoNotOptimize(claim.MatchOwn(MatchMode::kBuiltStored));
}
BENCHMARK(BM_MatchBuilt);

void BM_MatchEnvelope(benchmark::State& state) {
  const JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  for (auto _ : state) benchmark::DoNotOptimize(claim.MatchOwn(MatchMode::kEnvelope));
}
BENCHMARK(BM_MatchEnvelope);

void BM_TemplateDigest(benchmark::State& state) {
  const JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  for (auto _ : state) {
    benchmark::DoNotOptimize(TemplateDigest(claim.stored.spec().template_(), *claim.started_at_ms));
  }
}
BENCHMARK(BM_TemplateDigest);

void BM_ValidateSnapshot(benchmark::State& state) {
  const JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  for (auto _ : state) benchmark::DoNotOptimize(ValidateSnapshot(claim.snapshot));
}
BENCHMARK(BM_ValidateSnapshot);

}  // namespace
}  // namespace lifecycle::rules
