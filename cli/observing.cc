#include "cli/observing.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/exploring.h"
#include "cli/files.h"
#include "reports/summarize.h"

namespace cli {
namespace {

std::string Docs(const std::string& name) { return absl::StrCat(Root(), "/docs/", name); }

}  // namespace

OptionNames ObservingOptions(const std::vector<std::string>& with_value,
                             const std::vector<std::string>& without_value) {
  OptionNames names = {.with_value = {"--scenario", "--jobs"},
                       .without_value = {"--quiet", "--help"}};
  names.with_value.insert(with_value.begin(), with_value.end());
  names.without_value.insert(without_value.begin(), without_value.end());
  return names;
}

absl::StatusOr<Observed> Observe(const Arguments& arguments) {
  if (!arguments.rest().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("unexpected \"", arguments.rest()[0], "\""));
  }
  const auto jobs = arguments.Number("--jobs", 64);
  if (!jobs.ok()) return jobs.status();
  if (*jobs == uint64_t{0}) {
    return absl::InvalidArgumentError("expected --jobs to be at least 1");
  }
  absl::StatusOr<std::vector<model::LoadedScenario>> scenarios =
      ScenariosNamed(arguments.Get("--scenario").value_or(""));
  if (!scenarios.ok()) return scenarios.status();

  ExploreRequest explore;
  explore.scenarios = *std::move(scenarios);
  explore.at_once = static_cast<int>(jobs->value_or(2));
  explore.quiet = arguments.Has("--quiet");
  Observed observed;
  observed.whole = !arguments.Has("--scenario");
  for (reports::ScenarioReport& scenario : ExploreAll(explore)) {
    observed.complete &= scenario.verdict() != reports::kUndecided && scenario.error().empty();
    *observed.report.add_scenarios() = std::move(scenario);
  }
  reports::Total(observed.report);
  return observed;
}

absl::StatusOr<reports::Exemptions> ReadExemptions() {
  const absl::StatusOr<std::string> decisions = ReadFile(Docs("decisions.md"));
  if (!decisions.ok()) return decisions.status();
  return reports::ParseExemptions(*decisions);
}

std::string SourceOf(const std::string& file) {
  const absl::StatusOr<std::string> source = ReadFile(absl::StrCat(Root(), "/", file));
  return source.ok() ? *source : "";
}

std::string DriftFrom(const std::string& name, const std::string& text,
                      const std::string& command) {
  const absl::StatusOr<std::string> kept = ReadFile(Docs(name));
  if (!kept.ok()) {
    return absl::StrCat(kept.status().message(), "; ./stopgap ", command, " --write makes it");
  }
  if (*kept == text) return "";
  return absl::StrCat("docs/", name, " is not what was observed; ./stopgap ", command,
                      " --write renews it");
}

bool PrintOrWrite(const Arguments& arguments, const std::string& name, const std::string& text) {
  if (!arguments.Has("--write")) {
    std::fputs(text.c_str(), stdout);
    return true;
  }
  const absl::Status written = WriteFile(Docs(name), text);
  if (!written.ok()) Refuse(std::string(written.message()));
  return written.ok();
}

}  // namespace cli
