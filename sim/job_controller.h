// The Job controller, and the controllers that tidy up after it: TTL and garbage collection.
//
// A stored Job's Pod is created and running in one step. With backoffLimit 0 a Pod that failed has
// no successor, so a Job has one Pod; it is Complete or Failed once that Pod has ended. A Job whose
// activeDeadlineSeconds have passed since its start has its Pod stopped and is Failed.
//
// Kubernetes does not promise that one Pod is all: a controller that restarts, or does not see the
// Pod it made, makes another ("the same program may sometimes be started twice"). Where the rules
// say so a Job may have a second Pod, whatever became of the first. A Job that is finished while a
// Pod of it still runs has that Pod deleted, which stops it later.
//
// Answers: api-server.md, "Jobs"; spec 01, 9; spec 05, S-35.

#ifndef SIM_JOB_CONTROLLER_H_
#define SIM_JOB_CONTROLLER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "sim/actor.h"

namespace sim {

// A Pod's name: of the Job and of how many Pods the Job had before it.
std::string PodNameOf(const lifecycle::api::Job& job, int32_t index);

// When the Job's time is over, or nullopt while it has not started, has no limit or is finished.
std::optional<int64_t> DeadlineOf(const lifecycle::api::Job& job);
// When a finished Job is to be removed, or nullopt when it is not finished or has no TTL.
std::optional<int64_t> RemovalTimeOf(const lifecycle::api::Job& job);

// Offers and takes kStartPod of a Job, kFinishJob, and kCollect.
void OfferJobSteps(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void OfferGarbage(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeJobStep(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_JOB_CONTROLLER_H_
