#include "lifecycle/api/digest.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/random_message.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Message;

TEST(DigestTest, IsSha256AsTheStandardGivesIt) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(DigestOf("abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HexLower(DigestBytes(DigestOf("abc"))), Sha256Hex("abc"));
}

TEST(DigestTest, SpellsBase32AsTheStandardGivesItInLowerCaseWithoutPadding) {
  EXPECT_EQ(Base32Lower(""), "");
  EXPECT_EQ(Base32Lower("f"), "my");
  EXPECT_EQ(Base32Lower("fo"), "mzxq");
  EXPECT_EQ(Base32Lower("foo"), "mzxw6");
  EXPECT_EQ(Base32Lower("foob"), "mzxw6yq");
  EXPECT_EQ(Base32Lower("fooba"), "mzxw6ytb");
  EXPECT_EQ(Base32Lower("foobar"), "mzxw6ytboi");
  EXPECT_EQ(Base32Lower(std::string("\xff\xff", 2)), "777q");
}

TEST(DigestTest, KnowsADigestAnEpochAndAPinnedImageByTheirForm) {
  const std::string digest = DigestOf("x");
  EXPECT_TRUE(IsDigest(digest));
  EXPECT_FALSE(IsDigest(digest + "0"));
  EXPECT_FALSE(IsDigest("sha256:" + std::string(64, 'A')));
  EXPECT_FALSE(IsDigest(Sha256Hex("x")));
  EXPECT_TRUE(IsEpoch(EpochOf(std::string(16, '\x5a'))));
  EXPECT_FALSE(IsEpoch("v1-" + std::string(31, '0')));
  EXPECT_FALSE(IsEpoch("v2-" + std::string(32, '0')));
  EXPECT_TRUE(IsPinnedImage("registry/ptah@" + digest));
  EXPECT_FALSE(IsPinnedImage("registry/ptah:latest"));
  EXPECT_FALSE(IsPinnedImage("@" + digest));
  EXPECT_FALSE(IsPinnedImage("registry/p tah@" + digest));
  EXPECT_FALSE(IsPinnedImage(std::string(500, 'a') + "@" + digest));
}

TEST(EncoderTest, TellsApartWhatRunsTogetherAsText) {
  EXPECT_NE(Encoder().Text("a").Text("bc").bytes(), Encoder().Text("ab").Text("c").bytes());
  EXPECT_NE(Encoder().Text("").bytes(), Encoder().bytes());
  EXPECT_EQ(Encoder().Int(-1).bytes().size(), 8u);
}

TEST(EncoderTest, DoesNotSeeTheOrderInWhichAMapWasFilled) {
  ConfigMap forth, back;
  for (const char* key : {"a", "b", "c", "d"}) (*forth.mutable_data())[key] = key;
  for (const char* key : {"d", "c", "b", "a"}) (*back.mutable_data())[key] = key;
  EXPECT_EQ(CanonicalBytes(forth), CanonicalBytes(back));
}

TEST(EncoderTest, TellsAbsentFromEmptyWhereTheTypeDoes) {
  Job absent, empty;
  empty.mutable_spec();
  EXPECT_NE(CanonicalBytes(absent), CanonicalBytes(empty));
  Job suspended_false = empty;
  suspended_false.mutable_spec()->set_suspend(false);
  EXPECT_NE(CanonicalBytes(empty), CanonicalBytes(suspended_false));
}

RC_GTEST_PROP(EncoderTest, GivesEqualBytesToEqualMessagesOnly,
              (uint64_t seed, uint64_t variation)) {
  const std::unique_ptr<Message> a = RandomObject(seed);
  const std::unique_ptr<Message> b = RandomVariation(variation, *a);
  RC_ASSERT((CanonicalBytes(*a) == CanonicalBytes(*b)) == Equal(*a, *b));
  const std::unique_ptr<Message> copy(a->New());
  copy->CopyFrom(*a);
  RC_ASSERT(CanonicalBytes(*copy) == CanonicalBytes(*a));
}

}  // namespace
}  // namespace lifecycle::api
