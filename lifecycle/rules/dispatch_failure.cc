#include "lifecycle/rules/dispatch_failure.h"

namespace lifecycle::rules {
namespace {

DispatchDisposition CreateFailure(bool mutating, CreateClass create) {
  switch (create) {
    case CreateClass::kRefusedBeforeStoring:
      return mutating ? DispatchDisposition::kWithdrawMark : DispatchDisposition::kRequeue;
    case CreateClass::kAlreadyExists:
      return mutating ? DispatchDisposition::kUnaccounted : DispatchDisposition::kRetry;
    case CreateClass::kAmbiguous:
    case CreateClass::kStored:
      return mutating ? DispatchDisposition::kUnaccounted : DispatchDisposition::kRequeue;
  }
  return DispatchDisposition::kUnaccounted;
}

}  // namespace

DispatchDisposition DispatchFailure(const DispatchFailureFacts& facts) {
  switch (facts.stage) {
    case DispatchStage::kCreate:
      return CreateFailure(facts.mutating, facts.create);
    case DispatchStage::kConfirm:
      // The mark is durable, so the next pass adopts or settles.
      return DispatchDisposition::kRequeue;
    case DispatchStage::kIntent:
      return facts.mutating ? DispatchDisposition::kUnaccounted : DispatchDisposition::kRetry;
    case DispatchStage::kUnknown:
      break;
  }
  return facts.mutating ? DispatchDisposition::kUnaccounted : DispatchDisposition::kRequeue;
}

DispatchDisposition OlderDispatchFailure(const DispatchFailureFacts& facts) {
  if (facts.stage == DispatchStage::kCreate && facts.mutating) {
    return DispatchDisposition::kUnaccounted;
  }
  return DispatchFailure(facts);
}

HarvestDisposition HarvestFailure(const HarvestFacts& facts) {
  const bool migration_apply = facts.mutating && facts.family == Family::kMigration;
  switch (facts.fault) {
    case HarvestFault::kInputsChanged:
      return facts.mutating ? HarvestDisposition::kUnaccounted : HarvestDisposition::kDiscard;
    case HarvestFault::kJobNotSucceeded:
    case HarvestFault::kProtocolRefusal:
      if (migration_apply) return HarvestDisposition::kReadOn;
      break;
    case HarvestFault::kPodEvidence:
    case HarvestFault::kUnreadableResult:
      break;
  }
  return facts.mutating ? HarvestDisposition::kUnaccounted : HarvestDisposition::kRetry;
}

RefusalDisposition RefusalOf(const RefusalFacts& facts) {
  if (facts.family == Family::kMigration) return RefusalDisposition::kDiscardPhaseFailed;
  switch (facts.refusal) {
    case JobRefusal::kSnapshotInvalid:
    case JobRefusal::kSnapshotUnresolvable:
      return RefusalDisposition::kFailureClaimKept;
    case JobRefusal::kTemplateUnreadable:
    case JobRefusal::kTemplateMovedTwice:
      break;
  }
  return facts.mutating ? RefusalDisposition::kFailureClaimKept : RefusalDisposition::kDiscard;
}

}  // namespace lifecycle::rules
