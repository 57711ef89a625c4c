#include "lifecycle/rules/frame_wait.h"

#include <map>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(FrameWaitTest, FollowsTheTable) {
  const std::map<std::string, FrameOutcome> outcomes = {
      {"none", FrameOutcome::kRead},
      {"may still arrive", FrameOutcome::kMayStillArrive},
      {"an answer", FrameOutcome::kRefused}};
  // Parse failure | age since the terminal time, in ms, where it is known | action
  ExpectFollowsTable(
      R"(
    | none             | -            | use it     |
    | may still arrive | 0/29999      | read again |
    | may still arrive | 30000/30001  | judge      |
    | may still arrive | unknown      | judge      |
    | an answer        | -            | judge      |
  )",
      {{"none", "may still arrive", "an answer"}, {"unknown", "0", "29999", "30000", "30001"}},
      [&](const Inputs& in) -> std::string {
        FrameWaitFacts facts{.outcome = outcomes.at(in[0])};
        if (in[1] != "unknown") facts.age_ms = std::stoll(in[1]);
        switch (WaitForFrame(facts)) {
          case FrameAction::kUse:
            return "use it";
          case FrameAction::kReadAgain:
            return "read again";
          case FrameAction::kJudge:
            return "judge";
        }
        return "?";
      });
}

}  // namespace
}  // namespace lifecycle::rules
