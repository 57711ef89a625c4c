// Four eyes: where a migration asks for a distinct approver, its plan is approved by somebody other
// than who last wrote what it asks for.
//
// Who that was is known at the write alone, so the webhook stamps it on the resource then, in an
// annotation nobody can set otherwise. A resource that requires it and carries no stamp (it was
// stored past this webhook) has no distinct approver, so nobody can approve until somebody writes
// its spec again.
//
// Answers: spec 01, 2.1 "requireDistinctApprover".

#ifndef LIFECYCLE_ADMISSION_AUTHOR_H_
#define LIFECYCLE_ADMISSION_AUTHOR_H_

#include <string>

#include "absl/status/status.h"
#include "lifecycle/api/admission.h"
#include "lifecycle/api/migration.pb.h"

namespace lifecycle::admission {

inline constexpr char kSpecAuthor[] = "operator.ptah.run/spec-author";

// Of a create or an update of a PtahMigration: admits it, and sees to it that the stamp is that of
// the write that last changed a spec with the requirement, whatever was submitted.
api::AdmissionAnswer StampAuthor(const api::AdmissionRequest& request);

// OK when `approver` may approve a plan of this migration.
absl::Status FenceDistinctApprover(const api::PtahMigration& migration,
                                   const std::string& approver);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_AUTHOR_H_
