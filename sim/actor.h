// What the actors share: the server they write through, the users they write as, and short ways to
// look around in a World.
//
// Private to sim/: everybody else uses actors.h.

#ifndef SIM_ACTOR_H_
#define SIM_ACTOR_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/door.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/operation.pb.h"
#include "sim/actors.h"
#include "sim/api_server.h"
#include "sim/world.h"

namespace sim {

// Admission tells users apart by these names.
inline constexpr char kJobControllerUser[] = "system:serviceaccount:kube-system:job-controller";
inline constexpr char kTtlControllerUser[] =
    "system:serviceaccount:kube-system:ttl-after-finished-controller";
inline constexpr char kPersonUser[] = "alice";
inline constexpr char kRestoreUser[] = "restore";
inline constexpr char kRivalUser[] = "system:serviceaccount:other-system:rival";

struct ActorContext {
  const ApiServer& server;
  const WorldRules& rules;
};

// What somebody writes who only wants to have written on an object.
inline constexpr char kNote[] = "example.com/note";
inline constexpr char kSomething[] = "something";

// Appends one step.
void OfferStep(std::vector<WorldStep>& steps, WorldStep step, std::string label);

// Calls `visit` for the entries of one kind, by namespace and name, until it returns false.
void ForEachOfKind(const World& world, lifecycle::api::Kind kind,
                   absl::FunctionRef<bool(const Entry&)> visit);

// Each sends one request and returns what it was answered.
lifecycle::api::Answer Create(const ApiServer& server, World& world, const std::string& user,
                              std::shared_ptr<google::protobuf::Message> object);
lifecycle::api::Answer Delete(const ApiServer& server, World& world, const std::string& user,
                              const lifecycle::api::Key& key);
// Whether such a create would be admitted as the world stands.
bool MayCreate(const ApiServer& server, const World& world, const std::string& user,
               std::shared_ptr<google::protobuf::Message> object);
// Of a request that was offered only where it would be admitted: ends the program otherwise.
void MustHold(const lifecycle::api::Answer& answer);
// Replaces the object's main part or status.
lifecycle::api::Answer Update(const ApiServer& server, World& world, const std::string& user,
                              std::shared_ptr<google::protobuf::Message> object,
                              lifecycle::api::Subresource subresource);
// Past admission, as a backup is restored: an object goes, comes back, or gets its status back.
lifecycle::api::Answer Remove(const ApiServer& server, World& world,
                              const lifecycle::api::Key& key);
lifecycle::api::Answer Restore(const ApiServer& server, World& world,
                               std::shared_ptr<google::protobuf::Message> object);

lifecycle::api::Answer RestoreStatus(const ApiServer& server, World& world,
                                     std::shared_ptr<google::protobuf::Message> object);

// True when the object with this UID is the controlling owner.
bool ControlledBy(const lifecycle::api::ObjectMeta& meta, const std::string& uid);

// The Job that controls the Pod, or nullptr when it is gone.
const lifecycle::api::Job* JobOf(const World& world, const lifecycle::api::Pod& pod);
// The Pods of a Job, by name.
std::vector<const lifecycle::api::Pod*> PodsOf(const World& world, const lifecycle::api::Job& job);

// The executor's container, or nullptr when the Pod has none of that name.
const lifecycle::api::Container* ExecutorOf(const lifecycle::api::PodSpec& pod);
// The executor's status, or nullptr while the kubelet has reported none.
const lifecycle::api::ContainerStatus* ExecutorStatusOf(const lifecycle::api::Pod& pod);

// True when Complete or Failed is True; `at_ms` (may be null) receives since when.
bool IsFinished(const lifecycle::api::Job& job, int64_t* at_ms);
// True when the Pod has reached Succeeded or Failed.
bool HasEnded(const lifecycle::api::Pod& pod);

// The claim of a resource, empty when it has none. `entry` holds a PtahSchema or a PtahMigration.
const lifecycle::api::ActiveOperation& ClaimOf(const Entry& entry);

// The run of a Pod, for reading or for changing; nullptr when it has none (it never started).
const Run* RunOf(const World& world, absl::string_view pod_uid);
Run* EditRun(World& world, absl::string_view pod_uid);

// The summary of an operation, for reading or for changing; nullptr when the truth keeps none.
const OperationTruth* OperationOf(const World& world, absl::string_view id);
OperationTruth* EditOperation(World& world, absl::string_view id);

// How often a person may still do this.
int32_t PersonHasLeft(const World& world, absl::string_view act);
// The same of one object: as often as to any, and as often as to one of its name (ActOn).
int32_t PersonHasLeft(const World& world, absl::string_view act, const lifecycle::api::Key& target);
// How World.person names an act that is meant for objects of one name only.
std::string ActOn(absl::string_view act, absl::string_view name);

}  // namespace sim

#endif  // SIM_ACTOR_H_
