#include "lifecycle/rules/snapshot_step.h"

namespace lifecycle::rules {
namespace {

SnapshotStep Refuse(JobRefusal refusal) { return {SnapshotAction::kRefuse, refusal}; }

}  // namespace

SnapshotStep DecideSnapshot(const SnapshotFacts& facts) {
  if (!facts.present) {
    if (!facts.resolvable) return Refuse(JobRefusal::kSnapshotUnresolvable);
    return {.action = SnapshotAction::kWrite};
  }
  if (!facts.valid) return Refuse(JobRefusal::kSnapshotInvalid);
  switch (facts.digest) {
    case TemplateDigestState::kUnreadable:
      return Refuse(JobRefusal::kTemplateUnreadable);
    case TemplateDigestState::kEqual:
      return {.action = SnapshotAction::kProceed};
    case TemplateDigestState::kDifferent:
      break;
  }
  if (facts.refreshed_before) return Refuse(JobRefusal::kTemplateMovedTwice);
  return {.action = SnapshotAction::kRefresh};
}

}  // namespace lifecycle::rules
