// Runs tasks in child processes, a few at a time, and hands their answers over in order.
//
// A child shares nothing with the others, so two explorations never meet, and one that crashes ends
// alone. How many run at once decides when an answer arrives, never what it is.

#ifndef CLI_WORKERS_H_
#define CLI_WORKERS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli {

using Task = std::function<std::string()>;

// Calls `done(index, answer)` for every task in order of index; `answer` is nullopt when the child
// ended without one.
void RunTasks(const std::vector<Task>& tasks, int at_once,
              const std::function<void(size_t, const std::optional<std::string>&)>& done);

}  // namespace cli

#endif  // CLI_WORKERS_H_
