// Stored objects, interned: one immutable value is one handle for as long as a run lasts.
//
// A world is little more than a table of handles, so copying one copies pointers and comparing one
// compares pointers. A handle belongs to one run: it never enters a digest, an order or a file.
//
// Answers: design.md, "sim/: a world".

#ifndef SIM_INTERNER_H_
#define SIM_INTERNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/kind.h"
#include "sim/hash.h"

namespace sim {

// How a time field of an object counts in a state's key (the proto option time_role).
enum class TimeRole : uint8_t { kDeadline, kSince, kShown };

struct TimeValue {
  TimeRole role = TimeRole::kShown;
  int64_t at_ms = 0;
  int64_t cap_ms = 0;  // kSince only: elapsed times beyond it are one.
};

// One immutable object with what is computed from it once.
struct StoredObject {
  lifecycle::api::Key key;
  lifecycle::api::MessagePtr message;
  Hash128 content;               // Everything but the values of times (which are set is kept).
  Hash128 exact;                 // Everything. Two objects with equal `exact` are one handle.
  std::vector<TimeValue> times;  // Present times, in field order; kShown ones too.
  bool times_matter = false;     // Some time is not merely shown.
  int64_t created_ms = 0;
  std::vector<uint64_t> mentions;  // Hashes of the identifiers in its texts, sorted (see Mentions).

  template <class T>
  const T& As() const {
    return static_cast<const T&>(*message);
  }
  // Whether some text of the object contains `identifier` as a whole word.
  bool Mentions(absl::string_view identifier) const { return MentionsHash(WordHash(identifier)); }
  bool MentionsHash(uint64_t word) const;

  static uint64_t WordHash(absl::string_view word);
};

using Handle = const StoredObject*;

class Interner {
 public:
  Interner();
  ~Interner();
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;

  // Returns the one handle for this value, times included. `message` is an object of `kind` and is
  // frozen from here on.
  Handle Intern(lifecycle::api::Kind kind, lifecycle::api::MessagePtr message);

  // Returns the handle for `base` as the patch `request` (kPatch) leaves it: its changed fields
  // applied, those a client cannot set left out, and the generation raised if they touch the spec
  // of a kind that has one. The same change of the same object is computed once per run.
  Handle Patched(Handle base, const lifecycle::api::Request& request);

  // Returns the handle filed under `recipe`, or nullptr; files one. For other changes that are a
  // function of what is hashed into `recipe`, so that they too are computed once per run.
  Handle Recall(const Hash128& recipe) const;
  void Remember(const Hash128& recipe, Handle result);

  // How many objects there are.
  size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Absorbs how far each time is from `now_ms`, by its role; the values themselves when `exact`.
void AbsorbTimes(const std::vector<TimeValue>& times, int64_t now_ms, bool exact, Hasher& hasher);

// What is computed of a message that is not stored: a request's body, an answer that was had.
Hash128 ContentOf(const google::protobuf::Message& message);
Hash128 ExactHashOf(const google::protobuf::Message& message);
std::vector<TimeValue> TimesOf(const google::protobuf::Message& message);
// Sorted.
std::vector<uint64_t> MentionsOf(const google::protobuf::Message& message);

// Whether the kind has metadata.generation: custom kinds and Jobs.
bool HasGeneration(lifecycle::api::Kind kind);

}  // namespace sim

#endif  // SIM_INTERNER_H_
