#include "lifecycle/dispatch/fence.h"

#include <initializer_list>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/rules/version_fence.h"

namespace lifecycle::dispatch {
namespace {

using Version = std::optional<int64_t>;

template <class Record>
Version VersionOf(bool present, const Record& record) {
  if (!present) return std::nullopt;
  return record.controller_state_version();
}

template <class Object>
absl::Status Judge(const Object& object, std::initializer_list<Version> stored, int64_t supported) {
  if (rules::PassAllowed(stored, supported)) return absl::OkStatus();
  for (const Version& version : stored) {
    if (rules::VersionAccepted(version, supported)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(api::KindName(api::KindOf<Object>()), " ", object.metadata().namespace_(), "/",
                     object.metadata().name(), " holds state of version ", *version,
                     ", and this manager knows versions 0 to ", supported));
  }
  return absl::OkStatus();
}

template <class Object>
absl::Status CheckAll(api::Client& client, int64_t supported) {
  const absl::StatusOr<std::vector<api::Stored<Object>>> listed = client.List<Object>("");
  if (!listed.ok()) return listed.status();
  for (const api::Stored<Object>& one : *listed) {
    if (absl::Status known = StateSupported(*one, supported); !known.ok()) return known;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status StateSupported(const api::PtahSchema& schema, int64_t supported) {
  const api::PtahSchemaStatus& status = schema.status();
  const api::PendingObservation& proof = status.pending_observation();
  return Judge(schema,
               {VersionOf(status.has_execution_binding(), status.execution_binding()),
                VersionOf(status.has_plan(), status.plan()),
                VersionOf(status.has_applied(), status.applied()),
                VersionOf(proof.has_plan(), proof.plan())},
               supported);
}

absl::Status StateSupported(const api::PtahMigration& migration, int64_t supported) {
  const api::PtahMigrationStatus& status = migration.status();
  return Judge(migration, {VersionOf(status.has_execution_binding(), status.execution_binding())},
               supported);
}

absl::Status StateSupported(const api::PtahSchemaPlan& plan, int64_t supported) {
  return Judge(plan, {Version(plan.spec().controller_state_version())}, supported);
}

absl::Status StateSupported(const api::PtahMigrationPlan& plan, int64_t supported) {
  return Judge(plan, {Version(plan.spec().controller_state_version())}, supported);
}

absl::Status CheckStoredState(api::Client& client, int64_t supported) {
  if (absl::Status known = CheckAll<api::PtahSchema>(client, supported); !known.ok()) return known;
  if (absl::Status known = CheckAll<api::PtahMigration>(client, supported); !known.ok()) {
    return known;
  }
  if (absl::Status known = CheckAll<api::PtahSchemaPlan>(client, supported); !known.ok()) {
    return known;
  }
  return CheckAll<api::PtahMigrationPlan>(client, supported);
}

}  // namespace lifecycle::dispatch
