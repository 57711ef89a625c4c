// Who asks whether a Job is the claim's, and what each holds it to.
//
// The rows' adjustment by a Plan's seal key is none: no payload is sealed (docs/decisions.md).
//
// Answers: spec 03, 7.3.

#ifndef LIFECYCLE_RULES_JOB_HOLDING_H_
#define LIFECYCLE_RULES_JOB_HOLDING_H_

#include "lifecycle/rules/job_claim.h"

namespace lifecycle::rules {

enum class JobAsker {
  kReadBack,                  // After the create of this pass (E-8b).
  kInputsHold,                // Adoption and supervision, inputs as they were (F-4).
  kInputsMoved,               // The same, once the inputs moved.
  kWebhookCreate,             // Admission of a create.
  kWebhookTtl,                // Of a TTL for an active claim of the current epoch.
  kWebhookTtlRetiredReading,  // Of a TTL for a reading whose epoch was retired.
  kWebhookTtlRetiredApply,    // Of a TTL for an Apply whose epoch was retired.
  kWebhookPublication,        // Of a plan, for the Job that computed it.
  kRotationCleanup,           // Adoption and TTL while a retirement is worked off (M-7).
};

struct JobHolding {
  MatchMode mode = MatchMode::kEnvelope;
  // Held to the binding in force; otherwise there is none that speaks for the Job.
  bool in_force = true;
  // The manager identity is taken from the live template before the comparison.
  bool takes_manager_identity = false;
  // The record of the retirement has to name the Job, and its epoch.
  bool held_to_record = false;
  // The Job has to have succeeded, and to have its cleanup TTL.
  bool succeeded_with_ttl = false;
  friend bool operator==(const JobHolding&, const JobHolding&) = default;
};

JobHolding HoldingOf(JobAsker asker);

// Whether the Job is compared with one that is built again.
inline bool IsHeldToBuilt(JobAsker asker) { return HoldingOf(asker).mode != MatchMode::kEnvelope; }

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_JOB_HOLDING_H_
