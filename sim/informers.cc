#include "sim/informers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

constexpr char kLag[] = "lag";
constexpr char kCatchUp[] = "catch-up";

// What is ever read from a cache (spec 01, 0.2, 1).
constexpr api::Kind kCached[] = {
    api::Kind::kPtahSchema,
    api::Kind::kPtahMigration,
    api::Kind::kPtahRealm,
    api::Kind::kPtahSchemaApproval,
    api::Kind::kPtahMigrationRunAcknowledgment,
};

bool IsCached(const Entry& entry) { return MayBeCached(entry.object->key.kind); }

}  // namespace

bool MayBeCached(api::Kind kind) {
  return std::find(std::begin(kCached), std::end(kCached), kind) != std::end(kCached);
}

void OfferInformers(const ActorContext& context, const World& world,
                    std::vector<WorldStep>& steps) {
  if (!context.rules.old_caches) return;
  for (size_t i = 0; i < world.processes.size(); ++i) {
    const Process& process = world.processes[i];
    if (!process.running) continue;
    const bool lags = process.cache != nullptr;
    // However long it takes: nothing waits for it, so its deadlines pass meanwhile.
    OfferStep(steps,
              {.kind = StepKind::kInformers,
               .what = lags ? kCatchUp : kLag,
               .option = static_cast<int32_t>(i),
               .cost = lags ? 0 : 1,
               .patient = true},
              absl::StrCat("the caches of ", process.name, lags ? " catch up" : " lag behind"));
  }
}

void TakeInformersStep(World& world, const WorldStep& step) {
  Process& process = world.processes[step.option];
  if (step.what == kCatchUp) {
    process.cache = nullptr;
    for (Work& work : process.work) work.due = Due{.when = Due::When::kNow};
    return;
  }
  process.cache = CacheOf(world);
}

std::shared_ptr<const std::vector<Entry>> CacheOf(const World& world) {
  std::vector<Entry> cache;
  std::copy_if(world.objects.begin(), world.objects.end(), std::back_inserter(cache), IsCached);
  return std::make_shared<const std::vector<Entry>>(std::move(cache));
}

World ShownBy(const World& world, const Process& process) {
  if (process.cache == nullptr) return world;
  World shown;
  shown.now_ms = world.now_ms;
  shown.objects = *process.cache;
  return shown;
}

}  // namespace sim
