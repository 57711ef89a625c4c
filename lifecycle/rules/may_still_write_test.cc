#include "lifecycle/rules/may_still_write.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

const std::map<std::string, PodsRead> kPods = {{"not asked", PodsRead::kNotAsked},
                                               {"error", PodsRead::kFailed},
                                               {"running", PodsRead::kSomeNotStopped},
                                               {"stopped", PodsRead::kAllStopped},
                                               {"ended", PodsRead::kAllEnded}};

std::string Describe(const ExecutorStep& step) {
  switch (step.answer) {
    case ExecutorAnswer::kYes:
      return "yes";
    case ExecutorAnswer::kNo:
      return "no";
    case ExecutorAnswer::kReadJob:
      return absl::StrCat("read ", step.name);
    case ExecutorAnswer::kListPods:
      return absl::StrCat("list ", step.name, " ", step.uid);
  }
  return "?";
}

// A Job as a word: its UID, and whether it is terminal ("U ended", "V running").
std::optional<StandingJob> JobOf(const std::string& word) {
  if (word == "none") return std::nullopt;
  return StandingJob{.uid = word.substr(0, 1), .name = "N", .terminal = word.substr(2) == "ended"};
}

ExecutorFacts FactsOf(const Inputs& in) {
  ExecutorFacts facts{.name = in[0],
                      .uid = in[1] == "U" ? "U" : "",
                      .in_hand = JobOf(in[2]),
                      .pods = kPods.at(in[4]),
                      .over_by_clock = in.Yes(5)};
  if (in[3] == "error") facts.job_read = JobRead::kFailed;
  if (in[3] == "not found") facts.job_read = JobRead::kNotFound;
  if (in[3] == "U running" || in[3] == "U ended" || in[3] == "V running") {
    facts.job_read = JobRead::kFound;
    facts.read = *JobOf(in[3]);
  }
  return facts;
}

const Domain kInHand = {"none", "U running", "U ended", "V running"};
const Domain kReadings = {"not asked", "error", "not found", "U running", "U ended", "V running"};
const Domain kPodReadings = {"not asked", "error", "running", "stopped", "ended"};

TEST(MayStillWriteTest, FollowsTheTable) {
  // Name | UID | Job in hand | reading N | Pods | over by its own clock | answer. First match. With
  // no UID, a Job in hand lends both its name and its UID ("V running" is then as good as any).
  ExpectFollowsTable(R"(
    | - | -      | U running      | -         | -         | -   | yes      |
    | - | U      | U ended        | -         | not asked | -   | list_N_U |
    | - | U      | U ended        | -         | error     | -   | yes      |
    | - | U      | U ended        | -         | running   | -   | yes      |
    | - | U      | U ended        | -         | ended     | -   | no       |
    | - | U      | U ended        | -         | stopped   | yes | no       |
    | - | U      | U ended        | -         | stopped   | no  | yes      |
    | - | -      | U ended        | -         | not asked | -   | list_N_U |
    | - | -      | U ended        | -         | error     | -   | yes      |
    | - | -      | U ended        | -         | running   | -   | yes      |
    | - | -      | U ended        | -         | ended     | -   | no       |
    | - | -      | U ended        | -         | stopped   | yes | no       |
    | - | -      | U ended        | -         | stopped   | no  | yes      |
    | N | U      | V running/none | not asked | -         | -   | read_N   |
    | N | U      | V running/none | error     | -         | -   | yes      |
    | N | U      | V running/none | not found | not asked | -   | list_N_U |
    | N | U      | V running/none | not found | error     | -   | yes      |
    | N | U      | V running/none | not found | running   | -   | yes      |
    | N | U      | V running/none | not found | ended     | -   | no       |
    | N | U      | V running/none | not found | stopped   | yes | no       |
    | N | U      | V running/none | not found | stopped   | no  | yes      |
    | N | U      | V running/none | U running | -         | -   | yes      |
    | N | U      | V running/none | U ended   | not asked | -   | list_N_U |
    | N | U      | V running/none | U ended   | error     | -   | yes      |
    | N | U      | V running/none | U ended   | running   | -   | yes      |
    | N | U      | V running/none | U ended   | ended     | -   | no       |
    | N | U      | V running/none | U ended   | stopped   | yes | no       |
    | N | U      | V running/none | U ended   | stopped   | no  | yes      |
    | N | U      | V running/none | V running | not asked | -   | list_N_U |
    | N | U      | V running/none | V running | error     | -   | yes      |
    | N | U      | V running/none | V running | running   | -   | yes      |
    | N | U      | V running/none | V running | ended     | yes | no       |
    | N | U      | V running/none | V running | ended     | no  | yes      |
    | N | U      | V running/none | V running | stopped   | yes | no       |
    | N | U      | V running/none | V running | stopped   | no  | yes      |
    | N | no_UID | V running      | -         | -         | -   | yes      |
    | N | no_UID | none           | not asked | -         | -   | read_N   |
    | N | no_UID | none           | error     | -         | -   | yes      |
    | N | no_UID | none           | not found | -         | yes | no       |
    | N | no_UID | none           | not found | -         | no  | yes      |
    | N | no_UID | none           | U running | -         | -   | yes      |
    | N | no_UID | none           | U ended   | not asked | -   | list_N_U |
    | N | no_UID | none           | U ended   | error     | -   | yes      |
    | N | no_UID | none           | U ended   | running   | -   | yes      |
    | N | no_UID | none           | U ended   | ended     | -   | no       |
    | N | no_UID | none           | U ended   | stopped   | yes | no       |
    | N | no_UID | none           | U ended   | stopped   | no  | yes      |
    | N | no_UID | none           | V running | -         | -   | yes      |
  )",
                     {{"N"}, {"U", "no_UID"}, kInHand, kReadings, kPodReadings, YesNo()},
                     [](const Inputs& in) {
                       std::string step = Describe(MayStillWrite(FactsOf(in)));
                       for (char& c : step) c = c == ' ' ? '_' : c;
                       return step;
                     });
}

