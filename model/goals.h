// Goals: what an exploration reaches at some time, by name. A scenario says which it must reach,
// and one that never reaches it fails, because a run in which nothing happened proves nothing.

#ifndef MODEL_GOALS_H_
#define MODEL_GOALS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "model/verdict.h"
#include "sim/actors.h"

namespace model {

// The goals of a state in which an ended run's log is lost, by whether it left a termination
// summary.
inline constexpr char kLogLostSummarized[] = "log lost, summarized";
inline constexpr char kLogLostUnsummarized[] = "log lost, unsummarized";

// Whose phases and outcomes a world has.
struct GoalFamilies {
  bool schema = true;
  bool migration = true;
};

// Returns what a scenario should have asked for instead of `name`, such as "a phase to reach: ...";
// empty when an exploration of these families can reach what is called so.
std::string ExpectedGoal(absl::string_view name, const GoalFamilies& families);

// The goals of every exploration, numbered once: verdicts, steps of the world, and the phases,
// outcomes and acts (what a step of the world does, such as "act suspend") a scenario asks for.
class Goals {
 public:
  // `asked` are the goals a scenario must reach; phases, outcomes and acts are watched only when
  // asked for.
  explicit Goals(const std::vector<std::string>& asked);

  uint32_t OfVerdict(Verdict verdict) const;
  uint32_t OfStep(sim::StepKind kind) const;
  // Returns the number of a phase, outcome or act somebody asked for; nullopt for the others.
  std::optional<uint32_t> OfText(absl::string_view kind, absl::string_view name) const;
  // The same by the whole name.
  std::optional<uint32_t> OfName(absl::string_view name) const;

  size_t size() const { return names_.size(); }
  const std::string& NameOf(uint32_t goal) const { return names_[goal]; }
  const std::vector<uint32_t>& asked() const { return asked_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, uint32_t> numbers_;
  std::vector<uint32_t> asked_;
};

absl::string_view StepKindName(sim::StepKind kind);

}  // namespace model

#endif  // MODEL_GOALS_H_
