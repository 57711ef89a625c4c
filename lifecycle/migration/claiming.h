// Writing a migration's claim: the reservation of one Job name before anything external happens.
//
// Two writes, the finalizer first, so that a stored claim always keeps its resource from vanishing
// under a running Job. The pass ends on the claim.
//
// Answers: spec 02, A-2, D-1 to D-4, D-7, P-1; W-01, W-02.

#ifndef LIFECYCLE_MIGRATION_CLAIMING_H_
#define LIFECYCLE_MIGRATION_CLAIMING_H_

#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

api::PassResult ClaimResolve(Pass& pass);
// Resolves again when no artifact is pinned yet.
api::PassResult ClaimVerify(Pass& pass);
api::PassResult ClaimHistory(Pass& pass);
// `approval` is the one the claim will hold by reference, null under policy Always. Refused with
// Blocked while a run is unresolved, whatever led here (P-1).
api::PassResult ClaimApply(const api::PtahMigrationPlan& plan,
                           const api::PtahMigrationApproval* approval, Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_CLAIMING_H_