TEST(MayStillWriteTest, WithoutANameAndAUidThereIsNothingToAskAbout) {
  EXPECT_EQ(MayStillWrite({}).answer, ExecutorAnswer::kNo);
}

TEST(MayStillWriteTest, AJobInHandStandsInForAnEmptyClaim) {
  ExecutorFacts facts{.in_hand = StandingJob{.uid = "V", .name = "M", .terminal = true}};
  EXPECT_EQ(MayStillWrite(facts), (ExecutorStep{ExecutorAnswer::kListPods, "M", "V"}));
}

TEST(ApplyPodTest, FollowsTheTable) {
  // Retirement names this Job | applyJobUID known | Pods | answer | side effect
  ExpectFollowsTable(
      R"(
    | yes | no  | -         | yes   | adopt or give up |
    | no  | no  | -         | no    | none             |
    | -   | yes | error     | error | none             |
    | -   | yes | running   | yes   | merge evidence   |
    | yes | yes | stopped/ended | yes   | clean up         |
    | no  | yes | stopped/ended | no    | merge evidence   |
    | -   | yes | not asked | list  | none             |
  )",
      {YesNo(), YesNo(), kPodReadings}, [](const Inputs& in) {
        const ApplyPodStep step = ApplyPodMayRun(
            {.retirement_names_job = in.Yes(0), .uid_known = in.Yes(1), .pods = kPods.at(in[2])});
        const char* answer = step.answer == ApplyPodAnswer::kYes     ? "yes"
                             : step.answer == ApplyPodAnswer::kNo    ? "no"
                             : step.answer == ApplyPodAnswer::kError ? "error"
                                                                     : "list";
        const char* effect = step.effect == ApplyPodEffect::kNone            ? "none"
                             : step.effect == ApplyPodEffect::kMergeEvidence ? "merge evidence"
                             : step.effect == ApplyPodEffect::kAdoptOrGiveUp ? "adopt or give up"
                                                                             : "clean up";
        return absl::StrCat(answer, "; ", effect);
      });
}

TEST(PodEvidenceTest, KeepsASortedUnionOfWhatWasSeen) {
  const PodEvidence merged = MergePodEvidence({.uids = {"b"}, .count = 1}, {"c", "a", "a"});
  EXPECT_EQ(merged, (PodEvidence{.uids = {"a", "b", "c"}, .count = 3, .outcome_unknown = true}));
}

TEST(PodEvidenceTest, OnePodAloneLeavesTheOutcomeAsItIs) {
  EXPECT_EQ(MergePodEvidence({}, {"a"}), (PodEvidence{.uids = {"a"}, .count = 1}));
  EXPECT_EQ(MergePodEvidence({.uids = {"a"}, .count = 1}, {"a"}),
            (PodEvidence{.uids = {"a"}, .count = 1}));
  EXPECT_EQ(MergePodEvidence({}, {}), PodEvidence{});
}

TEST(PodEvidenceTest, NeverCountsDownAndNeverTakesAnUnknownOutcomeBack) {
  EXPECT_EQ(MergePodEvidence({.uids = {"a"}, .count = 5, .outcome_unknown = true}, {}),
            (PodEvidence{.uids = {"a"}, .count = 5, .outcome_unknown = true}));
  EXPECT_EQ(MergePodEvidence({.uids = {"a"}, .count = 1, .outcome_unknown = true}, {"a"}),
            (PodEvidence{.uids = {"a"}, .count = 1, .outcome_unknown = true}));
}

TEST(PodEvidenceTest, KeepsTheFirstEightUidsAndCountsThemAll) {
  const PodEvidence merged =
      MergePodEvidence({.uids = {"e", "f"}, .count = 2}, {"a", "b", "c", "d", "g", "h", "i"});
  EXPECT_EQ(merged.uids, (std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h"}));
  EXPECT_EQ(merged.count, 9);
}

}  // namespace
}  // namespace lifecycle::rules
