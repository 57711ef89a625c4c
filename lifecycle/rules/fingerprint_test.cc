#include "lifecycle/rules/fingerprint.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/api/operation.pb.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::rules {
namespace {

std::string OfTexts(const std::vector<std::string>& texts) {
  Fingerprint fingerprint("test");
  for (const std::string& text : texts) fingerprint.Text(text);
  return fingerprint.Digest();
}

RC_GTEST_PROP(FingerprintTest, DiffersForEveryOtherTupleOfTexts,
              (const std::vector<std::string>& a, const std::vector<std::string>& b)) {
  RC_ASSERT((OfTexts(a) == OfTexts(b)) == (a == b));
}

RC_GTEST_PROP(FingerprintTest, DiffersWhenAnyOneTextDoes, (std::vector<std::string> texts)) {
  RC_PRE(!texts.empty());
  const std::string before = OfTexts(texts);
  std::string& changed = texts[*rc::gen::inRange<size_t>(0, texts.size())];
  changed = *rc::gen::distinctFrom(changed);
  RC_ASSERT(OfTexts(texts) != before);
}

RC_GTEST_PROP(FingerprintTest, MovingTextFromOnePlaceToTheNextChangesIt,
              (const std::string& a, const std::string& b)) {
  RC_ASSERT(OfTexts({a + "x", b}) != OfTexts({a, "x" + b}));
}

TEST(FingerprintTest, IsADigest) { EXPECT_TRUE(api::IsDigest(Fingerprint("a").Digest())); }

TEST(FingerprintTest, BeginsWithWhatItIsOfAndInWhichVersion) {
  EXPECT_NE(Fingerprint("a").Digest(), Fingerprint("b").Digest());
  EXPECT_NE(Fingerprint("a", 1).Digest(), Fingerprint("a", 2).Digest());
}

TEST(FingerprintTest, TellsAListFromItsElements) {
  const std::vector<std::string> one = {"x", "y"};
  const std::vector<std::string> two = {"x"};
  EXPECT_NE(Fingerprint("a").List(one).Digest(), Fingerprint("a").List(two).Text("y").Digest());
}

TEST(FingerprintTest, TellsAMissingMessageFromAnEmptyOne) {
  const api::ActiveOperation empty;
  EXPECT_NE(Fingerprint("a").Optional(nullptr).Digest(),
            Fingerprint("a").Optional(&empty).Digest());
}

TEST(FingerprintTest, DoesNotDependOnWhatOClockItIs) {
  api::ActiveOperation claim;
  claim.set_id("x");
  claim.set_started_at_ms(1'000);
  const std::string before = Fingerprint("a").Message(claim).Digest();
  claim.set_started_at_ms(2'000);
  EXPECT_EQ(Fingerprint("a").Message(claim).Digest(), before);
  claim.clear_started_at_ms();
  EXPECT_NE(Fingerprint("a").Message(claim).Digest(), before);
  EXPECT_EQ(Fingerprint("a").Instant(1'500, 1'000).Digest(),
            Fingerprint("a").Instant(9'500, 9'000).Digest());
}

TEST(FingerprintTest, DiffersWhenAMessageDoes) {
  api::ActiveOperation claim;
  const std::string before = Fingerprint("a").Message(claim).Digest();
  claim.set_attempt(1);
  EXPECT_NE(Fingerprint("a").Message(claim).Digest(), before);
}

}  // namespace
}  // namespace lifecycle::rules
