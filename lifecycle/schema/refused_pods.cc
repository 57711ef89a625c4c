#include "lifecycle/schema/refused_pods.h"

#include <algorithm>

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"

namespace lifecycle::schema {
namespace {

constexpr char kPodRefused[] = "PodRefused";

bool IsShown(const Pass& pass) {
  const auto& conditions = pass.status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const api::Condition& condition) {
    return condition.type() == api::condition::kReconciliationFailed &&
           condition.reason() == kPodRefused && condition.status() == api::condition_status::kTrue;
  });
}

}  // namespace

absl::Status ReportRefusedPods(Pass& pass, const api::Job& job) {
  const absl::StatusOr<dispatch::PodEvidence> evidence = dispatch::CollectPodEvidence(
      pass.client(), {pass.metadata().namespace_(), job.metadata().name(), job.metadata().uid()},
      pass.claim()->admission_snapshot(), &job.spec().template_());
  if (!evidence.ok()) return absl::OkStatus();
  const bool refused = evidence->problem == dispatch::EvidenceProblem::kIntent;
  if (refused == IsShown(pass)) return absl::OkStatus();
  return pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    pass.SetCondition(api::condition::kReconciliationFailed, refused, kPodRefused,
                      refused ? "a Pod of the Job is not what its claim asked for" : "", next);
  });
}

}  // namespace lifecycle::schema
