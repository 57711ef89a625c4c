// A world in which every condition reason and every phase says something else (S-45).

#include <cstdint>
#include <memory>
#include <utility>

#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/compare.h"
#include "model/objects.h"

namespace model {
namespace {

namespace api = lifecycle::api;

constexpr char kOtherReason[] = "SaysSomethingElse";
// Tells this recipe from those of the API server's changes (sim/interner.h).
constexpr uint64_t kScrambleRecipe = 0x5C4A;

template <class Conditions>
void ScrambleReasons(Conditions& conditions) {
  for (auto& condition : conditions) condition.set_reason(kOtherReason);
}

template <class Resource>
void ScrambleResource(Resource& resource) {
  ScrambleReasons(*resource.mutable_status()->mutable_conditions());
  const std::string& phase = resource.status().phase();
  if (phase == api::phase::kFailed) return;
  resource.mutable_status()->set_phase(phase == api::phase::kInSync ? api::phase::kPending
                                                                    : api::phase::kInSync);
}

// `change` is a function of the object alone, so each object is rewritten once per run.
template <class T, class Change>
void Rewrite(sim::Entry& entry, sim::Interner& interner, Change change) {
  const sim::Hash128 recipe = sim::Hasher().Int(kScrambleRecipe).Hash(entry.object->exact).Finish();
  sim::Handle rewritten = interner.Recall(recipe);
  if (rewritten == nullptr) {
    auto next = std::make_shared<T>(entry.object->As<T>());
    change(*next);
    rewritten = interner.Intern(entry.object->key.kind, std::move(next));
    interner.Remember(recipe, rewritten);
  }
  entry.object = rewritten;
}

// Tells the kinds of verdicts, and nothing of their truth.
class ConclusionCollector final : public PassObserver {
 public:
  void Sent(const SentWrite& write, const PassTrace& trace) override {
    for (const Judgement& judgement : Judge(write, trace)) {
      conclusion.verdicts.Add(judgement.verdict);
    }
    conclusion.cleans |= write.writes.Has(17);
  }
  Conclusion conclusion;
};

}  // namespace

sim::World Scrambled(const sim::World& world, sim::Interner& interner) {
  sim::World scrambled = world;
  const auto reasons = [](auto& object) {
    ScrambleReasons(*object.mutable_status()->mutable_conditions());
  };
  for (sim::Entry& entry : scrambled.objects) {
    switch (entry.object->key.kind) {
      case api::Kind::kPtahSchema:
        Rewrite<api::PtahSchema>(entry, interner, [](auto& one) { ScrambleResource(one); });
        break;
      case api::Kind::kPtahMigration:
        Rewrite<api::PtahMigration>(entry, interner, [](auto& one) { ScrambleResource(one); });
        break;
      case api::Kind::kPtahSchemaApproval:
        Rewrite<api::PtahSchemaApproval>(entry, interner, reasons);
        break;
      case api::Kind::kPtahMigrationApproval:
        Rewrite<api::PtahMigrationApproval>(entry, interner, reasons);
        break;
      case api::Kind::kJob:
        Rewrite<api::Job>(entry, interner, reasons);
        break;
      default:
        break;
    }
  }
  return scrambled;
}

Conclusion ConclusionOf(const PassRunner& runner, const sim::World& world, PassId id) {
  ConclusionCollector collector;
  runner.Run(world, id, true, nullptr, &collector);
  return collector.conclusion;
}

}  // namespace model
