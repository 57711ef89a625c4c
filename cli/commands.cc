#include "cli/commands.h"

#include <cstdio>
#include <cstdlib>

namespace cli {

int Refuse(const std::string& message) {
  std::fprintf(stderr, "stopgap: %s\n", message.c_str());
  return kWrongInput;
}

std::string Root() {
  const char* root = std::getenv("STOPGAP_ROOT");
  return root == nullptr || root[0] == '\0' ? "." : root;
}

}  // namespace cli
