#include "model/engine/replay_words.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/engine/require.h"

namespace model::words {
namespace {

std::string Quoted(const std::string& text) { return absl::StrCat("\"", text, "\""); }

std::string PointDiffers(const Choice& recorded, const std::string& now) {
  return absl::StrCat("choice point ", recorded.point, " was ", Quoted(recorded.label), " with ",
                      recorded.options, " options when recorded, ", now);
}

}  // namespace

std::optional<size_t> OnlyMatch(const std::vector<std::string>& labels, const std::string& label) {
  const auto first = std::find(labels.begin(), labels.end(), label);
  if (first == labels.end()) return std::nullopt;
  if (std::find(first + 1, labels.end(), label) != labels.end()) {
    Die(absl::StrCat("two steps of one state are called ", Quoted(label)));
  }
  return static_cast<size_t>(first - labels.begin());
}

std::optional<std::string> ChoicesDiffer(const std::vector<Choice>& recorded,
                                         const std::vector<Choice>& made,
                                         const std::vector<uint32_t>& options) {
  for (size_t i = 0; i < recorded.size(); ++i) {
    const Choice& before = recorded[i];
    if (before.point >= options.size()) {
      return PointDiffers(before, absl::StrCat("the step has only ", options.size(), " now"));
    }
    if (i >= made.size()) {
      return PointDiffers(before, absl::StrCat("it has ", options[before.point], " now"));
    }
    const Choice& now = made[i];
    if (now.label != before.label || now.options != before.options) {
      return PointDiffers(
          before, absl::StrCat("it is ", Quoted(now.label), " with ", now.options, " options now"));
    }
    if (now.meaning != before.meaning) {
      return absl::StrCat("option ", before.picked, " of ", Quoted(before.label), " meant ",
                          Quoted(before.meaning), " when recorded, it means ", Quoted(now.meaning),
                          " now");
    }
  }
  return std::nullopt;
}

std::string PartsDiffer(const PartDigests& recorded, const PartDigests& now) {
  if (recorded.empty()) return "the schedule does not say what differs";
  const auto find = [](const PartDigests& parts, const std::string& name) {
    return std::find_if(parts.begin(), parts.end(),
                        [&](const PartDigest& part) { return part.name == name; });
  };
  std::vector<std::string> texts;
  for (const PartDigest& before : recorded) {
    const auto found = find(now, before.name);
    if (found == now.end()) {
      texts.push_back(absl::StrCat("there is no ", before.name));
    } else if (found->digest != before.digest) {
      texts.push_back(absl::StrCat("another ", before.name));
    }
  }
  for (const PartDigest& part : now) {
    if (find(recorded, part.name) == recorded.end()) {
      texts.push_back(absl::StrCat("there was no ", part.name));
    }
  }
  return texts.empty() ? "no part differs" : absl::StrJoin(texts, ", ");
}

std::string NoSuchInitialState(uint32_t recorded, size_t count) {
  return absl::StrCat("the path starts in initial state ", recorded, ", of which there are ", count,
                      " now");
}

std::string LedNowhere(const std::string& step) {
  return absl::StrCat("step ", Quoted(step), " was recorded after a step that leads nowhere now");
}

std::string NoSuchStep(const std::string& step, const std::vector<std::string>& on_offer) {
  constexpr size_t kShown = 12;
  std::vector<std::string> shown;
  for (const std::string& label : on_offer) {
    if (shown.size() == kShown) break;
    shown.push_back(Quoted(label));
  }
  const size_t more = on_offer.size() - shown.size();
  return absl::StrCat("step ", Quoted(step), " is not on offer now; on offer: ",
                      on_offer.empty() ? "nothing" : absl::StrJoin(shown, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

std::string NoSuchCut(const Cut& recorded) {
  return absl::StrCat("the step has no cut ", recorded.ordinal, " now, which was ",
                      Quoted(recorded.label), " when recorded");
}

std::string CutDiffers(const Cut& recorded, const std::string& label_now) {
  return absl::StrCat("cut ", recorded.ordinal, " was ", Quoted(recorded.label),
                      " when recorded, it is ", Quoted(label_now), " now");
}

}  // namespace model::words
