// Every way a migration's claim leaves status, or starts over.
//
// One function retires a claim: it clears the claim, writes whatever the claim leaves and stages
// the release it owes in one status patch, and only then touches the annotation and the Lease.
//
// Answers: spec 02, L-1 to L-5, F-7, F-8, E-4 (Refuse); W-17, W-21, W-24, W-25, W-49.

#ifndef LIFECYCLE_MIGRATION_RETIRE_H_
#define LIFECYCLE_MIGRATION_RETIRE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/rules/retirement.h"

namespace lifecycle::migration {

using StatusEdit = absl::FunctionRef<void(api::PtahMigrationStatus&)>;

struct Retiring {
  rules::Disposition disposition = rules::Disposition::kUnaccounted;
  // Asked before the write; false for a claim that was discarded or accounted for.
  bool may_still_write = false;
  // The write stores the claim's run as unresolved.
  bool leaves_record = false;
};

// Writes `edit`, drops the claim and stages the release it owes, in one patch; then removes a copy
// of the run the write settles (P-4) and performs the release. A copy that names the claim itself,
// left by a pass that stopped before its status patch, is removed BEFORE the patch when the claim
// leaves no record: after it nothing would explain the copy, and a stop in between would restore a
// run that is accounted for. A release that fails is reported and stays
// recorded. Errors: of the status patch, or of the copy's removal.
absl::Status RetireClaim(const Retiring& retiring, StatusEdit edit, Pass& pass,
                         api::Site site = api::Site::Here());

// Retires an undispatched or read-only claim as Discard; `edit` says which phase follows. The pass
// ends with "now".
api::PassResult Discard(StatusEdit edit, Pass& pass, api::Site site = api::Site::Here());
// The same to phase Pending (F-7), and to Failed with a retry deadline (E-4).
api::PassResult DiscardToPending(Pass& pass, api::Site site = api::Site::Here());
api::PassResult DiscardAsFailed(absl::string_view why, Pass& pass,
                                api::Site site = api::Site::Here());

// F-8. Runs a read-only claim again under a new attempt and name, after the retry delay. `job` is
// the Job in hand, or null; it gets its cleanup TTL first when it is the claim's and has ended.
// Errors (in the result): a claim that is not known to be read-only is never retried.
api::PassResult RetryReadOnly(const api::Stored<api::Job>* job, absl::string_view why, Pass& pass);

// W-17: the cleanup TTL, from absent to 300. Does nothing where one is set.
absl::Status SetCleanupTtl(const api::Stored<api::Job>& job, Pass& pass);

// True when `job` is the claim's recorded one, has ended, and the webhook would admit its TTL.
bool MayGetCleanupTtl(const api::Job& job, const Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_RETIRE_H_
