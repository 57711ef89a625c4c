#include "sim/world_testing.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"

namespace sim {

void TestStore::Require(const absl::Status& status) {
  STOPGAP_CHECK(status.ok(), status.message());
}

Process Manager() {
  Process process;
  process.name = "manager";
  process.configuration = lifecycle::api::DefaultConfiguration();
  return process;
}

Work WorkOn(const lifecycle::api::Key& resource) {
  Work work;
  work.resource = resource;
  return work;
}

std::string Said(const absl::Status& status) {
  if (status.ok()) return "OK";
  const std::optional<lifecycle::api::ApiError> error = lifecycle::api::ApiErrorOf(status);
  if (!error.has_value()) return std::string(status.message());
  return absl::StrCat(error->code, " ", error->reason);
}

}  // namespace sim
