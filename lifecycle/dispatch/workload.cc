#include "lifecycle/dispatch/workload.h"

#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/rules/admission_snapshot.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::dispatch {
namespace {

using api::ActiveOperation;
using api::Container;
using api::Job;
using rules::Family;
using rules::OperationTraits;

// Figures of spec 01, 14 that shape every Job.
constexpr int64_t kDefaultWindowSeconds = 900;
constexpr int64_t kMigrationJobGraceSeconds = 60;
constexpr int64_t kDefaultGraceSeconds = 30;

constexpr char kRunnerContainer[] = "runner";
constexpr char kRunnerVolume[] = "runner";
constexpr char kRunnerPath[] = "/ptah/runner";
constexpr char kPlanPath[] = "/ptah/plan";

// From this revision of the builder on, the runner verifies what it installed before the executor
// starts.
constexpr int64_t kVerifyingRevision = 2;

// What the two families' Jobs are built from alike.
struct Parts {
  Family family;
  api::Kind kind;
  const api::ObjectMeta& owner;
  const api::TargetSpec& target;
  const api::ArtifactSpec& artifact;
  const api::ExecutionSpec& execution;
  const ActiveOperation& claim;
  const OperationTraits& operation;
  const api::Configuration& configuration;
};

int64_t WindowSeconds(const api::ExecutionSpec& execution) {
  const int64_t declared = execution.active_deadline_seconds();
  return declared > 0 ? declared : kDefaultWindowSeconds;
}

// A mutating Job's deadline follows the claim and not the spec, which may have moved since.
int64_t DeadlineSeconds(const Parts& parts) {
  if (!parts.operation.mutating) return WindowSeconds(parts.execution);
  const int64_t window =
      (parts.claim.execution_not_after_ms() - parts.claim.started_at_ms()) / 1000;
  return parts.family == Family::kMigration ? window + kMigrationJobGraceSeconds : window;
}

int64_t GraceSeconds(const ActiveOperation& claim) {
  const int64_t grace = claim.termination_grace_period_seconds();
  return grace > 0 ? grace : kDefaultGraceSeconds;
}

void AddEnv(Container* container, const char* name, absl::string_view value) {
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  variable->set_value(value.data(), value.size());
}

void AddInstant(Container* container, const char* name, int64_t time_ms) {
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  variable->set_time_ms(time_ms);
}

void AddSecret(Container* container, const char* name, const api::SecretKeySelector& selector) {
  if (selector.name().empty()) return;
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  *variable->mutable_value_from()->mutable_secret_key_ref() = selector;
}

// Labels and annotations are the same on the Job and on its template (check 16 of spec 03, 7.2).
void SetLabels(const Parts& parts, api::ObjectMeta* meta) {
  auto& labels = *meta->mutable_labels();
  for (const auto& [key, value] : parts.execution.pod_metadata().labels()) labels[key] = value;
  const bool schema = parts.family == Family::kSchema;
  labels[api::label::kManagedBy] = api::label::kManagedByValue;
  labels[api::label::kComponent] =
      schema ? api::label::kSchemaOperation : api::label::kMigrationOperation;
  labels[schema ? api::label::kSchema : api::label::kMigration] =
      rules::LabelValue(parts.owner.name());
  labels[api::label::kOperation] = rules::OperationLabel(parts.claim.type());
  labels[api::label::kOperationHash] = rules::ShortOperationHash(parts.claim.id());
}

void SetAnnotations(const Parts& parts, api::ObjectMeta* meta) {
  auto& annotations = *meta->mutable_annotations();
  for (const auto& [key, value] : parts.execution.pod_metadata().annotations()) {
    annotations[key] = value;
  }
  const api::Configuration& configuration = parts.configuration;
  annotations[api::annotation::kOperationId] = parts.claim.id();
  annotations[api::annotation::kInputFingerprint] = parts.claim.input_fingerprint();
  annotations[api::annotation::kPtahVersion] = configuration.ptah_version;
  annotations[api::annotation::kExecutionBindingId] = parts.claim.execution_binding_id();
  annotations[api::annotation::kControllerImage] = configuration.controller_image;
  annotations[api::annotation::kControllerRevision] = configuration.controller_revision;
  annotations[api::annotation::kControllerStateVersion] =
      absl::StrCat(configuration.controller_state_version);
  if (parts.claim.has_admission_snapshot()) {
    annotations[api::annotation::kAdmissionSnapshotDigest] =
        parts.claim.admission_snapshot().digest();
  }
  if (parts.operation.mutating) annotations[api::annotation::kSafeToEvict] = "false";
}

void SetOwner(const Parts& parts, Job* job) {
  api::ObjectMeta* meta = job->mutable_metadata();
  meta->set_name(parts.claim.job_name());
  meta->set_namespace_(parts.owner.namespace_());
  api::OwnerReference* owner = meta->add_owner_references();
  owner->set_api_version(api::kGroupVersion);
  owner->set_kind(api::KindName(parts.kind));
  owner->set_name(parts.owner.name());
  owner->set_uid(parts.owner.uid());
  owner->set_controller(true);
  owner->set_block_owner_deletion(true);
}

// Copies the runner into a volume that the executor, whose image is Ptah's own, starts it from.
void AddRunner(const Parts& parts, api::PodSpec* pod) {
  Container* runner = pod->add_init_containers();
  runner->set_name(kRunnerContainer);
  runner->set_image(parts.configuration.runner_image);
  runner->add_args("install");
  if (parts.configuration.builder_revision >= kVerifyingRevision) runner->add_args("--verify");
  api::VolumeMount* mount = runner->add_volume_mounts();
  mount->set_name(kRunnerVolume);
  mount->set_mount_path(kRunnerPath);
  api::Volume* volume = pod->add_volumes();
  volume->set_name(kRunnerVolume);
  volume->mutable_empty_dir();
}

Container* AddExecutor(const Parts& parts, api::PodSpec* pod) {
  Container* executor = pod->add_containers();
  executor->set_name(api::kExecutorContainer);
  executor->set_image(parts.configuration.executor_image);
  executor->add_command(absl::StrCat(kRunnerPath, "/run"));
  executor->set_termination_message_path(api::job_shape::kTerminationMessagePath);
  executor->set_termination_message_policy(api::job_shape::kTerminationMessageFile);
  if (parts.execution.has_resources()) *executor->mutable_resources() = parts.execution.resources();
  api::VolumeMount* mount = executor->add_volume_mounts();
  mount->set_name(kRunnerVolume);
  mount->set_mount_path(kRunnerPath);
  mount->set_read_only(true);
  return executor;
}

// What every operation is told (runner_contract.h); a mutating one also its deadlines (U-1).
void SetEnvironment(const Parts& parts, Container* executor) {
  const ActiveOperation& claim = parts.claim;
  AddEnv(executor, api::kEnvOperation, parts.operation.runner_operation);
  AddEnv(executor, api::kEnvOperationId, claim.id());
  AddEnv(executor, api::kEnvProtocolVersion,
         absl::StrCat(parts.configuration.runner_protocol_version));
  AddEnv(executor, api::kEnvEngine,
         claim.has_target() ? claim.target().engine() : parts.target.engine());
  AddEnv(executor, api::kEnvArtifactReference,
         claim.has_source() ? claim.source().resolved_reference() : parts.artifact.oci_ref());
  if (claim.has_source()) AddEnv(executor, api::kEnvArtifactDigest, claim.source().digest());
  if (!claim.coordination_digest().empty()) {
    AddEnv(executor, api::kEnvCoordinationDigest, claim.coordination_digest());
  }
  if (!claim.verification_policy_digest().empty()) {
    AddEnv(executor, api::kEnvPolicyDigest, claim.verification_policy_digest());
  }
  if (!parts.operation.mutating) return;
  AddInstant(executor, api::kEnvDispatchNotAfter, claim.dispatch_not_after_ms());
  AddInstant(executor, api::kEnvExecutionNotAfter, claim.execution_not_after_ms());
  AddEnv(executor, api::kEnvTerminationGrace, absl::StrCat(GraceSeconds(claim)));
}

void SetScheduling(const Parts& parts, api::PodSpec* pod) {
  const api::ExecutionSpec& execution = parts.execution;
  pod->set_service_account_name(execution.service_account_name());
  pod->set_priority_class_name(execution.priority_class_name());
  if (!execution.runtime_class_name().empty()) {
    pod->set_runtime_class_name(execution.runtime_class_name());
  }
  *pod->mutable_tolerations() = execution.tolerations();
  *pod->mutable_node_selector() = execution.node_selector();
}

// Everything but what only one family's Apply carries. Returns the executor's container.
Container* Build(const Parts& parts, Job* job) {
  SetOwner(parts, job);
  SetLabels(parts, job->mutable_metadata());
  SetAnnotations(parts, job->mutable_metadata());

  api::JobSpec* spec = job->mutable_spec();
  spec->set_backoff_limit(0);
  spec->set_parallelism(1);
  spec->set_completions(1);
  spec->set_completion_mode(api::job_shape::kNonIndexed);
  spec->set_suspend(false);
  spec->set_pod_replacement_policy(api::job_shape::kReplaceFailed);
  spec->set_active_deadline_seconds(DeadlineSeconds(parts));
  api::PodTemplateMeta* pod_metadata = spec->mutable_template_()->mutable_metadata();
  *pod_metadata->mutable_labels() = job->metadata().labels();
  *pod_metadata->mutable_annotations() = job->metadata().annotations();

  api::PodSpec* pod = spec->mutable_template_()->mutable_spec();
  pod->set_restart_policy(api::job_shape::kRestartNever);
  pod->set_active_deadline_seconds(DeadlineSeconds(parts));
  pod->set_termination_grace_period_seconds(GraceSeconds(parts.claim));
  pod->set_automount_service_account_token(false);
  SetScheduling(parts, pod);
  AddRunner(parts, pod);
  Container* executor = AddExecutor(parts, pod);
  SetEnvironment(parts, executor);
  return executor;
}

absl::Status RefuseUnbuildable(const Parts& parts, bool plan_present) {
  if (!parts.operation.known) {
    return absl::FailedPreconditionError("an operation of an unknown type has no Job");
  }
  if (!parts.operation.mutating) return absl::OkStatus();
  if (!plan_present) return absl::FailedPreconditionError("the plan of the claim is gone");
  if (parts.claim.execution_not_after_ms() == 0 || parts.claim.dispatch_not_after_ms() == 0) {
    return absl::FailedPreconditionError("the claim has no deadlines");
  }
  return absl::OkStatus();
}

void AddTarget(const Parts& parts, Container* executor) {
  const api::SecretKeySelector& url =
      parts.claim.has_target() ? parts.claim.target().url_from() : parts.target.url_from();
  AddSecret(executor, kEnvTargetUrl, url);
}

// The approved sequence as the runner is told it (U-4).
std::string SequenceOf(const api::PtahMigrationPlanSpec& plan) {
  std::string sequence;
  for (const api::PlannedMigration& migration : plan.migrations()) {
    absl::StrAppend(&sequence, sequence.empty() ? "" : ",", migration.version(), ":",
                    migration.checksum());
  }
  return sequence;
}

// Mounts the plan: one ConfigMap a chunk, under the chunk's own name (spec 01, 3.3).
void MountPlan(const api::PtahSchemaPlanSpec& plan, api::PodSpec* pod, Container* executor) {
  api::Volume* volume = pod->add_volumes();
  volume->set_name(api::kPlanVolume);
  for (const api::PlanChunkRef& chunk : plan.chunks()) {
    api::ConfigMapProjection* source =
        volume->mutable_projected()->add_sources()->mutable_config_map();
    source->set_name(chunk.name());
    api::KeyToPath* item = source->add_items();
    item->set_key(kProjectionKey);
    item->set_path(chunk.name());
  }
  api::VolumeMount* mount = executor->add_volume_mounts();
  mount->set_name(api::kPlanVolume);
  mount->set_mount_path(kPlanPath);
  mount->set_read_only(true);
}

// Only a schema's Apply names its plan on the Job.
void SetPlanMarks(const api::PtahSchemaPlanSpec& plan, Job* job) {
  for (auto* annotations :
       {job->mutable_metadata()->mutable_annotations(),
        job->mutable_spec()->mutable_template_()->mutable_metadata()->mutable_annotations()}) {
    (*annotations)[api::annotation::kPlanFingerprint] = plan.fingerprint();
    (*annotations)[api::annotation::kPlanContentDigest] = plan.content_digest();
  }
}

}  // namespace

