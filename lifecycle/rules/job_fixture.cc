#include "lifecycle/rules/job_fixture.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::rules {
namespace {

namespace annotation = api::annotation;
namespace label = api::label;

constexpr int64_t kStartedMs = 1'700'000'000'000;
constexpr int64_t kWindowSeconds = 900;

std::string Pinned(const std::string& name) { return absl::StrCat(name, "@", api::DigestOf(name)); }

template <class Meta>
void SetLabels(const JobFixture& claim, bool mutating, Meta* meta) {
  const bool schema = claim.family == Family::kSchema;
  auto& labels = *meta->mutable_labels();
  labels[label::kManagedBy] = label::kManagedByValue;
  labels[label::kComponent] = schema ? label::kSchemaOperation : label::kMigrationOperation;
  labels[schema ? label::kSchema : label::kMigration] = LabelValue(claim.owner_name);
  labels[label::kOperation] = OperationLabel(claim.type);
  labels[label::kOperationHash] = ShortOperationHash(claim.id);
  labels["team"] = "shop";
  auto& annotations = *meta->mutable_annotations();
  annotations[annotation::kOperationId] = claim.id;
  annotations[annotation::kInputFingerprint] = claim.input_fingerprint;
  annotations[annotation::kPtahVersion] = claim.binding.ptah_version();
  annotations[annotation::kExecutionBindingId] = claim.epoch;
  annotations[annotation::kControllerImage] = Pinned("registry/controller");
  annotations[annotation::kControllerRevision] = "rev-1";
  annotations[annotation::kControllerStateVersion] = "1";
  annotations["example.com/ticket"] = "42";
  if (mutating) annotations[annotation::kSafeToEvict] = "false";
  if (claim.has_plan) {
    annotations[annotation::kPlanFingerprint] = claim.plan_fingerprint;
    annotations[annotation::kPlanContentDigest] = claim.plan_content;
  }
}

void AddEnv(const char* name, const std::string& value, api::Container* container) {
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  variable->set_value(value);
}

void AddInstant(const char* name, int64_t time_ms, api::Container* container) {
  api::EnvVar* variable = container->add_env();
  variable->set_name(name);
  variable->set_time_ms(time_ms);
}

void AddMount(const char* volume, const char* path, api::Container* container) {
  api::VolumeMount* mount = container->add_volume_mounts();
  mount->set_name(volume);
  mount->set_mount_path(path);
  mount->set_read_only(true);
}

void SetPod(const JobFixture& claim, bool mutating, api::PodSpec* pod) {
  pod->set_restart_policy(api::job_shape::kRestartNever);
  pod->set_active_deadline_seconds(kWindowSeconds);
  pod->set_termination_grace_period_seconds(30);
  pod->set_automount_service_account_token(false);
  pod->set_service_account_name("ptah-runner");
  (*pod->mutable_node_selector())["disk"] = "ssd";
  api::Toleration* toleration = pod->add_tolerations();
  toleration->set_key("database");
  toleration->set_operator_("Exists");
  pod->add_volumes()->set_name("runner");
  pod->mutable_volumes(0)->mutable_empty_dir();
  api::Volume* plan = pod->add_volumes();
  plan->set_name(api::kPlanVolume);
  api::ConfigMapProjection* chunk = plan->mutable_projected()->add_sources()->mutable_config_map();
  chunk->set_name("ptah-plan-x-000");
  chunk->add_items()->set_key("chunk");
  api::Container* runner = pod->add_init_containers();
  runner->set_name("runner");
  runner->set_image(Pinned("registry/runner"));
  runner->add_args("install");
  AddMount("runner", "/ptah/runner", runner);
  api::Container* executor = pod->add_containers();
  executor->set_name(api::kExecutorContainer);
  executor->set_image(Pinned("registry/executor"));
  executor->add_command("/ptah/runner/run");
  executor->set_termination_message_path(api::job_shape::kTerminationMessagePath);
  executor->set_termination_message_policy(api::job_shape::kTerminationMessageFile);
  (*executor->mutable_resources()->mutable_limits())["memory"] = "256Mi";
  AddMount("runner", "/ptah/runner", executor);
  AddMount(api::kPlanVolume, "/ptah/plan", executor);
  AddEnv(api::kEnvOperation, claim.type, executor);
  AddEnv(api::kEnvOperationId, claim.id, executor);
  AddEnv(api::kEnvCoordinationDigest, api::DigestOf("realm"), executor);
  api::EnvVar* url = executor->add_env();
  url->set_name("PTAH_TARGET_URL");
  url->mutable_value_from()->mutable_secret_key_ref()->set_name("database");
  if (!mutating) return;
  AddInstant(api::kEnvDispatchNotAfter, kStartedMs + kWindowSeconds * 1000, executor);
  AddInstant(api::kEnvExecutionNotAfter, kStartedMs + kWindowSeconds * 1000, executor);
}

api::Job Build(const JobFixture& claim, bool mutating) {
  api::Job job;
  job.mutable_metadata()->set_name(claim.job_name);
  job.mutable_metadata()->set_namespace_(claim.owner_namespace);
  api::OwnerReference* owner = job.mutable_metadata()->add_owner_references();
  owner->set_api_version(api::kGroupVersion);
  owner->set_kind(claim.family == Family::kSchema ? "PtahSchema" : "PtahMigration");
  owner->set_name(claim.owner_name);
  owner->set_uid(claim.owner_uid);
  owner->set_controller(true);
  owner->set_block_owner_deletion(true);
  SetLabels(claim, mutating, job.mutable_metadata());
  api::JobSpec* spec = job.mutable_spec();
  spec->set_backoff_limit(0);
  spec->set_parallelism(1);
  spec->set_completions(1);
  spec->set_completion_mode(api::job_shape::kNonIndexed);
  spec->set_suspend(false);
  spec->set_pod_replacement_policy(api::job_shape::kReplaceFailed);
  spec->set_active_deadline_seconds(kWindowSeconds);
  SetLabels(claim, mutating, spec->mutable_template_()->mutable_metadata());
  SetPod(claim, mutating, spec->mutable_template_()->mutable_spec());
  return job;
}

void PinSnapshot(JobFixture* claim) {
  claim->snapshot.set_version(kSnapshotVersion);
  claim->snapshot.mutable_service_account()->set_name("ptah-runner");
  claim->snapshot.mutable_service_account()->set_uid("sa-uid");
  claim->snapshot.mutable_service_account()->set_resource_version("7");
  claim->snapshot.set_template_digest(
      TemplateDigest(claim->built.spec().template_(), *claim->started_at_ms));
  claim->snapshot.set_digest(SnapshotDigest(claim->snapshot));
  for (auto* annotations :
       {claim->built.mutable_metadata()->mutable_annotations(), claim->built.mutable_spec()
                                                                    ->mutable_template_()
                                                                    ->mutable_metadata()
                                                                    ->mutable_annotations()}) {
    (*annotations)[annotation::kAdmissionSnapshotDigest] = claim->snapshot.digest();
  }
}

// What a server makes of the create before its webhooks judge it.
api::Job Submit(const api::Job& built, const std::string& uid) {
  api::Job job = built;
  job.mutable_metadata()->set_uid(uid);
  job.mutable_metadata()->set_generation(1);
  job.mutable_metadata()->set_creation_timestamp_ms(kStartedMs + 5'000);
  auto& labels = *job.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels();
  labels[label::kControllerUid] = uid;
  labels[label::kLegacyControllerUid] = uid;
  labels[label::kJobName] = built.metadata().name();
  labels[label::kLegacyJobName] = built.metadata().name();
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())[label::kControllerUid] = uid;
  api::PodSpec* pod = job.mutable_spec()->mutable_template_()->mutable_spec();
  pod->set_service_account(pod->service_account_name());
  return job;
}

}  // namespace

