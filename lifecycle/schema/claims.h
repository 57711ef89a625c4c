// Claiming: the two writes that reserve one Job name for one operation of a schema.
//
// Every claim copies what its Job will need, so that a later edit of the spec cannot redirect a
// running one. A claim that carries out a proof copies the proof's record instead of the spec, its
// Lease epoch included, and owns nothing.
//
// Answers: spec 02, A-2, D-1 to D-4, D-7, J-5; W-01, W-02.

#ifndef LIFECYCLE_SCHEMA_CLAIMS_H_
#define LIFECYCLE_SCHEMA_CLAIMS_H_

#include "lifecycle/api/reconcile.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// Each writes a claim and ends the pass (requeue now). A claim that stands already is left alone
//
PassResult ClaimResolve(Pass& pass);
// `policy` is the verification policy as it was read in this pass.
PassResult ClaimVerify(Pass& pass, const PolicyIdentity& policy);
PassResult ClaimObserve(Pass& pass);
PassResult ClaimPlan(Pass& pass);
// The plan in status, under the approval recorded there, from this pass's instant on (D-5.9).
PassResult ClaimApply(Pass& pass);
// J-5: an Observe, or the Plan once it is required, under the outstanding proof's record.
PassResult ClaimProof(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_CLAIMS_H_
