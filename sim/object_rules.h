// What a server makes of an object that is written: what it fills in, what it keeps from clients.
//
// Each function is a pure one from what is stored and what was sent to what would be stored;
// whether that is valid is asked afterwards (validation.h).
//
// Answers: api-server.md, "Generation", "Status subresource", "Deletion", "Names and identity",
// "Jobs".

#ifndef SIM_OBJECT_RULES_H_
#define SIM_OBJECT_RULES_H_

#include <cstdint>
#include <string>

#include "lifecycle/api/door.h"
#include "lifecycle/api/kind.h"

namespace sim {

// Returns the object a create stores: `body` with the server's UID, creation time and generation,
// without a status, and for Jobs and Pods with what the server generates and defaults.
lifecycle::api::MessagePtr CreatedObject(lifecycle::api::Kind kind,
                                         const google::protobuf::Message& body,
                                         const std::string& uid, int64_t now_ms);

// Returns the object an update stores: `body`, or its status alone, with what a client cannot set
// taken from `base`.
lifecycle::api::MessagePtr UpdatedObject(const google::protobuf::Message& base,
                                         const google::protobuf::Message& body,
                                         lifecycle::api::Subresource subresource);

// Returns the object a patch stores: `base` with the changed fields of `request` that lie in its
// subresource and that a client can set.
lifecycle::api::MessagePtr PatchedObject(const google::protobuf::Message& base,
                                         const lifecycle::api::Request& request);

// Returns the object a delete leaves when it cannot go at once: marked with the time at which it is
// to be gone, and with its grace. As on a real server, that moves the generation.
lifecycle::api::MessagePtr MarkedForDeletion(const google::protobuf::Message& base, int64_t now_ms,
                                             int64_t grace_seconds);

// Whether two objects of one type are equal in all but metadata and status.
bool SameSpec(const google::protobuf::Message& a, const google::protobuf::Message& b);

// Whether an object that is marked for deletion goes now: nothing holds it, and its grace is over.
bool IsReadyToGo(const google::protobuf::Message& object);

}  // namespace sim

#endif  // SIM_OBJECT_RULES_H_
