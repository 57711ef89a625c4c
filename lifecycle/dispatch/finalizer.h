// A family's finalizer on its resource: the one hold a stored claim or record has on a deletion.
//
// Answers: spec 01, 1.9, 2.8; W-01, W-30.

#ifndef LIFECYCLE_DISPATCH_FINALIZER_H_
#define LIFECYCLE_DISPATCH_FINALIZER_H_

#include <algorithm>

#include "absl/strings/string_view.h"
#include "lifecycle/api/meta.pb.h"

namespace lifecycle::dispatch {

inline bool HasFinalizer(const api::ObjectMeta& metadata, absl::string_view finalizer) {
  const auto& held = metadata.finalizers();
  return std::find(held.begin(), held.end(), finalizer) != held.end();
}

inline void DropFinalizer(absl::string_view finalizer, api::ObjectMeta& metadata) {
  auto* held = metadata.mutable_finalizers();
  held->erase(std::remove(held->begin(), held->end(), finalizer), held->end());
}

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_FINALIZER_H_
