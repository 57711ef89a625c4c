// Renumbering versions and counting times from now changes no verdict: absolute times and versions
// as they were written give the same conclusions on small scenarios.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/scenario.h"

namespace model {
namespace {

CheckResult Explored(const char* name, bool exact, bool resync, bool memo = true) {
  const auto scenario = LoadScenario(absl::StrCat("scenarios/", name, ".textproto"));
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  CheckOptions options;
  options.exact = exact;
  options.resync = resync;
  options.memo = memo;
  options.faults_max = 1;
  const auto result = Check(*scenario, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

// What a fresh process concludes after each write, without counts: those depend on what is merged.
std::set<std::string> Conclusions(const CheckResult& result) {
  std::set<std::string> conclusions;
  for (const auto& [write, row] : result.writes) {
    for (const auto& [text, states] : row.next_pass) {
      conclusions.insert(absl::StrCat(WriteName(write.number), ": ", text));
    }
  }
  return conclusions;
}

class ExactTest : public testing::TestWithParam<const char*> {};

TEST_P(ExactTest, GivesTheSameVerdicts) {
  const CheckResult relative = Explored(GetParam(), false, true);
  const CheckResult exact = Explored(GetParam(), true, true);
  EXPECT_EQ(relative.violations.size(), 0u);
  EXPECT_EQ(exact.violations.size(), 0u);
  EXPECT_EQ(Conclusions(relative), Conclusions(exact));
  EXPECT_GE(exact.statistics.states, relative.statistics.states);
}

TEST_P(ExactTest, PassesNobodyAskedForConcludeNothingNew) {
  const CheckResult all = Explored(GetParam(), false, true);
  const CheckResult due = Explored(GetParam(), false, false);
  EXPECT_EQ(due.violations.size(), 0u);
  for (const std::string& conclusion : Conclusions(due)) {
    EXPECT_EQ(Conclusions(all).count(conclusion), 1u) << conclusion;
  }
}

TEST_P(ExactTest, RunningEveryPassOnRealCodeChangesNothing) {
  const CheckResult remembered = Explored(GetParam(), false, true);
  const CheckResult executed = Explored(GetParam(), false, true, /*memo=*/false);
  EXPECT_EQ(remembered.statistics.states, executed.statistics.states);
  EXPECT_EQ(remembered.statistics.passes, executed.statistics.passes);
  EXPECT_EQ(remembered.statistics.cuts, executed.statistics.cuts);
  EXPECT_EQ(remembered.verdicts, executed.verdicts);
  for (size_t i = 0; i < executed.properties.size(); ++i) {
    EXPECT_EQ(remembered.properties[i].premises, executed.properties[i].premises) << i;
  }
  for (const auto& [write, row] : executed.writes) {
    EXPECT_EQ(remembered.writes.at(write).next_pass, row.next_pass) << WriteName(write.number);
    EXPECT_EQ(remembered.writes.at(write).followed_by, row.followed_by) << WriteName(write.number);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ExactTest,
                         testing::Values("schema-always", "schema-approved", "migration-always",
                                         "migration-approved"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace model
