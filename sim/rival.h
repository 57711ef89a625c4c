// A rival claimant of a realm: it takes the Lease, changes the database, and gives the Lease back.
//
// It keeps the rules the operator keeps: it takes a Lease that is absent, released or lawfully
// lapsed, its executor works only while it holds the Lease and ends a minute before that could
// lapse, and it releases only what is its own. In the truth it is an operation of type "Rival".
//
// Answers: spec 05, S-10, S-22.

#ifndef SIM_RIVAL_H_
#define SIM_RIVAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/actor.h"
#include "sim/lease_watch.h"

namespace sim {

// The id of the operation that this rival's round is in the truth.
std::string RivalOperationId(size_t rival, const Rival& state);

// The next instant the rival waits for or is bound by; 0 when there is none.
int64_t RivalTimeOf(const World& world, const Rival& rival);

// Ends the executors of rivals whose time is over.
void EndOverdueRivals(World& world);

// Offers and takes kRival.
void OfferRivals(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeRivalStep(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_RIVAL_H_
