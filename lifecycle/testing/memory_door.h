// A door onto a map: just enough of an API server for the tests of the lifecycle's folders.
//
// It stores what it is asked to store, keeps versions and UIDs, asks the webhook it is given, and
// says in which order it was written to. It has no watches and no other actors; a test plays those
// by changing the map. The world that follows Kubernetes' rules is another one, and knows nothing
// of this folder.

#ifndef LIFECYCLE_TESTING_MEMORY_DOOR_H_
#define LIFECYCLE_TESTING_MEMORY_DOOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"

namespace lifecycle::testing {

class MemoryDoor final : public api::Door, public api::DirectReader {
 public:
  api::Answer Call(const api::Question& question) override;

  // DirectReader, for the webhook and for tests.
  api::AnyStored Read(const api::Key& key) const override;
  std::vector<api::AnyStored> List(api::Kind kind, const std::string& namespace_) const override;
  int64_t WallMs() const override { return wall_ms; }

  // Stores an object as if somebody else had written it; gives it a UID when it has none.
  template <class T>
  void Put(T object) {
    Store(std::make_shared<T>(std::move(object)));
  }
  // Returns a stored object. Aborts when there is none.
  template <class T>
  const T& At(const std::string& namespace_, const std::string& name) const {
    return static_cast<const T&>(Find(api::Key{api::KindOf<T>(), namespace_, name}));
  }
  template <class T>
  bool Has(const std::string& namespace_, const std::string& name) const {
    return objects_.count(api::Key{api::KindOf<T>(), namespace_, name}) > 0;
  }
  template <class T>
  void Erase(const std::string& namespace_, const std::string& name) {
    objects_.erase(api::Key{api::KindOf<T>(), namespace_, name});
  }
  bool Has(const api::Key& key) const { return objects_.count(key) > 0; }
  void Remove(const api::Key& key) { objects_.erase(key); }
  // Changes a stored object as somebody else would.
  template <class T>
  void Edit(const std::string& namespace_, const std::string& name,
            const std::function<void(T&)>& edit) {
    T object = At<T>(namespace_, name);
    edit(object);
    Put(std::move(object));
  }

  // The writes that were stored, in order, such as "patch schema/a status".
  const std::vector<std::string>& writes() const { return writes_; }
  // The same writes with the fields each changed, such as "patch status schema/a status.phase".
  const std::vector<std::string>& changes() const { return changes_; }
  void ForgetWrites() {
    writes_.clear();
    changes_.clear();
  }
  // The rules that were journaled, in order.
  const std::vector<std::string>& journal() const { return journal_; }
  // The reasons of the Events, in order.
  const std::vector<std::string>& events() const { return events_; }
  // Lets time go by, on both clocks.
  void Advance(int64_t ms) {
    wall_ms += ms;
    monotonic_ms += ms;
  }

  int64_t wall_ms = 1'000'000;
  int64_t monotonic_ms = 1'000;
  // Logs by Pod name; a Pod without one answers NotFound.
  std::map<std::string, std::string> logs;
  std::optional<absl::Status> log_error;  // Every log read answers this instead.
  // Judges creates and updates, where set. Not owned.
  const api::Admission* admission = nullptr;
  // Each of these may replace itself while it runs.
  // Asked before a write is stored; an error it returns is the answer, and nothing is stored.
  std::function<absl::Status(const api::Request&)> refuse;
  // Asked before a read of one object is answered.
  std::function<absl::Status(const api::Key&)> refuse_read;
  // Told after a write was stored, before its answer is given.
  std::function<void(const api::Request&)> after_write;

 private:
  const google::protobuf::Message& Find(const api::Key& key) const;
  void Store(std::shared_ptr<google::protobuf::Message> object);
  api::Answer AnswerRead(const api::ReadQuestion& question) const;
  api::Answer AnswerLog(const api::LogQuestion& question) const;
  api::Answer Write(const api::Request& request);
  absl::Status Apply(const api::Request& request);
  absl::Status Admit(const api::Request& request, std::shared_ptr<google::protobuf::Message>& next);

  std::map<api::Key, api::AnyStored> objects_;
  api::Version last_version_ = 0;
  int last_uid_ = 0;
  int last_random_ = 0;
  std::vector<std::string> writes_;
  std::vector<std::string> changes_;
  std::vector<std::string> journal_;
  std::vector<std::string> events_;
};

}  // namespace lifecycle::testing

#endif  // LIFECYCLE_TESTING_MEMORY_DOOR_H_
