#include "model/scenario.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "model/goals.h"
#include "model/scenario.pb.h"

namespace model {
namespace {

constexpr char kGood[] =
    "about: \"one idea\"\nfamily: MIGRATION\nfiles { version: 1 statements: 2 }\n";

std::string ErrorOf(const std::string& text) {
  const auto scenario = ParseScenario(text, "s.textproto");
  return scenario.ok() ? "" : std::string(scenario.status().message());
}

TEST(ScenarioTest, IsReadFromItsText) {
  const auto scenario = ParseScenario(kGood, "s.textproto");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ((*scenario)->files(0).statements(), 2);
}

TEST(ScenarioTest, NamesFileAndLineOfWhatIsWrong) {
  EXPECT_EQ(ErrorOf(absl::StrCat(kGood, "colour: RED\n")).rfind("s.textproto:4:", 0), 0u);
  EXPECT_EQ(ErrorOf("family: SCHEMA\npolicy: \"Sometimes\"\n"),
            "s.textproto:2: expected policy OnApproval or Always, got Sometimes");
  EXPECT_EQ(
      ErrorOf("family: SCHEMA\nreaches: \"W-99\"\n").rfind("s.textproto:2: expected a write", 0),
      0u);
  EXPECT_EQ(ErrorOf("family: SCHEMA\nperson { what: \"sing\" }\n").rfind("s.textproto:2: ", 0), 0u);
  EXPECT_EQ(ErrorOf("family: SCHEMA\nstatements: 65\n"),
            "s.textproto:2: expected statements from 0 to 64, got 65");
}

TEST(ScenarioTest, RefusesWhatIsNoScenario) {
  EXPECT_NE(ErrorOf(""), "");
  EXPECT_NE(ErrorOf("family: MIGRATION"), "");
  EXPECT_NE(ErrorOf("family: SCHEMA files { version: 1 }"), "");
  EXPECT_NE(ErrorOf(std::string("\0\1\2\xff", 4)), "");
  EXPECT_NE(ErrorOf("family: MIGRATION files { version: 2 } files { version: 2 }"), "");
  EXPECT_NE(ErrorOf("family: MIGRATION files { version: 1 fails_at: 3 }"), "");
  EXPECT_NE(ErrorOf("family: SCHEMA others { family: MIGRATION }"), "") << "without files";
  EXPECT_NE(ErrorOf("family: SCHEMA others { }"), "");
  EXPECT_NE(ErrorOf("family: SCHEMA realm { sharing: \"Sometimes\" }"), "");
}

TEST(ScenarioTest, KnowsEveryActAPersonMayBeGiven) {
  for (const char* act :
       {"approve", "suspend", "resume", "edit-spec", "delete", "move-policy", "grant",
        "restore-without-status", "repoint", "upgrade", "rebuild", "overlap"}) {
    EXPECT_EQ(ErrorOf(absl::StrCat("family: SCHEMA\nperson { what: \"", act, "\" }\n")), "");
  }
  EXPECT_NE(ErrorOf("family: SCHEMA\nperson { what: \"retire\" }\n"), "")
      << "it follows an overlap by itself";
}

TEST(ScenarioTest, AFileThatIsNotThereIsNamed) {
  const auto loaded = LoadScenario("no/such/file.textproto");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().message(), "no/such/file.textproto: there is no such file");
}

TEST(GlobTest, StarAndQuestionMarkMatchAnything) {
  EXPECT_TRUE(MatchesGlob("schema-always", "schema-*"));
  EXPECT_TRUE(MatchesGlob("schema-always", "*a*a?s"));
  EXPECT_TRUE(MatchesGlob("schema-always", "schema-always"));
  EXPECT_FALSE(MatchesGlob("schema-always", "schema"));
  EXPECT_FALSE(MatchesGlob("schema-always", "migration-*"));
  EXPECT_FALSE(MatchesGlob("", "?"));
  EXPECT_TRUE(MatchesGlob("", "*"));
}

TEST(GoalTest, EveryAskedGoalHasItsOwnNumber) {
  const Goals goals({"W-12", "phase InSync", "phase Blocked", "verdict adopt"});
  EXPECT_EQ(goals.asked()[0], goals.OfWrite(12));
  EXPECT_EQ(goals.asked()[3], goals.OfVerdict(Verdict::kAdopt));
  EXPECT_EQ(goals.OfText("phase", "InSync"), goals.asked()[1]);
  EXPECT_NE(goals.asked()[1], goals.asked()[2]);
  EXPECT_FALSE(goals.OfText("phase", "Pending").has_value());
}

RC_GTEST_PROP(ScenarioProperty, SurvivesARoundTrip, ()) {
  Scenario scenario;
  scenario.set_about(*rc::gen::string<std::string>());
  scenario.set_family(Scenario::MIGRATION);
  const int files = *rc::gen::inRange(1, 4);
  int64_t version = 0;
  for (int at = 0; at < files; ++at) {
    Scenario::File* file = scenario.add_files();
    file->set_version(version += *rc::gen::inRange(1, 5));
    file->set_statements(*rc::gen::inRange(1, 9));
    file->set_transactional(*rc::gen::arbitrary<bool>());
    file->set_fails_at(*rc::gen::inRange(0, file->statements() + 1));
  }
  scenario.set_operations(*rc::gen::inRange(0, 5));
  scenario.mutable_world()->set_kill_pods(*rc::gen::arbitrary<bool>());
  scenario.set_faults_max(*rc::gen::inRange(0, 9));
  scenario.add_reaches(WriteName(*rc::gen::inRange(1, kWriteCount + 1)));
  // Text formats are UTF-8: other bytes are not text, and are refused on the way in.
  for (char& c : *scenario.mutable_about()) c = static_cast<char>(c & 0x7f);

  const auto again = ParseScenario(FormatScenario(scenario), "round.textproto");
  RC_ASSERT(again.ok());
  RC_ASSERT(FormatScenario(**again) == FormatScenario(scenario));
}

}  // namespace
}  // namespace model
