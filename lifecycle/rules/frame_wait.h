// Whether a result frame that is not there yet is waited for.
//
// The window is measured from the Job's own terminal condition, so a restart neither resets nor
// extends it.
//
// Answers: spec 03, 17; G-7.

#ifndef LIFECYCLE_RULES_FRAME_WAIT_H_
#define LIFECYCLE_RULES_FRAME_WAIT_H_

#include <cstdint>
#include <optional>

namespace lifecycle::rules {

// What became of parsing the frame, as far as waiting is concerned.
enum class FrameOutcome {
  kRead,
  kMayStillArrive,  // Missing or incomplete; a lost log stands in for it.
  kRefused,         // An answer: malformed, another digest, operation, attempt or protocol.
};

enum class FrameAction { kUse, kReadAgain, kJudge };

struct FrameWaitFacts {
  FrameOutcome outcome = FrameOutcome::kRefused;
  // Since the Job's terminal condition, where its time is known.
  std::optional<int64_t> age_ms = std::nullopt;
  int64_t window_ms = 30'000;
};

constexpr FrameAction WaitForFrame(const FrameWaitFacts& facts) {
  switch (facts.outcome) {
    case FrameOutcome::kRead:
      return FrameAction::kUse;
    case FrameOutcome::kMayStillArrive:
      return facts.age_ms && *facts.age_ms < facts.window_ms ? FrameAction::kReadAgain
                                                             : FrameAction::kJudge;
    case FrameOutcome::kRefused:
      break;
  }
  return FrameAction::kJudge;
}

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_FRAME_WAIT_H_
