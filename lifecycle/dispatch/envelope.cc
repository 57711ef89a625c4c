#include "lifecycle/dispatch/envelope.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/admission_snapshot.h"

namespace lifecycle::dispatch {
namespace {

using api::AdmissionSnapshot;
using api::BoundObject;
using api::Job;
using api::PodSpec;
using api::Stored;

// The two that read: the manager through its door, the webhook straight from the store.
struct ThroughDoor {
  api::Client& client;

  template <class T>
  absl::StatusOr<Stored<T>> Get(const std::string& namespace_, const std::string& name) const {
    return client.Get<T>(namespace_, name);
  }
  template <class T>
  absl::StatusOr<std::vector<Stored<T>>> List(const std::string& namespace_) const {
    return client.List<T>(namespace_);
  }
};

struct ByDirectReads {
  const api::DirectReader& reader;

  template <class T>
  static Stored<T> Typed(api::AnyStored any) {
    return {std::static_pointer_cast<const T>(std::move(any.object)), any.version};
  }
  template <class T>
  absl::StatusOr<Stored<T>> Get(const std::string& namespace_, const std::string& name) const {
    const api::Key key{api::KindOf<T>(), namespace_, name};
    Stored<T> stored = Typed<T>(reader.Read(key));
    if (stored.object != nullptr) return stored;
    return api::ToStatus({404, api::kNotFound, absl::StrCat(api::ShortName(key), " is not there")});
  }
  template <class T>
  absl::StatusOr<std::vector<Stored<T>>> List(const std::string& namespace_) const {
    std::vector<Stored<T>> all;
    for (api::AnyStored& one : reader.List(api::KindOf<T>(), namespace_)) {
      all.push_back(Typed<T>(std::move(one)));
    }
    return all;
  }
};

template <class T>
void Bind(const Stored<T>& stored, BoundObject* bound) {
  bound->set_name(stored->metadata().name());
  bound->set_uid(stored->metadata().uid());
  bound->set_resource_version(absl::StrCat(stored.version));
}

const std::string& AccountOf(const PodSpec& pod) {
  static const std::string& unnamed = *new std::string(api::kDefaultServiceAccount);
  return pod.service_account_name().empty() ? unnamed : pod.service_account_name();
}

// A Pod that names no class is of the one that is everybody's, where there is one.
template <class Reader>
absl::Status BindPriorityClass(const PodSpec& pod, const Reader& reader, AdmissionSnapshot* bound) {
  if (!pod.priority_class_name().empty()) {
    const auto named = reader.template Get<api::PriorityClass>("", pod.priority_class_name());
    if (named.ok()) Bind(*named, bound->mutable_priority_class());
    return named.status();
  }
  const auto classes = reader.template List<api::PriorityClass>("");
  if (!classes.ok()) return classes.status();
  for (const Stored<api::PriorityClass>& one : *classes) {
    if (!one->global_default()) continue;
    if (bound->has_priority_class()) {
      return absl::FailedPreconditionError("two priority classes are the default of every Pod");
    }
    Bind(one, bound->mutable_priority_class());
  }
  return absl::OkStatus();
}

// Returns a snapshot in which nothing but the objects is set.
template <class Reader>
absl::StatusOr<AdmissionSnapshot> BindObjects(const PodSpec& pod, const std::string& namespace_,
                                              const Reader& reader) {
  AdmissionSnapshot bound;
  const auto account = reader.template Get<api::ServiceAccount>(namespace_, AccountOf(pod));
  if (!account.ok()) return account.status();
  Bind(*account, bound.mutable_service_account());
  const auto ranges = reader.template List<api::LimitRange>(namespace_);
  if (!ranges.ok()) return ranges.status();
  if (ranges->size() > rules::kLimitRangesMax) {
    return absl::FailedPreconditionError("the namespace has too many limit ranges");
  }
  for (const Stored<api::LimitRange>& range : *ranges) Bind(range, bound.add_limit_ranges());
  if (pod.has_runtime_class_name()) {
    const auto runtime = reader.template Get<api::RuntimeClass>("", pod.runtime_class_name());
    if (!runtime.ok()) return runtime.status();
    Bind(*runtime, bound.mutable_runtime_class());
  }
  const absl::Status ranked = BindPriorityClass(pod, reader, &bound);
  if (!ranked.ok()) return ranked;
  return bound;
}

AdmissionSnapshot ObjectsOf(const AdmissionSnapshot& snapshot) {
  AdmissionSnapshot objects = snapshot;
  objects.clear_version();
  objects.clear_digest();
  objects.clear_template_digest();
  objects.clear_toleration_plugin();
  objects.clear_extended_resource_toleration();
  objects.clear_always_pull_images();
  return objects;
}

}  // namespace

absl::StatusOr<AdmissionSnapshot> ResolveSnapshot(const Job& job, const api::ActiveOperation& claim,
                                                  api::Client& client) {
  absl::StatusOr<AdmissionSnapshot> snapshot =
      BindObjects(job.spec().template_().spec(), job.metadata().namespace_(), ThroughDoor{client});
  if (!snapshot.ok()) return snapshot;
  snapshot->set_version(rules::kSnapshotVersion);
  snapshot->set_template_digest(TemplateDigestOf(job, claim));
  snapshot->set_digest(rules::SnapshotDigest(*snapshot));
  return snapshot;
}

absl::Status HoldsStill(const AdmissionSnapshot& snapshot, const Job& job,
                        const api::DirectReader& reader) {
  const absl::StatusOr<AdmissionSnapshot> now = BindObjects(
      job.spec().template_().spec(), job.metadata().namespace_(), ByDirectReads{reader});
  if (!now.ok()) return now.status();
  if (api::Equal(*now, ObjectsOf(snapshot))) return absl::OkStatus();
  return absl::FailedPreconditionError("what shapes the Pod is not what the snapshot binds");
}

bool IsWithin(const AdmissionSnapshot& snapshot, const PodSpec& pod_template, const PodSpec& pod) {
  PodSpec expected = pod_template;
  expected.set_service_account_name(AccountOf(pod_template));
  if (expected.priority_class_name().empty() && snapshot.has_priority_class()) {
    expected.set_priority_class_name(snapshot.priority_class().name());
  }
  PodSpec actual = pod;
  actual.clear_node_name();
  // The account's deprecated alias.
  for (PodSpec* spec : {&expected, &actual}) spec->clear_service_account();
  return api::Equal(expected, actual);
}

}  // namespace lifecycle::dispatch
