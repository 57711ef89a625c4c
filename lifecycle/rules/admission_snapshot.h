// The Pod admission snapshot a claim persists, and the digest of the Pod template it pins.
//
// A claim's Job is judged by the envelope that was stored before it was created. The template's
// digest is taken before admission: without the annotation that names the snapshot, which would
// refer to itself, and without the labels the server generates. Instants are digested relative to
// the claim's start, so that two claims that differ only in what o'clock they were made give one
// digest.
//
// Answers: spec 01, 12.1; spec 03, 7.2 (7, 17).

#ifndef LIFECYCLE_RULES_ADMISSION_SNAPSHOT_H_
#define LIFECYCLE_RULES_ADMISSION_SNAPSHOT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lifecycle::api {
class AdmissionSnapshot;
class PodTemplateSpec;
}  // namespace lifecycle::api

namespace lifecycle::rules {

inline constexpr char kSnapshotVersion[] = "v1";
inline constexpr int kLimitRangesMax = 32;

// Returns the digest of the normalised template. `started_at_ms` is the claim's start.
std::string TemplateDigest(const api::PodTemplateSpec& pod_template, int64_t started_at_ms);

// Returns a claim's start as the template of its Apply Job tells it: the execution deadline less
// the Pod's own window. For a record that keeps the envelope and not the claim (a schema's pending
// observation). 0 when the template carries no instant, and then no instant is digested either.
int64_t StartedAtOf(const api::PodTemplateSpec& pod_template);

// Returns the digest of every field but `digest` itself.
std::string SnapshotDigest(const api::AdmissionSnapshot& snapshot);

// Errors: FailedPrecondition says what is malformed; such a snapshot judges no Job.
absl::Status ValidateSnapshot(const api::AdmissionSnapshot& snapshot);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_ADMISSION_SNAPSHOT_H_
