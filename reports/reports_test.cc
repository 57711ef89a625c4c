// What the reports say of a gate report, made by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/rules.h"
#include "reports/coverage.h"
#include "reports/guarantees.h"
#include "reports/properties.h"
#include "reports/report.pb.h"
#include "reports/safety_state.h"
#include "reports/summarize.h"
#include "reports/terminal.h"
#include "reports/tests.h"

namespace reports {
namespace {

void AddViolation(const std::string& property, const std::vector<std::string>& timeline,
                  ScenarioReport& report) {
  ViolationReport* violation = report.add_violations();
  violation->set_property(property);
  violation->set_schedule_file(property + ".schedule");
  for (const std::string& line : timeline) violation->add_timeline(line);
}

TEST(TerminalTest, ShowsEveryTimelineOnceAndHowToReplayEachViolation) {
  ScenarioReport report;
  AddViolation("S-49", {"  0  one", "  1  two"}, report);
  AddViolation("S-06", {"  0  one", "  1  two"}, report);
  AddViolation("verdict", {"  0  one"}, report);
  const std::string text = TerminalViolations(report, "saved");
  const auto times = [&](const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(times("  1  two\n"), 1u) << text;
  EXPECT_EQ(times("  0  one\n"), 2u) << text;
  EXPECT_EQ(times("  the timeline is that of S-49 above\n"), 1u) << text;
  for (const char* property : {"S-49", "S-06", "verdict"}) {
    EXPECT_EQ(times(absl::StrCat("replay  ./stopgap replay saved/", property, ".schedule\n")), 1u);
  }
}

constexpr const char* kFamilies[] = {"schema", "migration"};

// A scenario in which a family reached everything that it is to reach.
void AddCompleteScenario(const std::string& family, GateReport& report) {
  ScenarioReport* scenario = report.add_scenarios();
  scenario->set_scenario(family + "-all");
  scenario->set_family(family);
  for (const model::Named& write : model::Writes()) {
    if (!write.IsFor(family)) continue;
    WriteReport* row = scenario->add_writes();
    row->set_name(write.name);
    row->set_family(family);
    row->set_stored(3);
    row->set_stops_before(2);
    row->set_stops_after(1);
  }
  for (const model::Named& rule : model::Rules()) {
    if (!rule.IsFor(family)) continue;
    RuleReport* row = scenario->add_rules();
    row->set_name(rule.name);
    row->set_family(family);
    row->set_times(4);
  }
}

GateReport CompleteReport() {
  GateReport report;
  for (const char* family : kFamilies) AddCompleteScenario(family, report);
  return report;
}

// --- Verdict of a scenario -------------------------------------------------------------------

std::string VerdictOf(model::Ended ended, bool violated, bool unreached) {
  model::CheckResult result;
  result.ended = ended;
  if (violated) result.violations.emplace_back();
  if (unreached) result.unreached.push_back("M-3");
  return Summarize(result).verdict();
}

TEST(SummarizeTest, ALimitThatCameBeforeAGoalClaimsNothing) {
  EXPECT_EQ(VerdictOf(model::Ended::kClosed, false, false), kReadable);
  EXPECT_EQ(VerdictOf(model::Ended::kLastLayer, false, false), kReadable);
  EXPECT_EQ(VerdictOf(model::Ended::kClosed, false, true), kUnreadable);
  EXPECT_EQ(VerdictOf(model::Ended::kLastLayer, false, true), kUnreadable);
  for (const model::Ended limit :
       {model::Ended::kStates, model::Ended::kMemory, model::Ended::kInterrupted}) {
    EXPECT_EQ(VerdictOf(limit, false, false), kUndecided);
    EXPECT_EQ(VerdictOf(limit, false, true), kUndecided);
    EXPECT_EQ(VerdictOf(limit, true, true), kUnreadable);
  }
}

// --- Coverage --------------------------------------------------------------------------------

TEST(CoverageTest, AReportThatReachesEverythingHasNoProblem) {
  const CoverageReport coverage = CoverageOf(CompleteReport(), {});
  EXPECT_EQ(coverage.problems_size(), 0) << coverage.problems(0);
  EXPECT_EQ(static_cast<int>(coverage.writes_reached()), coverage.writes_size());
  EXPECT_EQ(static_cast<int>(coverage.rules_reached()), coverage.rules_size());
}

TEST(CoverageTest, EachOfThemMissingIsAProblemUnlessItIsExempt) {
  const CoverageReport nothing = CoverageOf(GateReport(), {});
  EXPECT_EQ(nothing.problems_size(), nothing.writes_size() + nothing.rules_size());
  const CoverageReport exempt = CoverageOf(GateReport(), {{{"W-20", "migration"}, "why"}});
  EXPECT_EQ(exempt.problems_size(), nothing.problems_size() - 1);
  EXPECT_TRUE(absl::StrContains(CoverageText(exempt), "exempt: why"));
}

TEST(CoverageTest, AWriteHasToBeStoppedOnEitherSide) {
  GateReport report = CompleteReport();
  report.mutable_scenarios(0)->mutable_writes(0)->set_stops_before(0);
  report.mutable_scenarios(0)->mutable_writes(1)->set_stops_after(0);
  const CoverageReport coverage = CoverageOf(report, {});
  ASSERT_EQ(coverage.problems_size(), 2);
  EXPECT_EQ(coverage.problems(0), "W-01 of a schema was never stopped before");
  EXPECT_EQ(coverage.problems(1), "W-02 of a schema was never stopped after");
}

TEST(CoverageTest, ReachedByOneFamilyIsNotReachedByTheOther) {
  GateReport report;
  AddCompleteScenario("schema", report);
  const CoverageReport coverage = CoverageOf(report, {});
  EXPECT_GT(coverage.problems_size(), 0);
  for (const std::string& problem : coverage.problems()) {
    EXPECT_TRUE(absl::StrContains(problem, "of a migration")) << problem;
  }
}

TEST(CoverageTest, ARuleSaidInPartsIsReached) {
  GateReport report;
  RuleReport* part = report.add_scenarios()->add_rules();
  part->set_name("N-2.2");
  part->set_family("migration");
  part->set_times(7);
  const CoverageReport coverage = CoverageOf(report, {});
  for (const CoverageItem& item : coverage.rules()) {
    if (item.name() == "N-2") {
      EXPECT_EQ(item.reached(), 7u);
    }
  }
}

TEST(CoverageTest, WhatNoRuleIsAndWhatTheFamilyHasNotAreProblems) {
  GateReport report = CompleteReport();
  RuleReport* rule = report.mutable_scenarios(0)->add_rules();
  rule->set_name("B-99");
  rule->set_family("schema");
  RuleReport* other = report.mutable_scenarios(0)->add_rules();
  other->set_name("C-1");
  other->set_family("schema");
  // Code does not name its durable writes.
  RuleReport* write = report.mutable_scenarios(0)->add_rules();
  write->set_name("W-14");
  write->set_family("schema");
  const CoverageReport coverage = CoverageOf(report, {});
  ASSERT_EQ(coverage.problems_size(), 3);
  EXPECT_EQ(coverage.problems(2), "W-14 was followed by a schema, which has none");
  EXPECT_EQ(coverage.problems(0), "B-99 was followed by a schema, which has none");
  EXPECT_EQ(coverage.problems(1), "C-1 was followed by a schema, which has none");
}

TEST(ExemptionsTest, AreTheRowsOfTheirSectionAlone) {
  const auto exemptions = ParseExemptions(
      "# Decisions\n\n| D-1 | both | elsewhere |\n\n## What no pass reaches\n\nProse.\n\n"
      "| name | family | reason |\n| --- | --- | --- |\n| A-3 | both | a principle |\n"
      "| D-5.3 | schema | asked before |\n\n## Next\n\n| D-2 | both | elsewhere |\n");
  ASSERT_TRUE(exemptions.ok()) << exemptions.status();
  EXPECT_EQ(*exemptions, (Exemptions{{{"A-3", "schema"}, "a principle"},
                                     {{"A-3", "migration"}, "a principle"},
                                     {{"D-5.3", "schema"}, "asked before"}}));
}

TEST(ExemptionsTest, ARowThatExemptsNothingIsRefused) {
  const std::string head =
      absl::StrCat(kExemptionsHeading, "\n\n| name | family | reason |\n| --- | --- | --- |\n");
  for (const char* row : {"| B-99 | schema | why |", "| B-1 | migration | why |",
                          "| B-1 | both | why |", "| A-3 | nobody | why |", "| A-3 | both |  |",
                          "| A-3 | both |", "| A-3 | both | why |\n| A-3 | schema | again |"}) {
    EXPECT_FALSE(ParseExemptions(absl::StrCat(head, row, "\n")).ok()) << row;
  }
}

// --- Safety state ----------------------------------------------------------------------------

RecordReport* AddRecord(const std::string& record, const char* of, const char* by,
                        GateReport& report) {
  RecordReport* added = report.add_scenarios()->add_records();
  added->set_record(record);
  added->set_of(of);
  added->set_by(by);
  added->set_times(1);
  return added;
}

GateReport EveryRecordWritten() {
  GateReport report;
  for (const char* family : kFamilies) {
    AddRecord("status.activeOperation", family, family, report);
    AddRecord("status.pendingLockRelease", family, family, report);
  }
  AddRecord("status.pendingBindingRetirement", "schema", "schema", report);
  AddRecord("status.pendingObservation", "schema", "schema", report);
  AddRecord("status.unresolvedRun", "migration", "migration", report);
  AddRecord("status.resolvedRun", "migration", "migration", report);
  return report;
}

TEST(SafetyStateTest, TheTableIsThePages) {
  const std::string table = SafetyStateTable();
  for (const char* row :
       {"| `status.activeOperation` | yes | yes |", "| `status.pendingLockRelease` | yes | yes |",
        "| `status.pendingBindingRetirement` | yes | no |",
        "| `status.pendingObservation` | yes | no |", "| `status.unresolvedRun` | no | yes |",
        "| `status.resolvedRun` | no | yes |"}) {
    EXPECT_TRUE(absl::StrContains(table, row)) << table;
  }
}

TEST(SafetyStateTest, EveryRecordIsWrittenByTheFamilyThatHasIt) {
  EXPECT_TRUE(SafetyStateProblems(EveryRecordWritten()).empty());
}

TEST(SafetyStateTest, ARecordThatNobodyWritesIsAProblem) {
  GateReport report = EveryRecordWritten();
  report.mutable_scenarios()->RemoveLast();
  EXPECT_EQ(SafetyStateProblems(report),
            std::vector<std::string>{
                "status.resolvedRun of a migration was written by no pass of a migration"});
}

TEST(SafetyStateTest, ARecordThatTheOtherFamilyWritesIsAProblem) {
  GateReport report = EveryRecordWritten();
  AddRecord("status.unresolvedRun", "migration", "schema", report);
  EXPECT_EQ(SafetyStateProblems(report),
            std::vector<std::string>{
                "status.unresolvedRun of a migration was written by a pass of a schema"});
}

// --- Guarantees ------------------------------------------------------------------------------

// A report in which every property of the guarantees held in one scenario of either family.
GateReport EveryPropertyHeld() {
  GateReport report;
  for (const char* family : kFamilies) {
    ScenarioReport* scenario = report.add_scenarios();
    scenario->set_scenario(absl::StrCat(family, "-one"));
    scenario->set_family(family);
    report.add_scenarios()->set_family(family);
  }
  for (const Guarantee& guarantee : Guarantees()) {
    for (const char* property : guarantee.properties) {
      report.add_properties()->set_name(property);
      for (ScenarioReport& scenario : *report.mutable_scenarios()) {
        if (scenario.scenario().empty()) continue;
        PropertyReport* held = scenario.add_properties();
        held->set_name(property);
        held->set_premises(1);
      }
    }
  }
  return report;
}

std::string EveryTest(const std::string&) {
  std::string source;
  for (const Guarantee& guarantee : Guarantees()) {
    for (const NamedTest& test : guarantee.tests) {
      absl::StrAppend(&source, "TEST(", test.suite, ", ", test.name, ") {}\n");
    }
  }
  return source;
}

TEST(GuaranteesTest, AreSevenPromisesOfEitherFamilyWithAProofOfThePages) {
  ASSERT_EQ(Guarantees().size(), 14u);
  for (size_t i = 0; i < Guarantees().size(); ++i) {
    const Guarantee& guarantee = Guarantees()[i];
    EXPECT_EQ(guarantee.number, static_cast<int>(i / 2 + 1));
    EXPECT_STREQ(guarantee.family, kFamilies[i % 2]);
    EXPECT_FALSE(guarantee.properties.empty());
    ASSERT_FALSE(guarantee.tests.empty());
    EXPECT_STRNE(guarantee.tests[0].page, "");
  }
}

TEST(GuaranteesTest, EveryProofThatThePageNamesHasItsCounterpart) {
  std::set<std::string> named;
  for (const Guarantee& guarantee : Guarantees()) {
    for (const NamedTest& test : guarantee.tests) {
      if (test.page[0] != '\0') named.insert(test.page);
    }
  }
  EXPECT_EQ(named, (std::set<std::string>{
                       "TestRecordedApprovalStaleIgnoresSameNameReplacementUID",
                       "TestMigrationApplyClaimsTheApprovedPlan",
                       "TestStalePlanEvidenceForcesFreshObservation",
                       "TestMigrationApplyDiscardsAPlanTheEvidenceNoLongerSupports",
                       "TestMissingDispatchedApplyJobForcesObservationWithoutRecreation",
                       "TestMigrationApplyIsNeverRecreatedOnceDispatched",
                       "TestPersistedTargetLockReleaseRecoversAfterManagerCrash",
                       "TestUncertainMigrationApplyKeepsTheDatabaseWhileItsPodMayRun",
                       "TestSchemaBlocksOnAContestedRealmWithoutDispatchingAJob",
                       "TestMigrationBlocksOnAContestedRealmWithoutDispatchingAJob",
                       "TestSchemaRefusesARealmThatDoesNotAdmitItsNamespace",
                       "TestMigrationRefusesARealmThatDoesNotAdmitItsNamespace",
                       "TestAnUnlistedNamespaceIsRefusedAndBlocksNobody",
                       "TestAKeyWrittenInAnotherNamespaceContestsNothing",
                       "TestAGrantLiftsARefusalAtItsDeadline",
                       "TestRuntimeVerifierRejectsStoredFutureControllerState"}));
}

TEST(GuaranteesTest, TheLastColumnNamesScenariosAndTests) {
  const GuaranteesReport guarantees = GuaranteesOf(EveryPropertyHeld(), EveryTest);
  EXPECT_TRUE(guarantees.problems.empty()) << guarantees.problems[0];
  EXPECT_TRUE(absl::StrContains(guarantees.table, "S-24 in migration-one"));
  EXPECT_TRUE(absl::StrContains(
      guarantees.table, "MigrationApplyTest.AMarkedClaimWithoutAJobIsNeverDispatchedAgain"));
}

TEST(GuaranteesTest, APropertyThatIsMissingEmptyOrBrokenIsAProblem) {
  GateReport report = EveryPropertyHeld();
  for (ScenarioReport& scenario : *report.mutable_scenarios()) {
    for (PropertyReport& property : *scenario.mutable_properties()) {
      if (property.name() == "S-24") property.set_violations(1);
      if (property.name() == "S-22") property.set_premises(0);
    }
  }
  for (PropertyReport& property : *report.mutable_properties()) {
    if (property.name() == "S-33") property.set_name("another");
  }
  const std::vector<std::string> problems = GuaranteesOf(report, EveryTest).problems;
  EXPECT_EQ(problems,
            (std::vector<std::string>{"promise 3 of a migration: S-24 was broken in migration-one",
                                      "promise 4 of a schema: S-22 never had anything to check",
                                      "promise 7 of a schema: S-33 is not checked",
                                      "promise 7 of a migration: S-33 is not checked"}));
}

TEST(GuaranteesTest, ATestThatIsNotThereIsAProblem) {
  const auto nothing = [](const std::string&) { return std::string(); };
  const std::vector<std::string> problems = GuaranteesOf(EveryPropertyHeld(), nothing).problems;
  ASSERT_FALSE(problems.empty());
  EXPECT_TRUE(absl::StrContains(problems[0], "there is no test SchemaApplyTest."));
}

// --- Tests -----------------------------------------------------------------------------------

TEST(TestsTest, ATestIsFoundHoweverItsLineIsBroken) {
  const auto holds = [](const char* source) { return HoldsTest(source, "GatesTest", "Blocks"); };
  EXPECT_TRUE(holds("TEST_F(GatesTest,\n       Blocks) {"));
  EXPECT_TRUE(holds("  TEST(GatesTest, Blocks) {"));
  EXPECT_TRUE(holds("RC_GTEST_PROP(GatesTest, Blocks,\n              (bool late)) {"));
  EXPECT_FALSE(holds("TEST(GatesTest, BlocksNobody) {"));
  EXPECT_FALSE(holds("RC_GTEST_PROP(GatesTest, BlocksNobody, ()) {"));
  EXPECT_FALSE(holds("EXPECT(GatesTest, Blocks)"));
}

// --- Properties ------------------------------------------------------------------------------

TEST(PropertiesTest, EachSaysItsKindAndHowOftenItsPremiseWasTrue) {
  GateReport report;
  Total(report);
  for (PropertyReport& property : *report.mutable_properties()) {
    if (property.name() == "S-31") property.set_premises(7);
  }
  const std::string text = PropertiesText(report);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), report.properties_size() + 1);
  EXPECT_TRUE(absl::StrContains(text, "S-31       comparison             7       0  a summary"));
  EXPECT_TRUE(absl::StrContains(
      text,
      "S-04       test                   0       0  names are unrepeatable; proved by "
      "JobNameTest.ChangesWhenAnyOneOfItsInputsDoes"));
}

TEST(PropertiesTest, ATestThatProvesOneAndIsNotThereIsAProblem) {
  const std::string source =
      "RC_GTEST_PROP(JobNameTest, ChangesWhenAnyOneOfItsInputsDoes, ()) {\n"
      "RC_GTEST_PROP(JobNameTest, IsNotAmbiguousWhenTextMovesFromOnePartToTheNext, ()) {\n"
      "TEST(OperationIdTest, ChangesWithTheFingerprintAndTheNonce) {\n"
      "RC_GTEST_PROP(UnresolvedCopyTest, EveryRecordSurvivesTheAnnotation,\n"
      "              (bool partial)) {\n"
      "TEST_F(HoldCopyTest, AnUnreadableCopyBlocksAndIsLeftAlone) {\n";
  const auto read = [](const std::string& text) {
    return [text](const std::string&) { return text; };
  };
  EXPECT_TRUE(
      UnprovedProperties(read(source + "TEST(UnresolvedCopyTest, ReadingIsStrict) {\n")).empty());
  EXPECT_EQ(UnprovedProperties(read(source)),
            std::vector<std::string>{"S-56 (no test UnresolvedCopyTest.ReadingIsStrict in "
                                     "lifecycle/migration/unresolved_copy_test.cc)"});
}

// --- Terminal --------------------------------------------------------------------------------

TEST(TerminalTest, TheSummarySaysWhatWasReachedAndWhatWasNot) {
  GateReport report;
  *report.mutable_coverage() = CoverageOf(report, {});
  report.add_record_problems("status.resolvedRun is written by nobody");
  const std::string summary = TerminalSummary(report);
  EXPECT_TRUE(absl::StrContains(summary, "reached: 0 of "));
  EXPECT_TRUE(absl::StrContains(summary, "UNREACHED: W-01 of a schema was never stored"));
  EXPECT_TRUE(absl::StrContains(summary, "RECORD: status.resolvedRun is written by nobody"));
}

TEST(TerminalTest, AQuickGateSaysThatItIsALowerBound) {
  GateReport report;
  report.set_quick(true);
  EXPECT_TRUE(absl::StrContains(TerminalSummary(report), "quick: "));
}

}  // namespace
}  // namespace reports
