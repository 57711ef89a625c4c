// STOPGAP_CHECK: a broken assumption of our own code stops the program, in every build mode.
//
// `assert` vanishes under `-c opt`, and a Status would let the caller go on with a state that
// cannot be. What a user can cause is a Status; a violated property is a result; only our own
// mistakes end here.

#ifndef LIFECYCLE_API_CHECK_H_
#define LIFECYCLE_API_CHECK_H_

#include <cstdio>
#include <cstdlib>

#include "absl/strings/string_view.h"

namespace lifecycle::api {

// Prints where and why to stderr and aborts.
[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition,
                                     absl::string_view message) {
  std::fprintf(stderr, "%s:%d: %s does not hold: %.*s\n", file, line, condition,
               static_cast<int>(message.size()), message.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace lifecycle::api

// `message` says which assumption was broken; it is evaluated only when the condition is false.
#define STOPGAP_CHECK(condition, message)                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ::lifecycle::api::CheckFailed(__FILE__, __LINE__, #condition, (message)); \
    }                                                                           \
  } while (false)

// Marks a place that no value of ours reaches, such as after a switch over every enumerator.
#define STOPGAP_UNREACHABLE(message) \
  ::lifecycle::api::CheckFailed(__FILE__, __LINE__, "unreachable", (message))

#endif  // LIFECYCLE_API_CHECK_H_
