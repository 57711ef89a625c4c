#include "lifecycle/rules/job_verdict.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

std::string Describe(const JobJudgement& judgement) {
  const char* verdict = "?";
  switch (judgement.verdict) {
    case JobVerdict::kDispatch:
      verdict = "Dispatch";
      break;
    case JobVerdict::kAdopt:
      verdict = "Adopt";
      break;
    case JobVerdict::kSupervise:
      verdict = "Supervise";
      break;
    case JobVerdict::kRetry:
      verdict = "Retry";
      break;
    case JobVerdict::kUnaccounted:
      verdict = "Unaccounted";
      break;
  }
  const char* cause = "?";
  switch (judgement.cause) {
    case JobCause::kNone:
      cause = "none";
      break;
    case JobCause::kMissing:
      cause = "Missing";
      break;
    case JobCause::kReplaced:
      cause = "Replaced";
      break;
    case JobCause::kDisowned:
      cause = "Disowned";
      break;
  }
  return absl::StrCat(verdict, "; ", cause);
}

TEST(JobVerdictTest, FollowsTheTable) {
  // Mutating | dispatchStarted | recorded UID | found | found UID equals recorded | owned exactly
  // | verdict | cause
  ExpectFollowsTable(R"(
    | yes | no  | no  | no  | -   | -   | Dispatch    | Missing  |
    | yes | no  | yes | no  | -   | -   | Unaccounted | Missing  |
    | yes | yes | no  | no  | -   | -   | Unaccounted | Missing  |
    | yes | yes | yes | no  | -   | -   | Unaccounted | Missing  |
    | no  | no  | no  | no  | -   | -   | Dispatch    | Missing  |
    | no  | no  | yes | no  | -   | -   | Dispatch    | Missing  |
    | no  | yes | no  | no  | -   | -   | Dispatch    | Missing  |
    | no  | yes | yes | no  | -   | -   | Dispatch    | Missing  |
    | yes | -   | no  | yes | -   | yes | Adopt       | none     |
    | yes | -   | no  | yes | -   | no  | Unaccounted | Disowned |
    | yes | -   | yes | yes | yes | yes | Supervise   | none     |
    | yes | -   | yes | yes | yes | no  | Unaccounted | Disowned |
    | yes | -   | yes | yes | no  | yes | Unaccounted | Replaced |
    | yes | -   | yes | yes | no  | no  | Unaccounted | Replaced |
    | no  | -   | no  | yes | -   | yes | Adopt       | none     |
    | no  | -   | no  | yes | -   | no  | Retry       | Disowned |
    | no  | -   | yes | yes | yes | yes | Supervise   | none     |
    | no  | -   | yes | yes | yes | no  | Retry       | Disowned |
    | no  | -   | yes | yes | no  | yes | Retry       | Replaced |
    | no  | -   | yes | yes | no  | no  | Retry       | Replaced |
  )",
                     {YesNo(), YesNo(), YesNo(), YesNo(), YesNo(), YesNo()}, [](const Inputs& in) {
                       return Describe(VerdictFor({.mutating = in.Yes(0),
                                                   .dispatch_started = in.Yes(1),
                                                   .uid_recorded = in.Yes(2),
                                                   .found = in.Yes(3),
                                                   .uid_equals_recorded = in.Yes(4),
                                                   .owned_exactly = in.Yes(5)}));
                     });
}

}  // namespace
}  // namespace lifecycle::rules
