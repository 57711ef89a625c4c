#include "cli/commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
#include "cli/files.h"
#include "cli/observing.h"
#include "cli/workers.h"

namespace cli {
namespace {

std::string Temporary(const std::string& name) {
  return absl::StrCat(testing::TempDir(), "/", name);
}

std::string Printed(const std::function<void()>& run) {
  testing::internal::CaptureStdout();
  run();
  return testing::internal::GetCapturedStdout();
}

// Returns what is said of bad input: one line on standard error, and exit code 2.
std::string Refusal(const std::function<int()>& run) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), kWrongInput);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  return said;
}

// A schedule of a violation: what the gate saves when two steps are exchanged.
std::string SavedSchedule() {
  const std::string folder = Temporary("saved");
  Printed([&] {
    EXPECT_EQ(Gate({"--scenario", "schema-always", "--exchange", "mark,create", "--faults-max", "1",
                    "--quiet", "--save", folder}),
              kUnreadableWindow);
  });
  return absl::StrCat(folder, "/schema-always-S-49-exchange-mark-create.schedule");
}

TEST(GateTest, RefusesWhatItDoesNotUnderstand) {
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Gate({"--scenario", "nope"}); }), "nope"));
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Gate({"--exchange", "mark"});
                                }),
                                "mark,create"));
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Gate({"--exchange", "mark,mark"});
                                }),
                                "steps"));
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Gate({"--faults-max", "-1"});
                                }),
                                "whole number"));
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Gate({"--jobs", "0"}); }), "at least 1"));
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Gate({"--colour"}); }), "unknown option"));
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Gate({"--json"}); }), "a value"));
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Gate({"surplus"}); }), "surplus"));
}

TEST(GateTest, TakesNoNumberOfFaultsBesideQuick) {
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Gate({"--quick", "--faults-max", "3"});
                                }),
                                "--quick"));
}

// The gate's report less what only a journal can say.
std::string WithoutReached(const std::string& printed) {
  std::string kept;
  for (const absl::string_view line : absl::StrSplit(printed, '\n')) {
    if (!absl::StartsWith(line, "reached: ")) absl::StrAppend(&kept, line, "\n");
  }
  return kept;
}

TEST(GateTest, PrintsTheSameBytesWithTheJournalOff) {
  const auto run = [](bool journal) {
    std::vector<std::string> words = {"--scenario", "schema-always", "--quiet", "--faults-max",
                                      "1"};
    if (!journal) words.push_back("--no-journal");
    return Printed([&] { EXPECT_EQ(Gate(words), kAllReadable); });
  };
  const std::string heard = run(true);
  EXPECT_TRUE(absl::StrContains(heard, "\nreached: ")) << heard;
  const std::string silent = run(false);
  EXPECT_EQ(WithoutReached(heard), WithoutReached(silent));
}

TEST(GateTest, AQuickOneLooksAtOneFaultAndSaysSo) {
  const std::string printed = Printed([] {
    EXPECT_EQ(Gate({"--scenario", "migration-pod-killed", "--quiet", "--quick"}), kAllReadable);
  });
  EXPECT_TRUE(absl::StrContains(printed, "up to 1 fault")) << printed;
  EXPECT_TRUE(absl::StrContains(printed, "\nquick: ")) << printed;
}

TEST(CoverageTest, ListsWritesAndRulesOfTheScenariosAskedFor) {
  const std::string file = Temporary("coverage.json");
  const std::string printed = Printed([&] {
    EXPECT_EQ(Coverage({"--scenario", "schema-always", "--quiet", "--json", file}), kAllReadable);
  });
  for (const char* text : {"W-18", "B-20.5", "E-6", "exempt: ", "\nreached: "}) {
    EXPECT_TRUE(absl::StrContains(printed, text)) << text;
  }
  EXPECT_TRUE(absl::StrContains(*ReadFile(file), "\"stops_before\""));
}

TEST(CoverageTest, TheExemptionsOfTheTreeCanBeRead) {
  const auto exemptions = ReadExemptions();
  ASSERT_TRUE(exemptions.ok()) << exemptions.status();
  EXPECT_GT(exemptions->count({"A-3", "schema"}), 0u);
}

