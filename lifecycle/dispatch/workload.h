// The operation Job of a claim.
//
// A Job is a function of (resource, claim, plan, configuration) and nothing else, because every
// later reader rebuilds it: the driver before it creates, the pass that adopts or supervises, and
// the webhook that admits the create. A release whose builder is of another revision rebuilds
// another Job, and so holds none of its predecessor's. No text in it depends on what o'clock it is:
// instants are carried as times (EnvVar.time_ms), and the template's digest takes them relative to
// the claim.
//
// Answers: spec 01, 9 (Job); spec 02, E-4.2, U-1.

#ifndef LIFECYCLE_DISPATCH_WORKLOAD_H_
#define LIFECYCLE_DISPATCH_WORKLOAD_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lifecycle/api/configuration.h"

namespace lifecycle::api {
class ActiveOperation;
class Job;
class ManagerRecord;
class PodTemplateSpec;
class PtahMigration;
class PtahMigrationPlan;
class PtahSchema;
class PtahSchemaPlan;
}  // namespace lifecycle::api

namespace lifecycle::dispatch {

// The one key of a projection ConfigMap (spec 01, 3.3): the chunk's bytes.
inline constexpr char kProjectionKey[] = "plan";

// The database URLs, from the Secrets the resource names. The manager never reads one.
inline constexpr char kEnvTargetUrl[] = "PTAH_TARGET_URL";
inline constexpr char kEnvDevUrl[] = "PTAH_DEV_URL";

// Returns the Job of a schema's claim. `plan` is the plan object an Apply carries out, null for any
// other type. Before the snapshot step the claim has no snapshot and the Job lacks the annotation
// that names it; everything else is already final.
// Errors: FailedPrecondition when this claim cannot have a Job (unknown type, an Apply without its
// plan or deadlines).
absl::StatusOr<api::Job> BuildSchemaJob(const api::PtahSchema& schema,
                                        const api::ActiveOperation& claim,
                                        const api::PtahSchemaPlan* plan,
                                        const api::Configuration& configuration);

// The same for a migration's claim.
absl::StatusOr<api::Job> BuildMigrationJob(const api::PtahMigration& migration,
                                           const api::ActiveOperation& claim,
                                           const api::PtahMigrationPlan* plan,
                                           const api::Configuration& configuration);

// Returns the digest of the Job's Pod template as a snapshot of `claim` records it: without the
// snapshot annotation and the generated labels, instants relative to the claim's start.
std::string TemplateDigestOf(const api::Job& job, const api::ActiveOperation& claim);

// Makes `expected` record the manager that built `live`: controller image, revision and runner
// image. They bind nothing, and the snapshot pins them, so a Job that differs in them alone is
// still its claim's (F-4).
void TakeManagerIdentity(const api::PodTemplateSpec& live, api::Job& expected);

// Returns the manager that dispatched a Job, as its template records it. Audit only.
api::ManagerRecord DispatchedBy(const api::PodTemplateSpec& live);

// True when a terminal condition, Complete or Failed, is True. `succeeded`: Complete is.
struct JobEnd {
  bool terminal = false;
  bool succeeded = false;
  int64_t at_ms = 0;  // Transition time of the terminal condition; 0 when it is not known.
};
JobEnd EndOf(const api::Job& job);

}  // namespace lifecycle::dispatch

#endif  // LIFECYCLE_DISPATCH_WORKLOAD_H_
