#include "lifecycle/rules/may_still_write.h"

#include <algorithm>
#include <set>

namespace lifecycle::rules {
namespace {

// Nobody saw an executor end.
ExecutorStep ByClock(const ExecutorFacts& facts) {
  return {facts.over_by_clock ? ExecutorAnswer::kNo : ExecutorAnswer::kYes, "", ""};
}

ExecutorStep ByPods(const ExecutorFacts& facts, const std::string& name, const std::string& uid) {
  switch (facts.pods) {
    case PodsRead::kNotAsked:
      return {ExecutorAnswer::kListPods, name, uid};
    case PodsRead::kFailed:
    case PodsRead::kSomeNotStopped:
      return {ExecutorAnswer::kYes, "", ""};
    case PodsRead::kAllStopped:
      return ByClock(facts);
    case PodsRead::kAllEnded:
      break;
  }
  return {ExecutorAnswer::kNo, "", ""};
}

ExecutorStep ByJob(const ExecutorFacts& facts, const StandingJob& job, const std::string& name) {
  if (!job.terminal) return {ExecutorAnswer::kYes, "", ""};
  return ByPods(facts, name, job.uid);
}

ExecutorStep ByReading(const ExecutorFacts& facts, const std::string& name,
                       const std::string& uid) {
  switch (facts.job_read) {
    case JobRead::kNotAsked:
      return {ExecutorAnswer::kReadJob, name, ""};
    case JobRead::kFailed:
      return {ExecutorAnswer::kYes, "", ""};
    case JobRead::kNotFound:
      if (!uid.empty()) return ByPods(facts, name, uid);
      return ByClock(facts);
    case JobRead::kFound:
      break;
  }
  if (uid.empty() || facts.read.uid == uid) return ByJob(facts, facts.read, name);
  // Another Job took the name. Ours may have left Pods, and it may be a copy of ours, which runs
  // what ours ran until the clock that both were told ends it.
  const ExecutorStep left = ByPods(facts, name, uid);
  return left.answer == ExecutorAnswer::kNo ? ByClock(facts) : left;
}

}  // namespace

ExecutorStep MayStillWrite(const ExecutorFacts& facts) {
  std::string name = facts.name;
  std::string uid = facts.uid;
  if (uid.empty() && facts.in_hand) {
    name = facts.in_hand->name;
    uid = facts.in_hand->uid;
  }
  if (name.empty() && uid.empty()) return {ExecutorAnswer::kNo, "", ""};
  if (facts.in_hand && facts.in_hand->uid == uid) return ByJob(facts, *facts.in_hand, name);
  return ByReading(facts, name, uid);
}

ApplyPodStep ApplyPodMayRun(const ObservedApplyFacts& facts) {
  if (!facts.uid_known) {
    // No Pod can be attributed; without a retirement only observeAfter protects.
    if (facts.retirement_names_job) return {ApplyPodAnswer::kYes, ApplyPodEffect::kAdoptOrGiveUp};
    return {ApplyPodAnswer::kNo, ApplyPodEffect::kNone};
  }
  switch (facts.pods) {
    case PodsRead::kNotAsked:
      return {ApplyPodAnswer::kListPods, ApplyPodEffect::kNone};
    case PodsRead::kFailed:
      return {ApplyPodAnswer::kError, ApplyPodEffect::kNone};
    case PodsRead::kSomeNotStopped:
      return {ApplyPodAnswer::kYes, ApplyPodEffect::kMergeEvidence};
    case PodsRead::kAllStopped:
    case PodsRead::kAllEnded:
      break;
  }
  if (facts.retirement_names_job) return {ApplyPodAnswer::kYes, ApplyPodEffect::kCleanUp};
  return {ApplyPodAnswer::kNo, ApplyPodEffect::kMergeEvidence};
}

PodEvidence MergePodEvidence(const PodEvidence& stored, const std::vector<std::string>& seen_uids) {
  const std::set<std::string> seen(seen_uids.begin(), seen_uids.end());
  std::set<std::string> all(stored.uids.begin(), stored.uids.end());
  all.insert(seen.begin(), seen.end());
  PodEvidence merged;
  merged.count =
      std::max({stored.count, static_cast<int64_t>(seen.size()), static_cast<int64_t>(all.size())});
  for (const std::string& uid : all) {
    if (merged.uids.size() < kPodEvidenceMax) merged.uids.push_back(uid);
  }
  merged.outcome_unknown = stored.outcome_unknown || merged.count > 1;
  return merged;
}

}  // namespace lifecycle::rules
