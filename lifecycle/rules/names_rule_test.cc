#include "lifecycle/rules/names_rule.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/rules/fingerprint.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::rules {
namespace {

// The inputs of a Job's name as owned values, so that one can be changed at a time.
struct JobNameValues {
  std::string type, name, uid, id, epoch, fingerprint;
  int64_t attempt = 1;

  std::string Name() const {
    return NameFor({.operation_type = type,
                    .resource_name = name,
                    .resource_uid = uid,
                    .operation_id = id,
                    .epoch = epoch,
                    .input_fingerprint = fingerprint,
                    .attempt = attempt});
  }
};

rc::Gen<std::string> Words() {
  return rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019-./: ")));
}

rc::Gen<JobNameValues> AnyJobName() {
  return rc::gen::build<JobNameValues>(
      rc::gen::set(&JobNameValues::type, Words()), rc::gen::set(&JobNameValues::name, Words()),
      rc::gen::set(&JobNameValues::uid, Words()), rc::gen::set(&JobNameValues::id, Words()),
      rc::gen::set(&JobNameValues::epoch, Words()),
      rc::gen::set(&JobNameValues::fingerprint, Words()), rc::gen::set(&JobNameValues::attempt));
}

bool IsDnsLabel(const std::string& name) {
  if (name.empty() || name.size() > 63) return false;
  if (!absl::ascii_isalnum(name.front()) || !absl::ascii_isalnum(name.back())) return false;
  for (const char c : name) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-') return false;
  }
  return true;
}

TEST(JobNameTest, TellsAReaderTheOperationAndTheResource) {
  const JobNameValues values{.type = "Apply",
                             .name = "orders.v2",
                             .uid = "uid-1",
                             .id = "id",
                             .epoch = "e",
                             .fingerprint = "f"};
  EXPECT_TRUE(absl::StartsWith(values.Name(), "ptah-apply-orders-v2-")) << values.Name();
}

TEST(JobNameTest, EndsInTheHashOfItsPartsJoinedByNul) {
  const JobNameValues values{.type = "Apply",
                             .name = "orders",
                             .uid = "uid-1",
                             .id = "id",
                             .epoch = "e",
                             .fingerprint = "f",
                             .attempt = 2};
  const std::string joined("uid-1\0Apply\0id\0e\0f\0002", 20);
  EXPECT_EQ(values.Name(),
            absl::StrCat("ptah-apply-orders-", api::Sha256Hex(joined).substr(0, 16)));
}

RC_GTEST_PROP(JobNameTest, IsADnsLabelWhateverItNames, ()) {
  RC_ASSERT(IsDnsLabel((*AnyJobName()).Name()));
}

RC_GTEST_PROP(JobNameTest, IsADnsLabelForTheLongestResourceName, ()) {
  JobNameValues values = *AnyJobName();
  values.name = std::string(253, 'n');
  RC_ASSERT(IsDnsLabel(values.Name()));
  RC_ASSERT(values.Name().size() == 63u);
}

RC_GTEST_PROP(JobNameTest, ChangesWhenAnyOneOfItsInputsDoes, ()) {
  const JobNameValues values = *AnyJobName();
  JobNameValues other = values;
  std::string* const texts[] = {&other.type, &other.uid, &other.id, &other.epoch,
                                &other.fingerprint};
  const int pick = *rc::gen::inRange(0, 6);
  if (pick == 5) {
    other.attempt = *rc::gen::distinctFrom(values.attempt);
  } else {
    *texts[pick] = *rc::gen::distinctFrom(Words(), *texts[pick]);
  }
  RC_ASSERT(values.Name() != other.Name());
}

RC_GTEST_PROP(JobNameTest, IsNotAmbiguousWhenTextMovesFromOnePartToTheNext, ()) {
  JobNameValues values = *AnyJobName();
  values.uid += "x";
  JobNameValues moved = values;
  moved.type = absl::StrCat(moved.uid.substr(moved.uid.size() - 1), moved.type);
  moved.uid.pop_back();
  RC_ASSERT(values.Name() != moved.Name());
}

TEST(JobNameDeathTest, APartThatHoldsANulIsRefused) {
  JobNameValues values;
  values.uid = std::string("a\0b", 3);
  EXPECT_DEATH(values.Name(), "NUL");
}

TEST(OperationIdTest, ChangesWithTheFingerprintAndTheNonce) {
  const std::string one(16, '\1');
  const std::string two(16, '\2');
  EXPECT_TRUE(api::IsDigest(OperationId("f", one)));
  EXPECT_EQ(OperationId("f", one), OperationId("f", one));
  EXPECT_NE(OperationId("f", one), OperationId("f", two));
  EXPECT_NE(OperationId("f", one), OperationId("g", one));
}

