// A door onto a map: just enough of an API server for the tests of this folder.
//
// It stores what it is asked to store, keeps versions and UIDs, and says in which order it was
// written to. It has no admission, no watches and no other actors; a test plays those by changing
// the map. The world that follows Kubernetes' rules is another one, and knows nothing of this
// folder.

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
#include "lifecycle/api/door.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"

namespace lifecycle::testing {

class MemoryDoor final : public api::Door {
 public:
  api::Answer Call(const api::Question& question) override;

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
  void ForgetWrites() { writes_.clear(); }
  // The rules that were journaled, in order.
  const std::vector<std::string>& journal() const { return journal_; }

  int64_t wall_ms = 1'000'000;
  int64_t monotonic_ms = 1'000;
  // Logs by Pod name; a Pod without one answers NotFound.
  std::map<std::string, std::string> logs;
  // Asked before a write is stored; an error it returns is the answer, and nothing is stored.
  std::function<absl::Status(const api::Request&)> refuse;
  // Asked before a read of one object is answered.
  std::function<absl::Status(const api::Key&)> refuse_read;
  // Told after a write was stored, before its answer is given.
  std::function<void(const api::Request&)> after_write;

 private:
  const google::protobuf::Message& Find(const api::Key& key) const;
  void Store(std::shared_ptr<google::protobuf::Message> object);
  api::Answer Read(const api::ReadQuestion& question) const;
  api::Answer List(const api::ListQuestion& question) const;
  api::Answer Write(const api::Request& request);
  absl::Status Apply(const api::Request& request);

  std::map<api::Key, api::AnyStored> objects_;
  api::Version last_version_ = 0;
  int last_uid_ = 0;
  int last_random_ = 0;
  std::vector<std::string> writes_;
  std::vector<std::string> journal_;
};

}  // namespace lifecycle::testing

#endif  // LIFECYCLE_TESTING_MEMORY_DOOR_H_
