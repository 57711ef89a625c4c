// Schedules survive a round trip, and whatever is not one gets one line that says what was
// expected.
#include "model/engine/schedule.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace model {
namespace {

const char kDigest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

Schedule Example() {
  Schedule schedule{.scenario = "scenarios/schema approved.textproto",
                    .scenario_sha256 = kDigest,
                    .design = "current",
                    .options = {{"exact", "true"}, {"operations", "2"}},
                    .violates = "S-06: two Jobs of one operation",
                    .path = {}};
  schedule.path.entries = {
      {"pass schema/a", {{3, "create job/a", 2, 4, "answer lost, stored"}}, {}, {0, 0x2a}},
      {"clock +5s", {}, {}, {1, 1}},
      {"pass schema/a", {}, {2, "stop after W-12 schema/a"}, {2, 2}},
      {"a | b = c", {{0, "x=y", 1, 2, "(z)"}, {1, "", 1, 3, ""}}, {}, {}},
  };
  schedule.parts = {{}, {}, {{"migration-plan", "0123abcd"}, {"memory", "00000000"}}, {}};
  return schedule;
}

const char kExampleText[] =
    "stopgap schedule 1\n"
    "# shown by the gate\n"
    "scenario scenarios/schema\\x20approved.textproto "
    "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
    "design current\n"
    "option exact=true\n"
    "option operations=2\n"
    "violates S-06: two Jobs of one operation\n"
    "initial 0\n"
    "0 | pass schema/a | @3 create job/a=2/4 (answer lost, stored) | "
    "-> 0000000000000000000000000000002a\n"
    "1 | clock +5s | -> 00000000000000010000000000000001\n"
    "2 | pass schema/a | !2 stop after W-12 schema/a | -> 00000000000000020000000000000002 "
    "migration-plan:0123abcd memory:00000000\n"
    "3 | a \\x7c b = c | @0 x\\x3dy=1/2 ((z)) | @1 \\e=1/3 (\\e)\n"
    "end 4\n";

// The parser's message about a text; "" if it accepts it.
std::string ErrorOf(const std::string& text) {
  const auto schedule = ParseSchedule(text, "f");
  if (schedule.ok()) return "";
  EXPECT_EQ(schedule.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(absl::StrContains(schedule.status().message(), "\n"));
  return std::string(schedule.status().message());
}

std::string ErrorWith(const std::string& from, const std::string& to) {
  EXPECT_TRUE(absl::StrContains(kExampleText, from)) << from;
  return ErrorOf(absl::StrReplaceAll(kExampleText, {{from, to}}));
}

TEST(ScheduleTest, IsReadableText) {
  EXPECT_EQ(FormatSchedule(Example(), {"shown by the gate"}), kExampleText);
}

TEST(ScheduleTest, ReadsBackWhatItWrote) {
  const auto read = ParseSchedule(kExampleText, "f");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->schedule, Example());
}

TEST(ScheduleTest, KnowsTheLineOfEveryPart) {
  const auto read = ParseSchedule(kExampleText, "f");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->scenario_line, 3u);
  EXPECT_EQ(read->design_line, 4u);
  EXPECT_EQ(read->option_lines, (std::vector<size_t>{5, 6}));
  EXPECT_EQ(read->violates_line, 7u);
  EXPECT_EQ(read->initial_line, 8u);
  EXPECT_EQ(read->entry_lines, (std::vector<size_t>{9, 10, 11, 12}));
  EXPECT_EQ(read->Expected(7, "more").message(), "f:7: expected more");
}

TEST(ScheduleTest, PassesOverCommentsAndCarriageReturns) {
  const std::string text = absl::StrReplaceAll(kExampleText, {{"\n", "\r\n#\r\n# more\n"}});
  const size_t end = text.find("end 4\r\n") + 7;
  const auto read = ParseSchedule(text.substr(0, end), "f");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->schedule, Example());
}