absl::StatusOr<Job> BuildSchemaJob(const api::PtahSchema& schema, const ActiveOperation& claim,
                                   const api::PtahSchemaPlan* plan,
                                   const api::Configuration& configuration) {
  const Parts parts{Family::kSchema,
                    api::Kind::kPtahSchema,
                    schema.metadata(),
                    schema.spec().target(),
                    schema.spec().desired(),
                    schema.spec().execution(),
                    claim,
                    rules::SchemaOperation(claim.type()),
                    configuration};
  if (absl::Status refused = RefuseUnbuildable(parts, plan != nullptr); !refused.ok()) {
    return refused;
  }
  Job job;
  Container* executor = Build(parts, &job);
  if (parts.operation.lock != rules::LockUse::kNever) AddTarget(parts, executor);
  if (claim.has_observation_dev()) {
    AddSecret(executor, kEnvDevUrl, claim.observation_dev().url_from());
  }
  if (claim.type() == api::operation::kPlan && claim.observation_protected_tables_size() > 0) {
    AddEnv(executor, api::kEnvProtectedTables,
           absl::StrJoin(claim.observation_protected_tables(), ","));
  }
  if (parts.operation.mutating) {
    SetPlanMarks(plan->spec(), &job);
    AddEnv(executor, api::kEnvPlanContentDigest, plan->spec().content_digest());
    MountPlan(plan->spec(), job.mutable_spec()->mutable_template_()->mutable_spec(), executor);
  }
  return job;
}

