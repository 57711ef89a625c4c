// What a migration Apply says of itself, and what it comes to.
//
// A frame and the summary that may stand in for it are settled by the same code, so the summary can
// say less than the frame and never more.
//
// Answers: spec 01, 11.2, 11.3; spec 02, G-10, G-11; spec 03, 19; S-30, S-31.

#ifndef LIFECYCLE_MIGRATION_RUN_REPORT_H_
#define LIFECYCLE_MIGRATION_RUN_REPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"

namespace lifecycle::migration {

// Settles the claim from a valid report. `note` is added for people. The Job's own exit status is
// not consulted.
api::PassResult SettleRun(const api::Stored<api::Job>& job, const api::FramePayload& payload,
                          absl::string_view note, Pass& pass);

// The part of a frame that a summary holds. Applied versions are named only where the summary says
// each of them: for none, one and two.
api::FramePayload PayloadOf(const api::TerminationSummary& summary);
// For longer runs, the range that is known; empty otherwise.
std::string RangeOf(const api::TerminationSummary& summary);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_RUN_REPORT_H_
