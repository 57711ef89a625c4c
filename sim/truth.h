// The truth: what really happened, kept beside the world and never shown to the code under test.
//
// It is bounded: one saturating summary per operation, forgotten when the operation is settled and
// nothing stored, in flight or remembered mentions it. Verdicts are judged against it (spec 07).
//
// Answers: spec 05, section 0; spec 07; design.md, "The truth is bounded".

#ifndef SIM_TRUTH_H_
#define SIM_TRUTH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/kind.h"
#include "sim/cow.h"
#include "sim/cow_map.h"
#include "sim/interner.h"

namespace sim {

struct Entry;
struct World;

enum class Family { kSchema, kMigration };

// Counts that saturate: none, one, more than one.
enum class Count : uint8_t { kNone, kOne, kMore };
Count Increment(Count count);

// What one operation did to one file of a migration. A schema's plan is one file.
struct FileEffect {
  std::string version;    // The file's, empty for a schema's plan.
  int32_t committed = 0;  // Statements of the file this operation committed.
  bool recorded = false;  // This operation recorded the file as applied.
  friend auto operator<=>(const FileEffect&, const FileEffect&) = default;
};

// What a read-only Job saw in the database at the instant it read it.
struct Reading {
  bool declared = false;              // Schema: the database was the declared one.
  std::vector<std::string> recorded;  // Migration: versions recorded applied.
  bool dirty = false;
  friend auto operator<=>(const Reading&, const Reading&) = default;
};

// The type of a rival's operation.
inline constexpr char kRivalType[] = "Rival";

struct OperationTruth {
  std::string id;  // The claim's operation id.
  Family family = Family::kSchema;
  lifecycle::api::Key resource;
  std::string resource_uid;
  std::string type;  // Resolve, Verify, Observe, Plan, History, Apply; "Rival" for a rival's.
  bool mutating = false;
  uint32_t nonce = 0;  // The k its id was drawn with; no other living operation has it.
  std::string holder;
  std::string coordination_digest;
  std::string plan_uid;
  std::string approval_uid;  // Empty when none was required.
  int64_t dispatch_not_after_ms = 0;
  int64_t execution_not_after_ms = 0;
  int64_t grace_ms = 0;

  Count created = Count::kNone;        // Jobs ever stored for it.
  Count flying = Count::kNone;         // Creates sent that may still be stored.
  std::vector<std::string> job_names;  // Every attempt's reserved name, in order.
  std::vector<std::string> job_uids;   // Of Jobs ever stored, sorted; at most two.
  std::vector<std::string> read_back;  // Job UIDs some process read after they were stored, sorted.
  Count pods = Count::kNone;           // Pods ever started for it.
  bool marked = false;                 // dispatchStarted was stored at some time.
  bool realm_moved = false;            // Its acquisition ended after a Job of it was sent.
  int32_t database = -1;               // The one its first executor opened; -1: none yet.
  std::vector<FileEffect> effect;      // Mutating: per file of what it was to run.
  bool finished_ok = false;            // Mutating: the child ended having done all it was to do.
  bool disturbed = false;              // Killed, cut, or its log lost: L-15 does not speak of it.
  std::optional<Reading> reading;      // Read-only: what it read last.
  bool open = true;                    // The account is not settled.
  bool lost = false;                   // A restore lost the status that held it, and all evidence.

  friend bool operator==(const OperationTruth&, const OperationTruth&) = default;
};

struct ApprovalTruth {
  std::vector<std::string> spent_by;  // Operations whose stored Jobs it authorized, sorted.
  std::string consumed_by;            // The operation whose claim spent it.
  friend bool operator==(const ApprovalTruth&, const ApprovalTruth&) = default;
};

// One database as it really is. A realm has one.
struct Database {
  std::string coordination_digest;
  std::string identity_digest;  // What a runner that opens it reports.
  // The Secret whose URL opens it. Empty: the coordination digest a Pod was told finds it.
  std::string secret;
  // Schema: statements of the declared state's plan that are in force; equal to `statements` means
  // that the database is the declared one.
  int32_t statements = 0;
  int32_t in_force = 0;
  // Migration: per file of the artifact, in order.
  struct File {
    std::string version;
    int32_t statements = 0;
    bool transactional = true;
    int32_t fails_at = -1;  // The statement that fails, by index; -1: none.
    int32_t committed = 0;
    bool recorded = false;
    bool dirty = false;
    bool run_again = false;  // An executor ran a statement of it after it was recorded.
    friend bool operator==(const File&, const File&) = default;
  };
  std::vector<File> files;
  std::string last_changed_by;  // The operation, "rival" or "person"; empty: nobody yet.
  friend bool operator==(const Database&, const Database&) = default;
};

// Reads as plain values; change one through Edit (cow.h, cow_map.h).
struct Truth {
  CowMap<OperationTruth> operations;  // By operation id.
  CowMap<ApprovalTruth> approvals;    // By approval UID.
  std::vector<Cow<Database>> databases;
  // A Job's Pod may be started twice, so that a Job that has one may still start another.
  bool second_pods = false;
  // Somebody who is not the manager wrote a resource's status, or tried to (S-53).
  bool status_tampering_tried = false;
  bool status_tampered = false;
  // A person changed the copy of an unresolved run, and no pass has looked at it since.
  bool copy_tampered = false;
  int32_t apply_claims = 0;      // Apply claims stored so far, counted up to `apply_claims_max`.
  int32_t apply_claims_max = 2;  // One more than the Applies a run follows.
};

// Keeps the truth of one change of the store; `before` or `after` is null for a create or a
// removal. Called by the API server at every change.
//
//  - A claim not known yet is an operation; a new attempt adds its job name; dispatchStarted marks.
//  - A Job stored under a name that an operation reserved is created for it, and the approval its
//    claim names has been spent by it.
//  - An approval that becomes Consumed was consumed by the operation whose claim names it.
//  - A Lease that changes its holder or its epoch, or goes, moves the realm under its holder's Job.
//  - An account is settled when neither claim nor record of it is left.
void ObserveStore(World& world, Handle before, Handle after);

// Notes that some process read this Job after it was stored. `entry` holds anything; only Jobs of
// operations count.
void ObserveJobRead(World& world, const Entry& entry);

// Counts the creates in flight that may still be stored, for every operation (its `flying`).
void CountFlying(World& world);

// Returns the operation that reserved the Job name, or nullptr.
const OperationTruth* OperationOfJobName(const World& world, absl::string_view namespace_,
                                         absl::string_view name);

// Forgets the summaries of settled operations, and of approvals, that nothing stored, in flight or
// remembered mentions. An operation that an approval was spent on is kept as its name alone, since
// the name must stay taken.
void ForgetSettled(World& world);

// The instant from which no child of the operation can send SQL any more: the deadline plus the
// share of the grace after which the executor kills it.
int64_t ExecutionHorizonMs(const OperationTruth& operation);

}  // namespace sim

#endif  // SIM_TRUTH_H_
