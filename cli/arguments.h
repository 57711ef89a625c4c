// Arguments of a command: options with and without a value, and what is left.

#ifndef CLI_ARGUMENTS_H_
#define CLI_ARGUMENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace cli {

// Which options a command knows; names include the dashes.
struct OptionNames {
  std::set<std::string> with_value;
  std::set<std::string> without_value;
};

class Arguments {
 public:
  // Accepts `--name VALUE` and `--name=VALUE`. Errors: InvalidArgument, one line, for an option the
  // command does not know, one given twice, and a missing or superfluous value.
  static absl::StatusOr<Arguments> Parse(const std::vector<std::string>& words,
                                         const OptionNames& names);

  bool Has(const std::string& name) const { return values_.count(name) > 0; }
  std::optional<std::string> Get(const std::string& name) const;
  // Returns the option as a whole number from 0 to `max`; nullopt when it is not given.
  absl::StatusOr<std::optional<uint64_t>> Number(const std::string& name, uint64_t max) const;
  const std::vector<std::string>& rest() const { return rest_; }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> rest_;
};

}  // namespace cli

#endif  // CLI_ARGUMENTS_H_
