#include "model/coverage.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/scenario.h"
#include "model/scenario.pb.h"

namespace model {
namespace {

CheckResult Explored(const std::string& name, bool journal, bool memo = true) {
  CheckOptions options;
  options.faults_max = 1;
  options.journal = journal;
  options.memo = memo;
  const auto scenario = LoadScenario(absl::StrCat("scenarios/", name, ".textproto"));
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  const auto result = Check(*scenario, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *result;
}

class CoverageTest : public testing::TestWithParam<const char*> {};

// The lines of a timeline less what passes said of rules.
std::vector<std::string> WithoutRules(const std::vector<std::string>& lines) {
  std::vector<std::string> kept;
  for (const std::string& line : lines) {
    if (!absl::StrContains(line, "  rule ")) kept.push_back(line);
  }
  return kept;
}

void ExpectTheSame(const CheckResult& heard, const CheckResult& silent) {
  EXPECT_EQ(heard.statistics.states, silent.statistics.states);
  EXPECT_EQ(heard.statistics.edges, silent.statistics.edges);
  EXPECT_EQ(heard.statistics.passes, silent.statistics.passes);
  EXPECT_EQ(heard.statistics.cuts, silent.statistics.cuts);
  EXPECT_EQ(heard.statistics.fates, silent.statistics.fates);
  EXPECT_EQ(heard.statistics.layers, silent.statistics.layers);
  EXPECT_EQ(heard.longest_recovery_steps, silent.longest_recovery_steps);
  EXPECT_EQ(heard.verdicts, silent.verdicts);
  EXPECT_EQ(heard.records, silent.records);
  ASSERT_EQ(heard.writes.size(), silent.writes.size());
  for (const auto& [write, row] : heard.writes) {
    const WriteRow& other = silent.writes.at(write);
    EXPECT_EQ(row.stored, other.stored) << WriteName(write.number);
    EXPECT_EQ(row.stops_before, other.stops_before) << WriteName(write.number);
    EXPECT_EQ(row.stops_after, other.stops_after) << WriteName(write.number);
    EXPECT_EQ(row.followed_by, other.followed_by) << WriteName(write.number);
    EXPECT_EQ(row.next_pass, other.next_pass) << WriteName(write.number);
  }
  for (size_t i = 0; i < heard.properties.size(); ++i) {
    EXPECT_EQ(heard.properties[i].premises, silent.properties[i].premises) << i;
  }
  ASSERT_EQ(heard.violations.size(), silent.violations.size());
  for (size_t i = 0; i < heard.violations.size(); ++i) {
    EXPECT_EQ(FormatSchedule(heard.violations[i].schedule),
              FormatSchedule(silent.violations[i].schedule));
    EXPECT_EQ(WithoutRules(heard.violations[i].timeline),
              WithoutRules(silent.violations[i].timeline));
  }
}

TEST_P(CoverageTest, WithTheJournalOffTheResultIsTheSame) {
  const CheckResult heard = Explored(GetParam(), true);
  const CheckResult silent = Explored(GetParam(), false);
  EXPECT_GT(heard.rules.size(), 20u);
  EXPECT_TRUE(silent.rules.empty());
  ExpectTheSame(heard, silent);
}

TEST_P(CoverageTest, ARememberedPassIsHeardAsOneThatIsRun) {
  EXPECT_EQ(Explored(GetParam(), true).rules, Explored(GetParam(), true, /*memo=*/false).rules);
}

TEST_P(CoverageTest, AWriteOfAnUndisturbedRunIsStoppedBeforeAndAfter) {
  const CheckResult result = Explored(GetParam(), true);
  const bool schema = absl::StartsWith(GetParam(), "schema");
  const sim::Family family = schema ? sim::Family::kSchema : sim::Family::kMigration;
  for (const int number : {2, 12, 13, 15, 17, 22, 23}) {
    const auto found = result.writes.find({family, number});
    ASSERT_NE(found, result.writes.end()) << WriteName(number);
    EXPECT_GT(found->second.stored, 0u) << WriteName(number);
    EXPECT_GT(found->second.stops_before, 0u) << WriteName(number);
    EXPECT_GT(found->second.stops_after, 0u) << WriteName(number);
  }
}

TEST_P(CoverageTest, AFamilysPassesFollowItsOwnRulesAndWriteItsOwnRecords) {
  const CheckResult result = Explored(GetParam(), true);
  const bool schema = absl::StartsWith(GetParam(), "schema");
  const sim::Family family = schema ? sim::Family::kSchema : sim::Family::kMigration;
  EXPECT_GT(result.rules.count({family, schema ? "B-1" : "C-1"}), 0u);
  for (const auto& [rule, times] : result.rules) EXPECT_EQ(rule.first, family) << rule.second;
  for (const auto& [record, times] : result.records) {
    EXPECT_EQ(record.of, family) << SafetyRecords()[record.record].path;
    EXPECT_EQ(record.by, family) << SafetyRecords()[record.record].path;
  }
}

TEST(WhatAScenarioIsForTest, HasToBeReachedInItsOwnRun) {
  LoadedScenario loaded = *LoadScenario("scenarios/schema-always.textproto");
  auto scenario = std::make_shared<Scenario>(*loaded.scenario);
  scenario->clear_rules();
  scenario->clear_writes();
  // D-5 is said in parts. The others are of a rotation, a deletion and the other family.
  for (const char* rule : {"E-7", "D-5", "N-1", "C-1"}) scenario->add_rules(rule);
  for (const char* write : {"W-12", "W-44"}) scenario->add_writes(write);
  loaded.scenario = scenario;
  CheckOptions options;
  options.faults_max = 1;
  EXPECT_EQ(Check(loaded, options)->unreached, (std::vector<std::string>{"W-44", "N-1", "C-1"}));
  // Without a journal nobody knows which rules were followed.
  options.journal = false;
  EXPECT_EQ(Check(loaded, options)->unreached, std::vector<std::string>{"W-44"});
}

INSTANTIATE_TEST_SUITE_P(Scenarios, CoverageTest,
                         testing::Values("schema-approved", "migration-approved"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name[name.find('-')] = '_';
                           return name;
                         });

TEST(CoverageExchangeTest, WithTheJournalOffAViolationIsFoundOnTheSameSchedule) {
  const auto explored = [](bool journal) {
    CheckOptions options;
    options.faults_max = 1;
    options.journal = journal;
    options.design = *DesignWithExchange("mark,create");
    return *Check(*LoadScenario("scenarios/schema-always.textproto"), options);
  };
  const CheckResult heard = explored(true);
  EXPECT_FALSE(heard.violations.empty());
  ExpectTheSame(heard, explored(false));
}

}  // namespace
}  // namespace model
