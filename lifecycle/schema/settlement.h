// Settling a proof: the Observe that comes first, and the Plan that ends the record.
//
// Convergence is not attribution: that the database is the declared one proves nothing about what
// changed it, so an Apply is named only when its own result was read and its realm never changed
// hands.
//
// Answers: spec 02, J-6, J-7; W-26, W-33 to W-36; S-17, S-26, S-32.

#ifndef LIFECYCLE_SCHEMA_SETTLEMENT_H_
#define LIFECYCLE_SCHEMA_SETTLEMENT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// J-6, J-7. The claim serves the outstanding proof. Always ends the pass.
PassResult AcceptProofReading(Pass& pass, api::Stored<api::Job>& job,
                              const api::FramePayload& frame);

// Puts a Plan's result into a status about to be written: the published plan and the phase its
// policy gives it, or, without one, a database in sync for `in_sync_reason`.
void ShowPlanResult(Pass& pass, std::optional<api::PlanRecord> plan,
                    absl::string_view in_sync_reason, api::PtahSchemaStatus& next);

// A schema that is Blocked asks for no approval, whatever it asked for before.
void CloseApproval(Pass& pass, absl::string_view reason, api::PtahSchemaStatus& next);

// Puts the answer of a Plan that a protected table refuses into a status about to be written
// (G-12).
void ShowRefusedPlan(Pass& pass, const api::FrameError& refusal, api::PtahSchemaStatus& next);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_SETTLEMENT_H_
