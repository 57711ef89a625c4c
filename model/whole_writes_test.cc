#include "model/whole_writes.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/schema.pb.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using api::PtahMigration;
using api::PtahMigrationStatus;
using api::PtahSchema;
using api::PtahSchemaStatus;

// What a write lacks once one of its fields was left as it stood.
template <class Object>
struct Half {
  std::string lack;
  std::function<void(Object& after)> undo;
};

class WholeWritesTest : public testing::Test {
 protected:
  template <class Object>
  void Expect(WriteSet writes, const Object& before, const Object& after,
              const std::vector<Half<Object>>& halves) {
    EXPECT_EQ(LackOf(writes, Stored(before), Stored(after)), "");
    for (const Half<Object>& half : halves) {
      Object changed = after;
      half.undo(changed);
      EXPECT_EQ(LackOf(writes, Stored(before), Stored(changed)), half.lack);
    }
  }

 private:
  template <class Object>
  sim::Handle Stored(Object object) {
    object.mutable_metadata()->set_namespace_("team");
    object.mutable_metadata()->set_name("a");
    return interner_.Intern(api::KindOf<Object>(), std::make_shared<const Object>(object));
  }

  sim::Interner interner_;
};

template <class Object>
Object WithClaim(const char* type) {
  Object object;
  api::ActiveOperation& claim = *object.mutable_status()->mutable_active_operation();
  claim.set_type(type);
  claim.set_id("op");
  claim.set_job_name("job");
  claim.set_lease_epoch("e1");
  return object;
}

api::ActiveOperation& ClaimOf(PtahSchema& schema) {
  return *schema.mutable_status()->mutable_active_operation();
}

void Retire(PtahSchema& schema, const char* operation, const char* uid) {
  api::RetiredJob& job =
      *schema.mutable_status()->mutable_pending_binding_retirement()->mutable_job();
  job.set_operation(operation);
  job.set_name("job");
  job.set_uid(uid);
}

api::PendingObservation& ProofOf(PtahSchema& schema) {
  return *schema.mutable_status()->mutable_pending_observation();
}

TEST_F(WholeWritesTest, ASnapshotThatIsTakenBackIsTakenBackOnce) {
  const auto before = WithClaim<PtahSchema>(api::operation::kApply);
  PtahSchema after = before;
  ClaimOf(after).set_admission_snapshot_refreshed(true);
  Expect<PtahSchema>(10, before, after, {{"W-10 without admissionSnapshotRefreshed", [](auto& now) {
                                            ClaimOf(now).set_admission_snapshot_refreshed(false);
                                          }}});
}

TEST_F(WholeWritesTest, AnAdoptedApplyIsMarked) {
  const auto before = WithClaim<PtahSchema>(api::operation::kApply);
  PtahSchema after = before;
  ClaimOf(after).set_job_uid("uid");
  ClaimOf(after).set_dispatch_started(true);
  Expect<PtahSchema>(16, before, after, {{"W-16 without dispatchStarted", [](auto& now) {
                                            ClaimOf(now).set_dispatch_started(false);
                                          }}});
  const auto reading = WithClaim<PtahSchema>(api::operation::kPlan);
  after = reading;
  ClaimOf(after).set_job_uid("uid");
  Expect<PtahSchema>(16, reading, after, {{"W-16 without retirement.job.uid", [](auto& now) {
                                             Retire(now, api::operation::kPlan, "");
                                           }}});
}

TEST_F(WholeWritesTest, ARunsAccount) {
  auto before = WithClaim<PtahMigration>(api::operation::kApply);
  before.mutable_status()->mutable_plan()->set_name("plan");
  PtahMigration after;
  PtahMigrationStatus& status = *after.mutable_status();
  status.mutable_last_run()->set_outcome(api::run_outcome::kUnknown);
  status.mutable_unresolved_run()->set_operation_id("op");
  Expect<PtahMigration>(
      21, before, after,
      {{"W-21 without the claim cleared",
        [](auto& now) { now.mutable_status()->mutable_active_operation()->set_id("op"); }},
       {"W-21 without plan removed",
        [](auto& now) { now.mutable_status()->mutable_plan()->set_name("plan"); }},
       {"W-21 without unresolvedRun",
        [](auto& now) { now.mutable_status()->clear_unresolved_run(); }},
       {"W-21 without unresolvedRun",
        [](auto& now) { now.mutable_status()->mutable_unresolved_run()->set_operation_id("o"); }}});
}

