#include "sim/cow.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/cow_map.h"

namespace sim {
namespace {

TEST(CowTest, AnEditIsSeenByNoCopy) {
  Cow<std::string> first = std::string("one");
  Cow<std::string> second = first;
  second.Edit() += "!";
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(*second, "one!");
  first.Edit() = "two";
  EXPECT_EQ(*second, "one!");
}

TEST(CowTest, AnEmptyOneReadsAsTheDefaultValue) {
  Cow<std::vector<int>> empty;
  EXPECT_TRUE(empty->empty());
  Cow<std::vector<int>> copy = empty;
  copy.Edit().push_back(1);
  EXPECT_TRUE(empty->empty());
  EXPECT_EQ(copy->size(), 1u);
  EXPECT_EQ(empty, Cow<std::vector<int>>(std::vector<int>{}));
}

TEST(CowTest, ADigestIsComputedOnceForAllSharersAndAgainAfterAnEdit) {
  int computed = 0;
  const auto digest = [&](const std::string& text) {
    ++computed;
    return Hasher().Text(text).Finish();
  };
  Cow<std::string> first = std::string("one");
  Cow<std::string> second = first;
  EXPECT_EQ(first.Digest(digest), second.Digest(digest));
  EXPECT_EQ(computed, 1);
  second.Edit() = "two";
  EXPECT_NE(first.Digest(digest), second.Digest(digest));
  EXPECT_EQ(computed, 2);
}

TEST(CowTest, AssignmentAndMovesKeepEachValueAlive) {
  Cow<std::string> a = std::string("a");
  Cow<std::string> b = std::string("b");
  a = b;
  b = std::move(a);
  EXPECT_EQ(*b, "b");
  b = *&b;
  EXPECT_EQ(*b, "b");
}

TEST(CowMapTest, ReadsLikeAMapInKeyOrder) {
  CowMap<int> map;
  map.Edit("b") = 2;
  map.Edit("a") = 1;
  map.Edit("c") = 3;
  std::string keys;
  for (const auto& [key, value] : map) keys += key + std::to_string(value);
  EXPECT_EQ(keys, "a1b2c3");
  EXPECT_EQ(map.find("b")->second, 2);
  EXPECT_EQ(map.find("d"), map.end());
  EXPECT_EQ(map.Get("d"), nullptr);
  map.Erase("b");
  map.Erase("nothing");
  EXPECT_FALSE(map.contains("b"));
  EXPECT_EQ(map.size(), 2u);
  map.EraseIf([](const std::string& key, int) { return key == "a"; });
  EXPECT_EQ(map.begin()->first, "c");
}

TEST(CowMapTest, AnEditIsSeenByNoCopy) {
  CowMap<int> first;
  first.Edit("a") = 1;
  first.Edit("b") = 2;
  CowMap<int> second = first;
  second.Edit("a") = 7;
  second.Erase("b");
  EXPECT_EQ(*first.Get("a"), 1);
  EXPECT_EQ(*first.Get("b"), 2);
  EXPECT_FALSE(first == second);
}

}  // namespace
}  // namespace sim
