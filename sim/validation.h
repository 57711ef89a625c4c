// What a server refuses as Invalid: the schema's and the built-in kinds' own rules.
//
// Answers: api-server.md, "Admission", "Deletion"; spec 01, 3 to 7 (immutable specs).

#ifndef SIM_VALIDATION_H_
#define SIM_VALIDATION_H_

#include "absl/status/status.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/kind.h"

namespace sim {

// Judges an object that is to be created. Errors: Invalid.
absl::Status ValidateCreate(const lifecycle::api::Key& key,
                            const google::protobuf::Message& object);

// Judges a change of the main resource from `before` to `after`. Errors: Invalid.
absl::Status ValidateChange(const lifecycle::api::Key& key, const google::protobuf::Message& before,
                            const google::protobuf::Message& after);

// Judges what a client says about the metadata that only the server sets: a time of deletion or of
// creation that is not the stored one. Saying nothing leaves it as it is.
absl::Status ValidateServerMetadata(const lifecycle::api::Key& key,
                                    const google::protobuf::Message& before,
                                    const lifecycle::api::Request& request);

}  // namespace sim

#endif  // SIM_VALIDATION_H_
