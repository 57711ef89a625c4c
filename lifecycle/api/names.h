// Every text of the interface that code compares or writes: phases, conditions, reasons, policies,
// outcomes, finalizers, annotation and label keys.
//
// They are plain strings in the objects, as in Kubernetes, so that a value this binary does not
// know survives a read and a write. One nested namespace a vocabulary, so that a reader sees which
// one a word belongs to: phase::kFailed is not outcome::kFailed.
//
// Answers: spec 01 (spellings); file 03 (values the tables name).

#ifndef LIFECYCLE_API_NAMES_H_
#define LIFECYCLE_API_NAMES_H_

namespace lifecycle::api {

inline constexpr char kGroup[] = "operator.ptah.run";
inline constexpr char kGroupVersion[] = "operator.ptah.run/v1alpha1";

// Held from before the first claim until no record needs the resource (spec 01, 1.9 and 2.8).
inline constexpr char kSchemaFinalizer[] = "operator.ptah.run/active-operation";
inline constexpr char kMigrationFinalizer[] = "operator.ptah.run/migration-operation";

namespace phase {
inline constexpr char kPending[] = "Pending";
inline constexpr char kResolving[] = "Resolving";
inline constexpr char kVerifying[] = "Verifying";
inline constexpr char kPlanning[] = "Planning";
inline constexpr char kAwaitingApproval[] = "AwaitingApproval";
inline constexpr char kBlocked[] = "Blocked";
inline constexpr char kApplying[] = "Applying";
inline constexpr char kInSync[] = "InSync";
inline constexpr char kSuspended[] = "Suspended";
inline constexpr char kFailed[] = "Failed";
// PtahSchema only.
inline constexpr char kObserving[] = "Observing";
inline constexpr char kReadyToApply[] = "ReadyToApply";
inline constexpr char kVerifyingConvergence[] = "VerifyingConvergence";
// PtahMigration only.
inline constexpr char kReading[] = "Reading";
inline constexpr char kVerifyingHistory[] = "VerifyingHistory";
}  // namespace phase

// What a claim does: `activeOperation.type`.
namespace operation {
inline constexpr char kResolve[] = "Resolve";
inline constexpr char kVerify[] = "Verify";
inline constexpr char kApply[] = "Apply";
// PtahSchema only.
inline constexpr char kObserve[] = "Observe";
inline constexpr char kPlan[] = "Plan";
// PtahMigration only.
inline constexpr char kHistory[] = "History";
}  // namespace operation

// What the runner calls the same (spec 03, 1).
namespace runner_operation {
inline constexpr char kResolve[] = "resolve";
inline constexpr char kVerify[] = "verify";
inline constexpr char kObserve[] = "observe";
inline constexpr char kPlan[] = "plan";
inline constexpr char kApply[] = "apply";
inline constexpr char kMigrationHistory[] = "migration-history";
inline constexpr char kMigrationApply[] = "migration-apply";
}  // namespace runner_operation

// `Condition.status`.
namespace condition_status {
inline constexpr char kTrue[] = "True";
inline constexpr char kFalse[] = "False";
inline constexpr char kUnknown[] = "Unknown";
}  // namespace condition_status

// `Condition.type`, of every kind.
namespace condition {
inline constexpr char kReady[] = "Ready";
inline constexpr char kApprovalRequired[] = "ApprovalRequired";
inline constexpr char kArtifactVerified[] = "ArtifactVerified";
// PtahSchema only.
inline constexpr char kArtifactResolved[] = "ArtifactResolved";
inline constexpr char kEngineSupported[] = "EngineSupported";
inline constexpr char kDatabaseReachable[] = "DatabaseReachable";
inline constexpr char kDriftDetected[] = "DriftDetected";
inline constexpr char kPlanReady[] = "PlanReady";
inline constexpr char kApplying[] = "Applying";
inline constexpr char kInSync[] = "InSync";
inline constexpr char kSuspended[] = "Suspended";
inline constexpr char kReconciliationFailed[] = "ReconciliationFailed";
// PtahMigration only.
inline constexpr char kProgressing[] = "Progressing";
inline constexpr char kBlocked[] = "Blocked";
// Approvals and acknowledgments.
inline constexpr char kAccepted[] = "Accepted";
inline constexpr char kStale[] = "Stale";
inline constexpr char kConsumed[] = "Consumed";
// Jobs.
inline constexpr char kJobComplete[] = "Complete";
inline constexpr char kJobFailed[] = "Failed";
}  // namespace condition

// `Condition.reason`. Shown to people; no reason ever takes part in a safety decision.
namespace reason {
inline constexpr char kDispatchCommitted[] = "DispatchCommitted";
inline constexpr char kPlanNoLongerCurrent[] = "PlanNoLongerCurrent";
inline constexpr char kSupersededApproval[] = "SupersededApproval";
inline constexpr char kExecutionBindingChanged[] = "ExecutionBindingChanged";
inline constexpr char kUnsupportedEngine[] = "UnsupportedEngine";
inline constexpr char kRunAcknowledged[] = "RunAcknowledged";
inline constexpr char kRunNotUnresolved[] = "RunNotUnresolved";
inline constexpr char kRealmNotAuthorized[] = "RealmNotAuthorized";
inline constexpr char kRealmConflict[] = "RealmConflict";
inline constexpr char kHistoryDirty[] = "HistoryDirty";
inline constexpr char kHistoryModified[] = "HistoryModified";
inline constexpr char kHistoryOutOfOrder[] = "HistoryOutOfOrder";
inline constexpr char kHistoryAhead[] = "HistoryAhead";
inline constexpr char kApplyOutcomeUnknown[] = "ApplyOutcomeUnknown";
// A Job's Failed condition, as Kubernetes' Job controller words it.
inline constexpr char kBackoffLimitExceeded[] = "BackoffLimitExceeded";
inline constexpr char kDeadlineExceeded[] = "DeadlineExceeded";
}  // namespace reason

// `reason` of Events; `Restored` and `CleanupDeferred` tell a person what a pass could not finish.
namespace event {
inline constexpr char kOperationStarted[] = "OperationStarted";
inline constexpr char kUnresolvedRunRestored[] = "UnresolvedRunRestored";
inline constexpr char kMigrationJobCleanupDeferred[] = "MigrationJobCleanupDeferred";
}  // namespace event

// `policy.apply`; an empty value is OnApproval.
namespace apply_policy {
inline constexpr char kNever[] = "Never";
inline constexpr char kOnApproval[] = "OnApproval";
inline constexpr char kAlways[] = "Always";
}  // namespace apply_policy

// `PtahRealm.spec.sharing`.
namespace sharing {
inline constexpr char kExclusive[] = "Exclusive";
inline constexpr char kShared[] = "Shared";
}  // namespace sharing

// `pendingObservation.outcome` of a schema.
namespace proof_outcome {
inline constexpr char kApplySucceeded[] = "ApplySucceeded";
inline constexpr char kOutcomeUnknown[] = "OutcomeUnknown";
}  // namespace proof_outcome

// `lastRun.outcome` and `unresolvedRun.outcome` of a migration.
namespace run_outcome {
inline constexpr char kUpToDate[] = "UpToDate";
inline constexpr char kApplied[] = "Applied";
inline constexpr char kFailed[] = "Failed";
inline constexpr char kPartial[] = "Partial";
inline constexpr char kUnknown[] = "Unknown";
}  // namespace run_outcome

// `migrationRun.outcome` of a frame, and the summary's (spec 01, 11.3).
namespace report_outcome {
inline constexpr char kUpToDate[] = "up-to-date";
inline constexpr char kApplied[] = "applied";
inline constexpr char kDryRun[] = "dry-run";
inline constexpr char kFailed[] = "failed";
inline constexpr char kPartial[] = "partial";
inline constexpr char kUnknown[] = "unknown";
}  // namespace report_outcome

// `planOutcome` of a frame.
namespace plan_outcome {
inline constexpr char kChanges[] = "Changes";
inline constexpr char kNoChanges[] = "NoChanges";
}  // namespace plan_outcome

// `resolvedRun.resolution`.
namespace resolution {
inline constexpr char kHistoryRead[] = "HistoryRead";
inline constexpr char kAcknowledgment[] = "Acknowledgment";
}  // namespace resolution

namespace pod_phase {
inline constexpr char kPending[] = "Pending";
inline constexpr char kRunning[] = "Running";
inline constexpr char kSucceeded[] = "Succeeded";
inline constexpr char kFailed[] = "Failed";
inline constexpr char kUnknown[] = "Unknown";
}  // namespace pod_phase

// What every operation Job is shaped like (spec 01, 9).
// The account of every Pod that names none.
inline constexpr char kDefaultServiceAccount[] = "default";

namespace job_shape {
inline constexpr char kNonIndexed[] = "NonIndexed";
inline constexpr char kReplaceFailed[] = "Failed";  // podReplacementPolicy
inline constexpr char kRestartNever[] = "Never";
inline constexpr char kTerminationMessagePath[] = "/dev/termination-log";
inline constexpr char kTerminationMessageFile[] = "File";  // terminationMessagePolicy
}  // namespace job_shape

namespace annotation {
// Of a migration: the JSON of its unresolved run, kept where a restore without status keeps it.
inline constexpr char kUnresolvedRun[] = "operator.ptah.run/unresolved-run";
// Of a Lease.
inline constexpr char kLeaseEpoch[] = "operator.ptah.run/lease-epoch";
// The envelope of a Job and its Pod template.
inline constexpr char kOperationId[] = "operator.ptah.run/operation-id";
inline constexpr char kInputFingerprint[] = "operator.ptah.run/input-fingerprint";
inline constexpr char kPtahVersion[] = "operator.ptah.run/ptah-version";
inline constexpr char kExecutionBindingId[] = "operator.ptah.run/execution-binding-id";
inline constexpr char kControllerImage[] = "operator.ptah.run/controller-image";
inline constexpr char kControllerRevision[] = "operator.ptah.run/controller-revision";
inline constexpr char kControllerStateVersion[] = "operator.ptah.run/controller-state-version";
inline constexpr char kAdmissionSnapshotDigest[] = "operator.ptah.run/admission-snapshot-digest";
// Schema Apply only.
inline constexpr char kPlanFingerprint[] = "operator.ptah.run/plan-fingerprint";
inline constexpr char kPlanContentDigest[] = "operator.ptah.run/plan-content-digest";
// Mutating operations only; its value is "false".
inline constexpr char kSafeToEvict[] = "cluster-autoscaler.kubernetes.io/safe-to-evict";
}  // namespace annotation

namespace label {
inline constexpr char kManagedBy[] = "app.kubernetes.io/managed-by";
inline constexpr char kManagedByValue[] = "ptah-operator";
inline constexpr char kComponent[] = "app.kubernetes.io/component";
inline constexpr char kSchemaOperation[] = "schema-operation";
inline constexpr char kMigrationOperation[] = "migration-operation";
// The subject of a Job, and the owner of plans, chunks and projections.
inline constexpr char kSchema[] = "operator.ptah.run/schema";
inline constexpr char kMigration[] = "operator.ptah.run/migration";
inline constexpr char kPlan[] = "operator.ptah.run/plan";
// The operation type in lower case, and a short hash of the operation ID.
inline constexpr char kOperation[] = "operator.ptah.run/operation";
inline constexpr char kOperationHash[] = "operator.ptah.run/operation-hash";
// Of a Lease.
inline constexpr char kCoordination[] = "operator.ptah.run/coordination";
inline constexpr char kDatabaseTarget[] = "database-target";
// What the server generates on a Job's selector and its Pods: bound to the Job, then ignored (7.2).
inline constexpr char kControllerUid[] = "batch.kubernetes.io/controller-uid";
inline constexpr char kJobName[] = "batch.kubernetes.io/job-name";
inline constexpr char kLegacyControllerUid[] = "controller-uid";
inline constexpr char kLegacyJobName[] = "job-name";
}  // namespace label

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_NAMES_H_
