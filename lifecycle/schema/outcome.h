// The account of a schema's Apply: read, or unknown. Either way the claim leaves a proof to carry
// out.
//
// The claim and the record are swapped in one status patch, so a stop on either side leaves either
// a live claim or a retained record, never both and never neither. Nothing is released: from this
// patch on the record owns the realm.
//
// Answers: spec 02, H-1, I-1; spec 01, 1.6; W-17 to W-19; S-14, S-17, S-22.

#ifndef LIFECYCLE_SCHEMA_OUTCOME_H_
#define LIFECYCLE_SCHEMA_OUTCOME_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/schema/pass.h"

namespace lifecycle::schema {

// H-1: the Apply's own result was read from its one Pod and names the claim's database.
PassResult RecordApplied(Pass& pass, api::Stored<api::Job>& job,
                         const dispatch::PodEvidence& evidence);

// What is known of an Apply whose outcome is not.
struct Uncertain {
  // The Job, when it may get its cleanup TTL: one that passed for the claim's. Null otherwise.
  const api::Stored<api::Job>* job = nullptr;
  // The evidence of its Pods, when this pass has collected it. Null: it is collected now.
  const dispatch::PodEvidence* evidence = nullptr;
  absl::string_view why;  // For people.
};

// Returns the evidence of the Pods of the Job the claim records, or of the one in hand (null:
// none); nullopt when neither has a UID, for then no Pod can be attributed. Errors: the list could
// not be read.
absl::StatusOr<std::optional<dispatch::PodEvidence>> ApplyEvidence(
    Pass& pass, const api::Stored<api::Job>* job);

// I-1. Errors (in the result): the Pods could not be listed, the TTL could not be set, or the claim
// lacks what the record needs; the claim stays then.
// `also` makes the rest of the same patch (M-5).
PassResult RecordUnknownOutcome(
    Pass& pass, const Uncertain& uncertain, StatusEdit also = [](api::PtahSchemaStatus&) {});

// The one function that makes the record. Errors: FailedPrecondition when something the proof needs
// is missing from the claim or disagrees with the plan.
struct OutcomeFacts {
  bool succeeded = false;                           // ApplySucceeded; false is OutcomeUnknown.
  bool executor_end_proven = false;                 // Exactly one trusted Pod terminated.
  const api::Job* job = nullptr;                    // In hand, or null.
  const dispatch::PodEvidence* evidence = nullptr;  // Null when no Pod can be attributed.
};
absl::StatusOr<api::PendingObservation> PendingObservationFor(const api::PtahSchemaStatus& status,
                                                              const OutcomeFacts& facts);

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_OUTCOME_H_
