#include "model/scene.h"

#include <algorithm>

#include "lifecycle/api/frame.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "sim/administrator.h"

namespace model {

namespace api = lifecycle::api;
using sim::OperationTruth;

const OperationTruth* Scene::OperationOf(const std::string& id) const {
  const auto found = world.truth.operations.find(id);
  return found == world.truth.operations.end() ? nullptr : &found->second;
}

ResourceView Scene::Resource() const {
  const sim::Entry* entry = world.Find(trace.resource);
  return ViewOf(entry == nullptr ? nullptr : entry->object);
}

std::string Scene::Name() const { return api::ShortName(trace.resource); }
std::string PassScene::Name() const { return api::ShortName(trace.resource); }

bool RetiresApply(const Scene& scene) {
  return scene.before.claim != nullptr && scene.after.claim == nullptr &&
         scene.after.key != nullptr && IsApply(*scene.before.claim);
}

std::string OutcomeOf(const Scene& scene) {
  const std::string& id = scene.before.claim->id();
  if (scene.after.proof != nullptr && scene.after.proof->apply_operation_id() == id) {
    return scene.after.proof->outcome();
  }
  if (scene.after.unresolved != nullptr && scene.after.unresolved->operation_id() == id) {
    return scene.after.unresolved->outcome();
  }
  return scene.write.writes.Has(21) ? scene.after.migration->status().last_run().outcome() : "";
}

bool IsDoubt(const std::string& outcome) {
  return outcome == api::proof_outcome::kOutcomeUnknown || outcome == api::run_outcome::kUnknown;
}

bool IsAccount(const Scene& scene) {
  if (!RetiresApply(scene)) return false;
  const std::string outcome = OutcomeOf(scene);
  return !outcome.empty() && !IsDoubt(outcome);
}

bool IsMark(const Scene& scene) {
  return scene.before.claim != nullptr && scene.after.claim != nullptr &&
         scene.before.claim->id() == scene.after.claim->id() && IsApply(*scene.after.claim) &&
         !scene.before.claim->dispatch_started() && scene.after.claim->dispatch_started() &&
         scene.operation != nullptr;
}

bool IsJobCreate(const api::Request& request) {
  return request.verb == api::Verb::kCreate && request.key.kind == api::Kind::kJob;
}

const OperationTruth* OperationOfJob(const sim::World& world, const std::string& name) {
  for (const auto& [id, operation] : world.truth.operations) {
    if (std::find(operation.job_names.begin(), operation.job_names.end(), name) !=
        operation.job_names.end()) {
      return &operation;
    }
  }
  return nullptr;
}

std::vector<const api::Pod*> PodsOf(const sim::World& world, const std::string& job_uid) {
  std::vector<const api::Pod*> pods;
  if (job_uid.empty()) return pods;
  for (const sim::Entry& entry : world.objects) {
    if (entry.object->key.kind != api::Kind::kPod) continue;
    const api::Pod& pod = entry.object->As<api::Pod>();
    for (const auto& owner : pod.metadata().owner_references()) {
      if (owner.uid() == job_uid) pods.push_back(&pod);
    }
  }
  return pods;
}

bool HasStopped(const api::Pod& pod) {
  return pod.status().phase() == api::pod_phase::kSucceeded ||
         pod.status().phase() == api::pod_phase::kFailed;
}

namespace {

api::FrameExpectation ExpectationOf(const OperationTruth& operation) {
  const bool schema = operation.family == sim::Family::kSchema;
  return {
      .operation = schema ? api::runner_operation::kApply : api::runner_operation::kMigrationApply,
      .operation_id = operation.id,
      .protocol_version = 1};
}

const api::Pod* OnePodOf(const sim::World& world, const OperationTruth* operation) {
  if (operation == nullptr || operation->job_uids.size() != 1) return nullptr;
  const auto pods = PodsOf(world, operation->job_uids[0]);
  return pods.size() == 1 ? pods[0] : nullptr;
}

}  // namespace

std::optional<api::FramePayload> FrameOf(const sim::World& world, const OperationTruth* operation) {
  const api::Pod* pod = OnePodOf(world, operation);
  if (pod == nullptr) return std::nullopt;
  const auto log = world.logs.find(pod->metadata().uid());
  if (log == world.logs.end() || log->second.lost || log->second.text == nullptr) {
    return std::nullopt;
  }
  api::FrameResult parsed = api::ParseFrame(*log->second.text, ExpectationOf(*operation));
  // Asked here too, or the parser that is wrong about it would vouch for itself.
  if (!parsed.ok() || parsed.payload.operation_id() != operation->id) return std::nullopt;
  return std::move(parsed.payload);
}

std::optional<api::TerminationSummary> SummaryOf(const sim::World& world,
                                                 const OperationTruth* operation) {
  const api::Pod* pod = OnePodOf(world, operation);
  if (pod == nullptr || operation->family != sim::Family::kMigration) return std::nullopt;
  for (const auto& container : pod->status().container_statuses()) {
    if (!container.state().has_terminated()) continue;
    auto summary =
        api::ParseSummary(container.state().terminated().message(), ExpectationOf(*operation));
    if (summary.ok() && summary->operation_id() == operation->id) return *std::move(summary);
  }
  return std::nullopt;
}

std::string ReportOf(const OperationTruth& operation) {
  size_t recorded = 0;
  bool half = false;
  for (const sim::FileEffect& file : operation.effect) {
    recorded += file.recorded ? 1 : 0;
    half |= !file.recorded && file.committed > 0;
  }
  if (half) return api::run_outcome::kPartial;
  if (!operation.finished_ok) return api::run_outcome::kFailed;
  return recorded > 0 ? api::run_outcome::kApplied : api::run_outcome::kUpToDate;
}

bool SameComponents(const api::ExecutionBinding& binding, const api::Configuration& configuration) {
  return binding.controller_state_version() == configuration.controller_state_version &&
         binding.ptah_version() == configuration.ptah_version &&
         binding.executor_image() == configuration.executor_image &&
         binding.runner_protocol_version() == configuration.runner_protocol_version;
}

bool BuildsAnother(const api::Configuration& configuration, const api::Job& job) {
  const auto& annotations = job.metadata().annotations();
  const auto made_by = annotations.find(api::annotation::kControllerImage);
  if (made_by == annotations.end() || made_by->second == configuration.controller_image) {
    return false;
  }
  for (const api::Configuration& release : sim::Releases()) {
    if (release.controller_image == made_by->second) {
      return release.builder_revision != configuration.builder_revision;
    }
  }
  return false;
}

const api::ExecutionBinding& BindingOf(const ResourceView& view) {
  return view.schema != nullptr ? view.schema->status().execution_binding()
                                : view.migration->status().execution_binding();
}

const api::TargetSpec& TargetOf(const ResourceView& view) {
  return view.schema != nullptr ? view.schema->spec().target() : view.migration->spec().target();
}

bool IsSuspended(const ResourceView& view) {
  return view.schema != nullptr ? view.schema->spec().suspend() : view.migration->spec().suspend();
}

bool IsDeleting(const ResourceView& view) { return view.meta->deletion_timestamp_ms() != 0; }

int64_t ObservedGenerationOf(const ResourceView& view) {
  return view.schema != nullptr ? view.schema->status().observed_generation()
                                : view.migration->status().observed_generation();
}

int64_t NextTimeOf(const ResourceView& view) {
  return view.schema != nullptr ? view.schema->status().next_reconciliation_time_ms()
                                : view.migration->status().next_reconciliation_time_ms();
}

}  // namespace model
