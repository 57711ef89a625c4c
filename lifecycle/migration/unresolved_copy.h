// The unresolved run's copy in an annotation: what outlives a restore that drops status.
//
// The copy is on BEFORE the status patch that stores the record and off AFTER the one that settles
// it, so status alone never knows more than the annotation. Reading it is strict: a value this
// binary does not fully understand blocks the resource exactly as a readable one would.
//
// Answers: spec 01, 2.8; spec 02, P-3, P-4; spec 03, 20; W-20, W-47, W-48, W-50.

#ifndef LIFECYCLE_MIGRATION_UNRESOLVED_COPY_H_
#define LIFECYCLE_MIGRATION_UNRESOLVED_COPY_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// The annotation's value for a record, and the strict inverse.
// Errors: InvalidArgument that says what is wrong with the value.
std::string WriteCopy(const api::UnresolvedRun& record);
absl::StatusOr<api::UnresolvedRun> ReadCopy(absl::string_view value);

// P-3, at the start of a pass: holds the copy and the record to each other. Ends the pass when
// status was written, when the copy is unreadable, or on an error.
dispatch::StepResult HoldCopyToRecord(Pass& pass);

// N-2.2: the unresolved run the resource still holds, in its record or, where only the copy is
// left, in the copy that P-3 would restore. Nothing when no run is unresolved. Errors: a copy
// stands there that this binary cannot read, so a run is unresolved and cannot be named.
std::optional<absl::StatusOr<api::UnresolvedRun>> HeldUnresolvedRun(const Pass& pass);

// W-20, before a status patch that stores `record`: writes the copy unless it is there already.
absl::Status PutCopy(const api::UnresolvedRun& record, Pass& pass);

// P-4, after a status patch that left no record: removes the copy of the run that resolvedRun
// names.
absl::Status RemoveSettledCopy(Pass& pass);

// P-4, before a status patch that retires the claim of this operation without a record: removes the
// copy that names it.
absl::Status RemoveCopyOf(absl::string_view operation_id, Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_UNRESOLVED_COPY_H_
