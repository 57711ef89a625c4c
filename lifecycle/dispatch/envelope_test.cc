#include "lifecycle/dispatch/envelope.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/dispatch/workload_samples.h"
#include "lifecycle/rules/admission_snapshot.h"
#include "lifecycle/testing/memory_door.h"

namespace lifecycle::dispatch {
namespace {

constexpr char kNamespace[] = "app";

template <class T>
T Named(const std::string& namespace_, const std::string& name) {
  T object;
  object.mutable_metadata()->set_namespace_(namespace_);
  object.mutable_metadata()->set_name(name);
  return object;
}

// A Job that names its account and both classes, where each of them stands.
class EnvelopeTest : public ::testing::Test {
 protected:
  EnvelopeTest() : client_(door_, "manager") {
    api::ExecutionSpec& execution = *sample_.migration.mutable_spec()->mutable_execution();
    execution.set_service_account_name("runner");
    execution.set_runtime_class_name("sandboxed");
    execution.set_priority_class_name("batch");
    door_.Put(lifecycle::testing::DefaultAccount("app"));
    door_.Put(Named<api::ServiceAccount>(kNamespace, "runner"));
    door_.Put(Named<api::RuntimeClass>("", "sandboxed"));
    door_.Put(Named<api::PriorityClass>("", "batch"));
  }

  absl::StatusOr<api::AdmissionSnapshot> Resolve() {
    return ResolveSnapshot(sample_.Build(), sample_.claim(), client_);
  }
  void NameNothing() { sample_.migration.mutable_spec()->clear_execution(); }
  void AddClass(const std::string& name, bool global_default) {
    auto one = Named<api::PriorityClass>("", name);
    one.set_global_default(global_default);
    door_.Put(one);
  }

