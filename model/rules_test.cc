#include "model/rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace model {
namespace {

TEST(RulesTest, NoNameStandsTwice) {
  std::set<std::string> names;
  for (const std::vector<Named>* all : {&Rules(), &Writes()}) {
    for (const Named& one : *all) EXPECT_TRUE(names.insert(one.name).second) << one.name;
  }
}

TEST(RulesTest, EveryWriteIsForAFamilyAndInOrder) {
  ASSERT_EQ(Writes().size(), 58u);
  for (size_t i = 0; i < Writes().size(); ++i) {
    const std::string number = absl::StrCat(i + 1);
    EXPECT_EQ(Writes()[i].name, absl::StrCat("W-", number.size() == 1 ? "0" : "", number));
    EXPECT_TRUE(Writes()[i].schema || Writes()[i].migration) << Writes()[i].name;
  }
}

TEST(RulesTest, AreInTheSpecificationsOrder) {
  std::string names;
  for (const Named& rule : Rules()) {
    if (absl::StartsWith(rule.name, "D-") || rule.name == "M-7a") {
      absl::StrAppend(&names, rule.name, " ");
    }
  }
  EXPECT_EQ(
      names,
      "D-1 D-2 D-3 D-4 D-5 D-5.1 D-5.2 D-5.3 D-5.4 D-5.5 D-5.6 D-5.7 D-5.8 D-5.9 D-6 D-6 drop "
      "D-6 never D-7 D-7 late D-8 D-9 D-10 D-11 D-12 M-7a ");
}

TEST(RulesTest, AreOfTheFamilyTheyAreWrittenFor) {
  EXPECT_TRUE(FindNamed("B-1")->schema);
  EXPECT_FALSE(FindNamed("B-1")->migration);
  EXPECT_TRUE(FindNamed("P-5")->migration);
  EXPECT_FALSE(FindNamed("P-5")->schema);
  EXPECT_TRUE(FindNamed("E-6")->schema && FindNamed("E-6")->migration);
  EXPECT_EQ(FindNamed("Z-1"), nullptr);
}

TEST(RulesTest, APartIsTheRulesWithSomethingBehindIt) {
  EXPECT_TRUE(IsPartOf("D-5.7", "D-5"));
  EXPECT_TRUE(IsPartOf("P-3 restore", "P-3"));
  EXPECT_TRUE(IsPartOf("M-7a", "M-7"));
  EXPECT_FALSE(IsPartOf("D-10", "D-1"));
  EXPECT_FALSE(IsPartOf("D-5", "D-5"));
}

}  // namespace
}  // namespace model
