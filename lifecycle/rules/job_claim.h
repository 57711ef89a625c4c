// Whether a Job is the one its claim built: jobclaim.Match of the pages.
//
// Decided in one place, and every reader asks it: the read-back after the create, adoption and
// supervision, the cleanup of a retired Job, and the webhook. So the webhook refuses a Job the
// controller would not recognise, and the controller never touches one the webhook would refuse.
//
// A reader that can rebuild the Job holds it to the rebuild (built mode). One that cannot, because
// the inputs moved since dispatch, holds it to what the claim fixes (envelope mode). Both hold the
// Pod template to the admission snapshot.
//
// Answers: spec 03, 7; spec 01, 9.

#ifndef LIFECYCLE_RULES_JOB_CLAIM_H_
#define LIFECYCLE_RULES_JOB_CLAIM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lifecycle/rules/admission_snapshot.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::api {
class ExecutionBinding;
class Job;
class ObjectMeta;
}  // namespace lifecycle::api

namespace lifecycle::rules {

// The plan a schema Apply carries out, from status.plan or the pending observation.
struct PlanIdentity {
  absl::string_view name = "";
  absl::string_view uid = "";
  absl::string_view fingerprint = "";
  absl::string_view content_digest = "";
  absl::string_view epoch = "";
  int64_t controller_state_version = 0;
  absl::string_view ptah_version = "";
};

// What a claim, or the record that outlived it, fixes of its Job. Nothing is owned: the views and
// pointers outlive the call.
struct ClaimIdentity {
  Family family = Family::kSchema;
  absl::string_view owner_namespace = "";
  absl::string_view owner_name = "";
  absl::string_view owner_uid = "";
  absl::string_view operation_type = "";
  absl::string_view operation_id = "";
  absl::string_view job_name = "";
  absl::string_view recorded_uid = "";  // Empty when none was recorded.
  absl::string_view epoch = "";         // Of the execution binding the claim was made under.
  // Empty when the record kept none: any digest will do then.
  absl::string_view input_fingerprint = "";
  const api::AdmissionSnapshot* snapshot = nullptr;
  // The claim's start; nullopt when the record kept none, and it is read off the template then.
  std::optional<int64_t> started_at_ms = std::nullopt;
  const PlanIdentity* plan = nullptr;  // Schema Apply only.
};

// The only TTL a Job may be given: how long after its end it stays to be looked at (spec 01, 14).
inline constexpr int32_t kCleanupTtlSeconds = 300;

enum class MatchMode {
  kBuiltSubmitted,  // A create as the webhook sees it.
  kBuiltStored,
  kEnvelope,
};

struct MatchInputs {
  const ClaimIdentity& claim;
  const api::Job& job;
  MatchMode mode = MatchMode::kEnvelope;
  const api::Job* built = nullptr;                 // Built modes: the Job as rebuilt.
  const api::ExecutionBinding* binding = nullptr;  // Where one is in force.
};

// The first check that failed: its number in 7.2, or 0 for a claim that judges no Job at all (7.1).
struct Mismatch {
  int check = 0;
  std::string why;
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

// Returns nullopt when the Job is the claim's.
std::optional<Mismatch> Match(const MatchInputs& inputs);

// True when the Job has exactly one owner reference, and it names this resource of this family by
// API version, kind, name and UID, controller and blocking.
bool OwnedExactly(Family family, const api::ObjectMeta& resource, const api::Job& job);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_JOB_CLAIM_H_
