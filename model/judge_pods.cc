// What a Pod that starts is made of.
//
// Asked of every start of an operation's Pod, and not of the webhook that admits it: what stands in
// the cluster at that moment is compared with what the claim's snapshot binds, object by object.
//
// Answers: spec 01, 12.1 and 12.3.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/judge.h"
#include "model/objects.h"

namespace model {
namespace {

namespace api = lifecycle::api;

const api::Job* ControllerOf(const sim::World& world, const api::Pod& pod) {
  for (const api::OwnerReference& owner : pod.metadata().owner_references()) {
    if (owner.kind() != "Job") continue;
    const auto* job = world.Get<api::Job>(pod.metadata().namespace_(), owner.name());
    if (job != nullptr && job->metadata().uid() == owner.uid()) return job;
  }
  return nullptr;
}

bool Owns(const ResourceView& view, const api::Job& job) {
  const auto& owners = job.metadata().owner_references();
  return std::any_of(owners.begin(), owners.end(), [&](const api::OwnerReference& owner) {
    return owner.uid() == view.meta->uid();
  });
}

// The snapshot of whichever record speaks for the Job; null when none does.
const api::AdmissionSnapshot* SnapshotOf(const sim::World& world, const api::Job& job) {
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr || !Owns(view, job)) continue;
    if (view.claim != nullptr && view.claim->job_name() == job.metadata().name() &&
        view.claim->has_admission_snapshot()) {
      return &view.claim->admission_snapshot();
    }
    if (view.proof != nullptr && view.proof->apply_job_name() == job.metadata().name() &&
        view.proof->has_admission_snapshot()) {
      return &view.proof->admission_snapshot();
    }
  }
  return nullptr;
}

// An object by what a snapshot binds it by; all empty: there is none.
using Identity = std::tuple<std::string, std::string, std::string>;

Identity IdentityOf(const api::BoundObject& bound) {
  return {bound.name(), bound.uid(), bound.resource_version()};
}

Identity IdentityOf(const sim::Entry* entry) {
  if (entry == nullptr) return {};
  return {entry->object->key.name, api::MetaOf(*entry->object->message).uid(),
          absl::StrCat(entry->version)};
}

std::vector<Identity> LimitRangesOf(const sim::World& world, const std::string& namespace_) {
  std::vector<Identity> ranges;
  for (const sim::Entry& entry : world.objects) {
    const api::Key& key = entry.object->key;
    if (key.kind == api::Kind::kLimitRange && key.namespace_ == namespace_) {
      ranges.push_back(IdentityOf(&entry));
    }
  }
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

std::vector<Identity> LimitRangesOf(const api::AdmissionSnapshot& snapshot) {
  std::vector<Identity> ranges;
  for (const api::BoundObject& range : snapshot.limit_ranges()) ranges.push_back(IdentityOf(range));
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

// What the Pod is shaped by that the snapshot does not bind; empty when it binds it all.
std::string Unbound(const sim::World& world, const api::Pod& pod, const api::Job& job,
                    const api::AdmissionSnapshot& snapshot) {
  const api::PodSpec& spec = pod.spec();
  const std::string& space = pod.metadata().namespace_();
  const auto stands = [&](api::Kind kind, const std::string& where, const std::string& name) {
    return IdentityOf(name.empty() ? nullptr : world.Find({kind, where, name}));
  };
  const auto digest = pod.metadata().annotations().find(api::annotation::kAdmissionSnapshotDigest);
  if (digest == pod.metadata().annotations().end() || digest->second != snapshot.digest()) {
    return "another snapshot";
  }
  if (stands(api::Kind::kServiceAccount, space, spec.service_account_name()) !=
      IdentityOf(snapshot.service_account())) {
    return "another service account";
  }
  if (stands(api::Kind::kRuntimeClass, "", spec.runtime_class_name()) !=
      IdentityOf(snapshot.runtime_class())) {
    return "another runtime class";
  }
  if (stands(api::Kind::kPriorityClass, "", spec.priority_class_name()) !=
      IdentityOf(snapshot.priority_class())) {
    return "another priority class";
  }
  if (LimitRangesOf(world, space) != LimitRangesOf(snapshot)) return "other limit ranges";
  const api::PodSpec& from = job.spec().template_().spec();
  const bool same = spec.containers_size() == from.containers_size() &&
                    std::equal(spec.containers().begin(), spec.containers().end(),
                               from.containers().begin(), SameMessage);
  return same ? "" : "other containers";
}

}  // namespace

void JudgePods(const sim::World& before, const sim::World& after, Findings& findings) {
  for (const sim::Entry& entry : after.objects) {
    if (entry.object->key.kind != api::Kind::kPod) continue;
    const auto& pod = entry.object->As<api::Pod>();
    const auto* stood = before.Get<api::Pod>(entry.object->key.namespace_, entry.object->key.name);
    if (stood != nullptr && stood->metadata().uid() == pod.metadata().uid()) continue;
    const api::Job* job = ControllerOf(before, pod);
    const api::AdmissionSnapshot* snapshot = job == nullptr ? nullptr : SnapshotOf(before, *job);
    if (snapshot == nullptr) continue;
    const std::string unbound = Unbound(before, pod, *job, *snapshot);
    findings.Expect(Property::kPod, unbound.empty(), [&] {
      return absl::StrCat(api::ShortName(entry.object->key), " starts with ", unbound,
                          " than its claim's snapshot binds");
    });
  }
}

}  // namespace model
