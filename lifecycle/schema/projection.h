// The projection of a plan: the immutable ConfigMaps an Apply Pod reads it through.
//
// An Apply Pod holds no Kubernetes credential and a kubelet mounts no custom resource, so each
// chunk is copied into a ConfigMap under the chunk's own name, owned by the plan. One that stands
// already is read back and has to be exactly this plan's; anything else under the name is a
// conflict that no retry can clear.
//
// Answers: spec 02, E-3; spec 01, 3.3; W-08; S-50.

#ifndef LIFECYCLE_SCHEMA_PROJECTION_H_
#define LIFECYCLE_SCHEMA_PROJECTION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/schema/pass.h"
#include "lifecycle/schema/plan_object.h"

namespace lifecycle::schema {

// Returns the projection of one verified chunk.
api::ConfigMap ProjectionOf(const api::PtahSchema& schema, const api::PtahSchemaPlan& plan,
                            const api::PtahSchemaPlanChunk& chunk);

enum class Staged { kAll, kConflict };

// Writes every projection that is missing, in index order, and reads the others back.
// Errors: any answer of the API server but AlreadyExists; the claim stays.
absl::StatusOr<Staged> StageProjections(Pass& pass, const api::PtahSchemaPlan& plan,
                                        const std::vector<StoredChunk>& chunks);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_PROJECTION_H_
