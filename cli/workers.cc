#include "cli/workers.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace cli {
namespace {

struct Child {
  pid_t pid = -1;
  int fd = -1;
  std::string bytes;
};

void WriteAll(int fd, const std::string& bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t wrote = write(fd, bytes.data() + at, bytes.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) _exit(3);
    at += static_cast<size_t>(wrote);
  }
}

std::optional<Child> Start(const Task& task) {
  int fds[2];
  if (pipe(fds) != 0) return std::nullopt;
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid < 0) {
    close(fds[0]);
    close(fds[1]);
    return std::nullopt;
  }
  if (pid == 0) {
    close(fds[0]);
    WriteAll(fds[1], task());
    close(fds[1]);
    _exit(0);
  }
  close(fds[1]);
  return Child{.pid = pid, .fd = fds[0], .bytes = {}};
}

// Reads what is there; returns false when the child has ended.
bool ReadSome(Child& child) {
  char buffer[1 << 16];
  const ssize_t got = read(child.fd, buffer, sizeof(buffer));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  child.bytes.append(buffer, static_cast<size_t>(got));
  return got > 0;
}

std::optional<std::string> Finish(Child& child) {
  close(child.fd);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return std::move(child.bytes);
}

}  // namespace

void RunTasks(const std::vector<Task>& tasks, int at_once,
              const std::function<void(size_t, const std::optional<std::string>&)>& done) {
  std::map<size_t, Child> running;
  std::map<size_t, std::optional<std::string>> answers;
  size_t next = 0;
  size_t told = 0;
  while (told < tasks.size()) {
    while (next < tasks.size() && running.size() < static_cast<size_t>(at_once)) {
      std::optional<Child> child = Start(tasks[next]);
      if (child) {
        running.emplace(next, *std::move(child));
      } else {
        answers[next] = std::nullopt;
      }
      ++next;
    }
    std::vector<pollfd> waits;
    std::vector<size_t> indexes;
    for (const auto& [index, child] : running) {
      waits.push_back({.fd = child.fd, .events = POLLIN, .revents = 0});
      indexes.push_back(index);
    }
    if (!waits.empty()) poll(waits.data(), waits.size(), -1);
    for (size_t at = 0; at < waits.size(); ++at) {
      if (waits[at].revents == 0) continue;
      Child& child = running.at(indexes[at]);
      if (ReadSome(child)) continue;
      answers[indexes[at]] = Finish(child);
      running.erase(indexes[at]);
    }
    for (auto answer = answers.find(told); answer != answers.end(); answer = answers.find(told)) {
      done(told, answer->second);
      answers.erase(answer);
      ++told;
    }
  }
}

}  // namespace cli
