#include "sim/pod_admission.h"

#include <gtest/gtest.h>

#include <string>

#include "lifecycle/api/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// A namespace with nothing but its default account.
struct Cluster : TestStore {
  Cluster() { Create(Named<api::ServiceAccount>(api::kDefaultServiceAccount)); }

  // Returns what the server says to a Pod of this spec.
  std::string Make(const api::PodSpec& spec = {}) {
    api::Pod pod = Named<api::Pod>("p");
    *pod.mutable_spec() = spec;
    const absl::Status status = Send(CreateRequest(pod)).status;
    return status.ok() ? "made" : api::ApiErrorOf(status)->message;
  }
  const api::PodSpec& Made() const { return Get<api::Pod>("p")->spec(); }
  void AddClass(const std::string& name, int32_t value, bool global_default) {
    auto one = Named<api::PriorityClass>(name);
    one.set_value(value);
    one.set_global_default(global_default);
    Create(one);
  }
};

TEST(PodAdmissionTest, APodThatNamesNoAccountHasTheDefaultOneUnderBothItsNames) {
  Cluster cluster;
  EXPECT_EQ(cluster.Make(), "made");
  EXPECT_EQ(cluster.Made().service_account_name(), "default");
  EXPECT_EQ(cluster.Made().service_account(), "default");
}

TEST(PodAdmissionTest, APodWhoseAccountIsNotThereIsForbidden) {
  Cluster cluster;
  api::PodSpec spec;
  spec.set_service_account_name("runner");
  EXPECT_EQ(cluster.Make(spec),
            "pods \"p\" is forbidden: error looking up service account ns/runner: serviceaccount "
            "\"runner\" not found");
  EXPECT_EQ(cluster.Get<api::Pod>("p"), nullptr);
  cluster.Create(Named<api::ServiceAccount>("runner"));
  EXPECT_EQ(cluster.Make(spec), "made");
}

TEST(PodAdmissionTest, APodWhoseClassesAreNotThereIsForbidden) {
  Cluster cluster;
  api::PodSpec spec;
  spec.set_priority_class_name("batch");
  spec.set_runtime_class_name("sandboxed");
  EXPECT_EQ(cluster.Make(spec),
            "pods \"p\" is forbidden: no PriorityClass with name batch was found");
  cluster.AddClass("batch", 5, false);
  EXPECT_EQ(cluster.Make(spec),
            "pods \"p\" is forbidden: pod rejected: RuntimeClass \"sandboxed\" not found");
  cluster.Create(Named<api::RuntimeClass>("sandboxed"));
  EXPECT_EQ(cluster.Make(spec), "made");
}

TEST(PodAdmissionTest, APodThatNamesNoClassIsOfTheLowestThatIsEverybodys) {
  Cluster cluster;
  cluster.AddClass("a", 1, false);
  cluster.AddClass("b", 20, true);
  cluster.AddClass("c", 10, true);
  EXPECT_EQ(cluster.Make(), "made");
  EXPECT_EQ(cluster.Made().priority_class_name(), "c");
}

TEST(PodAdmissionTest, AJobsTemplateIsLeftAsItIs) {
  Cluster cluster;
  api::Job job = Named<api::Job>("j");
  job.mutable_spec()->mutable_template_()->mutable_spec()->set_runtime_class_name("nowhere");
  const api::PodSpec stored = cluster.Create(job).spec().template_().spec();
  EXPECT_EQ(stored.service_account_name(), "");
  EXPECT_EQ(stored.runtime_class_name(), "nowhere");
}

}  // namespace
}  // namespace sim
