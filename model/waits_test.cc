#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/schema.pb.h"
#include "model/check.h"
#include "model/judge.h"
#include "model/scenario.h"
#include "sim/interner.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// The world in which the run of a scenario begins, and what a test does to it.
class Stage {
 public:
  explicit Stage(const std::string& text) {
    LoadedScenario loaded;
    loaded.path = "s.textproto";
    const auto scenario = ParseScenario(text, loaded.path);
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    loaded.scenario = *scenario;
    auto bench = Workbench::Make(loaded, CheckOptions{});
    EXPECT_TRUE(bench.ok()) << bench.status();
    bench_ = *std::move(bench);
    world_ = bench_->initial();
  }

  bool Waits() const { return WaitsForPeople(world_, bench_->actors()); }

  const api::PtahSchema& Schema() const { return *world_.Get<api::PtahSchema>("shop", "a"); }

  template <class Edit>
  void ChangeSchema(const Edit& edit) {
    api::PtahSchema schema = Schema();
    edit(schema);
    Put(schema);
  }

  // An approval of the plan in status, with this condition True.
  void Approve(const std::string& uid, const char* condition) {
    api::PtahSchemaApproval approval;
    approval.mutable_metadata()->set_namespace_("shop");
    approval.mutable_metadata()->set_name("yes");
    approval.mutable_spec()->mutable_plan_ref()->set_uid(uid);
    if (condition != nullptr) {
      auto& is = *approval.mutable_status()->add_conditions();
      is.set_type(condition);
      is.set_status(api::condition_status::kTrue);
    }
    Put(approval);
  }

 private:
  template <class Object>
  void Put(const Object& object) {
    world_.Put(
        {.object = interner_.Intern(api::KindOf<Object>(), std::make_shared<const Object>(object)),
         .version = 2});
  }

  sim::Interner interner_;
  std::unique_ptr<Workbench> bench_;
  sim::World world_;
};

constexpr char kMigration[] = "family: MIGRATION\nfiles { version: 1 }\n";

TEST(WaitsTest, WhatAsksForAnApprovalWaitsUntilOneStands) {
  Stage stage("family: SCHEMA\n");
  EXPECT_TRUE(stage.Waits());
  stage.Approve("another plan", nullptr);
  EXPECT_TRUE(stage.Waits());
  const std::string uid = stage.Schema().status().plan().uid();
  stage.Approve(uid, nullptr);
  EXPECT_FALSE(stage.Waits()) << "it has what it asks for";
  stage.Approve(uid, api::condition::kConsumed);
  EXPECT_TRUE(stage.Waits());
  stage.Approve(uid, api::condition::kStale);
  EXPECT_TRUE(stage.Waits());
  EXPECT_TRUE(Stage(kMigration).Waits());
}

TEST(WaitsTest, WhatNobodyCouldApproveDoesNotWait) {
  Stage stage("family: SCHEMA\n");
  stage.ChangeSchema(
      [](auto& schema) { schema.mutable_status()->mutable_plan()->set_fingerprint("x"); });
  EXPECT_FALSE(stage.Waits())
      << "admission refuses an approval of a plan that is not the stored one";
}

TEST(WaitsTest, WhatMayGoOnDoesNot) {
  EXPECT_FALSE(Stage("family: SCHEMA\npolicy: \"Always\"\n").Waits());
  EXPECT_FALSE(Stage(absl::StrCat(kMigration, "policy: \"Always\"\n")).Waits());
  EXPECT_FALSE(Stage("family: SCHEMA\nfrom_start: true\n").Waits());
}

TEST(WaitsTest, WhatDoesNotShowWhatItWaitsForDoesNot) {
  Stage stage("family: SCHEMA\n");
  stage.ChangeSchema([](auto& schema) { schema.mutable_status()->clear_conditions(); });
  EXPECT_FALSE(stage.Waits());
}

TEST(WaitsTest, WhatAPlanIsThatIsNotThereIsNothingToApprove) {
  Stage stage("family: SCHEMA\n");
  stage.ChangeSchema([](auto& schema) { schema.mutable_status()->mutable_plan()->set_uid("x"); });
  EXPECT_FALSE(stage.Waits());
}

TEST(WaitsTest, WhatIsBlockedWaitsWhereItIsBlockedForAReason) {
  for (const char* forbidden : {"policy: \"Never\"", "statements: 5"}) {
    EXPECT_TRUE(Stage(absl::StrCat("family: SCHEMA\n", forbidden, "\n")).Waits()) << forbidden;
  }
  Stage blocked("family: SCHEMA\n");
  blocked.ChangeSchema(
      [](auto& schema) { schema.mutable_status()->set_phase(api::phase::kBlocked); });
  EXPECT_FALSE(blocked.Waits());
}

TEST(WaitsTest, WhatIsSuspendedWaitsWhereAPersonSaidSo) {
  Stage stage("family: SCHEMA\npolicy: \"Always\"\nsuspended: true\n");
  stage.ChangeSchema(
      [](auto& schema) { schema.mutable_status()->set_phase(api::phase::kSuspended); });
  EXPECT_TRUE(stage.Waits());
  stage.ChangeSchema([](auto& schema) { schema.mutable_spec()->set_suspend(false); });
  EXPECT_FALSE(stage.Waits());
}

TEST(WaitsTest, NobodyWaitsBesideOneThatGoesOn) {
  EXPECT_FALSE(Stage("family: SCHEMA\nothers { family: SCHEMA later: true }\n").Waits());
}

TEST(WaitsTest, WhatIsOwedIsNoWait) {
  Stage stage("family: SCHEMA\n");
  stage.ChangeSchema([](auto& schema) {
    schema.mutable_status()->mutable_pending_lock_release()->set_lease_epoch("e");
  });
  EXPECT_FALSE(stage.Waits());
}

}  // namespace
}  // namespace model
