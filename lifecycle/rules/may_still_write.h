// May anything a dispatched Apply started still write to the database?
//
// Asked before a realm is handed back. A missing Job is not enough: its Pods may live on, and a
// read that could not be made proves nothing, so every doubt answers yes. So does an executor that
// nobody saw end: a Pod is Failed when its node is lost, and forgotten later, while its process
// runs on, and only the run's own clock says when that is over. The questions are asked one at a
// time: a step says what to read next, the caller reads it and asks again.
//
// Answers: spec 03, 9, 10, 10.1; I-2, N-2, J-3.

#ifndef LIFECYCLE_RULES_MAY_STILL_WRITE_H_
#define LIFECYCLE_RULES_MAY_STILL_WRITE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lifecycle::rules {

// 9: a migration Apply ------------------------------------------------------------------------

struct StandingJob {
  std::string uid = "";
  std::string name = "";
  bool terminal = false;  // Condition Complete or Failed is True.
};

// What reading the Job under the claim's name came to.
enum class JobRead { kNotAsked, kFailed, kNotFound, kFound };

// What listing the Pods of (name, UID), by exact owner reference, came to.
enum class PodsRead {
  kNotAsked,
  kFailed,
  kSomeNotStopped,  // A Pod that is neither Succeeded nor Failed.
  kAllStopped,      // None at all included; the executor of some was not seen to end.
  kAllEnded,        // There is one, and the executor of each terminated.
};

struct ExecutorFacts {
  std::string name = "";  // The claim's Job name; may be empty.
  std::string uid = "";   // The recorded UID; may be empty.
  std::optional<StandingJob> in_hand = std::nullopt;
  JobRead job_read = JobRead::kNotAsked;
  StandingJob read = {};  // When kFound.
  PodsRead pods = PodsRead::kNotAsked;
  // Whatever the claim dispatched is over by its own clock, the grace after its deadline included,
  // or nothing was dispatched. It covers a create that is stored late, too.
  bool over_by_clock = false;
};

enum class ExecutorAnswer { kYes, kNo, kReadJob, kListPods };

struct ExecutorStep {
  ExecutorAnswer answer = ExecutorAnswer::kYes;
  // What to read: the Job's name, or the Pods of (name, uid).
  std::string name = "";
  std::string uid = "";
  friend bool operator==(const ExecutorStep&, const ExecutorStep&) = default;
};

ExecutorStep MayStillWrite(const ExecutorFacts& facts);

// 10: an Apply Pod of a pending observation ----------------------------------------------------

struct ObservedApplyFacts {
  bool retirement_names_job = false;
  bool uid_known = false;
  PodsRead pods = PodsRead::kNotAsked;  // Asked only when the UID is known.
};

enum class ApplyPodAnswer { kYes, kNo, kError, kListPods };

// What the pass does beside the answer.
enum class ApplyPodEffect {
  kNone,
  kMergeEvidence,
  kAdoptOrGiveUp,  // M-7, no UID known.
  kCleanUp,        // M-7, all its Pods stopped.
};

struct ApplyPodStep {
  ApplyPodAnswer answer = ApplyPodAnswer::kYes;
  ApplyPodEffect effect = ApplyPodEffect::kNone;
  friend bool operator==(const ApplyPodStep&, const ApplyPodStep&) = default;
};

ApplyPodStep ApplyPodMayRun(const ObservedApplyFacts& facts);

// 10.1: Pod evidence ---------------------------------------------------------------------------

inline constexpr size_t kPodEvidenceMax = 8;

struct PodEvidence {
  std::vector<std::string> uids = {};  // Sorted, distinct, at most kPodEvidenceMax.
  int64_t count = 0;
  bool outcome_unknown = false;
  friend bool operator==(const PodEvidence&, const PodEvidence&) = default;
};

// Merges what a pass saw into what is recorded. The count never falls, and an outcome that became
// unknown stays so.
PodEvidence MergePodEvidence(const PodEvidence& stored, const std::vector<std::string>& seen_uids);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_MAY_STILL_WRITE_H_
