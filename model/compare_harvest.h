// One harvest with and without what it is read from (S-31).

#ifndef MODEL_COMPARE_HARVEST_H_
#define MODEL_COMPARE_HARVEST_H_

#include <optional>
#include <string>

#include "model/pass.h"
#include "sim/world.h"

namespace model {

// Compares what a pass records of the ended Apply of its resource when the frame is there, when it
// is not, when it is another attempt's, and when the summary beside it says something else. `fresh`
// is a world whose process has just started. Returns nullopt when there is no such Apply to read;
// empty when all is well; else what is wrong.
std::optional<std::string> CompareHarvests(const sim::World& fresh, PassId id,
                                           const PassRunner& runner, sim::Interner& interner);

}  // namespace model

#endif  // MODEL_COMPARE_HARVEST_H_
