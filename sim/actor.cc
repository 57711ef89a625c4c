#include "sim/actor.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/api/schema.pb.h"

namespace sim {

namespace api = lifecycle::api;

void OfferStep(std::vector<WorldStep>& steps, WorldStep step, std::string label) {
  step.label = std::move(label);
  steps.push_back(std::move(step));
}

void ForEachOfKind(const World& world, api::Kind kind,
                   absl::FunctionRef<bool(const Entry&)> visit) {
  const auto first =
      std::partition_point(world.objects.begin(), world.objects.end(),
                           [kind](const Entry& entry) { return entry.object->key.kind < kind; });
  for (auto at = first; at != world.objects.end() && at->object->key.kind == kind; ++at) {
    if (!visit(*at)) return;
  }
}

namespace {

api::Request CreateRequest(const std::string& user,
                           std::shared_ptr<google::protobuf::Message> object) {
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.key = api::KeyOf(*object);
  request.body = std::move(object);
  request.sender = user;
  return request;
}

}  // namespace

api::Answer Create(const ApiServer& server, World& world, const std::string& user,
                   std::shared_ptr<google::protobuf::Message> object) {
  return server.Write(world, CreateRequest(user, std::move(object)));
}

bool MayCreate(const ApiServer& server, const World& world, const std::string& user,
               std::shared_ptr<google::protobuf::Message> object) {
  return server.Admit(world, CreateRequest(user, std::move(object))).ok();
}

void MustHold(const api::Answer& answer) {
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

api::Answer Delete(const ApiServer& server, World& world, const std::string& user,
                   const api::Key& key) {
  api::Request request;
  request.verb = api::Verb::kDelete;
  request.key = key;
  request.sender = user;
  return server.Write(world, request);
}

api::Answer Update(const ApiServer& server, World& world, const std::string& user,
                   std::shared_ptr<google::protobuf::Message> object,
                   api::Subresource subresource) {
  api::Request request;
  request.verb = api::Verb::kUpdate;
  request.key = api::KeyOf(*object);
  request.subresource = subresource;
  const Entry* entry = world.Find(request.key);
  request.version = entry == nullptr ? 0 : entry->version;
  request.body = std::move(object);
  request.sender = user;
  return server.Write(world, request);
}

api::Answer Remove(const ApiServer& server, World& world, const api::Key& key) {
  Admitted admitted;
  admitted.request.verb = api::Verb::kDelete;
  admitted.request.key = key;
  admitted.request.sender = kRestoreUser;
  return server.Store(world, admitted);
}

api::Answer Restore(const ApiServer& server, World& world,
                    std::shared_ptr<google::protobuf::Message> object) {
  Admitted admitted;
  admitted.request.verb = api::Verb::kCreate;
  admitted.request.key = api::KeyOf(*object);
  admitted.request.sender = kRestoreUser;
  admitted.request.body = std::move(object);
  return server.Store(world, admitted);
}

api::Answer RestoreStatus(const ApiServer& server, World& world,
                          std::shared_ptr<google::protobuf::Message> object) {
  Admitted admitted;
  admitted.request.verb = api::Verb::kUpdate;
  admitted.request.subresource = api::Subresource::kStatus;
  admitted.request.key = api::KeyOf(*object);
  admitted.request.sender = kRestoreUser;
  const Entry* entry = world.Find(admitted.request.key);
  admitted.request.version = entry == nullptr ? 0 : entry->version;
  admitted.request.body = std::move(object);
  return server.Store(world, admitted);
}

bool ControlledBy(const api::ObjectMeta& meta, const std::string& uid) {
  return std::any_of(meta.owner_references().begin(), meta.owner_references().end(),
                     [&uid](const api::OwnerReference& owner) {
                       return owner.controller() && owner.uid() == uid;
                     });
}

const api::Job* JobOf(const World& world, const api::Pod& pod) {
  for (const api::OwnerReference& owner : pod.metadata().owner_references()) {
    if (!owner.controller()) continue;
    const auto* job = world.Get<api::Job>(pod.metadata().namespace_(), owner.name());
    return job != nullptr && job->metadata().uid() == owner.uid() ? job : nullptr;
  }
  return nullptr;
}

std::vector<const api::Pod*> PodsOf(const World& world, const api::Job& job) {
  std::vector<const api::Pod*> pods;
  ForEachOfKind(world, api::Kind::kPod, [&](const Entry& entry) {
    const api::Pod& pod = entry.object->As<api::Pod>();
    if (pod.metadata().namespace_() == job.metadata().namespace_() &&
        ControlledBy(pod.metadata(), job.metadata().uid())) {
      pods.push_back(&pod);
    }
    return true;
  });
  return pods;
}

const api::Container* ExecutorOf(const api::PodSpec& pod) {
  for (const api::Container& container : pod.containers()) {
    if (container.name() == api::kExecutorContainer) return &container;
  }
  return nullptr;
}

const api::ContainerStatus* ExecutorStatusOf(const api::Pod& pod) {
  for (const api::ContainerStatus& status : pod.status().container_statuses()) {
    if (status.name() == api::kExecutorContainer) return &status;
  }
  return nullptr;
}

bool IsFinished(const api::Job& job, int64_t* at_ms) {
  for (const api::JobCondition& condition : job.status().conditions()) {
    if (condition.status() != api::condition_status::kTrue) continue;
    if (condition.type() != api::condition::kJobComplete &&
        condition.type() != api::condition::kJobFailed) {
      continue;
    }
    if (at_ms != nullptr) *at_ms = condition.last_transition_time_ms();
    return true;
  }
  return false;
}

bool HasEnded(const api::Pod& pod) {
  return pod.status().phase() == api::pod_phase::kSucceeded ||
         pod.status().phase() == api::pod_phase::kFailed;
}

const api::ActiveOperation& ClaimOf(const Entry& entry) {
  return entry.object->key.kind == api::Kind::kPtahSchema
             ? entry.object->As<api::PtahSchema>().status().active_operation()
             : entry.object->As<api::PtahMigration>().status().active_operation();
}

const Run* RunOf(const World& world, absl::string_view pod_uid) {
  for (const Cow<Run>& run : world.runs) {
    if (run->pod_uid == pod_uid) return &*run;
  }
  return nullptr;
}

Run* EditRun(World& world, absl::string_view pod_uid) {
  for (Cow<Run>& run : world.runs) {
    if (run->pod_uid == pod_uid) return &run.Edit();
  }
  return nullptr;
}

const OperationTruth* OperationOf(const World& world, absl::string_view id) {
  return world.truth.operations.Get(id);
}

OperationTruth* EditOperation(World& world, absl::string_view id) {
  return world.truth.operations.contains(id) ? &world.truth.operations.Edit(id) : nullptr;
}

int32_t PersonHasLeft(const World& world, absl::string_view act) {
  const int32_t* left = world.person.Get(act);
  return left == nullptr ? 0 : *left;
}

int32_t PersonHasLeft(const World& world, absl::string_view act, const api::Key& target) {
  return PersonHasLeft(world, act) + PersonHasLeft(world, ActOn(act, target.name));
}

std::string ActOn(absl::string_view act, absl::string_view name) {
  return absl::StrCat(act, " ", name);
}

}  // namespace sim
