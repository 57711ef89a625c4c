#include "sim/world_reader.h"

namespace sim {

namespace api = lifecycle::api;

api::AnyStored WorldReader::Read(const api::Key& key) const {
  const Entry* entry = world_.Find(key);
  return entry == nullptr ? api::AnyStored{}
                          : api::AnyStored{entry->object->message, entry->version};
}

std::vector<api::AnyStored> WorldReader::List(api::Kind kind, const std::string& namespace_) const {
  std::vector<api::AnyStored> list;
  for (const Entry& entry : world_.objects) {
    if (entry.object->key.kind != kind) continue;
    if (namespace_.empty() || entry.object->key.namespace_ == namespace_) {
      list.push_back(api::AnyStored{entry.object->message, entry.version});
    }
  }
  return list;
}

}  // namespace sim
