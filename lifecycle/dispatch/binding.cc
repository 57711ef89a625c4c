#include "lifecycle/dispatch/binding.h"

#include "lifecycle/api/digest.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::dispatch {
namespace {

constexpr char kEpochPurpose[] = "execution-binding";

}  // namespace

bool IsInForce(const api::ExecutionBinding& binding, const api::Configuration& configuration) {
  return api::IsEpoch(binding.epoch()) &&
         binding.controller_state_version() == configuration.controller_state_version &&
         binding.ptah_version() == configuration.ptah_version &&
         binding.executor_image() == configuration.executor_image &&
         binding.runner_protocol_version() == configuration.runner_protocol_version;
}

api::ExecutionBinding NewBinding(api::Client& client, const std::string& resource_uid,
                                 const api::Configuration& configuration) {
  api::ExecutionBinding binding;
  binding.set_epoch(rules::EpochFromRandom(client.Random16(resource_uid, kEpochPurpose)));
  binding.set_controller_state_version(configuration.controller_state_version);
  binding.set_ptah_version(configuration.ptah_version);
  binding.set_executor_image(configuration.executor_image);
  binding.set_runner_protocol_version(configuration.runner_protocol_version);
  return binding;
}

}  // namespace lifecycle::dispatch
