// The typed face of the door (door.h) that the lifecycle is written against.
//
// Reads return shared immutable objects. Patches are computed from two values of one object, so a
// caller copies what it read, changes the copy and hands both over; a patch that would change
// nothing is not sent (spec 01, 0.2, 2) and answers with what was read. Every method's last
// parameter is the place of the call, for reports.

#ifndef LIFECYCLE_API_CLIENT_H_
#define LIFECYCLE_API_CLIENT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"

namespace lifecycle::api {

// An object of a known type as it was read, with its version beside it.
template <class T>
struct Stored {
  std::shared_ptr<const T> object;
  Version version = 0;

  const T& operator*() const { return *object; }
  const T* operator->() const { return object.get(); }
};

class Client {
 public:
  // Neither is owned; both outlive the client. `sender` is the user name writes are made under.
  Client(Door& door, std::string sender) : door_(door), sender_(std::move(sender)) {}

  // Returns the object. Errors: NotFound; any other ApiError means that nothing was learned.
  template <class T>
  absl::StatusOr<Stored<T>> Get(absl::string_view namespace_, absl::string_view name,
                                Freshness freshness = Freshness::kDirect,
                                Site site = Site::Here()) {
    return Typed<T>(GetAny(KeyFor<T>(namespace_, name), freshness, site));
  }

  // Returns the objects of T's kind in `namespace_` (empty: everywhere), by namespace and name.
  template <class T>
  absl::StatusOr<std::vector<Stored<T>>> List(absl::string_view namespace_,
                                              Freshness freshness = Freshness::kDirect,
                                              Site site = Site::Here()) {
    absl::StatusOr<std::vector<AnyStored>> any = ListAny(KindOf<T>(), namespace_, freshness, site);
    if (!any.ok()) return any.status();
    std::vector<Stored<T>> typed;
    typed.reserve(any->size());
    for (AnyStored& one : *any) typed.push_back(Cast<T>(std::move(one)));
    return typed;
  }

  // Creates `object` and returns it as stored. Errors: see errors.h for which of them prove that
  // nothing was stored.
  template <class T>
  absl::StatusOr<Stored<T>> Create(T object, Site site = Site::Here()) {
    return Typed<T>(CreateAny(KindOf<T>(), std::make_shared<T>(std::move(object)), site));
  }

  // Patches the object, or its status, from what was read to `next`, if it is still at the version
  // read. Fields outside `subresource` are not looked at. Errors: Conflict if another write came
  // first and nothing changed; others as in errors.h.
  template <class T>
  absl::StatusOr<Stored<T>> Patch(const Stored<T>& read, T next, Subresource subresource,
                                  Site site = Site::Here()) {
    return Typed<T>(PatchAny(KindOf<T>(), AnyStored{read.object, read.version},
                             std::make_shared<T>(std::move(next)), subresource, site));
  }

  // Replaces the whole object (or its status) if it is still at the version read.
  template <class T>
  absl::StatusOr<Stored<T>> Update(const Stored<T>& read, T next, Subresource subresource,
                                   Site site = Site::Here()) {
    return Typed<T>(UpdateAny(KindOf<T>(), AnyStored{read.object, read.version},
                              std::make_shared<T>(std::move(next)), subresource, site));
  }

  // Deletes the object if its UID is still `uid`.
  absl::Status Delete(const Key& key, absl::string_view uid, Site site = Site::Here());

  // Returns the container's log as far as it can be read now. Errors: NotFound when the Pod or the
  // container's log is gone; any other ApiError may pass.
  absl::StatusOr<std::string> ReadLog(absl::string_view namespace_, absl::string_view pod,
                                      absl::string_view container, Site site = Site::Here());

  // Milliseconds since an epoch, by this node's wall clock.
  int64_t WallMs(Site site = Site::Here());
  // Milliseconds on this process's own monotonic clock, which starts with the process.
  int64_t MonotonicMs(Site site = Site::Here());
  // 16 random bytes for `purpose` of the resource with this UID.
  std::string Random16(absl::string_view resource_uid, absl::string_view purpose,
                       Site site = Site::Here());

  void Event(const Key& about, bool warning, absl::string_view reason, absl::string_view message,
             Site site = Site::Here());
  // Says which rule of the specification the pass follows, such as "B-20.5". `rule` is a literal.
  void Journal(absl::string_view rule, Site site = Site::Here());

 private:
  template <class T>
  static Key KeyFor(absl::string_view namespace_, absl::string_view name) {
    return Key{KindOf<T>(), std::string(namespace_), std::string(name)};
  }
  template <class T>
  static Stored<T> Cast(AnyStored any) {
    return Stored<T>{std::static_pointer_cast<const T>(std::move(any.object)), any.version};
  }
  template <class T>
  static absl::StatusOr<Stored<T>> Typed(absl::StatusOr<AnyStored> any) {
    if (!any.ok()) return any.status();
    return Cast<T>(*std::move(any));
  }

  absl::StatusOr<AnyStored> GetAny(Key key, Freshness freshness, Site site);
  absl::StatusOr<std::vector<AnyStored>> ListAny(Kind kind, absl::string_view namespace_,
                                                 Freshness freshness, Site site);
  absl::StatusOr<AnyStored> CreateAny(Kind kind, MessagePtr object, Site site);
  absl::StatusOr<AnyStored> PatchAny(Kind kind, AnyStored read, MessagePtr next,
                                     Subresource subresource, Site site);
  absl::StatusOr<AnyStored> UpdateAny(Kind kind, AnyStored read, MessagePtr next,
                                      Subresource subresource, Site site);

  Door& door_;
  std::string sender_;
};

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_CLIENT_H_
