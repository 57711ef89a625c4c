#include "sim/step_names.h"

#include <algorithm>
#include <iterator>

#include "sim/administrator.h"
#include "sim/edits.h"
#include "sim/people.h"

namespace sim {
namespace {

// By kind of step, as actors.h tells them.
constexpr const char* kNames[] = {
    "second",   "elsewhere",                                                      // kStartPod
    "finish",   "pause",     "mismatch",                                          // kRun
    "hard",     "grace",     "unsummarized", "evict",                             // kKillPod
    "deadline", "linger",                                                         // kFinishJob
    "cut",      "foreign",   "slow",         "back",                              // kLoseLog
    "ttl",      "ttl-pods",  "garbage",      "one",                               // kCollect
    "acquire",  "run",       "begin",        "end",   "move-history", "release",  // kRival
    "store",                                                                      // kDeliver
    "lag",      "catch-up",                                                       // kInformers
    "lose",     "die",       "return",       "fail",  "forget",                   // kNode
};

}  // namespace

bool IsStepName(absl::string_view what) {
  return IsAct(ReleaseAsked(what)) || what == act::kRetire ||
         std::any_of(std::begin(kNames), std::end(kNames),
                     [what](const char* name) { return what == name; });
}

bool IsActUponResource(absl::string_view what) {
  return IsEdit(what) && what != act::kDeleteJob && what != act::kDeleteLease;
}

}  // namespace sim
