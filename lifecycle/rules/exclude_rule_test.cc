#include "lifecycle/rules/exclude_rule.h"

#include "gtest/gtest.h"

namespace lifecycle::rules {
namespace {

TEST(ExcludeRuleTest, PatternsOverQualifiedNamesAreUnderstood) {
  for (const char* pattern :
       {"audit", "audit.*", "public.tmp_?", "[a-z]*", "[]a]", "a\\*b", "*", "caf\xc3\xa9"}) {
    EXPECT_TRUE(IsExcludePattern(pattern)) << pattern;
  }
}

TEST(ExcludeRuleTest, WhatSaysNothingOrIsLeftOpenIsRefused) {
  for (const char* pattern : {"", " ", "audit log", "audit\n", "[a-z", "[]", "a\\", "\x7f"}) {
    EXPECT_FALSE(IsExcludePattern(pattern)) << pattern;
  }
}

}  // namespace
}  // namespace lifecycle::rules
