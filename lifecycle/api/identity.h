// Names that are digests of what they name, and that the world outside the controllers must know.
//
// A claim's operation ID and the holder identity a Lease grants are made by the lifecycle; whoever
// keeps the truth about operations has to make them as well, so they are said once, here.
//
// Answers: spec 01, 8 (holderIdentity); D-2.

#ifndef LIFECYCLE_API_IDENTITY_H_
#define LIFECYCLE_API_IDENTITY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lifecycle::api {

// What random tokens are drawn for (Client::Random16).
inline constexpr char kOperationPurpose[] = "operation id";  // A claim's nonce.
inline constexpr char kLeaseEpochPurpose[] = "lease epoch";  // The epoch of an acquisition.

// D-2. Returns the operation ID: the digest of the claim's input fingerprint and its 16-byte nonce.
std::string OperationId(absl::string_view input_fingerprint, absl::string_view nonce);

// Returns `ptah-h-` and the lowercase base32 of SHA-256(resource UID, zero byte, operation ID).
std::string HolderIdentity(absl::string_view resource_uid, absl::string_view operation_id);

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_IDENTITY_H_
