// A published plan of a schema: its identity, and whether it is still what status says it is.
//
// Every check is a direct re-read. The plan object, its storage and the policy object have each to
// be the very ones the plan was computed under, by UID and by digest: a plan republished under the
// same name is another plan.
//
// Answers: spec 02, D-5.2, D-5.4, E-1; spec 01, 1.4, 3.1, 13; S-08.

#ifndef LIFECYCLE_SCHEMA_PLAN_OBJECT_H_
#define LIFECYCLE_SCHEMA_PLAN_OBJECT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/schema/inputs.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

inline constexpr int64_t kPlanContractVersion = 3;

using StoredPlan = api::Stored<api::PtahSchemaPlan>;
using StoredChunk = api::Stored<api::PtahSchemaPlanChunk>;

// Returns the fingerprint of a plan: of everything it binds but the manager that published it, so
// that two publications of one decision are one object.
std::string PlanFingerprint(const api::PtahSchemaPlanSpec& plan);

// Returns the record of a stored plan as status keeps it, without an approval.
api::PlanRecord RecordOf(const api::PtahSchemaPlan& plan);

// True when the plan's storage is committed: every chunk published, condition Ready True.
bool StorageReady(const api::PtahSchemaPlan& plan);

// D-5.2. True when `plan` is the object status.plan names and every binding still equals the
// evidence in status and what the spec asks for.
bool PlanIsCurrent(const api::PtahSchema& schema, const api::PtahSchemaPlan& plan);

// Reads the plan object status.plan names. Returns nullopt when it is gone. Errors: any other.
absl::StatusOr<std::optional<StoredPlan>> ReadPlan(Pass& pass);

// Reads the verification policy the spec names. Returns nullopt when the object or its key is
// missing, which binds nothing. Errors: any other answer of the API server.
absl::StatusOr<std::optional<PolicyIdentity>> ReadPolicy(Pass& pass);

// True when the policy is the one the plan was computed under.
bool PolicyBinds(const std::optional<PolicyIdentity>& policy, const api::PlanRecord& plan);

// E-1. Reads the plan's chunks and puts its bytes together. Returns nullopt when they do not
// reconstruct (a chunk missing, replaced or changed), or when this build reads something else from
// them than the plan says. Errors: any other answer of the API server.
absl::StatusOr<std::optional<std::vector<StoredChunk>>> ReadVerifiedChunks(
    Pass& pass, const api::PtahSchemaPlan& plan);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_PLAN_OBJECT_H_
