#include "model/goals.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace model {
namespace {

constexpr std::array kStepKinds = {
    sim::StepKind::kStartPod,     sim::StepKind::kRun,     sim::StepKind::kKillPod,
    sim::StepKind::kFinishJob,    sim::StepKind::kLoseLog, sim::StepKind::kCollect,
    sim::StepKind::kAdvanceClock, sim::StepKind::kPerson,  sim::StepKind::kRival,
    sim::StepKind::kDeliver,      sim::StepKind::kNode};

std::string VerdictGoal(Verdict verdict) { return absl::StrCat("verdict ", VerdictName(verdict)); }
std::string StepGoal(sim::StepKind kind) { return absl::StrCat("step ", StepKindName(kind)); }

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
    case sim::StepKind::kNode:
      return "node";
  }
  return "";
}

bool IsGoalName(absl::string_view name) {
  for (int number = 1; number <= kWriteCount; ++number) {
    if (WriteName(number) == name) return true;
  }
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    if (VerdictGoal(static_cast<Verdict>(verdict)) == name) return true;
  }
  for (const sim::StepKind kind : kStepKinds) {
    if (StepGoal(kind) == name) return true;
  }
  return (absl::StartsWith(name, "phase ") && name.size() > 6) ||
         (absl::StartsWith(name, "outcome ") && name.size() > 8) ||
         (absl::StartsWith(name, "act ") && name.size() > 4) || name == kLogLostSummarized ||
         name == kLogLostUnsummarized;
}

Goals::Goals(const std::vector<std::string>& asked) {
  names_.push_back("");  // Writes are numbered from 1.
  for (int number = 1; number <= kWriteCount; ++number) names_.push_back(WriteName(number));
  for (int verdict = 0; verdict < kVerdictCount; ++verdict) {
    names_.push_back(VerdictGoal(static_cast<Verdict>(verdict)));
  }
  for (const sim::StepKind kind : kStepKinds) names_.push_back(StepGoal(kind));
  for (uint32_t goal = 1; goal < names_.size(); ++goal) numbers_[names_[goal]] = goal;
  for (const std::string& name : asked) {
    const auto [entry, fresh] = numbers_.emplace(name, static_cast<uint32_t>(names_.size()));
    if (fresh) names_.push_back(name);
    asked_.push_back(entry->second);
  }
}

uint32_t Goals::OfVerdict(Verdict verdict) const {
  return 1 + kWriteCount + static_cast<uint32_t>(verdict);
}

uint32_t Goals::OfStep(sim::StepKind kind) const {
  return 1 + kWriteCount + kVerdictCount + static_cast<uint32_t>(kind);
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
