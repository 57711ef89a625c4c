// The clock: it moves only to a time that something in the world is compared with.
//
// Targets are the deadlines and bounds named in objects (a stored deadline, a Job's window and TTL,
// the windows in which a Pod or a frame may still show), the requeues and timers of running
// processes, and what a rival waits for. A poll that read what it read last is no target: nothing
// it reads has changed, so it would read the same again (design.md, "A requeue is a lower bound").
//
// Answers: design.md, "Time is absolute in objects and relative in the key"; spec 01, 14.

#ifndef SIM_CLOCK_H_
#define SIM_CLOCK_H_

#include <vector>

#include "sim/actor.h"

namespace sim {

// Offers the clock's move, given the other steps offered: it costs nothing when a quiet world would
// do nothing else first, and is late otherwise.
void OfferClock(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
// Moves the clock; whatever is over at that instant by its own clock ends.
void TakeClockStep(const ActorContext& context, World& world);

}  // namespace sim

#endif  // SIM_CLOCK_H_
