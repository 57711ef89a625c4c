// What one pass of a Reconciler says of its own next one.
//
// Answers: spec 01, 0.3: a status write wakes nobody, so a pass whose last act is one that the next
// pass must start from has to ask for that next pass here.

#ifndef LIFECYCLE_API_RECONCILE_H_
#define LIFECYCLE_API_RECONCILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace lifecycle::api {

struct PassResult {
  // Not OK: the pass is retried with back-off (and `requeue_after_ms` is ignored).
  absl::Status status;
  // When to run again at the latest if nothing wakes the resource; 0 is "now" (spec 01, 14: 1 ms).
  // Absent: only a watch wakes it.
  std::optional<int64_t> requeue_after_ms;

  static PassResult Done() { return {absl::OkStatus(), std::nullopt}; }
  static PassResult Now() { return {absl::OkStatus(), 0}; }
  static PassResult After(int64_t ms) { return {absl::OkStatus(), ms}; }
  static PassResult Error(absl::Status status) { return {std::move(status), std::nullopt}; }
};

// A controller of one family: reads, decides, writes through the client it was built with, ends.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual PassResult Reconcile(const std::string& namespace_, const std::string& name) = 0;
};

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_RECONCILE_H_
