// That the scenarios that hold Jobs to every variation reach every kind of Job (S-44).

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/scenario.h"

namespace model {
namespace {

std::set<std::string> HeldToEvery(const char* name) {
  const auto scenario = LoadScenario(absl::StrCat("scenarios/", name, ".textproto"));
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  const auto result = Check(*scenario, CheckOptions{});
  EXPECT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->violations.empty());
  return result->held_to_every;
}

TEST(EveryVariationTest, EveryJobOfASchema) {
  EXPECT_EQ(
      HeldToEvery("schema-from-start"),
      (std::set<std::string>{"create Apply", "create Observe", "create Plan", "create Resolve",
                             "create Verify", "cleanup of Apply", "cleanup of Observe",
                             "cleanup of Plan", "cleanup of Resolve", "cleanup of Verify"}));
}

TEST(EveryVariationTest, EveryJobOfAMigration) {
  EXPECT_EQ(HeldToEvery("migration-from-start"),
            (std::set<std::string>{"create Apply", "create History", "create Resolve",
                                   "create Verify", "cleanup of Apply", "cleanup of History",
                                   "cleanup of Resolve", "cleanup of Verify"}));
}

TEST(EveryVariationTest, WhatARotationLeaves) {
  const std::set<std::string> held = HeldToEvery("schema-upgraded");
  for (const char* kind : {"Observe", "Plan", "Apply"}) {
    EXPECT_EQ(held.count(absl::StrCat("cleanup of a retired ", kind)), 1u) << kind;
  }
}

TEST(EveryVariationTest, OtherScenariosAreDealtAShare) {
  EXPECT_EQ(HeldToEvery("schema-always"), std::set<std::string>());
}

}  // namespace
}  // namespace model
