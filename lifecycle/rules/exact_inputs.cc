#include "lifecycle/rules/exact_inputs.h"

#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lifecycle/rules/variations.h"

namespace lifecycle::rules {
namespace {

using google::protobuf::Message;
using google::protobuf::util::MessageDifferencer;

// Whether `name` is the field `outer`, or stands in it.
bool IsIn(absl::string_view name, absl::string_view outer) {
  if (!absl::StartsWith(name, outer)) return false;
  return name.size() == outer.size() || name[outer.size()] == '.' || name[outer.size()] == '[';
}

absl::string_view NameOf(const Variation& variation) {
  return absl::string_view(variation.path).substr(0, variation.path.find(' '));
}

}  // namespace

std::string OtherInputs(const Message& message, const std::vector<std::string>& fields,
                        absl::FunctionRef<std::string(const Message&)> digest) {
  const std::string before = digest(message);
  const std::vector<Variation> variations = VariationsOf(message);
  std::set<absl::string_view> present;
  for (const Variation& variation : variations) {
    for (const char* taken : {" cleared", " shrinks", " removed"}) {
      if (absl::EndsWith(variation.path, taken)) present.insert(NameOf(variation));
    }
  }
  std::set<std::string> missing(fields.begin(), fields.end());
  for (const Variation& variation : variations) {
    const absl::string_view name = NameOf(variation);
    const auto in = std::find_if(fields.begin(), fields.end(),
                                 [&](const std::string& field) { return IsIn(name, field); });
    // What holds an input among other things: its fields are changed one by one as well.
    const bool holds_one = std::any_of(fields.begin(), fields.end(), [&](const std::string& field) {
      return field.size() > name.size() && IsIn(field, name);
    });
    if (holds_one) continue;
    if (in != fields.end()) missing.erase(*in);
    const bool another_time = absl::EndsWith(name, "_ms") &&
                              absl::EndsWith(variation.path, " set") && present.count(name) > 0;
    // Whether a message without anything in it is there need not be an input.
    const bool empty = absl::EndsWith(variation.path, " appears") ||
                       (absl::EndsWith(variation.path, " disappears") &&
                        std::none_of(present.begin(), present.end(),
                                     [&](absl::string_view other) { return IsIn(other, name); }));
    if (in != fields.end() && empty) continue;
    const bool expected = in != fields.end() && !another_time;
    if ((digest(*variation.message) != before) == expected) continue;
    // Two equal elements that change places change nothing.
    if (expected && MessageDifferencer::Equals(*variation.message, message)) continue;
    return absl::StrCat(variation.path, expected ? ": an input that the digest does not show"
                                                 : ": no input, and the digest shows it");
  }
  return missing.empty() ? "" : absl::StrCat(*missing.begin(), ": no such field");
}

}  // namespace lifecycle::rules
