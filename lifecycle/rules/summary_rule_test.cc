#include "lifecycle/rules/summary_rule.h"

#include <map>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(SummaryRuleTest, FollowsTheTable) {
  const std::map<std::string, SummaryState> summaries = {{"absent", SummaryState::kAbsent},
                                                         {"invalid", SummaryState::kInvalid},
                                                         {"valid", SummaryState::kValid}};
  const std::map<std::string, FrameOutcome> frames = {
      {"none", FrameOutcome::kRead},
      {"may still arrive", FrameOutcome::kMayStillArrive},
      {"refused frame", FrameOutcome::kRefused}};
  // Trusted Pod | summary | parse failure | every frame header agrees | stands in
  ExpectFollowsTable(R"(
    | no  | -       | -                | -   | no        |
    | yes | absent  | -                | -   | no        |
    | yes | invalid | -                | -   | no, Event |
    | yes | valid   | none             | -   | no        |
    | yes | valid   | refused frame    | -   | no, Event |
    | yes | valid   | may still arrive | yes | yes       |
    | yes | valid   | may still arrive | no  | no, Event |
  )",
                     {YesNo(),
                      {"absent", "invalid", "valid"},
                      {"none", "may still arrive", "refused frame"},
                      YesNo()},
                     [&](const Inputs& in) -> std::string {
                       switch (SummaryStandsIn({.trusted_pod = in.Yes(0),
                                                .summary = summaries.at(in[1]),
                                                .frame = frames.at(in[2]),
                                                .headers_agree = in.Yes(3)})) {
                         case SummaryVerdict::kNoSilent:
                           return "no";
                         case SummaryVerdict::kNoEvent:
                           return "no, Event";
                         case SummaryVerdict::kStandsIn:
                           return "yes";
                       }
                       return "?";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
