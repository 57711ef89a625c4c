#include "model/engine/key.h"

#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace model {
namespace {

TEST(KeyTextTest, IsThirtyTwoDigitsAndReadsBack) {
  const Key128 key{0x0123456789abcdef, 0xf};
  EXPECT_EQ(KeyText(key), "0123456789abcdef000000000000000f");
  EXPECT_EQ(ParseKey(KeyText(key)), key);
}

TEST(KeyTextTest, RefusesOtherText) {
  EXPECT_FALSE(ParseKey("").has_value());
  EXPECT_FALSE(ParseKey("0123456789abcdef000000000000000").has_value());
  EXPECT_FALSE(ParseKey("0123456789ABCDEF000000000000000f").has_value());
  EXPECT_FALSE(ParseKey("0123456789abcdef00000000000000-f").has_value());
}

TEST(KeyIndexTest, NumbersKeysInTheOrderOfFirstSight) {
  KeyIndex index;
  EXPECT_EQ(index.Intern({7, 7}).number, 0u);
  EXPECT_EQ(index.Intern({5, 5}).number, 1u);
  const KeyIndex::Numbered again = index.Intern({7, 7});
  EXPECT_EQ(again.number, 0u);
  EXPECT_FALSE(again.is_new);
  EXPECT_FALSE(index.Find({6, 6}).has_value());
}

// Keys as close together as a small system makes them, through many a growth of the table.
TEST(KeyIndexTest, KeepsNeighbouringKeysApart) {
  KeyIndex index;
  for (uint64_t hi = 0; hi < 300; ++hi) {
    for (uint64_t lo = 0; lo < 300; ++lo) ASSERT_TRUE(index.Intern({hi, lo}).is_new);
  }
  EXPECT_EQ(index.size(), 90000u);
  EXPECT_EQ(*index.Find({299, 1}), 299u * 300 + 1);
  EXPECT_EQ(index.KeyOf(299 * 300 + 1), (Key128{299, 1}));
}

RC_GTEST_PROP(KeyIndexTest, AnswersAsAMapDoes, (std::vector<std::pair<uint8_t, uint8_t>> keys)) {
  KeyIndex index;
  std::map<Key128, uint32_t> expected;
  for (const auto& [hi, lo] : keys) {
    const auto [at, is_new] =
        expected.try_emplace({hi, lo}, static_cast<uint32_t>(expected.size()));
    const KeyIndex::Numbered numbered = index.Intern({hi, lo});
    RC_ASSERT(numbered.is_new == is_new);
    RC_ASSERT(numbered.number == at->second);
  }
  for (const auto& [key, number] : expected) RC_ASSERT(index.Find(key) == number);
}

}  // namespace
}  // namespace model
