#include "cli/arguments.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace cli {

absl::StatusOr<Arguments> Arguments::Parse(const std::vector<std::string>& words,
                                           const OptionNames& names) {
  Arguments arguments;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string word = words[at] == "-h" ? "--help" : words[at];
    if (!absl::StartsWith(word, "-") || word == "-") {
      arguments.rest_.push_back(word);
      continue;
    }
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::string value;
    if (names.with_value.count(name) > 0) {
      if (equals != std::string::npos) {
        value = word.substr(equals + 1);
      } else if (at + 1 < words.size()) {
        value = words[++at];
      } else {
        return absl::InvalidArgumentError(absl::StrCat("expected a value after ", name));
      }
      if (value.empty()) {
        return absl::InvalidArgumentError(absl::StrCat("expected a value after ", name));
      }
    } else if (names.without_value.count(name) == 0) {
      return absl::InvalidArgumentError(absl::StrCat("unknown option ", name, "; try --help"));
    } else if (equals != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat(name, " takes no value"));
    }
    if (!arguments.values_.emplace(name, value).second) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is given twice"));
    }
  }
  return arguments;
}

std::optional<std::string> Arguments::Get(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

absl::StatusOr<std::optional<uint64_t>> Arguments::Number(const std::string& name,
                                                          uint64_t max) const {
  const std::optional<std::string> text = Get(name);
  if (!text) return std::optional<uint64_t>();
  uint64_t value = 0;
  const bool digits = text->find_first_not_of("0123456789") == std::string::npos;
  if (!digits || !absl::SimpleAtoi(*text, &value) || value > max) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", name, " to be a whole number from 0 to ", max, ", got ", *text));
  }
  return std::optional<uint64_t>(value);
}

}  // namespace cli
