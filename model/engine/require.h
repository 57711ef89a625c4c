// How the engine stops when an assumption of its own, or a promise of the system it explores, is
// broken.
//
// A broken promise (nondeterminism, two steps with one label, an option out of range) makes every
// result worthless, so it ends the process in every build mode, in one line. A violated property is
// never reported this way: it is the product, and comes back as a value.
#ifndef MODEL_ENGINE_REQUIRE_H_
#define MODEL_ENGINE_REQUIRE_H_

#include <string>

namespace model {

// Prints "engine: <message>" to standard error and aborts.
[[noreturn]] void Die(const std::string& message);

// Dies with `message` unless `condition` holds.
inline void Require(bool condition, const char* message) {
  if (!condition) Die(message);
}

}  // namespace model

#endif  // MODEL_ENGINE_REQUIRE_H_
