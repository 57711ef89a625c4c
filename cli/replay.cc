// `stopgap replay FILE`: runs a saved schedule again, byte for byte the same timeline.

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "model/check.h"
#include "model/engine/schedule.h"
#include "model/properties.h"
#include "model/scenario.h"

namespace cli {
namespace {

constexpr char kUsage[] =
    "stopgap replay FILE [--step N]: run a saved schedule again\n"
    "\n"
    "  --step N    stop after N entries and show the view (what a fresh process can read), the\n"
    "              truth (what really happened) and what the next pass would conclude\n"
    "\n"
    "Exit codes: 0 nothing broke on the way; 1 a property broke; 2 the input was wrong, the run\n"
    "diverged from the schedule because the code changed, or what the schedule says it violates\n"
    "holds now.\n";

void Print(const char* heading, const std::vector<std::string>& lines) {
  std::fprintf(stdout, "%s\n", heading);
  for (const std::string& line : lines) std::fprintf(stdout, "  %s\n", line.c_str());
}

}  // namespace

int Replay(const std::vector<std::string>& words) {
  const absl::StatusOr<Arguments> arguments =
      Arguments::Parse(words, {.with_value = {"--step"}, .without_value = {"--help"}});
  if (!arguments.ok()) return Refuse(std::string(arguments.status().message()));
  if (arguments->Has("--help")) {
    std::fputs(kUsage, stdout);
    return kAllReadable;
  }
  if (arguments->rest().size() != 1) return Refuse("expected one schedule: stopgap replay FILE");
  const auto step = arguments->Number("--step", 1'000'000);
  if (!step.ok()) return Refuse(std::string(step.status().message()));
  const std::string& file = arguments->rest()[0];
  const absl::StatusOr<model::ScheduleFile> read = model::LoadSchedule(file);
  if (!read.ok()) return Refuse(std::string(read.status().message()));
  const absl::StatusOr<model::LoadedScenario> scenario =
      model::LoadScenario(absl::StrCat(Root(), "/", read->schedule.scenario));
  if (!scenario.ok()) {
    const absl::Status wrong =
        read->Expected(read->scenario_line,
                       absl::StrCat("a scenario that can be read: ", scenario.status().message()));
    return Refuse(std::string(wrong.message()));
  }
  const size_t entries = read->schedule.path.entries.size();
  if (*step && **step > entries) {
    return Refuse(absl::StrCat("expected --step from 0 to ", entries, ", the entries of ", file));
  }
  model::ReplayRequest request;
  if (*step) request.step = static_cast<size_t>(**step);
  const absl::StatusOr<model::ReplayResult> result =
      model::ReplaySchedule(*scenario, *read, request);
  if (!result.ok()) return Refuse(std::string(result.status().message()));

  for (const std::string& warning : result->warnings) {
    std::fprintf(stderr, "stopgap: %s\n", warning.c_str());
  }
  for (const std::string& line : result->timeline) std::fprintf(stdout, "%s\n", line.c_str());
  if (result->divergence) return Refuse(*result->divergence);
  if (*step) {
    Print("view", result->view);
    Print("truth", result->truth);
    Print("next pass", result->next_pass);
  }
  if (result->not_shown) return Refuse(*result->not_shown);
  return result->broken.empty() ? kAllReadable : kUnreadableWindow;
}

}  // namespace cli