JobFixture FixtureOf(Family family, const std::string& type) {
  JobFixture claim;
  const bool mutating = OperationOf(family, type).mutating;
  claim.family = family;
  claim.owner_namespace = "shop";
  claim.owner_name = "orders.v2";
  claim.owner_uid = "owner-uid";
  claim.type = type;
  claim.id = api::DigestOf("operation");
  claim.input_fingerprint = api::DigestOf("inputs");
  claim.epoch = api::EpochOf(std::string(16, '\1'));
  claim.job_name = NameFor({.operation_type = type,
                            .resource_name = claim.owner_name,
                            .resource_uid = claim.owner_uid,
                            .operation_id = claim.id,
                            .epoch = claim.epoch,
                            .input_fingerprint = claim.input_fingerprint});
  claim.recorded_uid = "job-uid";
  claim.started_at_ms = kStartedMs;
  claim.binding.set_epoch(claim.epoch);
  claim.binding.set_controller_state_version(1);
  claim.binding.set_ptah_version("1.4.0");
  claim.has_plan = mutating && family == Family::kSchema;
  claim.plan_name = "ptah-plan-x";
  claim.plan_uid = "plan-uid";
  claim.plan_fingerprint = api::DigestOf("plan");
  claim.plan_content = api::DigestOf("content");
  claim.plan_epoch = claim.epoch;
  claim.plan_ptah_version = "1.4.0";
  claim.plan_state_version = 1;
  claim.built = Build(claim, mutating);
  PinSnapshot(&claim);
  claim.submitted = Submit(claim.built, claim.recorded_uid);
  claim.stored = claim.submitted;
  claim.stored.mutable_status()->set_active(1);
  return claim;
}

const api::Job& JobFixture::JobOf(MatchMode mode) const {
  return mode == MatchMode::kBuiltSubmitted ? submitted : stored;
}

std::optional<Mismatch> JobFixture::MatchOwn(MatchMode mode) const {
  return MatchJob(mode, JobOf(mode));
}

std::optional<Mismatch> JobFixture::MatchJob(MatchMode mode, const api::Job& job) const {
  const PlanIdentity plan{.name = plan_name,
                          .uid = plan_uid,
                          .fingerprint = plan_fingerprint,
                          .content_digest = plan_content,
                          .epoch = plan_epoch,
                          .controller_state_version = plan_state_version,
                          .ptah_version = plan_ptah_version};
  const ClaimIdentity claim{.family = family,
                            .owner_namespace = owner_namespace,
                            .owner_name = owner_name,
                            .owner_uid = owner_uid,
                            .operation_type = type,
                            .operation_id = id,
                            .job_name = job_name,
                            .recorded_uid = recorded_uid,
                            .epoch = epoch,
                            .input_fingerprint = input_fingerprint,
                            .snapshot = &snapshot,
                            .started_at_ms = started_at_ms,
                            .plan = has_plan ? &plan : nullptr};
  return Match({.claim = claim,
                .job = job,
                .mode = mode,
                .built = &built,
                .binding = binding_given ? &binding : nullptr});
}

}  // namespace lifecycle::rules
