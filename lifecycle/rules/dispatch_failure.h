// What follows when dispatch or harvest fails, or when a claim's Job cannot be judged.
//
// Three small tables with one idea: doubt costs a read-only claim another attempt and a mutating
// claim its account. The single way back for a marked mutating claim is a create that was
// refused before storage.
//
// Answers: spec 03, 4.2, 4.3, 4.4.

#ifndef LIFECYCLE_RULES_DISPATCH_FAILURE_H_
#define LIFECYCLE_RULES_DISPATCH_FAILURE_H_

#include "lifecycle/rules/create_class.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::rules {

// 4.2 ----------------------------------------------------------------------------------------

enum class DispatchStage {
  kCreate,
  kConfirm,  // The read-back failed.
  kIntent,   // The read-back does not match the claim.
  kUnknown,
};

enum class DispatchDisposition {
  kWithdrawMark,  // dispatchStarted false, claim kept, error.
  kUnaccounted,
  kRequeue,  // With an error, claim kept.
  kRetry,    // New attempt, new name.
};

struct DispatchFailureFacts {
  DispatchStage stage = DispatchStage::kUnknown;
  bool mutating = false;
  CreateClass create = CreateClass::kAmbiguous;  // Looked at for kCreate only.
};

// kStored is no failure of a create; asked for it anyway, the answer is that of kAmbiguous.
DispatchDisposition DispatchFailure(const DispatchFailureFacts& facts);

// The two older pages' design: every create error of a mutating claim is Unaccounted.
DispatchDisposition OlderDispatchFailure(const DispatchFailureFacts& facts);

// 4.3 ----------------------------------------------------------------------------------------

enum class HarvestFault {
  kInputsChanged,
  kPodEvidence,       // More than one Pod, or one whose intent is refused.
  kUnreadableResult,  // For a migration Apply: frame and summary have both failed.
  kJobNotSucceeded,
  kProtocolRefusal,
};

enum class HarvestDisposition {
  kUnaccounted,
  kDiscard,
  kRetry,
  // Only a migration Apply: the fault decides nothing, the frame or what stands in for it does.
  kReadOn,
};

struct HarvestFacts {
  HarvestFault fault = HarvestFault::kUnreadableResult;
  Family family = Family::kSchema;
  bool mutating = false;
};

HarvestDisposition HarvestFailure(const HarvestFacts& facts);

// 4.4 ----------------------------------------------------------------------------------------

enum class JobRefusal {
  kSnapshotInvalid,
  kSnapshotUnresolvable,
  kTemplateUnreadable,
  kTemplateMovedTwice,
};

enum class RefusalDisposition {
  kFailureClaimKept,  // A failure write; retried after the failure interval.
  kDiscard,
  kDiscardPhaseFailed,
};

struct RefusalFacts {
  JobRefusal refusal = JobRefusal::kSnapshotInvalid;
  Family family = Family::kSchema;
  bool mutating = false;
};

RefusalDisposition RefusalOf(const RefusalFacts& facts);

}  // namespace lifecycle::rules

#endif  // LIFECYCLE_RULES_DISPATCH_FAILURE_H_
