// The gates between what a schema owes and its next ordinary claim: engine, exclusions, policy,
// realm.
//
// Each lets the pass go on, or ends it with its refusal written. None is asked while a claim or a
// proof is open, so none can lose one.
//
// Answers: spec 02, B-9, B-10, B-12, B-14, Q-4; W-04, W-28, W-29; S-37, S-38.

#ifndef LIFECYCLE_SCHEMA_GATES_H_
#define LIFECYCLE_SCHEMA_GATES_H_

#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// B-9. An unsupported engine is shown Blocked first, which closes approval; then, one write a pass,
// its approvals go stale and its plan goes.
dispatch::StepResult HoldEngine(Pass& pass);

// B-10. An exclusion that cannot be understood is a failure, tried again after the retry delay.
dispatch::StepResult HoldExclusions(Pass& pass);

// B-12. The artifact was verified under a policy object that is gone, replaced or changed.
dispatch::StepResult HoldPolicy(Pass& pass);

// B-14, Q-4. A realm that does not admit the schema blocks it until the refusal is looked at again.
dispatch::StepResult HoldRealm(Pass& pass);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_GATES_H_
