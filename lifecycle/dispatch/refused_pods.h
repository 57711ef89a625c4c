// Showing that a Pod of a running Job is not one its claim's envelope accepts.
//
// A report and nothing more: the claim stands, and what the Pod did is judged when its Job is read.
//
// Answers: spec 02, F-6, C-20.8; spec 01, 12.3.

#ifndef LIFECYCLE_DISPATCH_REFUSED_PODS_H_
#define LIFECYCLE_DISPATCH_REFUSED_PODS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/dispatch/conditions.h"

namespace lifecycle::dispatch {

// The reason of the condition that says so.
inline constexpr char kPodRefused[] = "PodRefused";
// Its message: `refused` as RefusedPodsToShow answers.
absl::string_view RefusedPodsMessage(bool refused);

// Returns what the condition has to say now of the Pods of `job`, nullopt when it says that
// already. A list that fails says nothing and is not an error: the next pass looks again.
std::optional<bool> RefusedPodsToShow(api::Client& client, const api::ActiveOperation& claim,
                                      const api::Job& job, const Conditions& conditions);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_REFUSED_PODS_H_
