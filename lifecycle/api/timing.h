// Every interval the lifecycle waits for, as one value given to a Reconciler's constructor.
//
// Answers: spec 01, 14. Milliseconds throughout; the defaults are the specification's figures.

#ifndef LIFECYCLE_API_TIMING_H_
#define LIFECYCLE_API_TIMING_H_

#include <cstdint>

namespace lifecycle::api {

struct Timing {
  int64_t supervision_poll_ms = 5'000;
  int64_t requeue_after_record_ms = 2'000;
  int64_t contention_min_ms = 1'000;
  int64_t contention_max_ms = 5'000;
  int64_t pod_visible_window_ms = 10'000;  // G-4
  int64_t pod_visible_poll_ms = 2'000;
  int64_t frame_window_ms = 30'000;  // G-7
  int64_t frame_poll_ms = 2'000;
  int64_t log_loss_window_ms = 120'000;  // G-6
  int64_t log_retry_ms = 5'000;
  int64_t default_interval_ms = 600'000;
  int64_t default_failure_retry_ms = 30'000;
  int64_t realm_recheck_max_ms = 60'000;
  int64_t default_apply_window_ms = 900'000;
  int64_t lease_grace_ms = 60'000;          // Schema: window + grace.
  int64_t migration_job_grace_ms = 60'000;  // Migration: window + job grace + lease grace.
  int64_t cleanup_ttl_seconds = 300;
  int64_t termination_grace_seconds = 30;
};

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_TIMING_H_
