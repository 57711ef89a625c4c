#include "sim/pod_admission.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"
#include "sim/api_errors.h"
#include "sim/world_reader.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

bool IsThere(const World& world, api::Kind kind, const std::string& namespace_,
             const std::string& name) {
  return world.Find({kind, namespace_, name}) != nullptr;
}

// The class of every Pod that names none; of several, the lowest. Null where there is none.
std::shared_ptr<const api::PriorityClass> GlobalDefault(const World& world) {
  std::shared_ptr<const api::PriorityClass> lowest;
  for (const api::AnyStored& one : WorldReader(world).List(api::Kind::kPriorityClass, "")) {
    auto known = std::static_pointer_cast<const api::PriorityClass>(one.object);
    if (!known->global_default()) continue;
    if (lowest == nullptr || known->value() < lowest->value()) lowest = std::move(known);
  }
  return lowest;
}

absl::Status AdmitAccount(const World& world, const api::Key& key, api::PodSpec* pod) {
  if (pod->service_account_name().empty()) {
    pod->set_service_account_name(api::kDefaultServiceAccount);
  }
  const std::string& name = pod->service_account_name();
  if (IsThere(world, api::Kind::kServiceAccount, key.namespace_, name)) return absl::OkStatus();
  return ForbiddenError(key, absl::StrCat("error looking up service account ", key.namespace_, "/",
                                          name, ": serviceaccount \"", name, "\" not found"));
}

absl::Status AdmitPriority(const World& world, const api::Key& key, api::PodSpec* pod) {
  if (pod->priority_class_name().empty()) {
    if (const auto usual = GlobalDefault(world)) {
      pod->set_priority_class_name(usual->metadata().name());
    }
    return absl::OkStatus();
  }
  const std::string& name = pod->priority_class_name();
  if (IsThere(world, api::Kind::kPriorityClass, "", name)) return absl::OkStatus();
  return ForbiddenError(key, absl::StrCat("no PriorityClass with name ", name, " was found"));
}

absl::Status AdmitRuntime(const World& world, const api::Key& key, const api::PodSpec& pod) {
  if (!pod.has_runtime_class_name() ||
      IsThere(world, api::Kind::kRuntimeClass, "", pod.runtime_class_name())) {
    return absl::OkStatus();
  }
  return ForbiddenError(
      key, absl::StrCat("pod rejected: RuntimeClass \"", pod.runtime_class_name(), "\" not found"));
}

}  // namespace

absl::StatusOr<api::MessagePtr> AdmitPod(const World& world, const api::Request& create) {
  auto pod = std::make_shared<api::Pod>(static_cast<const api::Pod&>(*create.body));
  api::PodSpec* spec = pod->mutable_spec();
  if (absl::Status status = AdmitAccount(world, create.key, spec); !status.ok()) return status;
  if (absl::Status status = AdmitPriority(world, create.key, spec); !status.ok()) return status;
  if (absl::Status status = AdmitRuntime(world, create.key, *spec); !status.ok()) return status;
  return pod;
}

}  // namespace sim