  testing::MemoryDoor door_;
  api::Client client_;
  samples::MigrationApply sample_;
};

TEST_F(EnvelopeTest, BindsEachObjectByNameUidAndVersion) {
  door_.Put(Named<api::LimitRange>(kNamespace, "small"));
  door_.Put(Named<api::LimitRange>("elsewhere", "others"));
  const api::AdmissionSnapshot snapshot = *Resolve();
  EXPECT_TRUE(rules::ValidateSnapshot(snapshot).ok());
  EXPECT_EQ(snapshot.template_digest(), TemplateDigestOf(sample_.Build(), sample_.claim()));
  const auto expect_bound = [&](const api::BoundObject& bound, const api::Key& key) {
    const api::AnyStored stored = door_.Read(key);
    EXPECT_EQ(bound.name(), key.name);
    EXPECT_EQ(bound.uid(), api::MetaOf(*stored.object).uid());
    EXPECT_EQ(bound.resource_version(), absl::StrCat(stored.version));
  };
  expect_bound(snapshot.service_account(), {api::Kind::kServiceAccount, kNamespace, "runner"});
  expect_bound(snapshot.runtime_class(), {api::Kind::kRuntimeClass, "", "sandboxed"});
  expect_bound(snapshot.priority_class(), {api::Kind::kPriorityClass, "", "batch"});
  ASSERT_EQ(snapshot.limit_ranges_size(), 1);
  expect_bound(snapshot.limit_ranges(0), {api::Kind::kLimitRange, kNamespace, "small"});
}

TEST_F(EnvelopeTest, IsUnresolvableWithoutAnythingThatThePodsNeed) {
  ASSERT_TRUE(Resolve().ok());
  for (const api::Key& key : {api::Key{api::Kind::kServiceAccount, kNamespace, "runner"},
                              api::Key{api::Kind::kRuntimeClass, "", "sandboxed"},
                              api::Key{api::Kind::kPriorityClass, "", "batch"}}) {
    const testing::MemoryDoor whole = door_;
    door_.Remove(key);
    EXPECT_TRUE(api::IsNotFound(Resolve().status())) << key.name;
    door_ = whole;
  }
}

TEST_F(EnvelopeTest, APodThatNamesNothingHasTheDefaultAccountAndTheDefaultClassIfThereIsOne) {
  NameNothing();
  EXPECT_EQ(Resolve()->service_account().name(), api::kDefaultServiceAccount);
  EXPECT_FALSE(Resolve()->has_runtime_class());
  EXPECT_FALSE(Resolve()->has_priority_class());
  AddClass("usual", true);
  EXPECT_EQ(Resolve()->priority_class().name(), "usual");
  AddClass("usual-too", true);
  EXPECT_EQ(Resolve().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(EnvelopeTest, IsUnresolvableWithMoreLimitRangesThanASnapshotHolds) {
  for (int i = 0; i < rules::kLimitRangesMax; ++i) {
    door_.Put(Named<api::LimitRange>(kNamespace, absl::StrCat("range-", i)));
  }
  ASSERT_TRUE(Resolve().ok());
  door_.Put(Named<api::LimitRange>(kNamespace, "one-more"));
  EXPECT_EQ(Resolve().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(EnvelopeTest, HoldsStillUntilAnythingBoundIsGoneOrMadeAnewOrEditedOrJoined) {
  const api::AdmissionSnapshot snapshot = *Resolve();
  const api::Job job = sample_.Build();
  ASSERT_TRUE(HoldsStill(snapshot, job, door_).ok());
  const testing::MemoryDoor whole = door_;
  const auto moves = [&](auto change) {
    change();
    const bool moved = !HoldsStill(snapshot, job, door_).ok();
    door_ = whole;
    return moved;
  };
  for (const api::Key& key : {api::Key{api::Kind::kServiceAccount, kNamespace, "runner"},
                              api::Key{api::Kind::kRuntimeClass, "", "sandboxed"},
                              api::Key{api::Kind::kPriorityClass, "", "batch"}}) {
    EXPECT_TRUE(moves([&] { door_.Remove(key); })) << key.name;
  }
  EXPECT_TRUE(moves([&] { door_.Put(Named<api::ServiceAccount>(kNamespace, "runner")); }));
  EXPECT_TRUE(moves([&] {
    door_.Edit<api::RuntimeClass>("", "sandboxed",
                                  [](api::RuntimeClass& one) { one.set_handler("other"); });
  }));
  EXPECT_TRUE(moves([&] { door_.Put(Named<api::LimitRange>(kNamespace, "new")); }));
  EXPECT_FALSE(moves([&] { door_.Put(Named<api::LimitRange>("elsewhere", "new")); }));
  EXPECT_FALSE(moves([&] { door_.Put(Named<api::ServiceAccount>(kNamespace, "another")); }));
}

TEST_F(EnvelopeTest, APodIsWithinWhenOnlyWhatTheServerFillsInDiffersFromItsTemplate) {
  NameNothing();
  AddClass("usual", true);
  const api::AdmissionSnapshot snapshot = *Resolve();
  const api::PodSpec made_of = sample_.Build().spec().template_().spec();
  api::PodSpec pod = made_of;
  EXPECT_FALSE(IsWithin(snapshot, made_of, pod)) << "no account";
  pod.set_service_account_name(api::kDefaultServiceAccount);
  pod.set_service_account(api::kDefaultServiceAccount);
  EXPECT_FALSE(IsWithin(snapshot, made_of, pod)) << "no class";
  pod.set_priority_class_name("usual");
  pod.set_node_name("node");
  EXPECT_TRUE(IsWithin(snapshot, made_of, pod));
  api::PodSpec other = pod;
  other.set_priority_class_name("system-node-critical");
  EXPECT_FALSE(IsWithin(snapshot, made_of, other));
  other = pod;
  other.set_runtime_class_name("host");
  EXPECT_FALSE(IsWithin(snapshot, made_of, other));
  other = pod;
  other.mutable_containers(0)->set_image("another");
  EXPECT_FALSE(IsWithin(snapshot, made_of, other));
}

}  // namespace
}  // namespace lifecycle::dispatch