absl::StatusOr<Job> BuildMigrationJob(const api::PtahMigration& migration,
                                      const ActiveOperation& claim,
                                      const api::PtahMigrationPlan* plan,
                                      const api::Configuration& configuration) {
  const Parts parts{Family::kMigration,
                    api::Kind::kPtahMigration,
                    migration.metadata(),
                    migration.spec().target(),
                    migration.spec().artifact(),
                    migration.spec().execution(),
                    claim,
                    rules::MigrationOperation(claim.type()),
                    configuration};
  if (absl::Status refused = RefuseUnbuildable(parts, plan != nullptr); !refused.ok()) {
    return refused;
  }
  Job job;
  Container* executor = Build(parts, &job);
  if (claim.type() == api::operation::kHistory || parts.operation.mutating) {
    AddTarget(parts, executor);
  }
  if (parts.operation.mutating) {
    AddEnv(executor, api::kEnvExpectSequence, SequenceOf(plan->spec()));
  }
  return job;
}

std::string TemplateDigestOf(const Job& job, const ActiveOperation& claim) {
  return rules::TemplateDigest(job.spec().template_(), claim.started_at_ms());
}

void TakeManagerIdentity(const api::PodTemplateSpec& live, Job& expected) {
  api::PodTemplateSpec* built = expected.mutable_spec()->mutable_template_();
  for (const char* key :
       {api::annotation::kControllerImage, api::annotation::kControllerRevision}) {
    const auto found = live.metadata().annotations().find(key);
    if (found == live.metadata().annotations().end()) continue;
    (*expected.mutable_metadata()->mutable_annotations())[key] = found->second;
    (*built->mutable_metadata()->mutable_annotations())[key] = found->second;
  }
  for (const Container& container : live.spec().init_containers()) {
    if (container.name() != kRunnerContainer) continue;
    built->mutable_spec()->mutable_init_containers(0)->set_image(container.image());
    return;
  }
}

api::ManagerRecord DispatchedBy(const api::PodTemplateSpec& live) {
  const auto& annotations = live.metadata().annotations();
  const auto text = [&annotations](const char* key) {
    const auto found = annotations.find(key);
    return found == annotations.end() ? std::string() : found->second;
  };
  api::ManagerRecord record;
  record.set_controller_image(text(api::annotation::kControllerImage));
  record.set_controller_revision(text(api::annotation::kControllerRevision));
  int64_t version = 0;
  if (absl::SimpleAtoi(text(api::annotation::kControllerStateVersion), &version)) {
    record.set_controller_state_version(version);
  }
  record.set_ptah_version(text(api::annotation::kPtahVersion));
  return record;
}

JobEnd EndOf(const Job& job) {
  JobEnd end;
  for (const api::JobCondition& condition : job.status().conditions()) {
    if (condition.status() != api::condition_status::kTrue) continue;
    const bool complete = condition.type() == api::condition::kJobComplete;
    if (!complete && condition.type() != api::condition::kJobFailed) continue;
    end.terminal = true;
    end.succeeded = end.succeeded || complete;
    end.at_ms = condition.last_transition_time_ms();
  }
  return end;
}

}  // namespace lifecycle::dispatch