TEST_F(WholeWritesTest, AnAccountNamesWhatTheClaimNamed) {
  auto before = WithClaim<PtahMigration>(api::operation::kApply);
  api::ActiveOperation& claim = *before.mutable_status()->mutable_active_operation();
  claim.set_job_uid("uid");
  claim.mutable_plan_ref()->set_uid("plan");
  PtahMigration after;
  after.mutable_status()->mutable_last_run()->set_outcome(api::run_outcome::kPartial);
  api::UnresolvedRun& run = *after.mutable_status()->mutable_unresolved_run();
  run.set_operation_id("op");
  run.set_job_uid("uid");
  run.mutable_plan_ref()->set_uid("plan");
  Expect<PtahMigration>(
      21, before, after,
      {{"W-21 without its Job's UID",
        [](auto& now) { now.mutable_status()->mutable_unresolved_run()->clear_job_uid(); }},
       {"W-21 without its plan",
        [](auto& now) { now.mutable_status()->mutable_unresolved_run()->clear_plan_ref(); }}});
}

TEST_F(WholeWritesTest, AProofIsMadeFromWhatTheClaimHad) {
  auto before = WithClaim<PtahSchema>(api::operation::kApply);
  ClaimOf(before).set_job_uid("uid");
  ClaimOf(before).add_observation_exclude("a");
  ClaimOf(before).add_observation_protected_tables("t");
  ClaimOf(before).set_observation_severity("low");
  ClaimOf(before).set_coordination_digest("realm");
  ClaimOf(before).mutable_target()->set_engine("postgres");
  ClaimOf(before).mutable_source()->set_digest("d");
  ClaimOf(before).mutable_observation_dev()->mutable_url_from()->set_name("dev");
  ClaimOf(before).mutable_admission_snapshot()->set_digest("s");
  ClaimOf(before).set_observation_lock_timeout_seconds(3);
  PtahSchema after;
  api::PendingObservation& proof = ProofOf(after);
  proof.set_apply_operation_id("op");
  proof.set_apply_job_name("job");
  proof.set_apply_job_uid("uid");
  proof.add_exclude("a");
  proof.add_protected_tables("t");
  proof.set_drift_severity("low");
  proof.set_coordination_digest("realm");
  proof.mutable_target()->set_engine("postgres");
  proof.mutable_source()->set_digest("d");
  proof.mutable_dev()->mutable_url_from()->set_name("dev");
  proof.mutable_admission_snapshot()->set_digest("s");
  proof.set_lock_timeout_seconds(3);
  Expect<PtahSchema>(
      18, before, after,
      {{"W-18 without the claim cleared", [](auto& now) { ClaimOf(now).set_id("op"); }},
       {"W-18 without pendingObservation",
        [](auto& now) { now.mutable_status()->clear_pending_observation(); }},
       {"W-18 without its operation", [](auto& now) { ProofOf(now).clear_apply_operation_id(); }},
       {"W-18 without its Job", [](auto& now) { ProofOf(now).clear_apply_job_uid(); }},
       {"W-18 without its snapshot", [](auto& now) { ProofOf(now).clear_admission_snapshot(); }},
       {"W-18 without its target", [](auto& now) { ProofOf(now).clear_target(); }},
       {"W-18 without its source", [](auto& now) { ProofOf(now).clear_source(); }},
       {"W-18 without its dev database", [](auto& now) { ProofOf(now).clear_dev(); }},
       {"W-18 without its realm", [](auto& now) { ProofOf(now).clear_coordination_digest(); }},
       {"W-18 without its exclude", [](auto& now) { ProofOf(now).clear_exclude(); }},
       {"W-18 without its protectedTables",
        [](auto& now) { ProofOf(now).clear_protected_tables(); }},
       {"W-18 without its severity", [](auto& now) { ProofOf(now).clear_drift_severity(); }},
       {"W-18 without its timeouts",
        [](auto& now) { ProofOf(now).clear_lock_timeout_seconds(); }}});
}

