// Small readings of API objects that the registry, the verdicts and the properties share.

#ifndef MODEL_OBJECTS_H_
#define MODEL_OBJECTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/lease_watch.h"
#include "sim/world.h"

namespace model {

// Whether two messages of one type are equal, field by field.
bool SameMessage(const google::protobuf::Message& a, const google::protobuf::Message& b);

// Whether the list holds a condition of this type whose status is True.
template <class Conditions>
bool IsTrue(const Conditions& conditions, absl::string_view type) {
  for (const auto& condition : conditions) {
    if (absl::string_view(condition.type()) == type) return condition.status() == "True";
  }
  return false;
}

// The part of a resource's status that both families have; null for other kinds.
struct ResourceView {
  sim::Family family = sim::Family::kSchema;
  const lifecycle::api::Key* key = nullptr;
  const lifecycle::api::ObjectMeta* meta = nullptr;
  const lifecycle::api::ActiveOperation* claim = nullptr;       // Null: no claim.
  const lifecycle::api::PendingLockRelease* release = nullptr;  // Null: nothing owed.
  const lifecycle::api::PendingObservation* proof = nullptr;    // Schema only.
  const lifecycle::api::UnresolvedRun* unresolved = nullptr;    // Migration only.
  const lifecycle::api::PtahSchema* schema = nullptr;
  const lifecycle::api::PtahMigration* migration = nullptr;
  const std::string* phase = nullptr;
};

// Reads a PtahSchema or PtahMigration. `key` is null in the result for anything else.
ResourceView ViewOf(sim::Handle object);

// Whether the claim may have dispatched (spec 03, 2).
inline bool MayHaveDispatched(const lifecycle::api::ActiveOperation& claim) {
  return claim.dispatch_started() || !claim.job_uid().empty();
}

inline bool IsApply(const lifecycle::api::ActiveOperation& claim) {
  return claim.type() == "Apply";
}

// The Lease of a realm, or null.
const lifecycle::api::Lease* LeaseOf(const sim::World& world,
                                     absl::string_view coordination_digest);
using sim::EpochOf;

// Asks the one matcher whether the Job with this UID is the one that the resource's stored claim
// fixes (rules::Match, envelope mode). Errors: why not, or that there is no such Job or claim.
absl::Status MatchesClaim(const sim::World& world, const lifecycle::api::Key& resource,
                          absl::string_view job_uid);

// Why the acknowledgment that `resolved` names does not settle the unresolved run of `before`, the
// migration just before the write; empty when it does (S-27).
std::string WhyNotAcknowledged(const sim::World& world, const lifecycle::api::PtahMigration& before,
                               const lifecycle::api::ResolvedRun& resolved);

// Whether a Job is terminal.
bool IsTerminal(const lifecycle::api::Job& job);

}  // namespace model

#endif  // MODEL_OBJECTS_H_
