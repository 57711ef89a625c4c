#include "sim/node.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/kind.h"
#include "sim/kubelet.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr char kNodeLost[] = "NodeLost";

class NodeOffers {
 public:
  NodeOffers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps)
      : context_(context), world_(world), steps_(steps) {}

  void Offer(const Run& run) {
    const Entry* entry = PodOf(world_, run);
    if (entry == nullptr) return;  // Forgotten already.
    key_ = entry->object->key;
    if (run.lost_at_ms != 0) return OfferAfterwards(run, entry->object->As<api::Pod>());
    if (!context_.rules.lost_nodes || run.state == RunState::kEnded) return;
    // A reader is lost in its first attempt only: later ones repeat it under other names.
    const OperationTruth* operation = OperationOf(world_, run.operation_id);
    if (operation != nullptr && !operation->mutating && operation->job_names.size() > 1) return;
    Add("lose", 1, "lose the node of");
    Add("die", 1, "lose the node and the executor of");
  }

 private:
  void OfferAfterwards(const Run& run, const api::Pod& pod) {
    const bool alive = run.state != RunState::kEnded;
    if (alive && pod.metadata().deletion_timestamp_ms() == 0 && !HasEnded(pod)) {
      Add("return", 1, "the node is back of");
    }
    if (world_.now_ms < NodeForgottenAtMs(run)) return;
    if (!HasEnded(pod)) return Add("fail", 0, "give up");
    Add("forget", 0, "forget");
  }

  void Add(const char* what, int32_t cost, absl::string_view words) {
    OfferStep(steps_, {.kind = StepKind::kNode, .what = what, .target = key_, .cost = cost},
              absl::StrCat(words, " ", api::ShortName(key_)));
  }

  const ActorContext& context_;
  const World& world_;
  std::vector<WorldStep>& steps_;
  api::Key key_;
};

void Lose(const ApiServer& server, World& world, const std::string& uid, bool executor_dies) {
  EditRun(world, uid)->lost_at_ms = world.now_ms;
  world.logs.Edit(uid).unreadable = true;
  if (OperationTruth* operation = EditOperation(world, RunOf(world, uid)->operation_id)) {
    operation->disturbed = true;
  }
  if (!executor_dies) return;
  EndContainer(server, world, uid,
               {.ending = Ending::kKilled, .leaves = Leaves::kNothing, .disturbed = true});
}

}  // namespace

void OfferNodeSteps(const ActorContext& context, const World& world,
                    std::vector<WorldStep>& steps) {
  NodeOffers offers(context, world, steps);
  for (const Cow<Run>& run : world.runs) offers.Offer(*run);
}

void TakeNodeStep(const ActorContext& context, World& world, const WorldStep& step) {
  const ApiServer& server = context.server;
  const Entry* entry = world.Find(step.target);
  STOPGAP_CHECK(entry != nullptr, "a node's step is taken where it was offered");
  const std::string uid = entry->object->As<api::Pod>().metadata().uid();
  if (step.what == "lose" || step.what == "die") {
    return Lose(server, world, uid, step.what == "die");
  }
  if (step.what == "return") {
    EditRun(world, uid)->lost_at_ms = 0;
    world.logs.Edit(uid).unreadable = false;
    return;
  }
  if (step.what == "fail") return FailPod(server, world, step.target, kNodeLost);
  // What a collector of orphaned Pods does: it does not wait for a kubelet.
  Delete(server, world, kKubelet, step.target);
  RemoveEndedPods(server, world);
}

}  // namespace sim
