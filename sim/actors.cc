#include "sim/actors.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "sim/actor.h"
#include "sim/clock.h"
#include "sim/informers.h"
#include "sim/job_controller.h"
#include "sim/kubelet.h"
#include "sim/node.h"
#include "sim/people.h"
#include "sim/rival.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

void OfferDeliveries(const World& world, std::vector<WorldStep>& steps) {
  for (size_t at = 0; at < world.in_flight.size(); ++at) {
    const api::Key& key = world.in_flight[at].request.key;
    for (const char* what : {"store", "lose"}) {
      OfferStep(steps,
                {.kind = StepKind::kDeliver,
                 .what = what,
                 .target = key,
                 .option = static_cast<int32_t>(at)},
                absl::StrCat(what, " the write of ", api::ShortName(key), " in flight"));
    }
  }
}

// A request that was admitted before is stored as it was admitted; any other is judged now.
void Deliver(const ApiServer& server, World& world, const WorldStep& step) {
  const InFlight request = world.in_flight[step.option];
  world.in_flight.erase(world.in_flight.begin() + step.option);
  if (step.what == "store") {
    if (request.admitted) {
      server.Store(world, Admitted{.request = request.request});
    } else {
      server.Write(world, request.request);
    }
  }
  CountFlying(world);
}

}  // namespace

Actors::Actors(const ApiServer& server, WorldRules rules)
    : server_(server), rules_(std::move(rules)) {}

std::vector<WorldStep> Actors::Offer(const World& world) const {
  const ActorContext context{server_, rules_};
  std::vector<WorldStep> steps;
  OfferJobSteps(context, world, steps);
  OfferPodSteps(context, world, steps);
  OfferNodeSteps(context, world, steps);
  OfferGarbage(context, world, steps);
  OfferPeople(context, world, steps);
  OfferRivals(context, world, steps);
  OfferDeliveries(world, steps);
  OfferInformers(context, world, steps);
  OfferClock(context, world, steps);
  return steps;
}

bool Actors::AwaitsApproval(const World& world, const api::Key& resource) const {
  return sim::AwaitsApproval(server_, world, resource);
}

void Actors::Take(World& world, const WorldStep& step) const {
  const ActorContext context{server_, rules_};
  switch (step.kind) {
    case StepKind::kStartPod:
      return step.target.kind == api::Kind::kJob ? TakeJobStep(context, world, step)
                                                 : TakePodStep(context, world, step);
    case StepKind::kRun:
    case StepKind::kKillPod:
    case StepKind::kLoseLog:
      return TakePodStep(context, world, step);
    case StepKind::kFinishJob:
    case StepKind::kCollect:
      return TakeJobStep(context, world, step);
    case StepKind::kAdvanceClock:
      return TakeClockStep(context, world);
    case StepKind::kPerson:
      return TakePersonStep(context, world, step);
    case StepKind::kRival:
      return TakeRivalStep(context, world, step);
    case StepKind::kDeliver:
      return Deliver(server_, world, step);
    case StepKind::kInformers:
      return TakeInformersStep(world, step);
    case StepKind::kNode:
      return TakeNodeStep(context, world, step);
  }
}

}  // namespace sim
