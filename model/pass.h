// One pass of a controller in a World: real code behind a door that can record, cut, pause and
// harm.
//
// The unit of the engine is one call of the door. Running a whole pass is the default policy; a
// pass can also be left standing between two calls (PauseAfter) and be taken up again later, in a
// world that moved on meanwhile: the code is run again on the answers it has had.
//
// A stop is a cut, never an answer: at every durable write the explorer may keep the world as it
// stood before and after, with the process's memory dropped. The other fates are answers: a
// conflict, a failure, an answer that was lost with the write stored or not, a refused create.
//
// Answers: design.md, "A stop is a cut" and "A process".

#ifndef MODEL_PASS_H_
#define MODEL_PASS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/design.h"
#include "model/engine/run.h"
#include "model/memo.h"
#include "model/writes.h"
#include "sim/api_server.h"
#include "sim/world.h"

namespace model {

// What may happen to one write. Which of them are on offer depends on the write (FatesOf).
enum class Fate : uint8_t {
  kLands,       // It is stored and the answer arrives.
  kConflict,    // Another write came first: nothing stored.
  kFails,       // A server error; nothing was stored, and the answer does not say so.
  kLostStored,  // It was stored and the answer does not say so (the same answer as kFails).
  kRefused,     // A create refused before storage: the webhook could not be called.
};
// Returns how reports name it, such as "answer lost, stored".
absl::string_view FateName(Fate fate);
// Returns the fates on offer for a write, the first being kLands.
std::vector<Fate> FatesOf(const lifecycle::api::Request& request);

// Which pass: a process and one of its resources.
struct PassId {
  size_t process = 0;
  size_t work = 0;
};

// One write that a pass sent, as judges see it. The worlds stand just before and after it; they are
// equal when nothing was stored.
struct SentWrite {
  const lifecycle::api::Request* request = nullptr;
  Fate fate = Fate::kLands;
  bool stored = false;
  bool refused = false;  // The server itself refused it (admission, validation, precondition).
  WriteSet writes;       // Empty when nothing was stored.
  sim::Handle before = nullptr;
  sim::Handle after = nullptr;
  const sim::World* world_before = nullptr;
  const sim::World* world_after = nullptr;
  lifecycle::api::Site site;
};

// What a pass has done so far; what a judge may look back on.
struct PassTrace {
  PassId id;
  lifecycle::api::Key resource;
  bool due = true;
  bool probe = false;
  const sim::World* start = nullptr;  // The world the pass started in.
  bool create_sent = false;           // Of a Job.
  bool create_stored = false;
  bool create_refused = false;
  bool create_ambiguous = false;
  bool harmed = false;  // Some answer was a fault's.
  bool read_log = false;
  bool cached = false;          // It read something from a cache,
  bool cached_wrongly = false;  // and of a kind that has to be read directly.
  // A read of the store was not answered (of a log: G-6),
  bool unanswered = false;
  // one of those that say what became of a run, or of anything but Jobs and Pods,
  bool evidence_unanswered = false;
  bool changed_unanswered = false;  // and the pass stored something after it.
  // UIDs of the approvals and acknowledgments it read directly so far.
  std::vector<std::string> decisions;
  bool resumed = false;               // It was left standing before, so it may have read what was.
  std::vector<std::string> warnings;  // Messages of the Warning Events it emitted so far.
  WriteSet writes;                    // All that were stored so far.
  WriteSet previous;                  // The last one stored; empty before the first.
  size_t calls = 0;
  bool marked_before = false;  // Before it was left standing it marked its claim.
};

// Told of everything a pass does. The default does nothing.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  // The pass says that it follows a rule of spec 02, such as "B-20.5". A literal.
  virtual void Followed(absl::string_view /*rule*/, const PassTrace& /*trace*/) {}
  virtual void Sent(const SentWrite& /*write*/, const PassTrace& /*trace*/) {}
  virtual void Ended(const lifecycle::api::PassResult& /*result*/, const PassTrace& /*trace*/,
                     const sim::World& /*end*/) {}
};

class PassRunner {
 public:
  // All outlive the runner.
  PassRunner(const sim::ApiServer& server, const lifecycle::dispatch::Design& design,
             const lifecycle::api::Timing& timing, sim::DigestOptions digest)
      : server_(server), design_(design), timing_(timing), digest_(digest) {}

  // From now on a pass that was run on the same answers before is not run again (model/memo.h).
  void UseMemo() { memo_ = std::make_unique<PassMemo>(); }
  // From now on nobody hears what a pass says of the rules it follows: as if it said nothing.
  void SilenceJournal() { journal_ = false; }
  // From now on a read may go unanswered: a fault of the run.
  void OfferFailingReads() { failing_reads_ = true; }
  // Null when there is none.
  const PassMemo* memo() const { return memo_.get(); }

  // Runs the pass to its end and returns the world it leaves, ended as a step. `run` may be null:
  // no fates, no cuts. `observer` may be null. A paused pass goes on from where it stands. While
  // World.person has a preempt left, `run` may choose to leave the pass standing in the middle of a
  // dispatch: the world returned holds it then (Work.paused), and the pass has not ended.
  sim::World Run(const sim::World& world, PassId id, bool probe, StepRun<sim::World>* run,
                 PassObserver* observer) const;

  // Runs the first `calls` calls of the pass (counted from its very start) and returns the world
  // with the pass standing before the next one; nullopt when the pass ends before that.
  std::optional<sim::World> PauseAfter(const sim::World& world, PassId id, size_t calls) const;

  // Maps a cut of a pass to a small number; set by whoever collects the table. Null: tags are 0.
  using TagOf =
      std::function<uint32_t(const lifecycle::api::Key& resource, WriteSet writes, bool after)>;
  TagOf tag_of;

 private:
  // The world with the pass left standing in it, ended as a step.
  sim::World Standing(sim::World world, PassId id, sim::PausedPass paused) const;

  const sim::ApiServer& server_;
  const lifecycle::dispatch::Design& design_;
  const lifecycle::api::Timing& timing_;
  const sim::DigestOptions digest_;
  std::unique_ptr<PassMemo> memo_;
  bool journal_ = true;
  bool failing_reads_ = false;
};

// Returns `world` with the process stopped and started again, ended as a step: no memory, no paused
// pass, every resource due.
sim::World Stopped(const sim::World& world, size_t process, const sim::DigestOptions& digest);

}  // namespace model

#endif  // MODEL_PASS_H_
