#include "model/engine/require.h"

#include <cstdio>
#include <cstdlib>

namespace model {

void Die(const std::string& message) {
  std::fprintf(stderr, "engine: %s\n", message.c_str());
  std::abort();
}

}  // namespace model
