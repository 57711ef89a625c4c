// Exploring many scenarios at once for the gate and the table.

#ifndef CLI_EXPLORING_H_
#define CLI_EXPLORING_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/check.h"
#include "model/scenario.h"
#include "reports/report.pb.h"

namespace cli {

struct ExploreRequest {
  std::vector<model::LoadedScenario> scenarios;
  model::CheckOptions options;
  int at_once = 2;
  std::optional<uint64_t> seconds_max;  // For all of it; nullopt: no limit.
  bool quiet = false;                   // No progress on standard error.
  // Told of each scenario's report, in order.
  std::function<void(reports::ScenarioReport&)> on_report;
};

// Explores each scenario in a process of its own and returns their reports, in order.
std::vector<reports::ScenarioReport> ExploreAll(const ExploreRequest& request);

// Returns the scenarios below scenarios/ whose names match `glob` (empty: all).
absl::StatusOr<std::vector<model::LoadedScenario>> ScenariosNamed(const std::string& glob);

}  // namespace cli

#endif  // CLI_EXPLORING_H_
