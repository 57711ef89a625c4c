// What a claim is decided from, as one digest.
//
// The fingerprint is stored in the claim and computed again before the dispatch and once the Job is
// done: a claim whose inputs moved is not dispatched, and a run whose inputs moved is not read. It
// digests the generation, so any edit of the spec moves it, suspension included.
//
// Answers: spec 02, D-1; S-48.

#ifndef LIFECYCLE_SCHEMA_INPUTS_H_
#define LIFECYCLE_SCHEMA_INPUTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::schema {

// The verification policy's object and content, which a Verify is claimed under.
struct PolicyIdentity {
  std::string uid;
  std::string digest;
  friend bool operator==(const PolicyIdentity&, const PolicyIdentity&) = default;
};

// Returns the digest of what a claim of `type` would be decided from now. `policy` is looked at for
// a Verify only.
std::string InputFingerprint(const api::PtahSchema& schema, absl::string_view type,
                             const PolicyIdentity& policy);

// True when the claim's inputs are what they were when it was claimed.
bool InputsHold(const api::PtahSchema& schema, const api::ActiveOperation& claim);

// The artifact as status pins it, with the access the spec gives to it.
api::OciAccess SourceAccess(const api::PtahSchema& schema);
// The database the spec names.
api::TargetBinding TargetOf(const api::PtahSchema& schema);
// The realm the spec names (spec 01, 6).
std::string CoordinationDigest(const api::PtahSchema& schema);
// Policy, engine and connect timeout, folded into one digest (spec 01, 1.1).
std::string PolicyFingerprint(const api::PtahSchema& schema);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_INPUTS_H_
