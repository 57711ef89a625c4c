// stopgap: what does the next pass see after a stop at any durable write, and is it right?

#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace cli {

namespace {

constexpr char kUsage[] =
    "stopgap COMMAND [OPTIONS]\n"
    "\n"
    "  gate          explore every scenario; fails when a window is unreadable\n"
    "  replay        run a saved schedule again\n"
    "  table         print the durable-write table, read off the exploration\n"
    "  coverage      list which durable writes and which rules were reached\n"
    "  safety-state  print which safety record each family keeps, and hold it to what was written\n"
    "  guarantees    print what is promised, and what proved it in this run\n"
    "\n"
    "stopgap COMMAND --help says more. Exit codes: 0 every window is readable over the whole "
    "space\n"
    "asked for; 1 one is not; 2 the input was wrong; 3 a limit came first.\n";

int Main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    std::fputs(kUsage, arguments.empty() ? stderr : stdout);
    return arguments.empty() ? kWrongInput : kAllReadable;
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "gate") return Gate(rest);
  if (arguments[0] == "replay") return Replay(rest);
  if (arguments[0] == "table") return Table(rest);
  if (arguments[0] == "coverage") return Coverage(rest);
  if (arguments[0] == "safety-state") return SafetyState(rest);
  if (arguments[0] == "guarantees") return ShowGuarantees(rest);
  return Refuse("unknown command \"" + arguments[0] + "\"; try --help");
}

}  // namespace
}  // namespace cli

int main(int count, char** words) {
  const int code = cli::Main(count, words);
  // What nobody could read was not said.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("stopgap: standard output cannot be written\n", stderr);
  return cli::kWrongInput;
}
