#include "lifecycle/api/configuration.h"

#include "absl/strings/str_cat.h"

namespace lifecycle::api {
namespace {

std::string Pinned(const char* repository, char digit) {
  return absl::StrCat(repository, "@sha256:", std::string(64, digit));
}

}  // namespace

Configuration DefaultConfiguration() {
  Configuration configuration;
  configuration.executor_image = Pinned("registry.example/ptah", 'a');
  configuration.controller_image = Pinned("registry.example/ptah-operator", 'b');
  configuration.controller_revision = "r1";
  configuration.runner_image = Pinned("registry.example/ptah-runner", 'c');
  return configuration;
}

}  // namespace lifecycle::api
