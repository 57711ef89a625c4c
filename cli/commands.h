// The commands of `stopgap`, one function each.

#ifndef CLI_COMMANDS_H_
#define CLI_COMMANDS_H_

#include <string>
#include <vector>

namespace cli {

// Exit codes of every command (design.md, "reports/").
inline constexpr int kAllReadable = 0;
inline constexpr int kUnreadableWindow = 1;
inline constexpr int kWrongInput = 2;
inline constexpr int kLimitReached = 3;

// Each takes the words after the command's name and returns the exit code. Results go to standard
// output; progress, warnings and errors to standard error.
int Gate(const std::vector<std::string>& words);
int Replay(const std::vector<std::string>& words);
int Table(const std::vector<std::string>& words);
int Coverage(const std::vector<std::string>& words);
int SafetyState(const std::vector<std::string>& words);
int ShowGuarantees(const std::vector<std::string>& words);

// Says what is wrong with the input, and returns kWrongInput.
int Refuse(const std::string& message);

// Returns the root of the tree: where scenarios/ and docs/ are.
std::string Root();

}  // namespace cli

#endif  // CLI_COMMANDS_H_
