// A person's word that an unresolved run is settled: the one way out that is not a reading.
//
// Answered only between operations and not under suspension. It settles exactly the run it names,
// in the name admission stamped on it, and a fresh chain of readings follows before anything is
// planned.
//
// Answers: spec 02, P-5, C-9; spec 03, 21; W-54, W-50, W-55.

#ifndef LIFECYCLE_MIGRATION_ACKNOWLEDGMENT_H_
#define LIFECYCLE_MIGRATION_ACKNOWLEDGMENT_H_

#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Judges every acknowledgment of this migration that is not judged yet. The pass goes on unless a
// read or write failed.
dispatch::StepResult AnswerAcknowledgments(Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_ACKNOWLEDGMENT_H_
