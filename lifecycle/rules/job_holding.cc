#include "lifecycle/rules/job_holding.h"

namespace lifecycle::rules {

JobHolding HoldingOf(JobAsker asker) {
  switch (asker) {
    case JobAsker::kReadBack:
      return {.mode = MatchMode::kBuiltStored};
    case JobAsker::kInputsHold:
      return {.mode = MatchMode::kBuiltStored, .takes_manager_identity = true};
    case JobAsker::kInputsMoved:
    case JobAsker::kWebhookTtl:
      return {.mode = MatchMode::kEnvelope};
    case JobAsker::kWebhookCreate:
      return {.mode = MatchMode::kBuiltSubmitted};
    case JobAsker::kWebhookTtlRetiredReading:
    case JobAsker::kWebhookTtlRetiredApply:
    case JobAsker::kRotationCleanup:
      return {.mode = MatchMode::kEnvelope, .in_force = false, .held_to_record = true};
    case JobAsker::kWebhookPublication:
      return {.mode = MatchMode::kBuiltStored,
              .takes_manager_identity = true,
              .succeeded_with_ttl = true};
  }
  return {};
}

}  // namespace lifecycle::rules
