// A person's decisions: approvals of a plan, and acknowledgments of a run.
//
// Who decided, when and in which request is stamped here, whatever the submitted object says. A
// decision is admitted only while the resource waits for exactly it, by direct reads: that fence,
// and not the Stale mark, is what keeps an approval of yesterday's plan out.
//
// Answers: spec 01, 5, 7; S-07, S-27.

#ifndef LIFECYCLE_ADMISSION_DECISIONS_H_
#define LIFECYCLE_ADMISSION_DECISIONS_H_

#include "lifecycle/api/admission.h"

namespace lifecycle::admission {

// Creates: stamps and fences. `request.after` is of the kind in the name.
api::AdmissionAnswer ReviewSchemaApproval(const api::AdmissionRequest& request,
                                          const api::DirectReader& reader);
api::AdmissionAnswer ReviewMigrationApproval(const api::AdmissionRequest& request,
                                             const api::DirectReader& reader);
api::AdmissionAnswer ReviewAcknowledgment(const api::AdmissionRequest& request,
                                          const api::DirectReader& reader);

// An update of any of the three may change metadata only.
absl::Status ReviewDecisionUpdate(const api::AdmissionRequest& request);

}  // namespace lifecycle::admission

#endif  // LIFECYCLE_ADMISSION_DECISIONS_H_
