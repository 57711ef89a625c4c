#include "model/goals.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lifecycle/api/names.h"
#include "sim/step_names.h"

namespace model {
namespace {

constexpr std::array kStepKinds = {
    sim::StepKind::kStartPod,     sim::StepKind::kRun,       sim::StepKind::kKillPod,
    sim::StepKind::kFinishJob,    sim::StepKind::kLoseLog,   sim::StepKind::kCollect,
    sim::StepKind::kAdvanceClock, sim::StepKind::kPerson,    sim::StepKind::kRival,
    sim::StepKind::kDeliver,      sim::StepKind::kInformers, sim::StepKind::kNode};

std::string VerdictGoal(Verdict verdict) { return absl::StrCat("verdict ", VerdictName(verdict)); }
std::string StepGoal(sim::StepKind kind) { return absl::StrCat("step ", StepKindName(kind)); }

using Names = std::vector<absl::string_view>;

Names PhasesOf(const GoalFamilies& families) {
  namespace phase = lifecycle::api::phase;
  Names names = {phase::kPending,   phase::kResolving, phase::kVerifying, phase::kPlanning,
                 phase::kBlocked,   phase::kApplying,  phase::kInSync,    phase::kAwaitingApproval,
                 phase::kSuspended, phase::kFailed};
  if (families.schema) {
    names.insert(names.end(),
                 {phase::kObserving, phase::kReadyToApply, phase::kVerifyingConvergence});
  }
  if (families.migration) names.insert(names.end(), {phase::kReading, phase::kVerifyingHistory});
  return names;
}

Names OutcomesOf(const GoalFamilies& families) {
  namespace proof = lifecycle::api::proof_outcome;
  namespace run = lifecycle::api::run_outcome;
  Names names;
  if (families.schema) names = {proof::kApplySucceeded, proof::kOutcomeUnknown};
  if (families.migration) {
    names.insert(names.end(),
                 {run::kUpToDate, run::kApplied, run::kFailed, run::kPartial, run::kUnknown});
  }
  return names;
}

Names VerdictNames() {
  Names names;
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    names.push_back(VerdictName(static_cast<Verdict>(verdict)));
  }
  return names;
}

Names StepNames() {
  Names names;
  for (const sim::StepKind kind : kStepKinds) names.push_back(StepKindName(kind));
  return names;
}

std::string OneOf(absl::string_view what, const Names& names, absl::string_view got) {
  if (std::find(names.begin(), names.end(), got) != names.end()) return "";
  return absl::StrCat(what, " to reach (", absl::StrJoin(names, ", "), "), got \"", got, "\"");
}

}  // namespace

absl::string_view StepKindName(sim::StepKind kind) {
  switch (kind) {
    case sim::StepKind::kStartPod:
      return "start";
    case sim::StepKind::kRun:
      return "run";
    case sim::StepKind::kKillPod:
      return "kill";
    case sim::StepKind::kFinishJob:
      return "finish";
    case sim::StepKind::kLoseLog:
      return "lose-log";
    case sim::StepKind::kCollect:
      return "collect";
    case sim::StepKind::kAdvanceClock:
      return "clock";
    case sim::StepKind::kPerson:
      return "person";
    case sim::StepKind::kRival:
      return "rival";
    case sim::StepKind::kDeliver:
      return "deliver";
    case sim::StepKind::kInformers:
      return "informers";
    case sim::StepKind::kNode:
      return "node";
  }
  return "";
}

std::string ExpectedGoal(absl::string_view name, const GoalFamilies& families) {
  if (name == kLogLostSummarized || name == kLogLostUnsummarized) return "";
  if (absl::ConsumePrefix(&name, "phase ")) {
    return OneOf("a phase", PhasesOf(families), name);
  }
  if (absl::ConsumePrefix(&name, "outcome ")) {
    return OneOf("an outcome", OutcomesOf(families), name);
  }
  if (absl::ConsumePrefix(&name, "verdict ")) return OneOf("a verdict", VerdictNames(), name);
  if (absl::ConsumePrefix(&name, "step ")) return OneOf("a step", StepNames(), name);
  if (absl::ConsumePrefix(&name, "act ")) {
    return sim::IsStepName(name)
               ? ""
               : absl::StrCat("something the world does to reach, such as suspend or evict, got \"",
                              name, "\"");
  }
  return absl::StrCat(
      "\"verdict NAME\", \"step NAME\", \"act NAME\", \"phase NAME\", \"outcome NAME\", "
      "\"",
      kLogLostSummarized, "\" or \"", kLogLostUnsummarized, "\" to reach, got \"", name, "\"");
}

Goals::Goals(const std::vector<std::string>& asked) {
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    names_.push_back(VerdictGoal(static_cast<Verdict>(verdict)));
  }
  for (const sim::StepKind kind : kStepKinds) names_.push_back(StepGoal(kind));
  for (uint32_t goal = 0; goal < names_.size(); ++goal) numbers_[names_[goal]] = goal;
  for (const std::string& name : asked) {
    const auto [entry, fresh] = numbers_.emplace(name, static_cast<uint32_t>(names_.size()));
    if (fresh) names_.push_back(name);
    asked_.push_back(entry->second);
  }
}

uint32_t Goals::OfVerdict(Verdict verdict) const { return static_cast<uint32_t>(verdict); }

uint32_t Goals::OfStep(sim::StepKind kind) const {
  return kVerdictCount + static_cast<uint32_t>(kind);
}

std::optional<uint32_t> Goals::OfText(absl::string_view kind, absl::string_view name) const {
  return OfName(absl::StrCat(kind, " ", name));
}

std::optional<uint32_t> Goals::OfName(absl::string_view name) const {
  const auto found = numbers_.find(std::string(name));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace model
