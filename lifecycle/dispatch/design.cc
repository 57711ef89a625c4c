#include "lifecycle/dispatch/design.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace lifecycle::dispatch {
namespace {

constexpr absl::string_view kExchangePrefix = "exchange ";

std::optional<Step> StepByName(absl::string_view name) {
  for (const Step step : Design{}.order) {
    if (StepName(step) == name) return step;
  }
  return std::nullopt;
}

}  // namespace

absl::string_view StepName(Step step) {
  switch (step) {
    case Step::kAuthorize:
      return "authorize";
    case Step::kLease:
      return "lease";
    case Step::kStage:
      return "stage";
    case Step::kSnapshot:
      return "snapshot";
    case Step::kConsume:
      return "consume";
    case Step::kMark:
      return "mark";
    case Step::kCreate:
      return "create";
    case Step::kConfirm:
      return "confirm";
    case Step::kRecord:
      return "record";
  }
  return "";
}

Design CurrentDesign() { return Design{}; }

absl::StatusOr<Design> Exchanged(const Design& design, absl::string_view names) {
  const std::vector<absl::string_view> parts = absl::StrSplit(names, ',');
  std::optional<Step> first, second;
  if (parts.size() == 2) {
    first = StepByName(parts[0]);
    second = StepByName(parts[1]);
  }
  if (!first || !second || *first == *second) {
    std::string known;
    for (const Step step : design.order) absl::StrAppend(&known, " ", StepName(step));
    return absl::InvalidArgumentError(
        absl::StrCat("expected two different steps such as mark,create, got \"", names,
                     "\"; the steps are", known));
  }
  Design exchanged = design;
  std::iter_swap(std::find(exchanged.order.begin(), exchanged.order.end(), *first),
                 std::find(exchanged.order.begin(), exchanged.order.end(), *second));
  exchanged.name = absl::StrCat(kExchangePrefix, parts[0], ",", parts[1]);
  return exchanged;
}

absl::StatusOr<Design> DesignByName(absl::string_view name) {
  if (name == "current") return CurrentDesign();
  if (absl::ConsumePrefix(&name, kExchangePrefix)) return Exchanged(CurrentDesign(), name);
  return absl::InvalidArgumentError(
      absl::StrCat("expected design \"current\" or \"exchange STEP,STEP\", got \"", name, "\""));
}

}  // namespace lifecycle::dispatch
