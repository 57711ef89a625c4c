// Which change of the store wakes which resource, and with that, passes.

#include <google/protobuf/map.h>

#include <string>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

bool SameMap(const google::protobuf::Map<std::string, std::string>& a,
             const google::protobuf::Map<std::string, std::string>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a) {
    const auto found = b.find(key);
    if (found == b.end() || found->second != value) return false;
  }
  return true;
}

// Whether a change of a resource itself passes its watch's filter: a status write never does.
bool PassesFilter(Handle before, Handle after) {
  if (before == nullptr || after == nullptr) return true;
  const api::ObjectMeta& was = api::MetaOf(*before->message);
  const api::ObjectMeta& is = api::MetaOf(*after->message);
  if (was.generation() != is.generation()) return true;
  if (was.deletion_timestamp_ms() == 0 && is.deletion_timestamp_ms() != 0) return true;
  return after->key.kind == api::Kind::kPtahMigration &&
         (!SameMap(was.labels(), is.labels()) || !SameMap(was.annotations(), is.annotations()));
}

bool IsControlledBy(const StoredObject& object, const api::Key& resource) {
  for (const api::OwnerReference& owner : api::MetaOf(*object.message).owner_references()) {
    if (owner.controller() && owner.name() == resource.name &&
        owner.kind() == api::KindName(resource.kind)) {
      return true;
    }
  }
  return false;
}

// What of a stored resource the watches look at.
struct Interests {
  std::string policy;  // Its verification policy's ConfigMap.
  std::string realm;   // The PtahRealm it names.
};

Interests InterestsOf(const World& world, const api::Key& resource) {
  const Entry* entry = world.Find(resource);
  if (entry == nullptr) return {};
  if (resource.kind == api::Kind::kPtahSchema) {
    const api::PtahSchemaSpec& spec = entry->object->As<api::PtahSchema>().spec();
    return {spec.desired().verification_policy_from().name(), spec.target().realm_ref().name()};
  }
  const api::PtahMigrationSpec& spec = entry->object->As<api::PtahMigration>().spec();
  return {spec.artifact().verification_policy_from().name(), spec.target().realm_ref().name()};
}

bool Wakes(const World& world, const api::Key& resource, Handle before, Handle after) {
  const StoredObject& changed = after != nullptr ? *after : *before;
  const bool same_namespace = changed.key.namespace_ == resource.namespace_;
  const bool schema = resource.kind == api::Kind::kPtahSchema;
  switch (changed.key.kind) {
    case api::Kind::kPtahSchema:
    case api::Kind::kPtahMigration:
      return changed.key == resource && PassesFilter(before, after);
    case api::Kind::kJob:
      return same_namespace && IsControlledBy(changed, resource);
    case api::Kind::kPtahSchemaApproval:
      return schema && same_namespace &&
             changed.As<api::PtahSchemaApproval>().spec().schema_ref().name() == resource.name;
    case api::Kind::kPtahMigrationApproval:
      return !schema && same_namespace &&
             changed.As<api::PtahMigrationApproval>().spec().migration_ref().name() ==
                 resource.name;
    case api::Kind::kPtahMigrationRunAcknowledgment:
      return !schema && same_namespace &&
             changed.As<api::PtahMigrationRunAcknowledgment>().spec().migration_ref().name() ==
                 resource.name;
    case api::Kind::kConfigMap:
      return same_namespace && InterestsOf(world, resource).policy == changed.key.name;
    case api::Kind::kPtahRealm:
      // A migration is woken by every realm, a schema by the one it names.
      return !schema || InterestsOf(world, resource).realm == changed.key.name;
    case api::Kind::kPtahSchemaPlan:
    case api::Kind::kPtahSchemaPlanChunk:
    case api::Kind::kPtahMigrationPlan:
    case api::Kind::kLease:
    case api::Kind::kPod:
    case api::Kind::kServiceAccount:
    case api::Kind::kLimitRange:
    case api::Kind::kRuntimeClass:
    case api::Kind::kPriorityClass:
      return false;
  }
  return false;
}

}  // namespace

void WakeWatchers(World& world, Handle before, Handle after) {
  for (Process& process : world.processes) {
    if (!process.running) continue;
    for (Work& work : process.work) {
      if (work.due.when == Due::When::kNow) continue;
      if (Wakes(world, work.resource, before, after)) work.due = Due{.when = Due::When::kNow};
    }
  }
}

}  // namespace sim
