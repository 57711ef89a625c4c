// A replayed path as lines for people: what happened, what each pass did at the door, what broke.

#ifndef MODEL_TIMELINE_H_
#define MODEL_TIMELINE_H_

#include <string>
#include <vector>

#include "model/engine/replay.h"
#include "sim/world.h"

namespace model {

// Returns the timeline, the same bytes for the same path. At most `entries_max` entries.
std::vector<std::string> TimelineOf(const Replayed<sim::World>& replayed);

// What a fresh process can read in this world: objects, logs, the time. One line each.
std::vector<std::string> DescribeView(const sim::World& world);

// What really happened: operations, executors, databases. One line each.
std::vector<std::string> DescribeTruth(const sim::World& world);

}  // namespace model

#endif  // MODEL_TIMELINE_H_
