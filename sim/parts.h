// The digests of a World's parts, by name: what tells in words how two states differ.

#ifndef SIM_PARTS_H_
#define SIM_PARTS_H_

#include <string>
#include <utility>
#include <vector>

#include "sim/hash.h"
#include "sim/world.h"

namespace sim {

// Stored objects by kind, logs, memory and truth: what the state key is made of, in a fixed order.
std::vector<std::pair<std::string, Hash128>> PartDigests(const World& world,
                                                         const DigestOptions& options);

}  // namespace sim

#endif  // SIM_PARTS_H_
