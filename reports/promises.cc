// The rows of the guarantees, as this tree keeps them. The facts are the guarantees page's, where
// the newer lifecycle page does not say otherwise; the words are ours.

#include "reports/guarantees.h"

namespace reports {
namespace {

constexpr char kDecision[] =
    "A plan runs only while a decision names exactly that plan, and once per decision.";
constexpr char kInputs[] =
    "A claim keeps a fingerprint of what it was decided from; it is held to it before its dispatch "
    "and again once its Job is done.";
constexpr char kOneJob[] =
    "Once an Apply's Job may exist, no other Job is made for it under any name.";
constexpr char kRealm[] = "A database is held for as long as a run may still write to it.";
constexpr char kSharing[] =
    "A realm with more than one claimant is refused, unless every one of them shares it.";
constexpr char kGrant[] =
    "A claim reaches as far as its realm was granted, and one that was not granted contests "
    "nothing.";
constexpr char kVersion[] = "State that a newer manager stored is interpreted by no older one.";

constexpr char kSchemaApply[] = "lifecycle/schema/schema_apply_test.cc";
constexpr char kSchemaGates[] = "lifecycle/schema/gates_test.cc";
constexpr char kMigrationApply[] = "lifecycle/migration/migration_apply_test.cc";
constexpr char kMigrationGates[] = "lifecycle/migration/gates_test.cc";
constexpr char kCensus[] = "lifecycle/dispatch/census_test.cc";
constexpr char kFence[] = "lifecycle/dispatch/fence_test.cc";

constexpr char kCensusPlace[] =
    "lifecycle/dispatch/census.cc, asked in HoldRealm of both families before any claim";
constexpr char kFencePlace[] =
    "lifecycle/dispatch/fence.cc: every pass, and the scan of all four kinds that carry a version";

std::vector<Guarantee> MakeGuarantees() {
  std::vector<Guarantee> all;
  all.push_back({1,
                 kDecision,
                 "schema",
                 "lifecycle/schema/approvals.cc; Consume before the mark",
                 "the approval recorded in status.plan, by name and UID; Consumed on the approval",
                 "the approval goes stale with its plan, and a new plan waits for a new decision",
                 {"S-07", "S-08", "S-09"},
                 {{"TestRecordedApprovalStaleIgnoresSameNameReplacementUID", "SchemaApplyTest",
                   "AnApprovalRemadeUnderItsNameIsNotMarkedForTheRecordedOne", kSchemaApply},
                  {"", "SchemaApplyTest", "ARepublishedPlanIsAnotherPlan", kSchemaApply}}});
  all.push_back({1,
                 kDecision,
                 "migration",
                 "lifecycle/migration/approvals.cc and claiming.cc; Consume before the mark",
                 "approvalRef and planRef in the claim, by name and UID; Consumed on the approval",
                 "the same; a plan also names the history it was selected against",
                 {"S-07", "S-08", "S-09"},
                 {{"TestMigrationApplyClaimsTheApprovedPlan", "MigrationApplyTest",
                   "TheClaimNamesTheApprovedPlanAndItsApproval", kMigrationApply}}});
  all.push_back(
      {2,
       kInputs,
       "schema",
       "lifecycle/schema/inputs.cc, asked at Authorize and at the harvest",
       "inputFingerprint in status.activeOperation",
       "undispatched: the plan goes and the database is observed again; dispatched: the outcome "
       "is unknown",
       {"S-08", "S-48"},
       {{"TestStalePlanEvidenceForcesFreshObservation", "SchemaApplyTest",
         "APlanTheEvidenceNoLongerSupportsIsDroppedAndTheDatabaseReadAgain", kSchemaApply},
        {"", "SchemaApplyTest", "ARunningJobWhoseInputsMovedIsUnknownWithoutBeingRead",
         kSchemaApply}}});
  all.push_back(
      {2,
       kInputs,
       "migration",
       "lifecycle/migration/inputs.cc and plan.cc, asked at Authorize and at the harvest",
       "inputFingerprint in status.activeOperation",
       "undispatched: the claim goes, and the plan where its evidence moved; dispatched: the run "
       "is unknown",
       {"S-08", "S-48"},
       {{"TestMigrationApplyDiscardsAPlanTheEvidenceNoLongerSupports", "MigrationApplyTest",
         "APlanTheHistoryNoLongerSupportsIsDropped", kMigrationApply},
        {"", "MigrationApplyTest", "ASpecEditUnderARunLeavesItUnreadAndUnknown",
         kMigrationApply}}});
  all.push_back(
      {3,
       kOneJob,
       "schema",
       "lifecycle/dispatch/driver.cc (E-0); lifecycle/schema/outcome.cc",
       "dispatchStarted in the claim, then status.pendingObservation",
       "a reading of the database settles what the Apply did before anything is planned",
       {"S-01", "S-02"},
       {{"TestMissingDispatchedApplyJobForcesObservationWithoutRecreation", "SchemaApplyTest",
         "AMarkedClaimWithoutAJobIsProvenAfterTheHorizonAndNeverDispatchedAgain", kSchemaApply}}});
  all.push_back(
      {3,
       kOneJob,
       "migration",
       "lifecycle/dispatch/driver.cc (E-0); lifecycle/migration/settle.cc",
       "dispatchStarted in the claim, then status.unresolvedRun and its copy",
       "Blocked until a reading leaves nothing to run again, or a person acknowledges the run",
       {"S-01", "S-02", "S-24"},
       {{"TestMigrationApplyIsNeverRecreatedOnceDispatched", "MigrationApplyTest",
         "AMarkedClaimWithoutAJobIsNeverDispatchedAgain", kMigrationApply}}});
  all.push_back(
      {4,
       kRealm,
       "schema",
       "lifecycle/dispatch/realm.cc; lifecycle/schema/pass.cc, RetireClaim",
       "leaseEpoch in the claim or the proof, then status.pendingLockRelease",
       "held through the reading that settles the account; a release that is owed is made by the "
       "next pass",
       {"S-10", "S-18", "S-19", "S-22"},
       {{"TestPersistedTargetLockReleaseRecoversAfterManagerCrash", "SchemaApplyTest",
         "AReleaseThatIsOwedIsMadeByTheNextPassBeforeAnythingElse", kSchemaApply}}});
  all.push_back(
      {4,
       kRealm,
       "migration",
       "lifecycle/dispatch/evidence.cc, DispatchedApplyMayStillWrite; "
       "lifecycle/migration/retire.cc",
       "leaseEpoch in the claim, then status.pendingLockRelease",
       "released once nothing of the claim can write, in the write that retires it; else the Lease "
       "lapses after the executor was ended",
       {"S-10", "S-18", "S-19", "S-43"},
       {{"TestUncertainMigrationApplyKeepsTheDatabaseWhileItsPodMayRun", "MigrationApplyTest",
         "AnUncertainRunKeepsTheRealmWhileItsPodMayRun", kMigrationApply}}});
  all.push_back({5,
                 kSharing,
                 "schema",
                 kCensusPlace,
                 "what each claimant's spec says, and the PtahRealm",
                 "Blocked, RealmConflict, looked at again within a minute",
                 {"S-37"},
                 {{"TestSchemaBlocksOnAContestedRealmWithoutDispatchingAJob", "GatesTest",
                   "AContestedRealmIsBlockedUntilTheRefusalIsLookedAtAgain", kSchemaGates}}});
  all.push_back({5,
                 kSharing,
                 "migration",
                 kCensusPlace,
                 "what each claimant's spec says, and the PtahRealm",
                 "Blocked, RealmConflict, looked at again within a minute",
                 {"S-37"},
                 {{"TestMigrationBlocksOnAContestedRealmWithoutDispatchingAJob", "GatesTest",
                   "ASecondClaimantOfTheRealmBlocksAndIsWrittenOnce", kMigrationGates}}});
  all.push_back({6,
                 kGrant,
                 "schema",
                 kCensusPlace,
                 "the namespace in a key's digest; the namespaces and the engine of the PtahRealm",
                 "Blocked, RealmNotAuthorized, counted nowhere; a grant lifts it within a minute",
                 {"S-38", "S-39"},
                 {{"TestSchemaRefusesARealmThatDoesNotAdmitItsNamespace", "GatesTest",
                   "ARealmThatDoesNotAdmitTheNamespaceIsRefusedWithoutAJob", kSchemaGates},
                  {"TestAnUnlistedNamespaceIsRefusedAndBlocksNobody", "GatesTest",
                   "ARealmThatDoesNotAdmitTheNamespaceIsRefusedWithoutAJob", kSchemaGates},
                  {"TestAnUnlistedNamespaceIsRefusedAndBlocksNobody", "CensusTest",
                   "ARealmCountsOnlyTheNamespacesItLists", kCensus},
                  {"TestAGrantLiftsARefusalAtItsDeadline", "GatesTest",
                   "AGrantLiftsTheRefusalAtItsDeadlineAndNotBefore", kSchemaGates}}});
  all.push_back({6,
                 kGrant,
                 "migration",
                 kCensusPlace,
                 "the namespace in a key's digest; the namespaces and the engine of the PtahRealm",
                 "Blocked, RealmNotAuthorized, counted nowhere; a grant lifts it within a minute",
                 {"S-38", "S-39"},
                 {{"TestMigrationRefusesARealmThatDoesNotAdmitItsNamespace", "GatesTest",
                   "ARealmThatDoesNotAdmitTheNamespaceIsRefusedWithoutAJob", kMigrationGates},
                  {"TestAnUnlistedNamespaceIsRefusedAndBlocksNobody", "GatesTest",
                   "ARealmThatDoesNotAdmitTheNamespaceIsRefusedWithoutAJob", kMigrationGates},
                  {"TestAnUnlistedNamespaceIsRefusedAndBlocksNobody", "CensusTest",
                   "ARealmCountsOnlyTheNamespacesItLists", kCensus},
                  {"TestAKeyWrittenInAnotherNamespaceContestsNothing", "CensusTest",
                   "AKeyOfAnotherNamespaceContestsNothing", kCensus},
                  {"TestAGrantLiftsARefusalAtItsDeadline", "GatesTest",
                   "AGrantLiftsTheRefusalAtItsDeadlineAndNotBefore", kMigrationGates}}});
  all.push_back({7,
                 kVersion,
                 "schema",
                 kFencePlace,
                 "controllerStateVersion in the binding, the plan, what was applied, the proof's "
                 "plan, and the plan object",
                 "the pass or the upgrade is refused, and the release in force goes on",
                 {"S-33"},
                 {{"TestRuntimeVerifierRejectsStoredFutureControllerState", "FenceTest",
                   "OneNewerObjectOfAnyKindInAnyNamespaceFailsTheUpgrade", kFence},
                  {"", "GatesTest", "StateOfANewerManagerIsNotTouchedAtAll", kSchemaGates}}});
  all.push_back({7,
                 kVersion,
                 "migration",
                 kFencePlace,
                 "controllerStateVersion in the binding and the plan object",
                 "the pass or the upgrade is refused, and the release in force goes on",
                 {"S-33"},
                 {{"TestRuntimeVerifierRejectsStoredFutureControllerState", "FenceTest",
                   "OneNewerObjectOfAnyKindInAnyNamespaceFailsTheUpgrade", kFence},
                  {"", "GatesTest", "StateOfANewerManagerIsNotTouched", kMigrationGates}}});
  return all;
}

}  // namespace

const std::vector<Guarantee>& Guarantees() {
  static const std::vector<Guarantee>& guarantees = *new std::vector<Guarantee>(MakeGuarantees());
  return guarantees;
}

}  // namespace reports
