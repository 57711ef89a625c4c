// Everything that happens in a World besides passes of a manager, as steps that actors offer.
//
// Job controller, kubelet, runner and database, clock, people, rivals. Each step is offered with
// what it costs: 0 for what a quiet world does by itself, 1 for a fault or a disturbance. Writes go
// through the API server under the actor's own user name. Steps never end themselves: the caller
// calls EndStep (world.h) afterwards, since it knows how exact the run is.
//
// Answers: design.md, "Everything that can happen is a Step some actor offers".

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
  kStartPod,  // A stored Job's Pod is made and starts (Job controller, scheduler and kubelet).
              // what: "second" when the Job has had one already, "elsewhere" (Fault) when what its
              // URL opens is another database. Of a Pod that waits for a volume: it starts now.
  kRun,       // The runner runs `option` more statements. what: "finish" (that is the end, and
         // it reports), "pause" (the child stands there and may go on) or "mismatch" (Fault: the
         // runner does not speak the protocol it was told, and starts nothing).
  kKillPod,    // Fault: the Pod is killed after `option` more statements. what: "hard" (nothing
               // is reported), "grace" (the child obeys and the runner reports), "unsummarized"
               // (killed between the frame and the termination summary) or "evict" (deleted
               // through the API; its kubelet stops it with grace, and then it is gone).
  kFinishJob,  // The Job controller sees its Pods ended and sets Complete or Failed. what:
               // "deadline" when it kills them because the Job's time is over, "linger" when they
               // are only asked to go then, else empty.
  kLoseLog,    // Fault: an ended container's log is gone. what: empty (for good), "cut" (its end is
               // missing), "foreign" (it holds the frame of another operation) or "slow" (it cannot
               // be read for now); or no fault, "back" (it can be read again).
  kCollect,    // what: "ttl" (a finished Job's TTL passed), "ttl-pods" (the same, its Pods first)
               // or "garbage" (owners are gone), "one" (of the garbage, only the target).
  kAdvanceClock,  // The clock moves to the next target.
  kPerson,        // A person acts: `what` is one of sim::act (sim/people.h).
  kRival,         // The rival acts: `what` is acquire, run, begin, end, move-history or release;
                  // `option` is which rival.
  kDeliver,    // A request in flight (`option`: which) is stored, or lost for good. what: "store"
               // or "lose".
  kInformers,  // What the informers of the process `option` show. what: "lag" (Fault: from now on
               // it is what stands now) or "catch-up" (no longer).
  kNode,  // Of a Pod: its node is out of reach. what: "lose" (Fault: the executor goes on), "die"
          // (Fault: and the executor is dead), "return" (it is back, and reports), "fail" (the
          // cluster gives the Pod up: Failed) or "forget" (the stored Pod is gone).
};

struct WorldStep {
  StepKind kind = StepKind::kAdvanceClock;
  std::string what{};            // See StepKind.
  lifecycle::api::Key target{};  // The Job, Pod, resource, approval, Lease or request it is about.
  int32_t option = 0;            // See StepKind.
  int32_t cost = 0;              // 0: a quiet world does this. 1: a fault or a disturbance.
  bool patient = false;          // The clock does not wait for it, although it costs nothing.
  std::string label{};           // Stable text for schedules, such as "run pod/x to its end".
  friend bool operator==(const WorldStep&, const WorldStep&) = default;
};

// What the scenario lets the world do; see scenarios/scenario.proto for the text form.
struct WorldRules {
  bool kills = true;       // Pods may be killed between any two statements.
  bool lose_logs = true;   // Ended containers' logs may be lost.
  bool late_clock = true;  // The clock may move although something else could happen first.
  // The clock does not wait for what a person could do, so that deadlines pass while nobody looks.
  bool slow_people = false;
  // A mutating child may stand at a statement while other things happen, its deadline included.
  bool slow_runs = true;
  // A rival may also apply the next migration of the database it shares (U-4).
  bool rival_moves_history = false;
  // A rival that took the realm is never heard of again: its Lease has to lapse.
  bool rival_vanishes = false;
  bool second_pods = false;  // A Job's Pod may be started twice.
  bool evictions = false;    // A Pod may be deleted through the API, as a drain does.
  bool lost_nodes = false;   // A Pod's node may be lost, with the executor on it or without.
  // A Job may be Failed at its deadline before its Pods have ended; what a child does that stands
  // at a statement takes as long as it likes.
  bool lingering_pods = false;
  bool piecewise_ttl = false;      // A Job whose TTL passed loses its Pods before it goes itself.
  bool piecewise_garbage = false;  // Garbage is collected one object at a time, in any order.
  bool slow_logs = false;          // A log may be out of reach for a while.
  bool cut_logs = false;           // A log may lack its end.
  bool foreign_frames = false;     // A log may hold the frame of another operation.
  bool wrong_database = false;     // A mutating run may open the second database instead.
  bool protocol_mismatch = false;  // A runner may not speak the protocol it is told.
  bool old_caches = false;         // What a process reads from its caches may be old.
  friend bool operator==(const WorldRules&, const WorldRules&) = default;
};

class Actors {
 public:
  // `server` outlives the actors.
  Actors(const ApiServer& server, WorldRules rules);

  // Every step that can happen next, in a fixed order: Jobs, Pods, garbage, people, rivals,
  // requests in flight, informers, the clock.
  std::vector<WorldStep> Offer(const World& world) const;
  // Takes one offered step. `world` is as it was offered in.
  void Take(World& world, const WorldStep& step) const;

  // Whether the resource asks for an approval that nobody has given and that a person could give:
  // its create would be admitted.
  bool AwaitsApproval(const World& world, const lifecycle::api::Key& resource) const;

  const WorldRules& rules() const { return rules_; }

 private:
  const ApiServer& server_;
  WorldRules rules_;
};

// The next time the clock can move to: the earliest future time that anything in the world is
// compared with (sim/clock.h). Returns nullopt when there is none.
std::optional<int64_t> NextClockTarget(const World& world);

// Whether the pass of `work` is due now; one that was left standing always is.
bool IsDue(const World& world, const Process& process, const Work& work);

}  // namespace sim

#endif  // SIM_ACTORS_H_
