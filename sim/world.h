// A World is a value: what is stored, what processes remember, what really happened.
//
// It has three parts with a digest each: the view (objects, logs, time), the memory (per process)
// and the truth. The state key is all three; the view digest groups states that a fresh process
// cannot tell apart. Copying a World is cheap: stored objects are shared handles.
//
// Answers: design.md, "sim/: a world".

#ifndef SIM_WORLD_H_
#define SIM_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lifecycle/api/configuration.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/timing.h"
#include "sim/cow.h"
#include "sim/cow_map.h"
#include "sim/hash.h"
#include "sim/interner.h"
#include "sim/truth.h"

namespace sim {

// One object in the store. A version counts per object and is renumbered when a step ends.
struct Entry {
  Handle object = nullptr;
  lifecycle::api::Version version = 1;
};

// A write that was sent and not answered yet, or whose sender is gone.
struct InFlight {
  lifecycle::api::Request request;
  bool admitted = false;     // Judged by admission already; only storage is left.
  bool sender_gone = false;  // Nobody waits for the answer.
};

// What the executor of one Pod is doing: the truth behind the Pod's status.
enum class RunState : uint8_t {
  kWaiting,  // Scheduled, nothing started.
  kRunning,  // The child may send SQL.
  kEnded,    // The container terminated.
};

struct Run {
  std::string pod_name;
  std::string pod_uid;
  std::string job_uid;
  std::string namespace_;
  std::string operation_id;
  // The Pod as it was when its containers started: what the executor was told and mounted. A run
  // can outlive the stored Pod, on a node that nobody reaches.
  Handle pod = nullptr;
  int32_t database = -1;   // Of the truth: the one its URL opened when it started. -1: none.
  int64_t lost_at_ms = 0;  // Since when its node is out of reach; 0 while it is reachable.
  RunState state = RunState::kWaiting;
  int32_t file = 0;  // Where it is: the next file and statement.
  int32_t statement = 0;
  int64_t started_ms = 0;  // Shown only.
};

// How long a cluster waits for a lost node before it gives up the Pods on it.
inline constexpr int64_t kNodeForgottenAfterMs = 300'000;
// When it does so for the Pod of this run.
inline int64_t NodeForgottenAtMs(const Run& run) { return run.lost_at_ms + kNodeForgottenAfterMs; }

// A container's log as the API server would serve it: by Pod UID, part of the view.
struct PodLog {
  std::shared_ptr<const std::string> text;  // Null while nothing was written.
  Hash128 content;
  bool lost = false;        // Gone for good: the read answers NotFound.
  bool unreadable = false;  // For now: the node does not answer.
  bool harmed = false;      // Cut or mixed up; its content says how.
};

// When a resource's next pass is due. Watches coalesce and arrive at once.
struct Due {
  enum class When : uint8_t {
    kNever,  // Only a watch wakes it.
    kNow,
    kAt,      // At `at_ms`.
    kParked,  // A poll that read what it read last: due when a later target of the clock than
              // `at_ms` is reached. Something happening makes it kAt again (EndStep).
  };
  When when = When::kNow;
  int64_t at_ms = 0;
  // kAt, kParked: the content (times apart) that the last pass left; zero once something happened.
  Hash128 seen{};
  friend bool operator==(const Due&, const Due&) = default;
};

// A pass that stands between two calls of the door: the answers it has had so far. Running the code
// again on them brings it to the same call.
struct PausedPass {
  std::vector<lifecycle::api::Answer> answers;
  std::vector<std::string> tokens;  // Tokens it drew that nothing stored holds yet.
};

struct Work {
  lifecycle::api::Key resource;
  Due due;
  std::shared_ptr<const PausedPass> paused;
};

// One manager process: one worker a family, so at most one paused pass a family.
struct Process {
  std::string name;
  bool running = true;
  Cow<lifecycle::api::Configuration> configuration;
  Cow<lifecycle::api::Memory> memory;
  int64_t started_ms = 0;      // World time at which its monotonic clock read 0.
  int64_t wall_offset_ms = 0;  // Its wall clock minus the world's time.
  std::vector<Work> work;      // By resource key.
  // What its informers show while they lag behind: what they watch, as it stood then, in the order
  // of the store. Null while they are up to date, as those of a process that just started are.
  std::shared_ptr<const std::vector<Entry>> cache;
};

// What a rival claimant of a realm does: take the Lease, change the database, give the Lease back.
struct Rival {
  std::string coordination_digest;
  std::string holder;
  enum class State : uint8_t { kIdle, kHolding, kRunning, kRan } state = State::kIdle;
  int32_t rounds_left = 0;  // How often it may still take the realm.
  // When the foreign record it watches will have stood unchanged for its whole duration; 0 while
  // there is nothing to watch for (sim/rival.h).
  int64_t lapse_at_ms = 0;
};

struct World {
  int64_t now_ms = 0;
  std::vector<Entry> objects;  // Ordered by key.
  CowMap<PodLog> logs;         // By Pod UID.
  std::vector<InFlight> in_flight;
  std::vector<Cow<Run>> runs;  // Ordered by Pod UID. Truth.
  std::vector<Process> processes;
  std::vector<Rival> rivals;
  CowMap<int32_t> person;  // Acts a person may still do, by name ("approve", ...).
  Truth truth;
  // Within a step: the largest version of an object that was removed in it, so that one of the same
  // name made later in the step has another. 0 between steps.
  lifecycle::api::Version removed_version = 0;

