#include "cli/commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
    EXPECT_EQ(Gate({"--scenario", "migration-always", "--quiet", "--quick"}), kAllReadable);
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

TEST(GateTest, AsksForThePlaceOfItsReportBeforeItExplores) {
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Gate({"--json", "-"}); }), "expected a file"));
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Gate({"--json", "no/such/folder/report.json"});
                                }),
                                "there is no folder no/such/folder"));
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return Gate({"--json", testing::TempDir()});
                                }),
                                "is a folder"));
}

TEST(GateTest, NamesNoScheduleThatCouldNotBeSaved) {
  testing::internal::CaptureStderr();
  const std::string printed = Printed([] {
    Gate({"--scenario", "schema-always", "--exchange", "mark,create", "--faults-max", "1",
          "--quiet", "--save", "/dev/null/schedules"});
  });
  EXPECT_TRUE(absl::StrContains(testing::internal::GetCapturedStderr(), "cannot be written"));
  EXPECT_TRUE(absl::StrContains(printed, "its schedule could not be saved")) << printed;
  EXPECT_FALSE(absl::StrContains(printed, "stopgap replay"));
}

TEST(SafetyStateTest, TheWholeTableCannotBeWrittenFromAPart) {
  EXPECT_TRUE(absl::StrContains(Refusal([] {
                                  return SafetyState({"--write", "--scenario", "schema-always"});
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

// A file of schedules' bytes, which a refusal leaves as it is.
class BadSchedule {
 public:
  BadSchedule(const std::string& name, std::string bytes)
      : file_(Temporary(name)), bytes_(std::move(bytes)) {
    EXPECT_TRUE(WriteFile(file_, bytes_).ok());
  }

  // Holds what is said to one line that begins with the file and this line of it, and says this.
  void IsRefused(size_t line, absl::string_view expected) const {
    std::string said;
    Printed([&] { said = Refusal([&] { return Replay({file_}); }); });
    const std::string where = absl::StrCat("stopgap: ", file_, ":", line, ": ");
    EXPECT_TRUE(absl::StartsWith(said, where)) << said;
    EXPECT_TRUE(absl::StrContains(said, expected)) << said;
    EXPECT_EQ(*ReadFile(file_), bytes_) << "nothing is overwritten";
  }

 private:
  const std::string file_;
  const std::string bytes_;
};

// A text as lines that can be changed one by one.
class Lines {
 public:
  explicit Lines(const std::string& text) : lines_(absl::StrSplit(text, '\n')) {}

  // The number of the first line that begins so, from 1.
  size_t Of(absl::string_view prefix) const {
    for (size_t at = 0; at < lines_.size(); ++at) {
      if (absl::StartsWith(lines_[at], prefix)) return at + 1;
    }
    ADD_FAILURE() << "no line begins with " << prefix;
    return 0;
  }
  std::string With(size_t line, const std::string& text) const {
    std::vector<std::string> changed = lines_;
    changed[line - 1] = text;
    return absl::StrJoin(changed, "\n");
  }
  // The lines before this one, and then something else.
  std::string UpTo(size_t line, const std::string& text) const {
    const std::vector<std::string> kept(lines_.begin(), lines_.begin() + line - 1);
    return absl::StrCat(absl::StrJoin(kept, "\n"), "\n", text);
  }
  const std::string& At(size_t line) const { return lines_[line - 1]; }

 private:
  std::vector<std::string> lines_;
};

TEST(ReplayTest, NamesFileAndLineOfWhatIsNoSchedule) {
  const std::string good = *ReadFile(SavedSchedule());
  BadSchedule("empty.schedule", "").IsRefused(1, "expected more lines");
  BadSchedule("binary.schedule", std::string("\0\1\xff\n", 4)).IsRefused(1, "expected printable");
  BadSchedule("huge.schedule", std::string(2 << 20, '#')).IsRefused(1, "expected at most");
  const std::string half = good.substr(0, good.size() / 2);
  BadSchedule("truncated.schedule", half)
      .IsRefused(1 + std::count(half.begin(), half.end(), '\n'), "cut short");
  EXPECT_TRUE(absl::StrContains(Refusal([] { return Replay({"no/such/file"}); }),
                                "no/such/file: expected a schedule file"));
  Refusal([] { return Replay({}); });
}

TEST(ReplayTest, NamesTheLineOfWhatThisSystemDoesNotHave) {
  const Lines good(*ReadFile(SavedSchedule()));
  const size_t design = good.Of("design ");
  BadSchedule("design.schedule", good.With(design, "design exchange mark,dance"))
      .IsRefused(design, "expected two different steps");
  BadSchedule("no-design.schedule", good.With(design, "design newest"))
      .IsRefused(design, "expected design \"current\"");
  BadSchedule("option.schedule", good.With(design, good.At(design) + "\noption speed=fast"))
      .IsRefused(design + 1, "expected option exact=true");
  const size_t scenario = good.Of("scenario ");
  std::string nobody = good.At(scenario);
  nobody.replace(nobody.find("schema-always"), 13, "schema-nobody");
  BadSchedule("scenario.schedule", good.With(scenario, nobody))
      .IsRefused(scenario, "expected a scenario");
  const size_t violates = good.Of("violates ");
  for (const char* what : {"S-99: nothing", "nonsense", "S-49 and more"}) {
    BadSchedule("violates.schedule", good.With(violates, absl::StrCat("violates ", what)))
        .IsRefused(violates, "expected a property");
  }
  const size_t initial = good.Of("initial ");
  BadSchedule("initial.schedule", good.With(initial, "initial 7"))
      .IsRefused(initial, "expected initial from 0 to 0, got 7");
}

TEST(ReplayTest, NamesTheLineAtWhichTheRunGoesAnotherWay) {
  const Lines good(*ReadFile(SavedSchedule()));
  const size_t first = good.Of("0 | ");
  BadSchedule("step.schedule", good.With(first, "0 | pass schema/zz of manager"))
      .IsRefused(first, "diverged at entry 0: step \"pass schema/zz of manager\" is not on offer");
  BadSchedule("cut.schedule", good.With(first, "0 | pass schema/a of manager | !99 stop"))
      .IsRefused(first, "the step has no cut 99");
  BadSchedule("choice.schedule", good.With(first, "0 | pass schema/a of manager | @99 a=1/2 (b)"))
      .IsRefused(first, "choice point 99");
  // Where the two exchanged steps come is where the current design departs.
  BadSchedule("current.schedule", good.With(good.Of("design "), "design current"))
      .IsRefused(good.Of("3 | "), "diverged at entry 3: cut 4 was \"stop after W-13");
}

TEST(ReplayTest, SaysWhenThePropertyHoldsThatTheScheduleIsAbout) {
  const Lines good(*ReadFile(SavedSchedule()));
  const size_t violates = good.Of("violates ");
  BadSchedule("short.schedule", good.UpTo(good.Of("1 | "), "end 1\n"))
      .IsRefused(violates, "expected S-49 to break, as this line says, and it holds");
  BadSchedule("other.schedule", good.With(violates, "violates S-18: not what it shows"))
      .IsRefused(violates, "what breaks is");
}

TEST(ReplayTest, SaysInWhatAStateDiffers) {
  const Lines good(*ReadFile(SavedSchedule()));
  const size_t first = good.Of("0 | ");
  std::string line = good.At(first);
  const size_t key = line.find("-> ") + 3;
  line[key] = line[key] == '0' ? '1' : '0';
  const size_t memory = line.find("memory:") + 7;
  line[memory] = line[memory] == '0' ? '1' : '0';
  const std::string file = Temporary("key.schedule");
  ASSERT_TRUE(WriteFile(file, good.With(first, line)).ok());
  testing::internal::CaptureStderr();
  Printed([&] { EXPECT_EQ(Replay({file}), kUnreadableWindow); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            absl::StrCat("stopgap: ", file, ":", first,
                         ": entry 0 leads to another state than it was recorded with: another "
                         "memory\n"));
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
