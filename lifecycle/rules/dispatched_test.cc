#include "lifecycle/rules/dispatched.h"

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(DispatchedTest, EitherMarkMeansThatAJobMayExist) {
  // dispatchStarted | jobUID recorded | result
  ExpectFollowsTable(
      R"(
    | no  | no  | no  |
    | no  | yes | yes |
    | yes | no  | yes |
    | yes | yes | yes |
  )",
      {YesNo(), YesNo()}, [](const Inputs& in) -> std::string {
        return MayHaveDispatched({.dispatch_started = in.Yes(0), .job_uid_recorded = in.Yes(1)})
                   ? "yes"
                   : "no";
      });
}

}  // namespace
}  // namespace lifecycle::rules