TEST(CoverageTest, RefusesWhatItDoesNotUnderstand) {
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Coverage({"--write"}); }), "unknown option"));
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Coverage({"surplus"}); }), "surplus"));
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Coverage({"--jobs", "0"}); }), "at least 1"));
}

TEST(SafetyStateTest, PrintsTheTableThatIsCheckedIn) {
  const std::string printed = Printed([] {
    EXPECT_EQ(SafetyState({"--scenario", "migration-always", "--quiet"}), kAllReadable);
  });
  EXPECT_EQ(DriftFrom("safety-state.md", printed, "safety-state"), "");
}

TEST(GuaranteesTest, NamesTheScenariosThatProveAPromise) {
  const std::string printed = Printed([] {
    EXPECT_EQ(ShowGuarantees({"--scenario", "migration-always", "--quiet"}), kAllReadable);
  });
  EXPECT_TRUE(absl::StrContains(printed, "S-01 in every scenario of the family")) << printed;
}

TEST(TableTest, TheWholeTableCannotBeWrittenFromAPart) {
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Table({"--write", "--scenario", "schema-always"});
                                }),
                                "whole"));
}

TEST(GateTest, PrintsTheSameBytesTwice) {
  const auto run = [] { Gate({"--scenario", "migration-always", "--quiet", "--faults-max", "2"}); };
  const std::string first = Printed(run);
  EXPECT_TRUE(absl::StrContains(first, "migration-always"));
  EXPECT_EQ(first, Printed(run));
}

TEST(ReplayTest, ShowsTheSavedViolationAgain) {
  const std::string file = SavedSchedule();
  const auto run = [&] { EXPECT_EQ(Replay({file}), kUnreadableWindow); };
  const std::string first = Printed(run);
  EXPECT_TRUE(absl::StrContains(first, "VIOLATED S-49")) << first;
  EXPECT_EQ(first, Printed(run));
}

TEST(ReplayTest, StopsAtAStepAndShowsViewTruthAndNextPass) {
  const std::string file = SavedSchedule();
  const std::string shown = Printed([&] { Replay({file, "--step", "1"}); });
  EXPECT_TRUE(absl::StrContains(shown, "\nview\n"));
  EXPECT_TRUE(absl::StrContains(shown, "\ntruth\n"));
  EXPECT_TRUE(absl::StrContains(shown, "\nnext pass\n"));
  EXPECT_TRUE(absl::StrContains(Refusal([&] {
                                  return Replay({file, "--step", "99999"});
                                }),
                                "--step"));
}

TEST(ReplayTest, RefusesWhatIsNoSchedule) {
  const std::string good = *ReadFile(SavedSchedule());
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    const std::string file = Temporary(name);
    EXPECT_TRUE(WriteFile(file, bytes).ok());
    const std::string said = Refusal([&] { return Replay({file}); });
    EXPECT_TRUE(absl::StrContains(said, name)) << said;
    EXPECT_EQ(*ReadFile(file), bytes) << "nothing is overwritten";
  };
  refused("empty.schedule", "");
  refused("binary.schedule", std::string("\0\1\xff\n", 4));
  refused("truncated.schedule", good.substr(0, good.size() / 2));
  refused("huge.schedule", std::string(2 << 20, '#'));
  std::string other = good;
  other.replace(other.find("exchange mark,create"), 20, "exchange mark,dance!");
  refused("design.schedule", other);
  other = good;
  other.replace(other.find("schema-always"), 13, "schema-nobody");
  refused("scenario.schedule", other);
  Refusal([] { return Replay({"no/such/file"}); });
  Refusal([] { return Replay({}); });
}

TEST(WorkersTest, AnswersArriveInOrderAndACrashIsOneAnswerMissing) {
  const std::vector<Task> tasks = {[] { return std::string("a"); },
                                   []() -> std::string { _exit(7); },
                                   [] { return std::string(1 << 20, 'c'); }};
  std::vector<size_t> sizes;
  RunTasks(tasks, 2, [&](size_t index, const std::optional<std::string>& answer) {
    EXPECT_EQ(index, sizes.size());
    sizes.push_back(answer ? answer->size() : 99);
  });
  EXPECT_EQ(sizes, (std::vector<size_t>{1, 99, 1 << 20}));
}

}  // namespace
}  // namespace cli
