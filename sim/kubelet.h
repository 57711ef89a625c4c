// The kubelet: starts a Pod's containers, ends them, and says so in the Pod's status.
//
// What a run reports is the runner's business (sim/runner.h); how much of it reaches the API is
// decided here, by how the container ended: everything, the frame but no termination summary, or
// nothing. Of a run whose node is out of reach (sim/node.h) nothing reaches it.
//
// Answers: spec 01, 10 and 11; spec 02, U-3, U-6.

#ifndef SIM_KUBELET_H_
#define SIM_KUBELET_H_

#include <optional>
#include <string>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "sim/actor.h"
#include "sim/runner.h"

namespace sim {

// True when every volume the Pod mounts is there: a container waits for a ConfigMap that is not.
bool VolumesExist(const World& world, const lifecycle::api::Pod& pod);

// Starts the containers of a stored Pod: it is Running, and its run waits to start its child. A Pod
// whose volumes are missing is Pending instead. `database` is the one its URL happens to open,
// where that is not the one it should (DatabaseOf).
void StartContainers(const ApiServer& server, World& world, const lifecycle::api::Key& pod,
                     std::optional<int32_t> database = std::nullopt);

// How much of its report a container leaves behind.
enum class Leaves { kEverything, kFrameOnly, kNothing };

struct ContainerEnd {
  Ending ending = Ending::kByItself;
  Leaves leaves = Leaves::kEverything;
  bool disturbed = false;    // Something other than the run itself ended it.
  std::string pod_reason{};  // Of the Pod's status, such as DeadlineExceeded.
};

// Ends the run of a Pod: truth, and unless its node is out of reach log, termination message and
// Pod status.
void EndContainer(const ApiServer& server, World& world, const std::string& pod_uid,
                  const ContainerEnd& end);

// Ends a Pod that never started its containers, or whose containers nobody hears of any more.
void FailPod(const ApiServer& server, World& world, const lifecycle::api::Key& pod,
             const std::string& reason);

// Removes every Pod that is marked for deletion and has ended, and forgets the runs of Pods that
// are gone.
void RemoveEndedPods(const ApiServer& server, World& world);

// Kills every child whose executionNotAfter and stop grace are past (U-3), on a node within reach
// or not. The clock calls it at every move, so no child outlives that instant.
void EndOverdueRuns(const ApiServer& server, World& world);

// The stored Pod of a run, or nullptr when it is gone.
const Entry* PodOf(const World& world, const Run& run);
// True while nothing the run does reaches the API.
bool IsUnheard(const World& world, const Run& run);

// Offers and takes kRun, kKillPod, kLoseLog, and kStartPod of a Pod that waits.
void OfferPodSteps(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakePodStep(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_KUBELET_H_
