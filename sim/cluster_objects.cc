#include "sim/cluster_objects.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr const char* kActs[] = {
    act::kDeleteAccount, act::kRestoreAccount, act::kReplaceAccount, act::kAnnotateAccount,
    act::kDeleteRuntime, act::kRestoreRuntime, act::kAddLimitRange,  act::kAddDefaultPriority};

constexpr char kVolumeLimits[] = "volumes";
constexpr char kUsualPriority[] = "usual";

template <class Visit>
void ForEachResource(const World& world, const Visit& visit) {
  ForEachOfKind(world, api::Kind::kPtahSchema, [&](const Entry& entry) {
    visit(entry.object->As<api::PtahSchema>());
    return true;
  });
  ForEachOfKind(world, api::Kind::kPtahMigration, [&](const Entry& entry) {
    visit(entry.object->As<api::PtahMigration>());
    return true;
  });
}

// What the resources of the world name, each once.
std::set<api::Key> NamedObjects(const World& world) {
  std::set<api::Key> keys;
  ForEachResource(world, [&](const auto& resource) {
    const api::ExecutionSpec& execution = resource.spec().execution();
    if (!execution.service_account_name().empty()) {
      keys.insert({api::Kind::kServiceAccount, resource.metadata().namespace_(),
                   execution.service_account_name()});
    }
    if (!execution.runtime_class_name().empty()) {
      keys.insert({api::Kind::kRuntimeClass, "", execution.runtime_class_name()});
    }
  });
  return keys;
}

// What shapes Pods without being named: it can come, and then it is there.
std::set<api::Key> UnnamedObjects(const World& world) {
  std::set<api::Key> keys;
  ForEachResource(world, [&](const auto& resource) {
    keys.insert({api::Kind::kLimitRange, resource.metadata().namespace_(), kVolumeLimits});
    if (resource.spec().execution().priority_class_name().empty()) {
      keys.insert({api::Kind::kPriorityClass, "", kUsualPriority});
    }
  });
  return keys;
}

void AddLimitRange(const ApiServer& server, World& world, const api::Key& key) {
  auto range = std::make_shared<api::LimitRange>();
  range->mutable_metadata()->set_namespace_(key.namespace_);
  range->mutable_metadata()->set_name(key.name);
  api::LimitRangeItem& item = *range->mutable_spec()->add_limits();
  item.set_type("PersistentVolumeClaim");
  (*item.mutable_max())["storage"] = "1Gi";
  MustHold(Create(server, world, kPersonUser, std::move(range)));
}

void AddDefaultPriority(const ApiServer& server, World& world, const api::Key& key) {
  auto usual = std::make_shared<api::PriorityClass>();
  usual->mutable_metadata()->set_name(key.name);
  usual->set_global_default(true);
  MustHold(Create(server, world, kPersonUser, std::move(usual)));
}

void Make(const ApiServer& server, World& world, const api::Key& key) {
  if (key.kind == api::Kind::kServiceAccount) {
    auto account = std::make_shared<api::ServiceAccount>();
    account->mutable_metadata()->set_namespace_(key.namespace_);
    account->mutable_metadata()->set_name(key.name);
    return MustHold(Create(server, world, kPersonUser, std::move(account)));
  }
  auto runtime = std::make_shared<api::RuntimeClass>();
  runtime->mutable_metadata()->set_name(key.name);
  runtime->set_handler(kRuntimeHandler);
  MustHold(Create(server, world, kPersonUser, std::move(runtime)));
}

void Annotate(const ApiServer& server, World& world, const api::Key& key) {
  auto account =
      std::make_shared<api::ServiceAccount>(world.Find(key)->object->As<api::ServiceAccount>());
  (*account->mutable_metadata()->mutable_annotations())[kNote] = kSomething;
  MustHold(Update(server, world, kPersonUser, std::move(account), api::Subresource::kMain));
}

}  // namespace

bool IsClusterAct(absl::string_view what) {
  return std::any_of(std::begin(kActs), std::end(kActs),
                     [what](const char* known) { return what == known; });
}

void OfferClusterActs(const World& world, std::vector<WorldStep>& steps) {
  const auto offer_of = [&](const api::Key& key, const char* what, int32_t cost) {
    if (PersonHasLeft(world, what, key) == 0) return;
    OfferStep(steps, {.kind = StepKind::kPerson, .what = what, .target = key, .cost = cost},
              absl::StrCat(what, " ", api::ShortName(key)));
  };
  for (const api::Key& key : UnnamedObjects(world)) {
    if (world.Find(key) != nullptr) continue;
    const bool range = key.kind == api::Kind::kLimitRange;
    offer_of(key, range ? act::kAddLimitRange : act::kAddDefaultPriority, 1);
  }
  for (const api::Key& key : NamedObjects(world)) {
    const auto offer = [&](const char* what, int32_t cost) { offer_of(key, what, cost); };
    const Entry* const entry = world.Find(key);
    if (key.kind == api::Kind::kRuntimeClass) {
      entry != nullptr ? offer(act::kDeleteRuntime, 1) : offer(act::kRestoreRuntime, 0);
      continue;
    }
    if (entry == nullptr) {
      offer(act::kRestoreAccount, 0);
      continue;
    }
    offer(act::kDeleteAccount, 1);
    offer(act::kReplaceAccount, 1);
    if (api::MetaOf(*entry->object->message).annotations().count(kNote) == 0) {
      offer(act::kAnnotateAccount, 1);
    }
  }
}

void TakeClusterAct(const ApiServer& server, World& world, const WorldStep& step) {
  if (step.what == act::kAnnotateAccount) return Annotate(server, world, step.target);
  if (step.what == act::kAddLimitRange) return AddLimitRange(server, world, step.target);
  if (step.what == act::kAddDefaultPriority) return AddDefaultPriority(server, world, step.target);
  if (world.Find(step.target) != nullptr) {
    MustHold(Delete(server, world, kPersonUser, step.target));
    if (step.what != act::kReplaceAccount) return;
  }
  Make(server, world, step.target);
}

}  // namespace sim
