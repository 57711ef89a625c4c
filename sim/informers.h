// A manager's informers: what its cached reads are answered from.
//
// A cache may stand still while the store goes on, and catches up at once. It is never newer than
// the store, and only cached reads see it. Its process is woken as if it were up to date, and once
// more when it catches up: a pass may run at any time, so that loses no behaviour.
//
// Answers: design.md, "a cached read that is old"; spec 01, 0.2, 1; Q-6.

#ifndef SIM_INFORMERS_H_
#define SIM_INFORMERS_H_

#include <memory>
#include <vector>

#include "lifecycle/api/kind.h"
#include "sim/actor.h"

namespace sim {

// Offers and takes kInformers.
void OfferInformers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeInformersStep(World& world, const WorldStep& step);

// Whether objects of this kind may be read from a cache at all (spec 01, 0.2, 1): every other read
// goes to the server, and a cache that lags shows nothing of them.
bool MayBeCached(lifecycle::api::Kind kind);

// Returns what the informers of a process show that begin to lag behind now.
std::shared_ptr<const std::vector<Entry>> CacheOf(const World& world);

// Returns the world as cached reads of the process show it: itself while its caches are up to date,
// else a world with nothing but the objects that they hold.
World ShownBy(const World& world, const Process& process);

}  // namespace sim

#endif  // SIM_INFORMERS_H_
