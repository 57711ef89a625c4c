#include "cli/exploring.h"

#include <chrono>  // NOLINT: a limit of time decides when to give up, never what is found.
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/workers.h"
#include "model/prepare.h"
#include "model/scenario.pb.h"
#include "reports/summarize.h"

namespace cli {
namespace {

using Instant = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kShowEvery(2);

std::string FamilyOf(const model::LoadedScenario& scenario) {
  return scenario.scenario->family() == model::Scenario::SCHEMA ? "schema" : "migration";
}

reports::ScenarioReport Failed(const model::LoadedScenario& scenario, const std::string& why) {
  reports::ScenarioReport report;
  report.set_scenario(scenario.name);
  report.set_path(scenario.path);
  report.set_family(FamilyOf(scenario));
  // Nothing is known of it; that is no readable window, and no unreadable one either.
  report.set_verdict(reports::kUndecided);
  report.set_error(why);
  return report;
}

// Runs in the child: explores and returns the report's bytes.
std::string ExploreOne(const model::LoadedScenario& scenario, model::CheckOptions options,
                       std::optional<Instant> deadline, bool quiet) {
  Instant shown = std::chrono::steady_clock::now();
  options.keep_going = [&](const model::Statistics& statistics) {
    const Instant now = std::chrono::steady_clock::now();
    if (!quiet && now - shown >= kShowEvery) {
      shown = now;
      std::fprintf(stderr, "stopgap: %s: %llu states, %llu waiting\n", scenario.name.c_str(),
                   static_cast<unsigned long long>(statistics.states),
                   static_cast<unsigned long long>(statistics.waiting));
    }
    return !deadline || now < *deadline;
  };
  options.process_ends = true;
  const absl::StatusOr<model::CheckResult> result = model::Check(scenario, options);
  const reports::ScenarioReport report =
      result.ok() ? reports::Summarize(*result)
                  : Failed(scenario, std::string(result.status().message()));
  return report.SerializeAsString();
}

}  // namespace

std::vector<reports::ScenarioReport> ExploreAll(const ExploreRequest& request) {
  std::optional<Instant> deadline;
  if (request.seconds_max) {
    deadline = std::chrono::steady_clock::now() + std::chrono::seconds(*request.seconds_max);
  }
  model::PrepareTypes();  // Here, so that no child has to.
  std::vector<Task> tasks;
  for (const model::LoadedScenario& scenario : request.scenarios) {
    tasks.push_back([&scenario, &request, deadline] {
      return ExploreOne(scenario, request.options, deadline, request.quiet);
    });
  }
  std::vector<reports::ScenarioReport> reports;
  RunTasks(tasks, request.at_once, [&](size_t index, const std::optional<std::string>& bytes) {
    reports::ScenarioReport report;
    if (!bytes || !report.ParseFromString(*bytes)) {
      report = Failed(request.scenarios[index], "its process ended before it was done");
    }
    if (request.on_report) request.on_report(report);
    reports.push_back(std::move(report));
  });
  return reports;
}

absl::StatusOr<std::vector<model::LoadedScenario>> ScenariosNamed(const std::string& glob) {
  absl::StatusOr<std::vector<model::LoadedScenario>> all =
      model::LoadScenarios(absl::StrCat(Root(), "/scenarios"));
  if (!all.ok() || glob.empty()) return all;
  std::vector<model::LoadedScenario> named;
  for (model::LoadedScenario& scenario : *all) {
    if (model::MatchesGlob(scenario.name, glob)) named.push_back(std::move(scenario));
  }
  if (named.empty()) {
    std::string known;
    for (const model::LoadedScenario& scenario : *all) absl::StrAppend(&known, " ", scenario.name);
    return absl::InvalidArgumentError(
        absl::StrCat("no scenario is named \"", glob, "\"; there are", known));
  }
  return named;
}

}  // namespace cli
