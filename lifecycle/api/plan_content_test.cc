#include "lifecycle/api/plan_content.h"

#include "gtest/gtest.h"

namespace lifecycle::api {
namespace {

PlanContent TwoStatements() {
  return {.dialect = "mysql",
          .destructive = true,
          .privilege_changes = {"grant", "revoke"},
          .statements = {"ALTER TABLE a ADD b int", "DROP TABLE c"}};
}

TEST(PlanContentTest, ReadsBackWhatItWrote) {
  PlanContent empty;
  empty.dialect = "postgres";
  PlanContent one = empty;
  one.statements = {"SELECT 1"};
  for (const PlanContent& content : {TwoStatements(), one, empty}) {
    const absl::StatusOr<PlanContent> read = ParsePlanContent(RenderPlanContent(content));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, content);
  }
}

TEST(PlanContentTest, RefusesEveryTruncationThatIsNoShorterPlan) {
  const std::string bytes = RenderPlanContent(TwoStatements());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::StatusOr<PlanContent> read = ParsePlanContent(bytes.substr(0, size));
    if (!read.ok()) continue;
    EXPECT_EQ(RenderPlanContent(*read), bytes.substr(0, size));
  }
}

TEST(PlanContentTest, EverySpellingOfAnEngineHasTheFamilysDialect) {
  for (const char* engine : {"postgres", "postgresql", "pgx"}) {
    EXPECT_EQ(DialectOfEngine(engine), "postgres");
  }
  for (const char* engine : {"mysql", "mariadb"}) EXPECT_EQ(DialectOfEngine(engine), "mysql");
  EXPECT_EQ(DialectOfEngine("sqlite"), "");
}

}  // namespace
}  // namespace lifecycle::api
