// Working off what a rotation of the execution binding left: the retired plan first, then the Job.
//
// Neither decides anything any more. What matters is that an approval of the retired plan is shown
// as stale, that nobody else gets the realm while a Pod of the retired Job can reach the database,
// and that a retired Apply's Job is looked for until no late create of it can run any more. Each
// obligation goes as it is met, and the record with its last one.
//
// Answers: spec 02, M-1, M-6 to M-9; spec 03, 22, 23; W-40 to W-45; S-19, S-29.

#ifndef LIFECYCLE_SCHEMA_RETIRED_H_
#define LIFECYCLE_SCHEMA_RETIRED_H_

#include "absl/status/status.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// M-6, and M-7 for a kept read-only claim. `pass` has a pendingBindingRetirement. Goes on when all
// that is left is an Apply's Job that the pending observation carries: the proof works that off.
dispatch::StepResult WorkOffRetirement(Pass& pass);

// True when the retirement record names the Job of the pending observation's Apply.
bool RetirementNamesApply(const Pass& pass);

// M-7 for that Job, inside the Pod fence (J-3): at most one write of the record. `pods_running`:
// some Pod of the Job's has not stopped; looked at where its UID is known.
// Errors: the API server's; the obligation stays.
absl::Status WorkOffRetiredApply(Pass& pass, bool pods_running);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_RETIRED_H_
