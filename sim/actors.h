// Everything that happens in a World besides passes of a manager, as steps that actors offer.
//
// Job controller, kubelet, runner and database, clock, people, rivals. Each step is offered with
// what it costs: 0 for what a quiet world does by itself, 1 for a fault or a disturbance. Writes go
// through the API server under the actor's own user name. Steps never end themselves: the caller
// calls EndStep (world.h) afterwards, since it knows how exact the run is.
//
// Answers: design.md, "Everything that can happen is a Step some actor offers"; issue item 5.

#ifndef SIM_ACTORS_H_
#define SIM_ACTORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lifecycle/api/kind.h"
#include "sim/api_server.h"
#include "sim/world.h"

namespace sim {

enum class StepKind : uint8_t {
  kStartPod,   // A stored Job's Pod is made and starts (Job controller, scheduler and kubelet).
               // Of a Pod that waits for a volume: it starts now.
  kRun,        // The runner runs `option` more statements. what: "finish" (that is the end, and
               // it reports) or "pause" (the child stands there and may go on).
  kKillPod,    // Fault: the Pod is killed after `option` more statements. what: "hard" (nothing
               // is reported), "grace" (the child obeys and the runner reports) or "unsummarized"
               // (killed between the frame and the termination summary).
  kFinishJob,  // The Job controller sees its Pods ended and sets Complete or Failed. what:
               // "deadline" when it kills them because the Job's time is over, else empty.
  kLoseLog,    // Fault: an ended container's log is gone.
  kCollect,    // what: "ttl" (a finished Job's TTL passed) or "garbage" (owners are gone).
  kAdvanceClock,  // The clock moves to the next target.
  kPerson,        // A person acts: `what` is approve, delete-approval, replace-approval, repair,
                  // republish or acknowledge.
  kRival,         // The rival acts: `what` is acquire, run, begin, end, move-history or release;
                  // `option` is which rival.
  kDeliver,  // A request in flight (`option`: which) is stored, or lost for good. what: "store"
             // or "lose".
};

struct WorldStep {
  StepKind kind = StepKind::kAdvanceClock;
  std::string what{};            // See StepKind.
  lifecycle::api::Key target{};  // The Job, Pod, resource, approval, Lease or request it is about.
  int32_t option = 0;            // See StepKind.
  int32_t cost = 0;              // 0: a quiet world does this. 1: a fault or a disturbance.
  std::string label{};           // Stable text for schedules, such as "run pod/x to its end".
  friend bool operator==(const WorldStep&, const WorldStep&) = default;
};

// What the scenario lets the world do; see scenarios/scenario.proto for the text form.
struct WorldRules {
  bool kills = true;       // Pods may be killed between any two statements.
  bool lose_logs = true;   // Ended containers' logs may be lost.
  bool late_clock = true;  // The clock may move although something else could happen first.
  // A mutating child may stand at a statement while other things happen, its deadline included.
  bool slow_runs = true;
  // A rival may also apply the next migration of the database it shares (U-4).
  bool rival_moves_history = false;
  // A rival that took the realm is never heard of again: its Lease has to lapse.
  bool rival_vanishes = false;
  friend bool operator==(const WorldRules&, const WorldRules&) = default;
};

class Actors {
 public:
  // `server` outlives the actors.
  Actors(const ApiServer& server, WorldRules rules);

  // Every step that can happen next, in a fixed order: Jobs, Pods, garbage, people, rivals,
  // requests in flight, the clock.
  std::vector<WorldStep> Offer(const World& world) const;
  // Takes one offered step. `world` is as it was offered in.
  void Take(World& world, const WorldStep& step) const;

  const WorldRules& rules() const { return rules_; }

 private:
  const ApiServer& server_;
  WorldRules rules_;
};

// The next time the clock can move to: the earliest future time that anything in the world is
// compared with (sim/clock.h). Returns nullopt when there is none.
std::optional<int64_t> NextClockTarget(const World& world);

// Whether the pass of `work` is due now.
bool IsDue(const World& world, const Process& process, const Work& work);

}  // namespace sim

#endif  // SIM_ACTORS_H_