TEST_F(WholeWritesTest, ANewAttempt) {
  auto before = WithClaim<PtahSchema>(api::operation::kPlan);
  ClaimOf(before).set_job_uid("uid");
  PtahSchema after = WithClaim<PtahSchema>(api::operation::kPlan);
  ClaimOf(after).set_attempt(1);
  ClaimOf(after).set_job_name("job-2");
  ClaimOf(after).clear_lease_epoch();
  api::PendingLockRelease& release = *after.mutable_status()->mutable_pending_lock_release();
  release.set_operation_id("op");
  release.set_lease_epoch("e1");
  Expect<PtahSchema>(
      25, before, after,
      {{"W-25 without a new jobName", [](auto& now) { ClaimOf(now).set_job_name("job"); }},
       {"W-25 without jobUID cleared", [](auto& now) { ClaimOf(now).set_job_uid("uid"); }},
       {"W-25 without dispatchStarted cleared",
        [](auto& now) { ClaimOf(now).set_dispatch_started(true); }},
       {"W-25 without admissionSnapshot cleared",
        [](auto& now) { ClaimOf(now).mutable_admission_snapshot(); }},
       {"W-25 without leaseEpoch cleared", [](auto& now) { ClaimOf(now).set_lease_epoch("e1"); }},
       {"W-25 without its release",
        [](auto& now) { now.mutable_status()->clear_pending_lock_release(); }}});
  PtahSchema proof = before;
  ProofOf(proof).set_lease_epoch("e1");
  after = proof;
  ClaimOf(after) = ClaimOf(proof);
  ClaimOf(after).set_job_name("job-2");
  ClaimOf(after).clear_job_uid();
  Expect<PtahSchema>(25, proof, after, {});
  const auto history = WithClaim<PtahMigration>(api::operation::kHistory);
  PtahMigration again = history;
  again.mutable_status()->mutable_active_operation()->set_job_name("job-2");
  again.mutable_status()->mutable_active_operation()->set_retry_not_before_ms(7);
  Expect<PtahMigration>(
      25, history, again,
      {{"W-25 without retryNotBefore", [](auto& now) {
          now.mutable_status()->mutable_active_operation()->clear_retry_not_before_ms();
        }}});
}

TEST_F(WholeWritesTest, AProofThatBeginsAnew) {
  PtahSchema before;
  ProofOf(before).set_outcome(api::proof_outcome::kApplySucceeded);
  ProofOf(before).set_lease_epoch("e1");
  PtahSchema after = before;
  ProofOf(after).set_outcome(api::proof_outcome::kOutcomeUnknown);
  ProofOf(after).set_lease_epoch("e2");
  Expect<PtahSchema>(
      32, before, after,
      {{"W-32 without outcome OutcomeUnknown",
        [](auto& now) { ProofOf(now).set_outcome(api::proof_outcome::kApplySucceeded); }},
       {"W-32 without planRequired false",
        [](auto& now) { ProofOf(now).set_plan_required(true); }}});
}

TEST_F(WholeWritesTest, AProofThatIsSettled) {
  auto before = WithClaim<PtahSchema>(api::operation::kPlan);
  ProofOf(before).set_lease_epoch("e1");
  ProofOf(before).mutable_dispatched_by()->set_ptah_version("1");
  PtahSchema after;
  after.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("e1");
  api::AppliedRecord& applied = *after.mutable_status()->mutable_applied();
  applied.set_controller_state_version(1);
  applied.set_execution_binding_id("e");
  applied.mutable_dispatched_by()->set_ptah_version("1");
  const auto applied_of = [](PtahSchema& now) -> api::AppliedRecord& {
    return *now.mutable_status()->mutable_applied();
  };
  Expect<PtahSchema>(36, before, after,
                     {{"W-36 without applied.controllerStateVersion",
                       [&](auto& now) { applied_of(now).clear_controller_state_version(); }},
                      {"W-36 without applied.executionBindingID",
                       [&](auto& now) { applied_of(now).clear_execution_binding_id(); }},
                      {"W-36 without applied.dispatchedBy",
                       [&](auto& now) { applied_of(now).clear_dispatched_by(); }},
                      {"W-36 without the claim cleared", [](auto& now) { ClaimOf(now); }},
                      {"W-36 without its release",
                       [](auto& now) { now.mutable_status()->clear_pending_lock_release(); }},
                      {"W-36 without its release", [](auto& now) {
                         now.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("e");
                       }}});
}

