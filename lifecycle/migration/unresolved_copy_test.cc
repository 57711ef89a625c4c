#include "lifecycle/migration/unresolved_copy.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/migration/scene.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::migration {
namespace {

api::UnresolvedRun Record() {
  api::UnresolvedRun record;
  record.set_outcome("Unknown");
  record.set_operation_id(TestDigest('1'));
  record.set_job_name("job");
  record.set_job_uid("job-uid");
  record.mutable_plan_ref()->set_name("plan");
  record.mutable_plan_ref()->set_uid("plan-uid");
  record.set_target_identity_digest(TestDigest('d'));
  record.mutable_dispatched_by()->set_controller_image("registry.example/m@" + TestDigest('2'));
  record.mutable_dispatched_by()->set_controller_revision("r1");
  record.mutable_dispatched_by()->set_controller_state_version(1);
  record.mutable_dispatched_by()->set_ptah_version("1.0.0");
  record.set_recorded_at_ms(1'234'567);
  return record;
}

TEST(UnresolvedCopyTest, ARecordIsReadBackAsItWasWritten) {
  const absl::StatusOr<api::UnresolvedRun> read = ReadCopy(WriteCopy(Record()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(api::Equal(*read, Record()));
}

// A job name as Kubernetes allows it, and some that it does not: the text must survive either way.
std::string AnyText(const std::string& letters) { return letters.substr(0, 253); }

RC_GTEST_PROP(UnresolvedCopyTest, EveryRecordSurvivesTheAnnotation,
              (bool partial, uint64_t number, bool has_job, bool has_target, bool has_manager)) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~'));
  api::UnresolvedRun record = Record();
  record.set_outcome(partial ? "Partial" : "Unknown");
  record.set_recorded_at_ms(1 + static_cast<int64_t>(number % 253'000'000'000'000));
  record.set_job_name(has_job ? AnyText(text) : "");
  if (!has_job) record.clear_job_uid();
  if (!has_target) record.clear_target_identity_digest();
  if (!has_manager) record.clear_dispatched_by();
  const absl::StatusOr<api::UnresolvedRun> read = ReadCopy(WriteCopy(record));
  RC_ASSERT(read.ok());
  RC_ASSERT(api::Equal(*read, record));
}

TEST(UnresolvedCopyTest, ReadingIsStrict) {
  std::vector<std::pair<const char*, std::string>> values = {
      {"empty", ""},
      {"no JSON", "outcome"},
      {"trailing data", WriteCopy(Record()) + "x"},
      {"an unknown field", "{\"new\":1," + WriteCopy(Record()).substr(1)},
  };
  const auto variant = [&values](const char* what, auto edit) {
    api::UnresolvedRun record = Record();
    edit(record);
    values.emplace_back(what, WriteCopy(record));
  };
  using Run = api::UnresolvedRun;
  variant("an outcome that leaves nothing unresolved",
          [](Run& run) { run.set_outcome("Applied"); });
  variant("no operation", [](Run& run) { run.clear_operation_id(); });
  variant("an operation that is no digest", [](Run& run) { run.set_operation_id("1"); });
  variant("no plan", [](Run& run) { run.clear_plan_ref(); });
  variant("half a plan", [](Run& run) { run.mutable_plan_ref()->clear_uid(); });
  variant("a malformed target", [](Run& run) { run.set_target_identity_digest("d"); });
  variant("a long Job name", [](Run& run) { run.set_job_name(std::string(254, 'j')); });
  variant("no time", [](Run& run) { run.clear_recorded_at_ms(); });
  variant("a malformed manager",
          [](Run& run) { run.mutable_dispatched_by()->set_controller_image("image"); });
  variant("a manager without a version",
          [](Run& run) { run.mutable_dispatched_by()->clear_controller_state_version(); });
  for (const auto& [what, value] : values) {
    SCOPED_TRACE(what);
    EXPECT_FALSE(ReadCopy(value).ok());
  }
}

class HoldCopyTest : public ::testing::Test {
 protected:
  HoldCopyTest() : scene_("Always") {}

  void SetCopy(const std::string& value) {
    scene_.EditMigration([&](api::PtahMigration& migration) {
      (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
          value;
    });
  }
  void SetRecord(const api::UnresolvedRun& record) {
    scene_.EditMigration([&](api::PtahMigration& migration) {
      *migration.mutable_status()->mutable_unresolved_run() = record;
      migration.mutable_status()->set_phase(api::phase::kBlocked);
    });
  }
  bool HasCopy() const {
    return scene_.migration().metadata().annotations().count(api::annotation::kUnresolvedRun) > 0;
  }
  std::string CopyText() const {
    return scene_.migration().metadata().annotations().at(api::annotation::kUnresolvedRun);
  }

  Scene scene_;
};

TEST_F(HoldCopyTest, RecordAndEqualCopyAreLeftAlone) {
  SetRecord(Record());
  SetCopy(WriteCopy(Record()));
  scene_.Pass();
  EXPECT_TRUE(scene_.store.changes().empty());
}

TEST_F(HoldCopyTest, AMissingCopyIsRewrittenFromStatus) {
  SetRecord(Record());
  scene_.Pass();
  EXPECT_EQ(CopyText(), WriteCopy(Record()));
}

TEST_F(HoldCopyTest, ADifferentCopyIsRewrittenFromStatus) {
  SetRecord(Record());
  SetCopy("{}");
  scene_.Pass();
  EXPECT_EQ(CopyText(), WriteCopy(Record()));
}

TEST_F(HoldCopyTest, AnUnreadableCopyBlocksAndIsLeftAlone) {
  SetCopy("{\"new\":1}");
  const api::PassResult result = scene_.Pass();
  EXPECT_EQ(scene_.status().phase(), api::phase::kBlocked);
  EXPECT_FALSE(scene_.status().has_active_operation());
  EXPECT_EQ(CopyText(), "{\"new\":1}");
  EXPECT_EQ(result.requeue_after_ms, scene_.timing.default_interval_ms);
  // The refusal that stands is written once, and nothing spins (L-12).
  scene_.store.ForgetWrites();
  EXPECT_EQ(scene_.Pass().requeue_after_ms, scene_.timing.default_interval_ms);
  EXPECT_TRUE(scene_.store.changes().empty());
}

TEST_F(HoldCopyTest, ACopyOfTheResolvedRunIsRemoved) {
  scene_.EditMigration([&](api::PtahMigration& migration) {
    migration.mutable_status()->mutable_resolved_run()->set_operation_id(TestDigest('1'));
  });
  SetCopy(WriteCopy(Record()));
  scene_.Pass();
  EXPECT_FALSE(HasCopy());
  EXPECT_FALSE(scene_.status().has_unresolved_run());
}

TEST_F(HoldCopyTest, ACopyOfTheLiveClaimIsLeftAlone) {
  scene_.PassUntilClaimed("Apply");
  api::UnresolvedRun record = Record();
  record.set_operation_id(scene_.claim().id());
  SetCopy(WriteCopy(record));
  scene_.Pass();
  EXPECT_TRUE(HasCopy());
  EXPECT_FALSE(scene_.status().has_unresolved_run());
}

TEST_F(HoldCopyTest, AnyOtherCopyIsTheRecordAndIsRestored) {
  SetCopy(WriteCopy(Record()));
  const api::PassResult result = scene_.Pass();
  ASSERT_TRUE(scene_.status().has_unresolved_run());
  EXPECT_TRUE(api::Equal(scene_.status().unresolved_run(), Record()));
  EXPECT_FALSE(scene_.status().has_plan());
  EXPECT_EQ(scene_.status().phase(), api::phase::kBlocked);
  EXPECT_EQ(result.requeue_after_ms, 0);
  EXPECT_EQ(scene_.store.events(), (std::vector<std::string>{"UnresolvedRunRestored"}));
}

}  // namespace
}  // namespace lifecycle::migration
