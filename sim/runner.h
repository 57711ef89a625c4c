// The runner: what a Pod's executor does, one statement at a time.
//
// It knows its Pod's template and its database, and nothing of the API (spec 02, U). A child is
// counted in statements: a schema's Apply has one for each change of its plan, a migration's Apply
// has those of its files and, after each file, the one that records it (with a transactional file's
// commit). Between any two of them the world may do something else: kill the Pod, move the clock,
// let another executor in. What a run reports is a function of where it stands and how it ended.
//
// Answers: spec 02, U-1 to U-6.

#ifndef SIM_RUNNER_H_
#define SIM_RUNNER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "sim/world.h"

namespace sim {

// What a Pod was told (lifecycle/api/runner_contract.h). The views last as long as the Pod.
struct Instructions {
  absl::string_view operation;
  absl::string_view operation_id;
  int64_t protocol_version = 0;
  absl::string_view coordination_digest;
  absl::string_view engine;
  absl::string_view artifact_reference;
  absl::string_view artifact_digest;
  absl::string_view policy_digest;
  absl::string_view expect_sequence;
  absl::string_view plan_content_digest;
  int64_t dispatch_not_after_ms = 0;
  int64_t execution_not_after_ms = 0;
  int64_t grace_seconds = 0;
  bool mutating = false;  // Its operation can change the database.
  bool reads = false;     // Its operation reads the database.
};
Instructions InstructionsOf(const lifecycle::api::Pod& pod);

// When a child that is asked to stop at executionNotAfter is killed: two thirds of the grace later.
int64_t KillTimeOf(const Instructions& told);

// The index of the database a Pod that starts now opens: the one of a Secret it mounts, else of the
// coordination digest it was told, else the only one. Returns -1 when there is none.
int32_t DatabaseOf(const World& world, const lifecycle::api::Pod& pod, const Instructions& told);

// One run, looked at or moved. `pod` is the run's own, as it was when its containers started, and
// `database` the one they opened.
struct RunView {
  const World& world;
  const Run& run;
  const lifecycle::api::Pod& pod;
  Instructions told;
  int32_t database;
};
// `run` has a Pod: it was started by the kubelet.
RunView ViewOf(const World& world, const Run& run);

// How many more statements the child would run if nothing disturbed it. 0 for a run that will start
// none: a reader, one that refuses, one whose child ends here.
int32_t StatementsLeft(const RunView& view);

// True when a mutating run's child is running, or will be when the run goes on; false when the run
// refuses to start it.
bool WillRun(const RunView& view);

// What a mutating run of this Pod is about to change, nothing of it done yet.
std::vector<FileEffect> IntendedEffect(const World& world, const lifecycle::api::Pod& pod,
                                       const Instructions& told);

// Runs `statements` (at most StatementsLeft) of the run of `pod_uid`, starting its child if it has
// not been. The database and the truth change as they commit.
void RunStatements(World& world, const std::string& pod_uid, int32_t statements);

// How a run's child ended.
enum class Ending {
  kByItself,  // It did all it was to do, or failed, or there was nothing to start.
  kStopped,   // It was asked to stop and obeyed, so it reports what it did (U-6).
  kKilled,    // It was killed, and the runner reports that it cannot know (U-3).
  kMismatch,  // The runner speaks another protocol than it was told, and started nothing.
};

struct RunReport {
  lifecycle::api::FramePayload frame;
  std::optional<lifecycle::api::TerminationSummary> summary;  // frame_digest is still empty.
  int32_t exit_code = 0;
  bool did_all = false;  // The child did everything it was to do.
};
RunReport ReportOf(const RunView& view, Ending ending);
// The report as the executor writes it: the log, and the termination message.
std::string FrameText(const RunReport& report);
std::string SummaryText(const RunReport& report);

}  // namespace sim

#endif  // SIM_RUNNER_H_
