#include "lifecycle/dispatch/conditions.h"

#include <string>

#include "lifecycle/api/names.h"

namespace lifecycle::dispatch {
namespace {

constexpr size_t kMessageMax = 1024;

api::Condition& Find(absl::string_view type, Conditions& conditions) {
  for (api::Condition& condition : conditions) {
    if (condition.type() == type) return condition;
  }
  api::Condition& added = *conditions.Add();
  added.set_type(std::string(type));
  return added;
}

}  // namespace

void SetCondition(const ConditionValue& value, Conditions& conditions) {
  api::Condition& condition = Find(value.type, conditions);
  const char* status = value.status ? api::condition_status::kTrue : api::condition_status::kFalse;
  if (condition.status() != status) {
    condition.set_status(status);
    condition.set_last_transition_time_ms(value.now_ms);
  }
  condition.set_reason(std::string(value.reason));
  condition.set_message(std::string(value.message.substr(0, kMessageMax)));
  condition.set_observed_generation(value.generation);
}

bool IsTrue(const Conditions& conditions, absl::string_view type) {
  for (const api::Condition& condition : conditions) {
    if (condition.type() == type) return condition.status() == api::condition_status::kTrue;
  }
  return false;
}

}  // namespace lifecycle::dispatch
