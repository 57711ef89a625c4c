// A node that is out of reach: what the API says of its Pods is no longer what they do.
//
// The Pod's stored status stays as it was, its log cannot be read, and its executor goes on until
// its own clock ends it, or is dead, and nobody can tell which. After a while the cluster gives the
// Pod up: it is called Failed, and then forgotten, although its process may still run. A node that
// comes back first reports what its Pod does.
//
// Answers: api-server.md, "Pods and logs"; spec 05, S-10 and S-18 ("Pods may outlive
// their Job and their node's reachability").

#ifndef SIM_NODE_H_
#define SIM_NODE_H_

#include <vector>

#include "sim/actor.h"

namespace sim {

// Offers and takes kNode. Nodes are lost where the rules say so; what follows is no fault.
void OfferNodeSteps(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeNodeStep(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_NODE_H_
