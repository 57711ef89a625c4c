// Checks one scenario under one design: explores it, judges it, and says what it found as a value.
//
// A Workbench holds what a run needs to live side by side with others: interner, server, webhook,
// controllers' runner, actors, system. Two of them share nothing.

#ifndef MODEL_CHECK_H_
#define MODEL_CHECK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/dispatch/design.h"
#include "model/coverage.h"
#include "model/engine/exploration.h"
#include "model/engine/replay.h"
#include "model/engine/schedule.h"
#include "model/properties.h"
#include "model/scenario.h"
#include "model/system.h"

namespace model {

// Returns the current design with two steps exchanged; `names` is "mark,create".
// Errors: InvalidArgument when `names` is not two different step names.
absl::StatusOr<lifecycle::dispatch::Design> DesignWithExchange(absl::string_view names);

struct CheckOptions {
  lifecycle::dispatch::Design design;
  bool exact = false;  // Absolute times, no renumbering.
  bool resync = true;
  bool memo = true;           // A pass is not run twice on the same answers.
  bool journal = true;        // Passes are heard when they say which rule they follow.
  bool hold_to_goals = true;  // What the scenario must reach and does not is a failure.
  bool stop_at_first = false;
  std::optional<uint32_t> faults_max;  // Instead of the scenario's.
  std::optional<uint64_t> states_max;  // Instead of the scenario's.
  // The process ends with the check: the system takes back what it held, not each object itself.
  bool process_ends = false;
  uint64_t ask_every_states = 100;
  // Called now and then; returning false ends the exploration (exit 3).
  std::function<bool(const Statistics&)> keep_going;
};

// A property that broke, and the shortest schedule that shows it, re-run on real code.
struct Violation {
  Property property = Property::kRecovery;
  std::string text;
  uint32_t faults = 0;
  Schedule schedule;
  std::vector<std::string> timeline;  // One line each.
};

struct PropertyResult {
  uint64_t premises = 0;
  uint64_t violations = 0;
};

// What the exploration saw of one durable write, for the table.
struct WriteRow {
  uint64_t stored = 0;        // Times a pass stored it.
  uint64_t stops_before = 0;  // Stops injected just before it.
  uint64_t stops_after = 0;
  std::map<std::string, uint64_t> followed_by;  // "W-13", "the pass ends", by how often.
  std::map<std::string, uint64_t> next_pass;    // What a fresh pass does after a stop there.
};

struct CheckResult {
  std::string scenario;
  std::string path;
  std::string family;  // "schema" or "migration".
  std::string design;
  bool exact = false;
  Ended ended = Ended::kClosed;
  std::optional<uint32_t> faults_max;
  Statistics statistics;
  uint32_t longest_recovery_steps = 0;
  uint32_t longest_recovery_passes = 0;
  std::vector<PropertyResult> properties;    // By Property.
  std::vector<Violation> violations;         // The first of each property that broke.
  std::vector<std::string> unreached;        // Goals the scenario must reach and did not.
  std::map<WriteOfFamily, WriteRow> writes;  // Those that were reached.
  RuleCounts rules;                          // Those that were reached.
  std::map<RecordWrite, uint64_t> records;   // Changes of safety records by passes.
  std::set<std::string> held_to_every;       // Kinds of Jobs: see Comparer::held_to_every.
  std::map<std::string, uint64_t> verdicts;  // By name: states whose probe concluded it.

  bool readable() const { return violations.empty() && unreached.empty() && IsComplete(ended); }
};

// Everything one run needs. Not movable: its parts know each other.
class Workbench {
 public:
  // Errors: FailedPrecondition when the scenario's world cannot be set up.
  static absl::StatusOr<std::unique_ptr<Workbench>> Make(const LoadedScenario& scenario,
                                                         const CheckOptions& options);
  ~Workbench();

  OperatorSystem& system();
  const sim::World& initial() const;
  PassRunner& runner();
  const sim::Actors& actors() const;
  const sim::ApiServer& server() const;
  const Comparer& comparer() const;
  const Goals& goals() const;

 private:
  struct Parts;
  explicit Workbench(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Explores the scenario. Errors: as Make.
absl::StatusOr<CheckResult> Check(const LoadedScenario& scenario, const CheckOptions& options);

// Runs a schedule again on the scenario it names (`scenario` is that file as it is now). Messages
// begin with the schedule's file and line.
struct ReplayResult {
  std::vector<std::string> warnings;  // The scenario changed, a state differs.
  std::vector<std::string> timeline;
  std::optional<std::string> divergence;
  std::optional<std::string> not_shown;             // What the schedule says it violates held.
  std::vector<Property> broken;                     // In order of appearance, none twice.
  std::vector<std::string> view, truth, next_pass;  // At the end, when asked for.
};
struct ReplayRequest {
  std::optional<size_t> step;  // Stops after so many entries and shows what stands there.
};
// Errors: InvalidArgument, one line "file:line: expected ...", for a schedule that no change of the
// code explains; else as Make.
absl::StatusOr<ReplayResult> ReplaySchedule(const LoadedScenario& scenario,
                                            const ScheduleFile& file, const ReplayRequest& request);

}  // namespace model

#endif  // MODEL_CHECK_H_