TEST(LabelTest, ValuesAreWhatALabelMayHold) {
  EXPECT_EQ(OperationLabel("Apply"), "apply");
  EXPECT_EQ(LabelValue("orders.v2"), "orders.v2");
  EXPECT_EQ(LabelValue(std::string(62, 'a') + ".b"), std::string(62, 'a'));
  EXPECT_EQ(LabelValue(""), "");
  const std::string id = api::DigestOf("x");
  EXPECT_EQ(ShortOperationHash(id), id.substr(7, 16));
  EXPECT_EQ(ShortOperationHash("x").size(), 16u);
  EXPECT_NE(ShortOperationHash(api::DigestOf("x")), ShortOperationHash(api::DigestOf("y")));
}

TEST(CoordinationDigestTest, SpellingsOfOneEngineGiveOneRealm) {
  const auto digest = [](absl::string_view engine) {
    return CoordinationDigest(
        {.engine = engine, .namespace_ = "shop", .coordination_key = "orders"});
  };
  EXPECT_TRUE(api::IsDigest(digest("postgres")));
  EXPECT_EQ(digest("postgres"), digest("postgresql"));
  EXPECT_EQ(digest("postgres"), digest("pgx"));
  EXPECT_EQ(digest("mysql"), digest("mariadb"));
  EXPECT_NE(digest("postgres"), digest("mysql"));
  EXPECT_NE(digest("sqlite"), digest("mysql"));
}

TEST(CoordinationDigestTest, EveryPartOfTheRealmCounts) {
  const std::set<std::string> distinct = {
      CoordinationDigest({.engine = "mysql", .namespace_ = "a", .coordination_key = "k"}),
      CoordinationDigest({.engine = "mysql", .namespace_ = "b", .coordination_key = "k"}),
      CoordinationDigest({.engine = "mysql", .namespace_ = "a", .coordination_key = "l"}),
      CoordinationDigest({.engine = "mysql", .namespace_ = "ak", .coordination_key = ""}),
      CoordinationDigest({.engine = "mysql", .realm_name = "k"}),
      CoordinationDigest({.engine = "mysql", .realm_name = "l"}),
      CoordinationDigest({.engine = "pgx", .realm_name = "k"}),
  };
  EXPECT_EQ(distinct.size(), 7u);
}

TEST(CoordinationDigestTest, ARealmIsTheSameFromEveryNamespace) {
  EXPECT_EQ(CoordinationDigest({.engine = "mysql", .namespace_ = "a", .realm_name = "k"}),
            CoordinationDigest({.engine = "mysql", .namespace_ = "b", .realm_name = "k"}));
}

TEST(EngineTest, OnlyTwoFamiliesAreSupported) {
  for (const char* engine : {"postgres", "postgresql", "pgx", "mysql", "mariadb"}) {
    EXPECT_TRUE(IsSupportedEngine(engine)) << engine;
  }
  for (const char* engine : {"", "sqlite", "Postgres", "oracle"}) {
    EXPECT_FALSE(IsSupportedEngine(engine)) << engine;
  }
}

TEST(LeaseNamesTest, AreMadeOfTheDigestTheHolderAndTheOperation) {
  const std::string digest = api::DigestOf("realm");
  EXPECT_EQ(LeaseName(digest), absl::StrCat("ptah-t-", api::Base32Lower(api::DigestBytes(digest))));
  EXPECT_TRUE(IsDnsLabel(LeaseName(digest)));
  const std::string holder = HolderIdentity("uid", "op");
  EXPECT_EQ(holder,
            absl::StrCat("ptah-h-", api::Base32Lower(api::Sha256(std::string("uid\0op", 6)))));
  EXPECT_NE(holder, HolderIdentity("uid", "oq"));
  EXPECT_NE(holder, HolderIdentity("uie", "op"));
  EXPECT_NE(HolderIdentity("ab", "c"), HolderIdentity("a", "bc"));
}

TEST(LeaseNamesTest, AnExpectedTokenIsAnEpochMadeFromTheOperationsId) {
  const std::string id = api::DigestOf("operation");
  EXPECT_EQ(ExpectedLeaseToken(id), absl::StrCat("v1-", id.substr(7, 32)));
  EXPECT_TRUE(api::IsEpoch(ExpectedLeaseToken(id)));
  EXPECT_TRUE(api::IsEpoch(EpochFromRandom(std::string(16, '\x7f'))));
}

TEST(PlanNamesTest, AreTheFingerprintsAndTheChunksIndex) {
  const std::string fingerprint = api::DigestOf("plan");
  EXPECT_EQ(PlanName(fingerprint), absl::StrCat("ptah-plan-", fingerprint.substr(7, 24)));
  EXPECT_EQ(MigrationPlanName(fingerprint),
            absl::StrCat("ptah-migration-plan-", fingerprint.substr(7, 24)));
  EXPECT_EQ(ChunkName("ptah-plan-x", 0), "ptah-plan-x-000");
  EXPECT_EQ(ChunkName("ptah-plan-x", 15), "ptah-plan-x-015");
  EXPECT_TRUE(IsDnsLabel(ChunkName(PlanName(fingerprint), 999)));
}

}  // namespace
}  // namespace lifecycle::rules
