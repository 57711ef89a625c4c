#include "lifecycle/dispatch/binding.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "lifecycle/api/digest.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

class BindingTest : public ::testing::Test {
 protected:
  api::ExecutionBinding New() { return NewBinding(client_, "uid", configuration_); }

  lifecycle::testing::MemoryDoor door_;
  api::Client client_{door_, "manager"};
  api::Configuration configuration_ = api::DefaultConfiguration();
};

TEST_F(BindingTest, ANewBindingIsInForceUnderAnEpochOfItsOwn) {
  const api::ExecutionBinding first = New();
  const api::ExecutionBinding second = New();
  EXPECT_TRUE(IsInForce(first, configuration_));
  EXPECT_TRUE(api::IsEpoch(first.epoch()));
  EXPECT_NE(first.epoch(), second.epoch());
}

TEST_F(BindingTest, EachComponentBinds) {
  const std::vector<std::function<void(api::ExecutionBinding&)>> edits = {
      [](api::ExecutionBinding& binding) { binding.set_epoch("v1"); },
      [](api::ExecutionBinding& binding) { binding.set_controller_state_version(0); },
      [](api::ExecutionBinding& binding) { binding.set_ptah_version("2.0.0"); },
      [](api::ExecutionBinding& binding) { binding.set_executor_image("other"); },
      [](api::ExecutionBinding& binding) { binding.set_runner_protocol_version(2); }};
  for (const auto& edit : edits) {
    api::ExecutionBinding binding = New();
    edit(binding);
    EXPECT_FALSE(IsInForce(binding, configuration_));
  }
  EXPECT_FALSE(IsInForce(api::ExecutionBinding(), configuration_));
}

TEST_F(BindingTest, TheManagersIdentityBindsNothing) {
  const api::ExecutionBinding binding = New();
  configuration_.controller_image = "another";
  configuration_.controller_revision = "r2";
  configuration_.runner_image = "another";
  EXPECT_TRUE(IsInForce(binding, configuration_));
}

}  // namespace
}  // namespace lifecycle::dispatch
