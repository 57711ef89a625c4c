// Whether a Job may exist under a claim's reserved name.
//
// The dispatch marker is written before the create and the UID after it, so either one alone means
// that a Job may have been made. For a mutating claim that turns a missing Job into an unknown
// outcome.
//
// Answers: spec 03, 2.

#ifndef LIFECYCLE_RULES_DISPATCHED_H_
#define LIFECYCLE_RULES_DISPATCHED_H_

namespace lifecycle::rules {

struct DispatchMarks {
  bool dispatch_started = false;
  bool job_uid_recorded = false;
};

constexpr bool MayHaveDispatched(const DispatchMarks& marks) {
  return marks.dispatch_started || marks.job_uid_recorded;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_DISPATCHED_H_
