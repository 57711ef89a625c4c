#include "cli/commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/files.h"
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
