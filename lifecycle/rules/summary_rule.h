// Whether a migration Apply's termination summary stands in for its missing frame.
//
// The summary can say less than the frame and never more, so it counts only when the frame did not
// come at all and nothing in the log contradicts it. One that exists and may not stand in is worth
// an Event; none at all is not.
//
// Answers: spec 03, 18; G-11.

#ifndef LIFECYCLE_RULES_SUMMARY_RULE_H_
#define LIFECYCLE_RULES_SUMMARY_RULE_H_

#include "lifecycle/rules/frame_wait.h"

namespace lifecycle::rules {

enum class SummaryState {
  kAbsent,
  kInvalid,  // Malformed, or of another attempt, operation or protocol.
  kValid,
};

struct SummaryFacts {
  bool trusted_pod = false;
  SummaryState summary = SummaryState::kAbsent;
  FrameOutcome frame = FrameOutcome::kRefused;
  // Every complete frame header in the log names the summary's frame digest; true without headers.
  bool headers_agree = false;
};

enum class SummaryVerdict { kNoSilent, kNoEvent, kStandsIn };

constexpr SummaryVerdict SummaryStandsIn(const SummaryFacts& facts) {
  if (!facts.trusted_pod || facts.summary == SummaryState::kAbsent) {
    return SummaryVerdict::kNoSilent;
  }
  if (facts.summary == SummaryState::kInvalid) return SummaryVerdict::kNoEvent;
  switch (facts.frame) {
    case FrameOutcome::kRead:
      return SummaryVerdict::kNoSilent;
    case FrameOutcome::kMayStillArrive:
      return facts.headers_agree ? SummaryVerdict::kStandsIn : SummaryVerdict::kNoEvent;
    case FrameOutcome::kRefused:
      break;
  }
  return SummaryVerdict::kNoEvent;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_SUMMARY_RULE_H_
