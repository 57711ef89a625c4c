// A door that answers from a few objects held in a map: enough to let one piece of the lifecycle
// run, with no rule of an API server beyond versions, UIDs and deletion by name.
//
// Tests lay objects down, run the piece, and look at what was written, in order.

#ifndef LIFECYCLE_MIGRATION_TINY_STORE_H_
#define LIFECYCLE_MIGRATION_TINY_STORE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/api/admission.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/kind.h"

namespace lifecycle::migration {

class TinyStore final : public api::Door, public api::DirectReader {
 public:
  api::Answer Call(const api::Question& question) override;

  // DirectReader.
  api::AnyStored Read(const api::Key& key) const override;
  std::vector<api::AnyStored> List(api::Kind kind, const std::string& namespace_) const override;
  int64_t WallMs() const override { return now_ms; }

  // Lays an object down as it is.
  template <class T>
  void Put(T object) {
    PutAny(std::make_shared<T>(std::move(object)));
  }
  void PutAny(api::MessagePtr object);
  void Remove(const api::Key& key) { objects_.erase(key); }

  // Returns the object as stored; aborts when there is none.
  template <class T>
  const T& At(const std::string& namespace_, const std::string& name) const {
    return static_cast<const T&>(*objects_.at(api::Key{api::KindOf<T>(), namespace_, name}).object);
  }
  bool Has(const api::Key& key) const { return objects_.count(key) > 0; }

  int64_t now_ms = 1'000'000;
  std::map<std::string, std::string> logs;  // By Pod; a Pod without one answers NotFound.
  std::optional<absl::Status> log_error;    // Every log read answers this instead.
  // Asked before every write; an error is the write's answer and nothing is stored.
  std::function<absl::Status(const api::Request&)> before_write;
  // Judges creates and updates, where set.
  const api::Admission* admission = nullptr;

  std::vector<std::string> writes;  // Such as "patch status migration/m: phase, activeOperation".
  std::vector<std::string> journal;
  std::vector<std::string> events;  // Reasons.

 private:
  api::Answer Write(const api::Request& request);
  api::Answer Admit(const api::Request& request, api::MessagePtr before, api::MessagePtr* after);

  std::map<api::Key, api::AnyStored> objects_;
  int uids_ = 0;
  int randoms_ = 0;
};

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_TINY_STORE_H_