TEST(ScheduleTest, NamesTheLineAndWhatItExpected) {
  EXPECT_EQ(ErrorOf(""), "f:1: expected more lines up to \"end NUMBER\": the file is cut short");
  EXPECT_EQ(ErrorOf("hello\n"), "f:1: expected the line \"stopgap schedule 1\"");
  EXPECT_EQ(ErrorWith("schedule 1", "schedule 2"), "f:1: expected the line \"stopgap schedule 1\"");
  EXPECT_EQ(ErrorWith("cdef\ndesign", "cdeg\ndesign"),
            "f:3: expected \"scenario FILE sha256:\" and 64 hexadecimal digits");
  EXPECT_EQ(ErrorWith("design current", "designs current"), "f:4: expected \"design NAME\"");
  EXPECT_EQ(ErrorWith("design current", "design "), "f:4: expected \"design NAME\"");
  EXPECT_EQ(ErrorWith("exact=true", "exact"), "f:5: expected \"option NAME=VALUE\"");
  EXPECT_EQ(ErrorWith("initial 0", "initial -1"),
            "f:8: expected \"option NAME=VALUE\", \"violates TEXT\" or \"initial NUMBER\"");
  EXPECT_EQ(ErrorWith("initial 0", "initial 99999999999"),
            "f:8: expected \"option NAME=VALUE\", \"violates TEXT\" or \"initial NUMBER\"");
  EXPECT_EQ(ErrorWith("1 | clock", "2 | clock"),
            "f:10: expected step 1 as \"1 | LABEL | ...\", or \"end 1\"");
  EXPECT_EQ(ErrorWith("end 4", "end 5"),
            "f:13: expected step 4 as \"4 | LABEL | ...\", or \"end 4\"");
  EXPECT_EQ(ErrorWith("clock +5s", "clock \\5s"),
            "f:10: expected the step's label as printable text without a bare \"\\\" or \"|\"");
  EXPECT_EQ(ErrorWith("clock", "cl\tck"), "f:10: expected printable ASCII text");
}

TEST(ScheduleTest, RefusesPicksCutsAndKeysOutOfRange) {
  const std::string shape = "expected a pick \"@POINT LABEL=PICKED/OPTIONS (MEANING)\"";
  EXPECT_EQ(ErrorWith("=2/4", "=4/4"),
            "f:9: expected the option picked at point 3 to be from 1 to 3");
  EXPECT_EQ(ErrorWith("=2/4", "=0/4"),
            "f:9: expected the option picked at point 3 to be from 1 to 3");
  EXPECT_EQ(ErrorWith("=2/4", "=2/0"),
            "f:9: expected the option picked at point 3 to be from 1 to 1");
  EXPECT_EQ(ErrorWith("=2/4", "=2"), "f:9: " + shape);
  EXPECT_EQ(ErrorWith("=2/4", "=two/4"), "f:9: " + shape);
  EXPECT_EQ(ErrorWith("@3", "@99999999999"), "f:9: " + shape);
  EXPECT_EQ(ErrorWith("lost, stored)", "lost, stored"), "f:9: " + shape);
  EXPECT_EQ(ErrorWith("@1", "@0"), "f:12: expected picks in the order of their points");
  EXPECT_EQ(ErrorWith("!2", "!0"), "f:11: expected a cut \"!ORDINAL LABEL\", the ordinal from 1");
  EXPECT_EQ(ErrorWith("-> 00000000000000010000000000000001", "-> 1"),
            "f:10: expected a key \"-> \" of 32 hexadecimal digits, not all 0");
  const std::string parts = "f:11: expected after the key parts \"NAME:\" of 8 hexadecimal digits";
  EXPECT_EQ(ErrorWith("memory:00000000", "memory:0000000"), parts);
  EXPECT_EQ(ErrorWith("memory:00000000", "memory"), parts);
  EXPECT_EQ(ErrorWith("memory:00000000", ":00000000"), parts);
  EXPECT_EQ(ErrorWith("clock +5s | ", "clock +5s | ?x | "),
            "f:10: expected picks \"@...\", then a cut \"!...\", then a key \"-> ...\"");
}

TEST(ScheduleTest, RefusesWhatComesAfterTheEnd) {
  EXPECT_EQ(ErrorOf(absl::StrCat(kExampleText, "x\n")), "f:14: expected nothing after the end");
}

TEST(ScheduleTest, RefusesAFileCutShortAnywhere) {
  const std::string whole = kExampleText;
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  }
}

TEST(ScheduleTest, RefusesWhatIsTooBig) {
  EXPECT_EQ(ErrorOf(std::string(kScheduleBytesMax + 1, 'x')),
            "f:1: expected at most 1048576 bytes");
  const std::string long_line(kScheduleLineBytesMax + 1, 'x');
  EXPECT_EQ(ErrorWith("current", long_line), "f:4: expected at most 65536 bytes in a line");
  EXPECT_EQ(ErrorOf(std::string(kScheduleBytesMax, 'x')),
            "f:1: expected at most 65536 bytes in a line");
}

