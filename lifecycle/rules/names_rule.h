// Every name the lifecycle makes, from what it names.
//
// A name is a function of its inputs and of nothing else, so a stopped pass finds again what it
// made, and no two claims can reserve one Job name. Each changes when any one of its inputs does.
//
// Answers: spec 01, 3.1, 3.2, 6, 8, 9; D-2, D-4.

#ifndef LIFECYCLE_RULES_NAMES_RULE_H_
#define LIFECYCLE_RULES_NAMES_RULE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace lifecycle::rules {

// Jobs ---------------------------------------------------------------------------------------

struct JobNameInputs {
  absl::string_view operation_type = "";
  absl::string_view resource_name = "";
  absl::string_view resource_uid = "";
  absl::string_view operation_id = "";
  absl::string_view epoch = "";  // The execution binding's.
  absl::string_view input_fingerprint = "";
  int64_t attempt = 1;
};

// Returns a DNS label of at most 63 characters: the operation type and the resource's name for a
// reader, then the first 16 hex digits of SHA-256 over UID, type, operation ID, epoch, input
// fingerprint and attempt, joined by NUL. No input holds a NUL: Kubernetes stores no such name.
std::string NameFor(const JobNameInputs& inputs);

// Returns the operation ID: the digest of the input fingerprint and a fresh nonce of 16 bytes.
std::string OperationId(absl::string_view input_fingerprint, absl::string_view nonce);

// Label values of a Job. A label value is at most 63 characters and ends in a letter or digit.
std::string OperationLabel(absl::string_view operation_type);    // In lower case.
std::string ShortOperationHash(absl::string_view operation_id);  // 16 hex digits.
std::string LabelValue(absl::string_view resource_name);         // Truncated.

// Realms and Leases ---------------------------------------------------------------------------

struct RealmIdentity {
  absl::string_view engine = "";
  // Either a key inside a namespace, or the name of a PtahRealm.
  absl::string_view namespace_ = "";
  absl::string_view coordination_key = "";
  absl::string_view realm_name = "";
};

// Returns the coordination digest. The spellings of one engine family give one digest; a key is
// digested as written. A key and a realm never collide.
std::string CoordinationDigest(const RealmIdentity& realm);

// Returns the family's one spelling: postgres, postgresql, pgx give "postgresql"; mysql, mariadb
// give "mysql"; anything else itself.
absl::string_view CanonicalEngine(absl::string_view engine);
// True for the two families that are supported, in any of their spellings.
bool IsSupportedEngine(absl::string_view engine);

// Returns the Lease of a coordination digest. Aborts when it is not a digest.
std::string LeaseName(absl::string_view coordination_digest);

// Returns the Lease holder identity, unique to (resource UID, operation ID).
std::string HolderIdentity(absl::string_view resource_uid, absl::string_view operation_id);

// Returns the epoch a claim expects before it has taken its Lease: made from its ID, so it never
// equals one the locker assigns (D-4).
std::string ExpectedLeaseToken(absl::string_view operation_id);

// Returns an epoch of 16 random bytes.
std::string EpochFromRandom(absl::string_view sixteen_bytes);

// Plans --------------------------------------------------------------------------------------

// Two publications of one decision are one object: the name is the fingerprint's.
std::string PlanName(absl::string_view fingerprint);
std::string MigrationPlanName(absl::string_view fingerprint);
// Returns the name of a plan's chunk, and of its projection: "<plan>-007".
std::string ChunkName(absl::string_view plan_name, int64_t index);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_NAMES_RULE_H_