// Spec 03, 16.2, row by row.
TEST_F(WholeWritesTest, ARotationLeavesWhatItsRowSays) {
  PtahSchema planned;
  planned.mutable_status()->mutable_plan()->set_fingerprint("f");
  PtahSchema retired;
  retired.mutable_status()->set_phase(api::phase::kPending);
  retired.mutable_status()->mutable_pending_binding_retirement()->mutable_plan()->set_fingerprint(
      "f");
  Expect<PtahSchema>(
      39, planned, retired,
      {{"W-39 without plan removed",
        [](auto& now) { now.mutable_status()->mutable_plan()->set_fingerprint("f"); }},
       {"W-39 without phase Pending",
        [](auto& now) { now.mutable_status()->set_phase(api::phase::kReadyToApply); }},
       {"W-39 without pendingBindingRetirement.plan",
        [](auto& now) { now.mutable_status()->clear_pending_binding_retirement(); }}});

  const auto reading = WithClaim<PtahSchema>(api::operation::kObserve);
  PtahSchema kept = reading;
  kept.mutable_status()->set_phase(api::phase::kPending);
  Retire(kept, api::operation::kObserve, "");
  Expect<PtahSchema>(39, reading, kept,
                     {{"W-39 without pendingBindingRetirement.job",
                       [](auto& now) { now.mutable_status()->clear_pending_binding_retirement(); }},
                      {"W-39 without the claim kept",
                       [](auto& now) { now.mutable_status()->clear_active_operation(); }}});

  const auto undispatched = WithClaim<PtahSchema>(api::operation::kApply);
  PtahSchema dropped;
  dropped.mutable_status()->set_phase(api::phase::kPending);
  dropped.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("e1");
  dropped.mutable_status()->mutable_pending_lock_release()->set_operation_id("op");
  Expect<PtahSchema>(
      39, undispatched, dropped,
      {{"W-39 without the claim dropped", [](auto& now) { ClaimOf(now).set_id("op"); }},
       {"W-39 without its release",
        [](auto& now) { now.mutable_status()->clear_pending_lock_release(); }}});

  auto dispatched = WithClaim<PtahSchema>(api::operation::kApply);
  ClaimOf(dispatched).set_dispatch_started(true);
  PtahSchema moved;
  moved.mutable_status()->set_phase(api::phase::kPending);
  ProofOf(moved).set_apply_operation_id("op");
  Retire(moved, api::operation::kApply, "");
  Expect<PtahSchema>(
      39, dispatched, moved,
      {{"W-39 without pendingObservation",
        [](auto& now) { now.mutable_status()->clear_pending_observation(); }},
       {"W-39 without pendingBindingRetirement.job",
        [](auto& now) { now.mutable_status()->clear_pending_binding_retirement(); }},
       {"W-39 without the claim moved", [](auto& now) { ClaimOf(now).set_id("op"); }}});

  PtahSchema proving;
  ProofOf(proving).set_plan_required(true);
  PtahSchema anew;
  anew.mutable_status()->set_phase(api::phase::kPending);
  ProofOf(anew);
  Expect<PtahSchema>(39, proving, anew, {{"W-39 without planRequired false", [](auto& now) {
                                            ProofOf(now).set_plan_required(true);
                                          }}});

  const auto unknown = WithClaim<PtahSchema>("Nobody");
  PtahSchema without;
  without.mutable_status()->set_phase(api::phase::kPending);
  Expect<PtahSchema>(
      39, unknown, without,
      {{"W-39 without the claim dropped", [](auto& now) { ClaimOf(now).set_id("op"); }}});
}

