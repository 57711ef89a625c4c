#include "lifecycle/schema/schema_scene.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/plan_content.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/lease/target_lock.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/plan_object.h"
#include "lifecycle/schema/publication.h"
#include "lifecycle/schema/schema_reconciler.h"
#include "lifecycle/testing/cluster_samples.h"

namespace lifecycle::schema {
namespace {

constexpr int kPassesMax = 400;
constexpr char kPolicyText[] = "signed by the release key";

std::string PlanBytes() {
  return api::RenderPlanContent({.dialect = "postgres",
                                 .destructive = false,
                                 .privilege_changes = {},
                                 .statements = {"ALTER TABLE book ADD COLUMN isbn text"}});
}

void FillSpec(const char* policy, api::PtahSchemaSpec& spec) {
  spec.mutable_target()->set_engine("postgres");
  spec.mutable_target()->set_coordination_key("orders");
  spec.mutable_target()->mutable_url_from()->set_name("orders-database");
  spec.mutable_desired()->set_oci_ref("registry.example/orders:v1");
  spec.mutable_desired()->mutable_verification_policy_from()->set_name("policy");
  spec.mutable_desired()->mutable_verification_policy_from()->set_key("policy.yaml");
  spec.mutable_policy()->set_apply(policy);
}

void FillStatus(const api::Configuration& configuration, api::PtahSchema& schema) {
  api::PtahSchemaStatus& status = *schema.mutable_status();
  status.set_observed_generation(1);
  status.set_next_reconciliation_time_ms(1'000'000 + 600'000);
  api::ExecutionBinding& binding = *status.mutable_execution_binding();
  binding.set_epoch(api::EpochOf(std::string(16, 'e')));
  binding.set_controller_state_version(configuration.controller_state_version);
  binding.set_ptah_version(configuration.ptah_version);
  binding.set_executor_image(configuration.executor_image);
  binding.set_runner_protocol_version(configuration.runner_protocol_version);
  api::SourceRecord& source = *status.mutable_source();
  source.set_requested_reference(schema.spec().desired().oci_ref());
  source.set_digest(api::DigestOf("artifact"));
  source.set_resolved_reference("registry.example/orders@" + source.digest());
  source.set_verified(true);
  source.set_verification_policy_uid("uid-policy");
  source.set_verification_policy_digest(api::DigestOf(kPolicyText));
  status.mutable_target()->set_coordination_digest(CoordinationDigest(schema));
  status.mutable_target()->set_identity_digest(api::DigestOf("the orders database"));
}

api::PtahSchemaPlanSpec PlanSpecOf(const api::PtahSchema& schema,
                                   const api::Configuration& configuration) {
  const api::PtahSchemaStatus& status = schema.status();
  api::PtahSchemaPlanSpec plan;
  plan.set_contract_version(kPlanContractVersion);
  plan.mutable_schema_ref()->set_name(schema.metadata().name());
  plan.mutable_schema_ref()->set_uid(schema.metadata().uid());
  plan.set_content_digest(api::DigestOf(PlanBytes()));
  plan.set_size(static_cast<int64_t>(PlanBytes().size()));
  plan.set_artifact_digest(status.source().digest());
  plan.set_coordination_digest(CoordinationDigest(schema));
  plan.set_target_identity_digest(status.target().identity_digest());
  plan.set_policy_fingerprint(PolicyFingerprint(schema));
  plan.set_verification_policy_uid(status.source().verification_policy_uid());
  plan.set_verification_policy_digest(status.source().verification_policy_digest());
  plan.set_execution_binding_id(status.execution_binding().epoch());
  plan.set_controller_image(configuration.controller_image);
  plan.set_controller_revision(configuration.controller_revision);
  plan.set_controller_state_version(configuration.controller_state_version);
  plan.set_ptah_version(configuration.ptah_version);
  plan.set_executor_image(configuration.executor_image);
  plan.set_runner_image(configuration.runner_image);
  plan.set_runner_protocol_version(configuration.runner_protocol_version);
  plan.set_dialect("postgres");
  plan.set_statement_count(1);
  return plan;
}

const std::string& Told(const api::Job& job, const char* name) {
  static const std::string empty;
  for (const api::EnvVar& variable : job.spec().template_().spec().containers(0).env()) {
    if (variable.name() == name) return variable.value();
  }
  return empty;
}

}  // namespace

SchemaScene::SchemaScene(const char* policy) {
  api::ConfigMap policy_object;
  policy_object.mutable_metadata()->set_namespace_(kNamespace);
  policy_object.mutable_metadata()->set_name("policy");
  policy_object.mutable_metadata()->set_uid("uid-policy");
  (*policy_object.mutable_data())["policy.yaml"] = kPolicyText;
  door.Put(policy_object);
  door.Put(lifecycle::testing::DefaultAccount(kNamespace));

  api::PtahSchema schema;
  schema.mutable_metadata()->set_namespace_(kNamespace);
  schema.mutable_metadata()->set_name(kName);
  schema.mutable_metadata()->set_uid("uid-orders");
  schema.mutable_metadata()->set_generation(1);
  FillSpec(policy, *schema.mutable_spec());
  FillStatus(configuration, schema);

  const std::vector<std::string> chunks = SplitIntoChunks(PlanBytes());
  api::PtahSchemaPlan plan = PlanObjectOf(schema, PlanSpecOf(schema, configuration), chunks);
  plan.mutable_metadata()->set_uid("uid-plan");
  api::PtahSchemaPlanChunk chunk = ChunkObjectOf(schema, plan, 0, chunks[0]);
  chunk.mutable_metadata()->set_uid("uid-chunk");
  api::PublishedChunk& published = *plan.mutable_status()->add_published_chunks();
  published.set_name(chunk.metadata().name());
  published.set_uid("uid-chunk");
  dispatch::SetCondition({.type = api::condition::kReady, .status = true},
                         *plan.mutable_status()->mutable_conditions());
  *schema.mutable_status()->mutable_plan() = RecordOf(plan);
  schema.mutable_status()->set_phase(absl::string_view(policy) == api::apply_policy::kAlways
                                         ? api::phase::kReadyToApply
                                         : api::phase::kAwaitingApproval);
  door.Put(std::move(plan));
  door.Put(std::move(chunk));
  door.Put(std::move(schema));
}

api::PassResult SchemaScene::Pass() {
  api::Client client(door, configuration.user);
  SchemaReconciler reconciler(client, memory, configuration, timing, design);
  const api::PassResult result = reconciler.Reconcile(kNamespace, kName);
  if (!result.status.ok()) ++failed_passes;
  const int64_t waited_ms = result.requeue_after_ms.value_or(0);
  door.wall_ms += waited_ms;
  door.monotonic_ms += waited_ms;
  return result;
}

bool SchemaScene::RunUntil(const std::function<bool()>& done) {
  for (int pass = 0; pass < kPassesMax; ++pass) {
    if (done()) return true;
    Pass();
    RunJobs();
  }
  return done();
}

bool SchemaScene::PassUntil(const std::function<bool()>& done) {
  for (int pass = 0; pass < kPassesMax; ++pass) {
    if (done()) return true;
    Pass();
  }
  return done();
}

void SchemaScene::EditSpec(const std::function<void(api::PtahSchemaSpec&)>& edit) {
  door.Edit<api::PtahSchema>(kNamespace, kName, [&](api::PtahSchema& schema) {
    edit(*schema.mutable_spec());
    schema.mutable_metadata()->set_generation(schema.metadata().generation() + 1);
  });
}

void SchemaScene::Suspend(bool suspend) {
  EditSpec([&](api::PtahSchemaSpec& spec) { spec.set_suspend(suspend); });
}

void SchemaScene::Delete() {
  door.Edit<api::PtahSchema>(kNamespace, kName, [&](api::PtahSchema& schema) {
    schema.mutable_metadata()->set_deletion_timestamp_ms(door.wall_ms);
    schema.mutable_metadata()->set_generation(schema.metadata().generation() + 1);
  });
}

void SchemaScene::EditStatus(const std::function<void(api::PtahSchemaStatus&)>& edit) {
  door.Edit<api::PtahSchema>(kNamespace, kName,
                             [&](api::PtahSchema& schema) { edit(*schema.mutable_status()); });
}

const api::Lease& SchemaScene::lease() const {
  return door.At<api::Lease>(configuration.coordination_namespace,
                             rules::LeaseName(CoordinationDigest(schema())));
}

void SchemaScene::RivalTakesRealm() {
  const std::string name = rules::LeaseName(CoordinationDigest(schema()));
  if (door.Has<api::Lease>(configuration.coordination_namespace, name)) {
    door.Edit<api::Lease>(configuration.coordination_namespace, name,
                          [](api::Lease& lease) { lease.mutable_spec()->set_holder_identity(""); });
  }
  api::Client client(door, "rival");
  api::Memory memory_of_rival;
  STOPGAP_CHECK(lease::Acquire(client, memory_of_rival, configuration.coordination_namespace,
                               {.coordination_digest = CoordinationDigest(schema()),
                                .resource_uid = "uid-rival",
                                .operation_id = "rival",
                                .duration_seconds = 60})
                    .ok(),
                "a rival takes a free realm");
}

bool SchemaScene::Followed(const char* rule) const {
  return std::count(door.journal().begin(), door.journal().end(), rule) > 0;
}

bool SchemaScene::RunToRecordedApply() {
  return PassUntil(
      [&] { return HasClaim("Apply") && !status().active_operation().job_uid().empty(); });
}

void SchemaScene::EditPod(const std::string& job, const std::function<void(api::Pod&)>& edit) {
  door.Edit<api::Pod>(kNamespace, job + "-0", edit);
}

void SchemaScene::Approve(const char* name) {
  api::PtahSchemaApproval approval;
  approval.mutable_metadata()->set_namespace_(kNamespace);
  approval.mutable_metadata()->set_name(name);
  approval.mutable_metadata()->set_creation_timestamp_ms(door.wall_ms);
  api::PtahSchemaApprovalSpec& spec = *approval.mutable_spec();
  spec.mutable_schema_ref()->set_name(kName);
  spec.mutable_schema_ref()->set_uid(schema().metadata().uid());
  spec.mutable_plan_ref()->set_name(status().plan().name());
  spec.mutable_plan_ref()->set_uid(status().plan().uid());
  spec.set_plan_fingerprint(status().plan().fingerprint());
  spec.mutable_approver()->set_username("alice");
  spec.set_approved_at_ms(door.wall_ms);
  spec.set_mutation_request_uid("request-1");
  door.Put(std::move(approval));
}

bool SchemaScene::ApprovalIs(const char* condition) const {
  return dispatch::IsTrue(
      door.At<api::PtahSchemaApproval>(kNamespace, kApproval).status().conditions(), condition);
}

void SchemaScene::RunJobs() {
  api::Client client(door, "world");
  const auto jobs = client.List<api::Job>(kNamespace);
  for (const api::Stored<api::Job>& job : *jobs) {
    if (!dispatch::EndOf(*job).terminal) RunJob(*job);
  }
}

void SchemaScene::RunJob(const api::Job& job) {
  const api::FramePayload frame = FrameOf(job);
  operations_.push_back(frame.operation());
  const bool failed = frame.has_error();

  api::Pod pod = lifecycle::testing::PodOf(job, job.metadata().name() + "-0");
  pod.mutable_status()->set_phase(failed ? api::pod_phase::kFailed : api::pod_phase::kSucceeded);
  api::ContainerStatus& container = *pod.mutable_status()->add_container_statuses();
  container.set_name(api::kExecutorContainer);
  container.mutable_state()->mutable_terminated()->set_exit_code(failed ? 1 : 0);
  const bool lost = lose_apply_log && frame.operation() == api::runner_operation::kApply;
  if (!lost) door.logs[pod.metadata().name()] = api::RenderFrame(frame);
  door.Put(std::move(pod));

  door.Edit<api::Job>(kNamespace, job.metadata().name(), [&](api::Job& ended) {
    api::JobCondition& condition = *ended.mutable_status()->add_conditions();
    condition.set_type(failed ? api::condition::kJobFailed : api::condition::kJobComplete);
    condition.set_status(api::condition_status::kTrue);
    condition.set_last_transition_time_ms(door.wall_ms);
  });
}

api::FramePayload SchemaScene::FrameOf(const api::Job& job) {
  api::FramePayload frame;
  frame.set_protocol_version(configuration.runner_protocol_version);
  frame.set_operation(Told(job, api::kEnvOperation));
  frame.set_operation_id(Told(job, api::kEnvOperationId));
  frame.set_coordination_digest(Told(job, api::kEnvCoordinationDigest));
  frame.set_target_identity_digest(api::DigestOf("the orders database"));
  frame.set_verification_policy_digest(Told(job, api::kEnvPolicyDigest));
  if (frame.operation() == api::runner_operation::kApply) {
    frame.set_mutation_started(true);
    declared = true;
  }
  if (frame.operation() == api::runner_operation::kObserve) {
    frame.set_observed_drift(!declared);
  }
  if (frame.operation() == api::runner_operation::kPlan) {
    frame.set_plan_outcome(declared ? api::plan_outcome::kNoChanges : api::plan_outcome::kChanges);
    frame.set_stdout(PlanBytes());
    frame.set_plan_content_digest(api::DigestOf(PlanBytes()));
  }
  report(frame);
  return frame;
}

int SchemaScene::JobsMade(const std::string& operation) const {
  return static_cast<int>(std::count(operations_.begin(), operations_.end(), operation));
}

}  // namespace lifecycle::schema
