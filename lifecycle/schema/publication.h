// Publishing a plan: the plan object, its chunks in order, and the commit that makes it Ready.
//
// The name follows from the fingerprint, so a publication that stopped anywhere is found again and
// finished, by whichever manager comes next. Ready is the commit of storage that is not
// transactional: nothing approves or applies a plan without it.
//
// Answers: spec 02, H-3, J-7; spec 01, 3.1, 3.2; W-33 to W-35; L-11.

#ifndef LIFECYCLE_SCHEMA_PUBLICATION_H_
#define LIFECYCLE_SCHEMA_PUBLICATION_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/schema/pass.h"
#include "lifecycle/schema/plan_object.h"

namespace lifecycle::schema {

struct Published {
  std::optional<StoredPlan> plan =
      std::nullopt;  // Ready. Nullopt when the frame holds no plan to publish.
  std::string why_not = "";
};

// Publishes the plan that the frame of the active Plan claim holds, or finishes its publication.
// Errors: the API server's, and FailedPrecondition while an object under one of the names is
// something else; the claim stays.
absl::StatusOr<Published> PublishPlan(Pass& pass, const api::FramePayload& frame);

// Splits a plan's bytes into chunks of at most 512 KiB, in order; the last is shorter. Empty bytes
// have no chunk.
std::vector<std::string> SplitIntoChunks(const std::string& bytes);

// Returns the plan object of a schema: everything but the server's own fields. The spec of `plan`
// is complete but for its fingerprint and chunks.
api::PtahSchemaPlan PlanObjectOf(const api::PtahSchema& schema, api::PtahSchemaPlanSpec plan,
                                 const std::vector<std::string>& chunks);

// Returns one chunk of a stored plan, owned by it.
api::PtahSchemaPlanChunk ChunkObjectOf(const api::PtahSchema& schema,
                                       const api::PtahSchemaPlan& plan, int64_t index,
                                       const std::string& data);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_PUBLICATION_H_