TEST_F(WholeWritesTest, ARetiredJobsUidIsStoredInBothPlaces) {
  auto before = WithClaim<PtahSchema>(api::operation::kPlan);
  Retire(before, api::operation::kPlan, "");
  PtahSchema after = before;
  ClaimOf(after).set_job_uid("uid");
  Retire(after, api::operation::kPlan, "uid");
  Expect<PtahSchema>(
      41, before, after,
      {{"W-41 without activeOperation.jobUID", [](auto& now) { ClaimOf(now).clear_job_uid(); }}});
  Expect<PtahSchema>(16, before, after, {{"W-16 without retirement.job.uid", [](auto& now) {
                                            Retire(now, api::operation::kPlan, "");
                                          }}});
  PtahSchema proof;
  ProofOf(proof).set_apply_job_name("job");
  PtahSchema adopted = proof;
  ProofOf(adopted).set_apply_job_uid("uid");
  Retire(adopted, api::operation::kApply, "uid");
  Expect<PtahSchema>(43, proof, adopted,
                     {{"W-43 without pendingObservation.applyJobUID",
                       [](auto& now) { ProofOf(now).clear_apply_job_uid(); }}});
}

TEST_F(WholeWritesTest, AMigrationsRotation) {
  auto before = WithClaim<PtahMigration>(api::operation::kHistory);
  before.mutable_status()->mutable_plan()->set_name("plan");
  Expect<PtahMigration>(
      46, before, PtahMigration(),
      {{"W-46 without plan removed",
        [](auto& now) { now.mutable_status()->mutable_plan()->set_name("plan"); }},
       {"W-46 without the claim dropped",
        [](auto& now) { now.mutable_status()->mutable_active_operation()->set_id("op"); }}});
}

TEST_F(WholeWritesTest, AnUnresolvedRunGoesOnlyIntoAResolvedOne) {
  PtahMigration unresolved;
  unresolved.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  PtahMigration read;
  read.mutable_status()->mutable_resolved_run()->set_operation_id("op");
  Expect<PtahMigration>(49, unresolved, read, {{"W-49 without resolvedRun", [](auto& now) {
                                                  now.mutable_status()->clear_resolved_run();
                                                }}});
  PtahMigration acknowledged = read;
  api::ResolvedRun& run = *acknowledged.mutable_status()->mutable_resolved_run();
  run.mutable_acknowledgment_ref()->set_uid("uid");
  run.mutable_acknowledged_by()->set_username("ops");
  run.set_resolved_at_ms(7);
  acknowledged.mutable_status()->set_next_reconciliation_time_ms(7);
  Expect<PtahMigration>(
      54, unresolved, acknowledged,
      {{"W-54 without resolvedRun",
        [](auto& now) { now.mutable_status()->mutable_resolved_run()->set_operation_id("o"); }},
       {"W-54 without its reference",
        [](auto& now) {
          now.mutable_status()->mutable_resolved_run()->clear_acknowledgment_ref();
        }},
       {"W-54 without its identity",
        [](auto& now) { now.mutable_status()->mutable_resolved_run()->clear_acknowledged_by(); }}});
}

TEST_F(WholeWritesTest, ARestoredRecordBlocks) {
  PtahMigration restored;
  restored.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  restored.mutable_status()->set_phase(api::phase::kBlocked);
  Expect<PtahMigration>(
      48, PtahMigration(), restored,
      {{"W-48 without plan removed",
        [](auto& now) { now.mutable_status()->mutable_plan()->set_name("plan"); }},
       {"W-48 without phase Blocked",
        [](auto& now) { now.mutable_status()->set_phase(api::phase::kPending); }}});
}

TEST_F(WholeWritesTest, AConsumedApprovalOfASchemaIsAcceptedToo) {
  api::PtahSchemaApproval before;
  api::PtahSchemaApproval after;
  auto& accepted = *after.mutable_status()->add_conditions();
  accepted.set_type(api::condition::kAccepted);
  accepted.set_status(api::condition_status::kTrue);
  Expect<api::PtahSchemaApproval>(
      11, before, after,
      {{"W-11 without Accepted True", [](auto& now) { now.mutable_status()->clear_conditions(); }},
       {"W-11 without Stale False", [](auto& now) {
          auto& stale = *now.mutable_status()->add_conditions();
          stale.set_type(api::condition::kStale);
          stale.set_status(api::condition_status::kTrue);
        }}});
}

}  // namespace
}  // namespace model
