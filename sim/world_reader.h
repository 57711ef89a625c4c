// A World as whoever may read all of it sees it: objects with their versions.

#ifndef SIM_WORLD_READER_H_
#define SIM_WORLD_READER_H_

#include <string>
#include <vector>

#include "lifecycle/api/admission.h"
#include "sim/world.h"

namespace sim {

// Direct reads of a world, for webhooks and for the server itself. The world outlives it.
class WorldReader final : public lifecycle::api::DirectReader {
 public:
  explicit WorldReader(const World& world) : world_(world) {}

  lifecycle::api::AnyStored Read(const lifecycle::api::Key& key) const override;
  std::vector<lifecycle::api::AnyStored> List(lifecycle::api::Kind kind,
                                              const std::string& namespace_) const override;
  int64_t WallMs() const override { return world_.now_ms; }

 private:
  const World& world_;
};

}  // namespace sim

#endif  // SIM_WORLD_READER_H_
