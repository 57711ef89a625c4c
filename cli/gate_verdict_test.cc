#include "cli/gate_verdict.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cli/commands.h"
#include "model/properties.h"
#include "reports/summarize.h"
#include "reports/terminal.h"

namespace cli {
namespace {

// The report of a gate in which nothing was wrong.
reports::GateReport Good() {
  reports::GateReport report;
  report.mutable_canary()->set_caught(true);
  reports::ScenarioReport* scenario = report.add_scenarios();
  scenario->set_verdict(reports::kReadable);
  for (uint32_t number = 0; number < model::kPropertyCount; ++number) {
    scenario->add_properties()->set_premises(1);
  }
  reports::Total(report);
  return report;
}

// What a gate comes to, and that it says so as well.
int CodeOf(reports::GateReport report, const std::string& verdict) {
  const int code = Conclude(report);
  EXPECT_EQ(report.verdict(), verdict);
  EXPECT_NE(reports::TerminalSummary(report).find("\nverdict: " + verdict), std::string::npos);
  return code;
}

int CodeWith(const std::function<void(reports::GateReport&)>& change,
             const std::string& verdict = reports::kUnreadable) {
  reports::GateReport report = Good();
  change(report);
  return CodeOf(std::move(report), verdict);
}

TEST(GateVerdictTest, IsReadableWhenNothingIsWrong) {
  EXPECT_EQ(CodeOf(Good(), reports::kReadable), kAllReadable);
}

TEST(GateVerdictTest, ACanaryThatLivesFailsTheGate) {
  EXPECT_EQ(
      CodeWith([](reports::GateReport& report) { report.mutable_canary()->set_caught(false); }),
      kUnreadableWindow);
  EXPECT_EQ(CodeWith([](reports::GateReport& report) { report.clear_canary(); }), kUnreadableWindow)
      << "it never ran";
}

TEST(GateVerdictTest, ACanaryThatWasNeverPlantedFailsTheGateAndSaysWhy) {
  reports::GateReport report = Good();
  report.mutable_canary()->set_caught(false);
  report.mutable_canary()->set_absent(true);
  EXPECT_EQ(Conclude(report), kUnreadableWindow);
  EXPECT_NE(reports::TerminalSummary(report).find("NOT planted"), std::string::npos);
}

TEST(GateVerdictTest, OfAScenarioThatCouldNotBeRunNothingIsKnown) {
  for (const bool quick : {false, true}) {
    const auto fails = [quick](reports::GateReport& report) {
      report.set_quick(quick);
      report.mutable_scenarios(0)->set_verdict(reports::kUndecided);
      report.mutable_scenarios(0)->set_error("its process ended before it was done");
    };
    EXPECT_EQ(CodeWith(fails, reports::kUndecided), kLimitReached) << quick;
  }
}

// Of every property in turn: nothing ever had to be checked.
TEST(GateVerdictTest, APropertyWithoutAPremiseFailsTheGateUnlessATestHoldsIt) {
  for (uint32_t number = 0; number < model::kPropertyCount; ++number) {
    const model::PropertyInfo& info = model::InfoOf(static_cast<model::Property>(number));
    const bool by_test = info.kind == model::PropertyKind::kTest;
    EXPECT_EQ(CodeWith(
                  [&](reports::GateReport& report) {
                    reports::ScenarioReport* scenario = report.mutable_scenarios(0);
                    scenario->mutable_properties(static_cast<int>(number))->set_premises(0);
                    reports::Total(report);
                  },
                  by_test ? reports::kReadable : reports::kUnreadable),
              by_test ? kAllReadable : kUnreadableWindow)
        << info.name;
  }
}

TEST(GateVerdictTest, WhatWasNotReachedFailsTheGate) {
  EXPECT_EQ(CodeWith([](reports::GateReport& report) {
              report.mutable_coverage()->add_problems("W-12 of migration is not reached");
            }),
            kUnreadableWindow);
}

TEST(GateVerdictTest, ARecordInTheWrongFamilyFailsTheGate) {
  EXPECT_EQ(CodeWith([](reports::GateReport& report) { report.add_record_problems("a record"); }),
            kUnreadableWindow);
}

TEST(GateVerdictTest, ATableThatSaysSomethingElseFailsTheGate) {
  EXPECT_EQ(CodeWith([](reports::GateReport& report) { report.set_table_drift("line 3"); }),
            kUnreadableWindow);
}

TEST(GateVerdictTest, AnUnreadableScenarioFailsTheGateAlsoBesideAnUndecidedOne) {
  EXPECT_EQ(CodeWith([](reports::GateReport& report) {
              report.mutable_scenarios(0)->set_verdict(reports::kUnreadable);
              report.add_scenarios()->set_verdict(reports::kUndecided);
            }),
            kUnreadableWindow);
}

TEST(GateVerdictTest, WhatIsMissingBehindALimitIsNoFailure) {
  const auto missing = [](reports::GateReport& report) {
    report.set_table_drift("line 3");
    report.add_vacuous("S-01");
    report.mutable_coverage()->add_problems("W-12 of migration is not reached");
    report.add_scenarios()->set_verdict(reports::kUndecided);
  };
  EXPECT_EQ(CodeWith(missing, reports::kUndecided), kLimitReached);
  EXPECT_EQ(CodeWith([&](reports::GateReport& report) {
              missing(report);
              report.mutable_canary()->set_caught(false);
            }),
            kUnreadableWindow);
}

TEST(GateVerdictTest, ALimitThatCameFirstClaimsNothing) {
  const auto cut = [](reports::GateReport& report) {
    report.add_scenarios()->set_verdict(reports::kUndecided);
  };
  EXPECT_EQ(CodeWith(cut, reports::kUndecided), kLimitReached);
  EXPECT_EQ(CodeWith(
                [&](reports::GateReport& report) {
                  cut(report);
                  report.set_quick(true);
                },
                reports::kReadable),
            kAllReadable)
      << "a quick gate asks for no more than it looks at";
}

}  // namespace
}  // namespace cli
