// Typed direct reads for the webhook, and how it words a refusal.

#ifndef LIFECYCLE_ADMISSION_READING_H_
#define LIFECYCLE_ADMISSION_READING_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"

namespace lifecycle::admission {

// Returns the object, null when there is none.
template <class T>
std::shared_ptr<const T> Read(const api::DirectReader& reader, const std::string& namespace_,
                              const std::string& name) {
  return std::static_pointer_cast<const T>(
      reader.Read(api::Key{api::KindOf<T>(), namespace_, name}).object);
}

// The message a request carries, as its own type.
template <class T>
const T& As(const api::MessagePtr& message) {
  return static_cast<const T&>(*message);
}

inline absl::Status Refused(absl::string_view why) { return absl::PermissionDeniedError(why); }

inline bool IsDeleting(const api::ObjectMeta& metadata) {
  return metadata.deletion_timestamp_ms() != 0;
}

// Returns the one owner, controller and blocking; null for any other ownership.
const api::OwnerReference* SoleOwner(const api::ObjectMeta& metadata, api::Kind kind);

// Whether the object is owned by exactly this one, as `kind`.
bool IsOwnedBy(const api::ObjectMeta& metadata, api::Kind kind, const api::ObjectMeta& owner);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_READING_H_
