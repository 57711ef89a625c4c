// What a migration's claims and plans are decided from, as digests.
//
// Answers: spec 02, D-1; spec 01, 4, 6, 13.

#ifndef LIFECYCLE_MIGRATION_INPUTS_H_
#define LIFECYCLE_MIGRATION_INPUTS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::api {
class ConfigMap;
}

namespace lifecycle::migration {

// The verification policy as it stands. An object made again with the same bytes has another UID,
// and so is another policy.
struct VerificationPolicy {
  std::string uid;
  std::string digest;
  friend bool operator==(const VerificationPolicy&, const VerificationPolicy&) = default;
};

// The policy `selector` names in `config_map`, none when the key is not there.
std::optional<VerificationPolicy> PolicyIn(const api::ConfigMap& config_map,
                                           const api::ConfigMapKeySelector& selector);

// A direct read. None: there is no such object or key. Errors: the read itself failed.
absl::StatusOr<std::optional<VerificationPolicy>> ReadVerificationPolicy(Pass& pass);

// D-1: the digest of everything a claim of this type is decided from. `policy` is looked at for
// Verify alone.
std::string InputFingerprint(absl::string_view type,
                             const std::optional<VerificationPolicy>& policy, const Pass& pass);

// What is known of a claim's inputs now, compared with what it was decided from.
enum class Inputs { kHold, kMoved, kUnreadable };
// Errors: a read failed, so nothing is known.
absl::StatusOr<Inputs> InputsOf(Pass& pass);

// The realm's digest of the resource's own spec.
std::string CoordinationDigestOf(const Pass& pass);
std::string CoordinationDigestOf(const api::PtahMigration& migration);
// What of the spec decides how a plan is run.
std::string PolicyFingerprintOf(const api::PtahMigrationSpec& spec);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_INPUTS_H_
