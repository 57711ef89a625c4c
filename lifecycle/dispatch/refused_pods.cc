#include "lifecycle/dispatch/refused_pods.h"

#include <algorithm>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"

namespace lifecycle::dispatch {
namespace {

bool IsShown(const Conditions& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), [](const api::Condition& condition) {
    return condition.reason() == kPodRefused && condition.status() == api::condition_status::kTrue;
  });
}

}  // namespace

absl::string_view RefusedPodsMessage(bool refused) {
  return refused ? "a Pod of the Job is not what its claim asked for" : "";
}

std::optional<bool> RefusedPodsToShow(api::Client& client, const api::ActiveOperation& claim,
                                      const api::Job& job, const Conditions& conditions) {
  const absl::StatusOr<PodEvidence> evidence = CollectPodEvidence(
      client, {job.metadata().namespace_(), job.metadata().name(), job.metadata().uid()},
      claim.admission_snapshot(), &job.spec().template_());
  if (!evidence.ok()) return std::nullopt;
  const bool refused = evidence->problem == EvidenceProblem::kIntent;
  if (refused == IsShown(conditions)) return std::nullopt;
  return refused;
}

}  // namespace lifecycle::dispatch
