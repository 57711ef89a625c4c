// What people do to what stands: they suspend, edit and delete a resource, replace its verification
// policy, grant and withdraw a realm, delete a Job or a Lease, restore a backup, tamper with status
// or with the copy of an unresolved run, occupy the name of a plan's projection, misspell a spec,
// or point the URL at another database.
//
// Resuming, granting, sharing, freeing and correcting help, and cost nothing; everything else is a
// disturbance. As everywhere, an act is offered while World.person has it left and where it would
// change something.
//
// Answers: spec 02, B-12, E-3, N, O, P-3, Q-5; spec 05, S-50, S-53.

#ifndef SIM_EDITS_H_
#define SIM_EDITS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "sim/actor.h"

namespace sim {

namespace act {
inline constexpr char kSuspend[] = "suspend";
inline constexpr char kResume[] = "resume";
// The lock timeout moves: the generation with it, and an input of every fingerprint.
inline constexpr char kEditSpec[] = "edit-spec";
inline constexpr char kDelete[] = "delete";
// The verification policy's ConfigMap comes back with other content, or with the same.
inline constexpr char kMovePolicy[] = "move-policy";
inline constexpr char kRecreatePolicy[] = "recreate-policy";
// The PtahRealm that a resource names no longer lists its namespace, or lists it again; one that is
// not there is made.
inline constexpr char kWithdrawGrant[] = "withdraw-grant";
inline constexpr char kGrant[] = "grant";
// The resource declares that it manages only part of the database.
inline constexpr char kShare[] = "share";
// An operation's Job is deleted while it runs.
inline constexpr char kDeleteJob[] = "delete-job";
// The Lease of a realm is deleted while it is held: its next holder gets another epoch.
inline constexpr char kDeleteLease[] = "delete-lease";
// The annotation that copies an unresolved run is removed, or made unreadable.
inline constexpr char kDropCopy[] = "drop-copy";
inline constexpr char kGarbleCopy[] = "garble-copy";
// A schema's exclude list, or the engine, becomes one that nobody can work with, and right again.
inline constexpr char kMisspellExclude[] = "misspell-exclude";
inline constexpr char kMisspellEngine[] = "misspell-engine";
inline constexpr char kCorrectSpec[] = "correct-spec";
// A ConfigMap that is nobody's plan takes the name of a projection that is not staged yet, and
// goes.
inline constexpr char kOccupyProjection[] = "occupy-projection";
inline constexpr char kFreeProjection[] = "free-projection";
// A person writes a resource's status: admission has to refuse it.
inline constexpr char kTamperStatus[] = "tamper-status";
// A backup is restored without status: under another UID, as tools do, or in place.
inline constexpr char kRestore[] = "restore-without-status";
inline constexpr char kDropStatus[] = "drop-status";
// The Secret's URL opens another database from now on.
inline constexpr char kRepoint[] = "repoint";
// The verification policy's ConfigMap goes, and comes back under another UID.
inline constexpr char kDeletePolicy[] = "delete-policy";
inline constexpr char kRestorePolicy[] = "restore-policy";
// The spec lets go of what it holds back: Never becomes Always, a schema's plan may be destructive,
// and no table is protected any more. Offered where status shows that something waits for it.
inline constexpr char kPermit[] = "permit";
// The artifact is signed: for as long as somebody has this left, no policy is satisfied by it.
inline constexpr char kSign[] = "sign";
// The last statement of a schema that is in force is undone by hand.
inline constexpr char kDrift[] = "drift";
}  // namespace act

bool IsEdit(absl::string_view what);

// Offers and takes kPerson of these acts.
void OfferEdits(const ActorContext& context, const World& world, std::vector<WorldStep>& steps);
void TakeEdit(const ActorContext& context, World& world, const WorldStep& step);

}  // namespace sim

#endif  // SIM_EDITS_H_