TEST(ScheduleTest, LoadsAFileAndNothingElse) {
  const std::string folder = testing::TempDir();
  const std::string file = absl::StrCat(folder, "/example.schedule");
  std::ofstream(file, std::ios::binary) << kExampleText;
  const auto read = LoadSchedule(file);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->schedule, Example());
  EXPECT_EQ(LoadSchedule(folder).status().message(),
            absl::StrCat(folder, ": expected a schedule file"));
  EXPECT_EQ(LoadSchedule(file + ".none").status().message(),
            absl::StrCat(file, ".none: expected a schedule file"));
  std::ofstream(file, std::ios::binary) << std::string(kScheduleBytesMax + 1, 'x');
  EXPECT_EQ(LoadSchedule(file).status().message(),
            absl::StrCat(file, ":1: expected at most 1048576 bytes"));
}

TEST(ScheduleTest, SaysWhenTheScenarioHasChanged) {
  EXPECT_FALSE(ScenarioChange(Example(), kDigest).has_value());
  EXPECT_EQ(ScenarioChange(Example(), std::string(64, 'f')),
            "scenario scenarios/schema approved.textproto has changed since this was recorded: "
            "sha256 0123456789ab then, ffffffffffff now");
}

// Any bytes at all, with the characters the format uses for itself more often than not.
rc::Gen<std::string> AnyText() {
  return rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::element('|', '=', ' ', '\\', '(', ')', '@', '!', '/', '#', '\n', 'e', 'x'),
      rc::gen::arbitrary<char>()));
}

Schedule AnySchedule() {
  Schedule schedule;
  schedule.scenario = *AnyText();
  schedule.scenario_sha256 = kDigest;
  schedule.design = *AnyText();
  schedule.violates = *AnyText();
  const int options = *rc::gen::inRange(0, 3);
  for (int i = 0; i < options; ++i) schedule.options.emplace_back(*AnyText(), *AnyText());
  schedule.path.initial = *rc::gen::arbitrary<uint32_t>();
  const int entries = *rc::gen::inRange(0, 4);
  for (int i = 0; i < entries; ++i) {
    PathEntry entry{.step = *AnyText(), .choices = {}, .cut = {}, .key = {}};
    uint32_t point = 0;
    const int choices = *rc::gen::inRange(0, 3);
    for (int c = 0; c < choices; ++c) {
      point += *rc::gen::inRange<uint32_t>(1, 1000);
      const uint32_t picked = *rc::gen::inRange<uint32_t>(1, 1000);
      entry.choices.push_back({point, *AnyText(), picked, picked + 1, *AnyText()});
    }
    if (*rc::gen::arbitrary<bool>()) entry.cut = {*rc::gen::inRange<uint32_t>(1, 99), *AnyText()};
    entry.key = {*rc::gen::arbitrary<uint64_t>(), *rc::gen::inRange<uint64_t>(1, 99)};
    PartDigests parts;
    for (int part = *rc::gen::inRange(0, 3); part > 0; --part) {
      parts.push_back(
          {std::string(part, 'a'), *rc::gen::element<std::string>("0123abcd", "ffffffff")});
    }
    schedule.parts.push_back(std::move(parts));
    schedule.path.entries.push_back(entry);
  }
  return schedule;
}

RC_GTEST_PROP(ScheduleTest, SurvivesARoundTripWhateverItsWords, ()) {
  const Schedule schedule = AnySchedule();
  const std::string text = FormatSchedule(schedule, {*AnyText()});
  const auto read = ParseSchedule(text, "f");
  RC_ASSERT(read.ok());
  RC_ASSERT(read->schedule == schedule);
}

RC_GTEST_PROP(ScheduleTest, NeverCrashesOnGarbage, ()) {
  const std::string text = *AnyText();
  RC_ASSERT(!ParseSchedule(text, "f").ok());
  RC_ASSERT(!ParseSchedule(absl::StrCat("stopgap schedule 1\n", text), "f").ok());
}

// One byte of a good file changed: it is refused, or it is read as what it now says.
RC_GTEST_PROP(ScheduleTest, ReadsOrRefusesAFileWithOneByteChanged, (char byte)) {
  std::string text = kExampleText;
  text[*rc::gen::inRange<size_t>(0, text.size())] = byte;
  const auto read = ParseSchedule(text, "f");
  if (!read.ok()) return;
  const auto again = ParseSchedule(FormatSchedule(read->schedule), "f");
  RC_ASSERT(again.ok());
  RC_ASSERT(again->schedule == read->schedule);
}

}  // namespace
}  // namespace model
