#include "lifecycle/migration/scene.h"

#include "lifecycle/api/check.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/names.h"
#include "lifecycle/migration/inputs.h"
#include "lifecycle/migration/plan.h"
#include "lifecycle/migration/reconciler.h"
#include "lifecycle/rules/operation.h"
#include "lifecycle/testing/cluster_samples.h"

namespace lifecycle::migration {
namespace {

constexpr char kNamespace[] = "app";

api::PlannedMigration Planned(int64_t version) {
  api::PlannedMigration planned;
  planned.set_version(version);
  planned.set_version_key(std::to_string(version));
  planned.set_checksum("c" + std::to_string(version));
  return planned;
}

Pending PendingOf(const std::vector<int64_t>& versions) {
  Pending pending;
  for (const int64_t version : versions) *pending.Add() = Planned(version);
  return pending;
}

api::ConfigMap PolicyObject() {
  api::ConfigMap config_map;
  config_map.mutable_metadata()->set_namespace_(kNamespace);
  config_map.mutable_metadata()->set_name("policy");
  config_map.mutable_metadata()->set_uid("policy-uid");
  (*config_map.mutable_data())["policy"] = "signed";
  return config_map;
}

}  // namespace

std::string TestDigest(char digit) { return "sha256:" + std::string(64, digit); }

Scene::Scene(const std::string& policy) {
  store.Put(PolicyObject());
  store.Put(lifecycle::testing::DefaultAccount(kNamespace));
  LayDownMigration(policy);
  LayDownPlan();
  if (policy == api::apply_policy::kOnApproval) LayDownApproval();
}

void Scene::LayDownMigration(const std::string& policy) {
  api::PtahMigration migration;
  migration.mutable_metadata()->set_namespace_(kNamespace);
  migration.mutable_metadata()->set_name("m");
  migration.mutable_metadata()->set_uid("m-uid");
  migration.mutable_metadata()->set_generation(1);
  api::PtahMigrationSpec* spec = migration.mutable_spec();
  spec->mutable_target()->set_engine("postgres");
  spec->mutable_target()->set_coordination_key("main");
  spec->mutable_target()->mutable_url_from()->set_name("database");
  spec->mutable_target()->mutable_url_from()->set_key("url");
  spec->mutable_artifact()->set_oci_ref("registry.example/migrations:1");
  spec->mutable_artifact()->mutable_verification_policy_from()->set_name("policy");
  spec->mutable_artifact()->mutable_verification_policy_from()->set_key("policy");
  spec->mutable_policy()->set_apply(policy);
  api::PtahMigrationStatus* status = migration.mutable_status();
  status->set_observed_generation(1);
  api::ExecutionBinding* binding = status->mutable_execution_binding();
  binding->set_epoch("v1-" + std::string(32, '1'));
  binding->set_controller_state_version(configuration.controller_state_version);
  binding->set_ptah_version(configuration.ptah_version);
  binding->set_executor_image(configuration.executor_image);
  binding->set_runner_protocol_version(configuration.runner_protocol_version);
  status->mutable_artifact()->set_digest(TestDigest('a'));
  status->mutable_artifact()->set_resolved_reference("registry.example/migrations@" +
                                                     TestDigest('a'));
  api::HistoryRecord* history = status->mutable_history();
  history->set_fingerprint(TestDigest('b'));
  history->set_target_identity_digest(TestDigest('d'));
  history->set_current_version(2);
  history->set_pending_count(2);
  status->set_phase(policy == api::apply_policy::kOnApproval ? api::phase::kAwaitingApproval
                                                             : api::phase::kPlanning);
  status->set_next_reconciliation_time_ms(store.wall_ms + 600'000);
  api::Condition* required = status->add_conditions();
  required->set_type(api::condition::kApprovalRequired);
  required->set_status(policy == api::apply_policy::kOnApproval ? "True" : "False");
  store.Put(migration);
}

void Scene::LayDownPlan() {
  const api::ConfigMap config_map = store.At<api::ConfigMap>(kNamespace, "policy");
  const VerificationPolicy policy =
      *PolicyIn(config_map, migration().spec().artifact().verification_policy_from());
  api::PtahMigrationPlan plan = BuildPlan(migration(), PendingOf({3, 4}), policy, configuration);
  plan.mutable_metadata()->set_uid("plan-uid");
  plan_name = plan.metadata().name();
  store.Put(plan);
  EditMigration([&](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_plan()->set_name(plan_name);
    migration.mutable_status()->mutable_plan()->set_uid("plan-uid");
  });
}

void Scene::LayDownApproval() {
  api::PtahMigrationApproval approval;
  approval.mutable_metadata()->set_namespace_(kNamespace);
  approval.mutable_metadata()->set_name("ok");
  approval.mutable_metadata()->set_uid("ok-uid");
  approval.mutable_spec()->mutable_migration_ref()->set_name("m");
  approval.mutable_spec()->mutable_migration_ref()->set_uid("m-uid");
  approval.mutable_spec()->mutable_plan_ref()->set_name(plan_name);
  approval.mutable_spec()->mutable_plan_ref()->set_uid("plan-uid");
  approval.mutable_spec()->set_plan_fingerprint(
      store.At<api::PtahMigrationPlan>(kNamespace, plan_name).spec().fingerprint());
  approval.mutable_spec()->mutable_approver()->set_username("alice");
  approval.mutable_spec()->set_approved_at_ms(1);
  approval.mutable_spec()->set_mutation_request_uid("request");
  store.Put(approval);
}

api::PassResult Scene::Pass() {
  api::Client client(store, configuration.user);
  MigrationReconciler reconciler(client, memory, configuration, timing, design);
  return reconciler.Reconcile(kNamespace, "m");
}

void Scene::PassUntilRecorded() {
  for (int i = 0; i < 10; ++i) {
    Pass();
    if (status().has_active_operation() && !claim().job_uid().empty()) return;
  }
  STOPGAP_CHECK(false, "no Job was recorded");
}

void Scene::PassUntilClaimed(const std::string& type) {
  for (int i = 0; i < 20; ++i) {
    if (status().has_active_operation() && claim().type() == type) return;
    const api::PassResult result = Pass();
    if (result.requeue_after_ms) store.Advance(*result.requeue_after_ms);
  }
  STOPGAP_CHECK(false, "no claim of the type was written");
}

api::FramePayload Scene::Frame() const {
  api::FramePayload payload;
  payload.set_protocol_version(configuration.runner_protocol_version);
  payload.set_operation(rules::MigrationOperation(claim().type()).runner_operation);
  payload.set_operation_id(claim().id());
  payload.set_coordination_digest(claim().coordination_digest());
  payload.set_target_identity_digest(TestDigest('d'));
  return payload;
}

api::FramePayload Scene::RunFrame(const std::string& outcome,
                                  const std::vector<int64_t>& applied) const {
  api::FramePayload payload = Frame();
  const bool uncertain = outcome == "partial" || outcome == "unknown";
  payload.set_mutation_started(true);
  payload.set_uncertain(uncertain);
  payload.mutable_migration_run()->set_outcome(outcome);
  for (const int64_t version : {3, 4}) payload.mutable_migration_run()->add_planned(version);
  payload.mutable_migration_run()->mutable_applied()->Assign(applied.begin(), applied.end());
  if (uncertain || outcome == "failed") {
    payload.set_child_exit_code(1);
    payload.mutable_error()->set_code("MigrationFailed");
    payload.mutable_error()->set_message("a file failed");
  }
  return payload;
}

api::FramePayload Scene::HistoryFrame(const std::vector<int64_t>& pending) const {
  api::FramePayload payload = Frame();
  api::MigrationHistoryReport* history = payload.mutable_migration_history();
  history->set_contract_version(1);
  history->set_current_version(pending.empty() ? 4 : pending.front() - 1);
  history->set_artifact_version(4);
  history->set_fingerprint(TestDigest(static_cast<char>('0' + pending.size())));
  *history->mutable_pending() = PendingOf(pending);
  return payload;
}

void Scene::EndJob(bool succeeded, const std::string& log, const std::string& termination_message) {
  api::Job job = this->job();
  api::JobCondition* condition = job.mutable_status()->add_conditions();
  condition->set_type(succeeded ? api::condition::kJobComplete : api::condition::kJobFailed);
  condition->set_status(api::condition_status::kTrue);
  condition->set_last_transition_time_ms(store.wall_ms);
  store.Put(job);
  api::Pod pod = lifecycle::testing::PodOf(job, job.metadata().name() + "-0");
  pod.mutable_status()->set_phase(succeeded ? api::pod_phase::kSucceeded : api::pod_phase::kFailed);
  api::ContainerStatus* executor = pod.mutable_status()->add_container_statuses();
  executor->set_name("ptah");
  executor->mutable_state()->mutable_terminated()->set_message(termination_message);
  if (!log.empty()) store.logs[pod.metadata().name()] = log;
  store.Put(pod);
}

void Scene::EndJobWithFrame(const api::FramePayload& payload) {
  EndJob(!payload.has_error(), api::RenderFrame(payload));
}

void Scene::RunReadings(const std::vector<int64_t>& pending) {
  PassUntilClaimed(api::operation::kResolve);
  PassUntilRecorded();
  api::FramePayload resolved = Frame();
  resolved.set_resolved_digest(TestDigest('a'));
  resolved.set_resolved_reference("registry.example/migrations@" + TestDigest('a'));
  EndJobWithFrame(resolved);
  Pass();
  PassUntilClaimed(api::operation::kVerify);
  PassUntilRecorded();
  api::FramePayload verified = Frame();
  verified.set_verification_policy_digest(claim().verification_policy_digest());
  verified.set_resolved_digest(claim().source().digest());
  EndJobWithFrame(verified);
  Pass();
  PassUntilClaimed(api::operation::kHistory);
  PassUntilRecorded();
  EndJobWithFrame(HistoryFrame(pending));
  Pass();
}

}  // namespace lifecycle::migration
