// Admission: what an API server asks a webhook before it stores a write.
//
// The operator's own webhook (lifecycle/admission/) implements it, the server of the world calls
// it, and neither knows the other. A webhook judges by direct reads only.
//
// Answers: spec 01, 12.2; api-server.md, "Admission".

#ifndef LIFECYCLE_API_ADMISSION_H_
#define LIFECYCLE_API_ADMISSION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lifecycle/api/door.h"

namespace lifecycle::api {

// Direct reads of the store as it stands when the write is judged.
class DirectReader {
 public:
  virtual ~DirectReader() = default;
  // Returns the object, empty when there is none.
  virtual AnyStored Read(const Key& key) const = 0;
  // Returns the objects of one kind in a namespace (empty: everywhere), by namespace and name.
  virtual std::vector<AnyStored> List(Kind kind, const std::string& namespace_) const = 0;
  // Milliseconds since an epoch, by the webhook's own wall clock.
  virtual int64_t WallMs() const = 0;
};

// One write to be judged: what is stored, and what would be. Either is empty for a create or a
// delete respectively.
struct AdmissionRequest {
  Verb verb = Verb::kCreate;
  Key key;
  Subresource subresource = Subresource::kMain;
  MessagePtr before;
  MessagePtr after;
  std::string sender;   // The authenticated user.
  std::string request;  // The request's own UID, which a stamp records.
};

struct AdmissionAnswer {
  // OK admits. Anything else refuses and leaves nothing behind.
  absl::Status status;
  // What is stored instead of `after`, when a mutating webhook changed it; empty otherwise.
  MessagePtr mutated;
};

class Admission {
 public:
  virtual ~Admission() = default;
  virtual AdmissionAnswer Review(const AdmissionRequest& request,
                                 const DirectReader& reader) const = 0;
};

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_ADMISSION_H_
