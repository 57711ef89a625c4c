// Two claims with all that their Jobs are built from, for the tests of this folder and of the
// webhook.

#ifndef LIFECYCLE_DISPATCH_WORKLOAD_SAMPLES_H_
#define LIFECYCLE_DISPATCH_WORKLOAD_SAMPLES_H_

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/envelope.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/testing/cluster_samples.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch::samples {

inline constexpr int64_t kStartedMs = 1'000'000;
inline constexpr int64_t kWindowMs = 900'000;

inline std::string Pinned(char digit) {
  return "registry.example/other@sha256:" + std::string(64, digit);
}
inline std::string Digest(char digit) { return "sha256:" + std::string(64, digit); }
inline std::string Epoch(char digit) { return "v1-" + std::string(32, digit); }

inline void FillBinding(const api::Configuration& configuration, api::ExecutionBinding* binding) {
  binding->set_epoch(Epoch('1'));
  binding->set_controller_state_version(configuration.controller_state_version);
  binding->set_ptah_version(configuration.ptah_version);
  binding->set_executor_image(configuration.executor_image);
  binding->set_runner_protocol_version(configuration.runner_protocol_version);
}

inline void FillApplyClaim(api::ActiveOperation* claim) {
  claim->set_type("Apply");
  claim->set_id(Digest('2'));
  claim->set_input_fingerprint(Digest('3'));
  claim->set_job_name("apply-a-0123456789abcdef");
  claim->set_started_at_ms(kStartedMs);
  claim->set_attempt(1);
  claim->set_execution_binding_id(Epoch('1'));
  claim->set_coordination_digest(Digest('4'));
  claim->set_target_identity_digest(Digest('5'));
  claim->mutable_target()->set_engine("postgres");
  claim->mutable_target()->mutable_url_from()->set_name("database");
  claim->mutable_target()->mutable_url_from()->set_key("url");
  claim->mutable_source()->set_resolved_reference("registry.example/a@" + Digest('6'));
  claim->mutable_source()->set_digest(Digest('6'));
  claim->set_lease_epoch(Epoch('7'));
  SetApplyDeadlines(kWindowMs, 30, *claim);
}

// The Job's envelope where that account is all that shapes a Pod.
inline api::AdmissionSnapshot SnapshotOf(const api::Job& job, const api::ActiveOperation& claim) {
  testing::MemoryDoor door;
  door.Put(lifecycle::testing::DefaultAccount("app"));
  api::Client client(door, "manager");
  return *ResolveSnapshot(job, claim, client);
}

struct MigrationApply {
  api::Configuration configuration = api::DefaultConfiguration();
  api::PtahMigration migration;
  api::PtahMigrationPlan plan;

  MigrationApply() {
    migration.mutable_metadata()->set_namespace_("app");
    migration.mutable_metadata()->set_name("a");
    migration.mutable_metadata()->set_uid("migration-uid");
    FillBinding(configuration, migration.mutable_status()->mutable_execution_binding());
    FillApplyClaim(migration.mutable_status()->mutable_active_operation());
    plan.mutable_metadata()->set_namespace_("app");
    plan.mutable_metadata()->set_name("plan");
    plan.mutable_metadata()->set_uid("plan-uid");
    for (const int64_t version : {3, 4}) {
      api::PlannedMigration* planned = plan.mutable_spec()->add_migrations();
      planned->set_version(version);
      planned->set_checksum("c" + std::to_string(version));
    }
    api::ObjectRef* ref =
        migration.mutable_status()->mutable_active_operation()->mutable_plan_ref();
    ref->set_name("plan");
    ref->set_uid("plan-uid");
  }

  const api::ActiveOperation& claim() const { return migration.status().active_operation(); }
  api::Job Build() const { return *BuildMigrationJob(migration, claim(), &plan, configuration); }
  void TakeSnapshot() {
    *migration.mutable_status()->mutable_active_operation()->mutable_admission_snapshot() =
        SnapshotOf(Build(), claim());
  }
};

struct SchemaApply {
  api::Configuration configuration = api::DefaultConfiguration();
  api::PtahSchema schema;
  api::PtahSchemaPlan plan;

  SchemaApply() {
    schema.mutable_metadata()->set_namespace_("app");
    schema.mutable_metadata()->set_name("a");
    schema.mutable_metadata()->set_uid("schema-uid");
    FillBinding(configuration, schema.mutable_status()->mutable_execution_binding());
    FillApplyClaim(schema.mutable_status()->mutable_active_operation());
    plan.mutable_metadata()->set_namespace_("app");
    plan.mutable_metadata()->set_name("plan");
    plan.mutable_metadata()->set_uid("plan-uid");
    plan.mutable_spec()->set_fingerprint(Digest('8'));
    plan.mutable_spec()->set_content_digest(Digest('9'));
    plan.mutable_spec()->add_chunks()->set_name("plan-000");
    plan.mutable_spec()->add_chunks()->set_name("plan-001");
    api::PlanRecord* record = schema.mutable_status()->mutable_plan();
    record->set_name("plan");
    record->set_uid("plan-uid");
    record->set_fingerprint(Digest('8'));
    record->set_content_digest(Digest('9'));
    record->set_execution_binding_id(Epoch('1'));
    record->set_controller_state_version(configuration.controller_state_version);
    record->set_ptah_version(configuration.ptah_version);
  }

  const api::ActiveOperation& claim() const { return schema.status().active_operation(); }
  api::Job Build() const { return *BuildSchemaJob(schema, claim(), &plan, configuration); }
  void TakeSnapshot() {
    *schema.mutable_status()->mutable_active_operation()->mutable_admission_snapshot() =
        SnapshotOf(Build(), claim());
  }
};

}  // namespace lifecycle::dispatch::samples

#endif  // LIFECYCLE_DISPATCH_WORKLOAD_SAMPLES_H_
