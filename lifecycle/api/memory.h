// A process's memory: all that one manager process remembers between passes, as a plain value.
//
// A Reconciler is handed it by reference and holds nothing else that changes, so a process stop is
// this struct dropped, and two processes are two of them.
//
// Answers: design.md, "lifecycle/: real code"; spec 03, 8.3; spec 02, G-6.

#ifndef LIFECYCLE_API_MEMORY_H_
#define LIFECYCLE_API_MEMORY_H_

#include <cstdint>
#include <map>
#include <string>

#include "lifecycle/api/door.h"

namespace lifecycle::api {

// The first time this process saw exactly this foreign record of a Lease, on its monotonic clock.
// No remote timestamp is ever compared with a clock of ours; the Lease's own times are kept only to
// notice that the record changed.
struct LeaseObservation {
  Version version = 0;
  std::string uid;
  std::string holder;
  int64_t duration_seconds = 0;
  int64_t acquire_time_ms = 0;
  int64_t renew_time_ms = 0;
  int64_t transitions = 0;
  int64_t first_seen_ms = 0;
  friend bool operator==(const LeaseObservation&, const LeaseObservation&) = default;
};

// Failures to read one Pod's log, as this process saw them: since when, on its monotonic clock.
struct LogFailure {
  int64_t first_failed_ms = 0;
  friend bool operator==(const LogFailure&, const LogFailure&) = default;
};

struct Memory {
  std::map<std::string, LeaseObservation> leases;  // By Lease name.
  std::map<std::string, LogFailure> log_failures;  // By Pod UID.
  friend bool operator==(const Memory&, const Memory&) = default;
};

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_MEMORY_H_
