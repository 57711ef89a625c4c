// The in-process API server: reads, admission and storage of a World, by Kubernetes' rules.
//
// Every write is a Request that passes two moments, Admit and Store, because a create may be
// admitted before something else is stored and stored after it. Write is both at once, which is
// what a request whose answer arrives looks like.
//
// Answers: api-server.md, each line of which has a test of its name.

#ifndef SIM_API_SERVER_H_
#define SIM_API_SERVER_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/door.h"
#include "sim/world.h"

namespace sim {

// What passed admission and waits for storage.
struct Admitted {
  lifecycle::api::Request request;  // As sent, or with the body a mutating webhook made of it.
  // What admission saw stored and what it let through: valid in the run that admitted it only, and
  // empty in one that was taken from the list in flight. Storage works without them.
  Handle before = nullptr;
  Handle after = nullptr;
};

// The user a kubelet writes as: its delete of a Pod that is being deleted removes it.
inline constexpr char kKubelet[] = "system:node:node-1";
// The user the garbage collector writes as.
inline constexpr char kGarbageCollectorUser[] =
    "system:serviceaccount:kube-system:generic-garbage-collector";

class ApiServer {
 public:
  // `webhooks` are asked in order; the pointers outlive the server. `interner` belongs to the run.
  ApiServer(Interner& interner, std::vector<const lifecycle::api::Admission*> webhooks);

  // Reads (never change the world).
  lifecycle::api::Answer Read(const World& world,
                              const lifecycle::api::ReadQuestion& question) const;
  lifecycle::api::Answer List(const World& world,
                              const lifecycle::api::ListQuestion& question) const;
  lifecycle::api::Answer Log(const World& world, const lifecycle::api::LogQuestion& question) const;

  // Admission and validation against the world as it stands. A refusal leaves nothing behind.
  absl::StatusOr<Admitted> Admit(const World& world, const lifecycle::api::Request& request) const;

  // Stores what was admitted if its preconditions still hold, wakes watchers and keeps the truth
  // (created Jobs, spent approvals, claims). Returns the object as stored. A create is stored
  // whatever happened to other objects since it was admitted; any other write of an object that
  // changed since is admitted again, as a server does inside its transaction. Without `before`,
  // webhooks are taken to have admitted it already.
  lifecycle::api::Answer Store(World& world, const Admitted& admitted) const;

  // Admit, then Store.
  lifecycle::api::Answer Write(World& world, const lifecycle::api::Request& request) const;

  // Deletes dependents whose owners are all gone, owners first, by name (one call deletes all that
  // can go now; what has finalizers or a grace is marked and stays).
  void CollectGarbage(World& world) const;
  bool HasGarbage(const World& world) const;
  // What can go now, owners first, by name; and the deletion of one of them.
  std::vector<lifecycle::api::Key> Garbage(const World& world) const;
  void Collect(World& world, const lifecycle::api::Key& key) const;

  Interner& interner() const { return interner_; }

 private:
  // Asks the webhooks. `after` is what would be stored, null for a delete, and is replaced by what
  // a webhook makes of it; `validate` judges it between the mutating and the validating phase.
  absl::Status Review(const World& world, const lifecycle::api::Request& request,
                      const google::protobuf::Message* before, lifecycle::api::MessagePtr* after,
                      absl::FunctionRef<absl::Status()> validate) const;
  // `reviewed`: without asking the webhooks.
  absl::StatusOr<Admitted> AdmitCreate(const World& world, const lifecycle::api::Request& request,
                                       bool reviewed) const;
  absl::StatusOr<Admitted> AdmitChange(const World& world, const lifecycle::api::Request& request,
                                       bool reviewed) const;

  // What would be stored; null for an object that goes at once.
  Handle Created(const World& world, const lifecycle::api::Request& request) const;
  Handle Changed(const World& world, Handle before, const lifecycle::api::Request& request) const;
  Handle Deleted(const World& world, Handle before, const std::string& sender) const;

  lifecycle::api::Answer StoreCreate(World& world, const Admitted& admitted) const;
  lifecycle::api::Answer StoreChange(World& world, const Admitted& admitted) const;
  void Remove(World& world, Handle object) const;

  Interner& interner_;
  std::vector<const lifecycle::api::Admission*> webhooks_;
};

}  // namespace sim

#endif  // SIM_API_SERVER_H_
