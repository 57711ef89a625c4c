// The door: the only way out of the lifecycle, one call at a time.
//
// Everything a pass learns is an Answer to a Question, and everything it does is a Question of kind
// Write. That one function is what makes a pass recordable, pausable and explorable: a paused pass
// is the list of answers it has had, and running the code again on them brings it to the same call.
// Code of the lifecycle speaks to the typed Client (client.h) and never builds a Question itself.
//
// A write that answers OK is one durable write. A process may stop at the boundary before it
// (nothing landed) or after it (it landed and nobody heard); an error is no proof that nothing
// landed unless errors.h says so.
//
// Answers: design.md, "The door"; spec 01, 0.2.

#ifndef LIFECYCLE_API_DOOR_H_
#define LIFECYCLE_API_DOOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/patch.h"

namespace google::protobuf {
class Message;
}

namespace lifecycle::api {

using MessagePtr = std::shared_ptr<const google::protobuf::Message>;

// An object's version, opaque to clients: equal or not, nothing else. 0 is none.
using Version = int64_t;

// An object as it was read: immutable and shared. The version travels beside it, so that one stored
// value is one object however often it was written back and forth. Empty when there is none.
struct AnyStored {
  MessagePtr object;
  Version version = 0;
};

// Where in the code a question was asked, for reports only. Never part of an identity.
struct Site {
  const char* file = "";
  int line = 0;
  static constexpr Site Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return Site{file, line};
  }
};

enum class Freshness {
  kDirect,  // Straight from the API server.
  kCached,  // Perhaps older than the store, never newer (spec 01, 0.2, 1 says where that is
            // allowed).
};

struct ReadQuestion {
  Key key;
  Freshness freshness = Freshness::kDirect;
};

// Lists objects of one kind, ordered by (namespace, name). An empty field selects nothing out.
struct ListQuestion {
  Kind kind = Kind::kPtahSchema;
  std::string namespace_;  // Empty: every namespace.
  Freshness freshness = Freshness::kDirect;
};

enum class Verb { kCreate, kUpdate, kPatch, kDelete };
enum class Subresource { kMain, kStatus };

// One write, as a value: what is asked of the API server, whoever asks. It is admitted and stored
// at two moments (sim/api_server.h), so it must hold everything either of them needs.
struct Request {
  Verb verb = Verb::kPatch;
  Key key;
  Subresource subresource = Subresource::kMain;
  // Create and update: the object. Patch: an object that holds the values of `changed`.
  MessagePtr body;
  // Patch only: the list of changed fields (JSON merge patch: absent in `body` deletes).
  std::vector<FieldPath> changed;
  // Preconditions; 0 and empty ask for none.
  Version version = 0;
  std::string uid;
  // Who sends it: a user name as admission sees it, such as the manager's service account.
  std::string sender;
};

struct LogQuestion {
  std::string namespace_;
  std::string pod;
  std::string container;
};
struct WallClockQuestion {};
struct MonotonicClockQuestion {};

// 16 random bytes. `resource` (its UID) and `purpose` name what they are for, in the words of the
// code under test; a live door ignores both.
struct RandomQuestion {
  std::string resource;
  std::string purpose;
};

// A Kubernetes Event, emitted after the write it describes and never read back.
struct EventQuestion {
  Key about;
  bool warning = false;
  std::string reason;
  std::string message;
};

// A log line: which rule of the specification the pass follows. Nothing reads it back.
struct JournalQuestion {
  absl::string_view rule;
};

using QuestionBody =
    std::variant<ReadQuestion, ListQuestion, Request, LogQuestion, WallClockQuestion,
                 MonotonicClockQuestion, RandomQuestion, EventQuestion, JournalQuestion>;

struct Question {
  QuestionBody body;
  Site site;
};

// Only the fields that the kind of question fills are set.
struct Answer {
  absl::Status status;          // OK, or an ApiError (errors.h).
  AnyStored stored;             // Read; the object as stored after a write that answered OK.
  std::vector<AnyStored> list;  // List.
  std::string bytes;            // Log, random.
  int64_t time_ms = 0;          // Clocks: milliseconds since an epoch.
};

class Door {
 public:
  virtual ~Door() = default;
  virtual Answer Call(const Question& question) = 0;
};

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_DOOR_H_
