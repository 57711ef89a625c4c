// The worlds that scenarios begin in.
//
// A scenario lays down resources, their database and policy; everything up to the published plans
// is then done by the real lifecycle in a quiet world, so that no digest of a plan is ever copied
// from the code under test into a scenario. What only leads there (finished Jobs and their Pods) is
// swept away, and the run begins. Or it begins with the resource as a person created it.

#ifndef MODEL_SETUP_H_
#define MODEL_SETUP_H_

#include "absl/status/statusor.h"
#include "model/pass.h"
#include "sim/actors.h"
#include "sim/api_server.h"
#include "sim/world.h"

namespace model {

class Scenario;

// Names of what a scenario lays down.
inline constexpr char kScenarioNamespace[] = "shop";
inline constexpr char kScenarioResource[] = "a";

// Returns the world in which the run begins: plans are published, or (from_start) nothing is done
// yet, and nothing is in flight.
// Errors: FailedPrecondition when the quiet run does not lead there, with where it stands.
absl::StatusOr<sim::World> InitialWorld(const Scenario& scenario, const sim::ApiServer& server,
                                        const PassRunner& runner, const sim::Actors& actors,
                                        const sim::DigestOptions& digest);

// Returns what the scenario lets the world do.
sim::WorldRules RulesOf(const Scenario& scenario);

// Returns how many Apply claims a run follows.
int OperationsOf(const Scenario& scenario);

}  // namespace model

#endif  // MODEL_SETUP_H_
