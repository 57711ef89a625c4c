#include "lifecycle/rules/version_fence.h"

#include <limits>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(VersionFenceTest, FollowsTheTable) {
  // Supported S = 3. Stored value | verdict
  ExpectFollowsTable(R"(
    | absent  | accepted |
    | -9/-1   | refuse   |
    | 0/1/2/3 | accepted |
    | 4/99    | refuse   |
  )",
                     {{"absent", "-9", "-1", "0", "1", "2", "3", "4", "99"}},
                     [](const Inputs& in) -> std::string {
                       std::optional<int64_t> stored;
                       if (in[0] != "absent") stored = std::stoll(in[0]);
                       return VersionAccepted(stored, 3) ? "accepted" : "refuse";
                     });
}

TEST(VersionFenceTest, HoldsAtTheEndsOfTheRange) {
  EXPECT_FALSE(VersionAccepted(std::numeric_limits<int64_t>::min(), 1));
  EXPECT_FALSE(VersionAccepted(std::numeric_limits<int64_t>::max(), 1));
}

TEST(VersionFenceTest, OneRefusalRefusesTheWholePass) {
  EXPECT_TRUE(PassAllowed({}, 1));
  EXPECT_TRUE(PassAllowed({std::nullopt, 0, 1}, 1));
  EXPECT_FALSE(PassAllowed({1, std::nullopt, 2}, 1));
  EXPECT_FALSE(PassAllowed({-1, 1}, 1));
}

}  // namespace
}  // namespace lifecycle::rules