  // Returns the entry of `key`, or nullptr.
  const Entry* Find(const lifecycle::api::Key& key) const;
  Entry* Find(const lifecycle::api::Key& key);
  // Inserts or replaces; removes. Keep the order.
  void Put(const Entry& entry);
  void Erase(const lifecycle::api::Key& key);

  template <class T>
  const T* Get(const std::string& namespace_, const std::string& name) const {
    const Entry* entry = Find(lifecycle::api::Key{lifecycle::api::KindOf<T>(), namespace_, name});
    return entry == nullptr ? nullptr : &entry->object->As<T>();
  }
};

struct DigestOptions {
  // Absolute times and unrenumbered versions (--exact): for comparison on small scenarios.
  bool exact = false;
  // The longest time for which a process counts failures to read a log: longer is one.
  int64_t log_failure_cap_ms = lifecycle::api::Timing{}.log_loss_window_ms;
};

// What a fresh process can tell apart: objects, logs and how far every deadline is.
Hash128 ViewDigest(const World& world, const DigestOptions& options);
// The same without any time: what a poll compares (design.md, "A requeue is a lower bound").
Hash128 ContentDigest(const World& world);
// Memory, due times, paused passes and in-flight requests.
Hash128 MemoryDigest(const World& world, const DigestOptions& options);
Hash128 TruthDigest(const World& world, const DigestOptions& options);
// All three: the state key.
Hash128 StateKey(const World& world, const DigestOptions& options);
// Stored objects that somebody holds: with their versions, and how far their times are.
Hash128 EntriesDigest(const std::vector<Entry>& entries, int64_t now_ms,
                      const DigestOptions& options);
// One request in flight.
Hash128 RequestDigest(const InFlight& one, int64_t now_ms, const DigestOptions& options);

// Whether a child of the operation can send SQL now, or something stored or flying may still start
// one before its deadline (spec 07, canRun).
bool CanRun(const World& world, const OperationTruth& operation);

// Ends a step: forgets summaries of settled operations that nothing mentions, renumbers versions
// (by rank where somebody holds one, else 1; not when `exact`), drops logs of Pods that are gone,
// notes for every waiting poll whether something happened since. Idempotent.
void EndStep(World& world, const DigestOptions& options);

// Returns the largest version of the object that anybody but the store holds or that was removed in
// this step, 0 for none: a new object of the same name needs a larger one.
lifecycle::api::Version LargestHeldVersion(const World& world, const lifecycle::api::Key& key);

// Wakes the resources that a change of `key` wakes by their watches (spec 01, 0.3).
// `before` or `after` is null for a create or a removal.
void WakeWatchers(World& world, Handle before, Handle after);

}  // namespace sim

#endif  // SIM_WORLD_H_
