#include "model/safety_records.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"

namespace model {
namespace {

namespace api = lifecycle::api;

std::string PathOf(const RecordWrite& write) {
  return std::string(SafetyRecords()[write.record].path);
}

TEST(SafetyRecordsTest, EachFamilyKeepsWhatThePageSays) {
  std::set<std::string> schema, migration;
  for (size_t record = 0; record < kSafetyRecordCount; ++record) {
    const std::string path(SafetyRecords()[record].path);
    if (KeepersOf(record).schema) schema.insert(path);
    if (KeepersOf(record).migration) migration.insert(path);
  }
  EXPECT_EQ(schema, (std::set<std::string>{"status.activeOperation", "status.pendingLockRelease",
                                           "status.pendingBindingRetirement",
                                           "status.pendingObservation"}));
  EXPECT_EQ(migration, (std::set<std::string>{"status.activeOperation", "status.pendingLockRelease",
                                              "status.unresolvedRun", "status.resolvedRun"}));
}

TEST(SafetyRecordsTest, APathIsTheFieldsNameInJson) {
  for (size_t record = 0; record < kSafetyRecordCount; ++record) {
    const std::string field(SafetyRecords()[record].field);
    for (const auto* status :
         {api::PtahSchemaStatus::descriptor(), api::PtahMigrationStatus::descriptor()}) {
      const auto* found = status->FindFieldByName(field);
      if (found != nullptr) {
        EXPECT_EQ("status." + found->json_name(), SafetyRecords()[record].path) << field;
      }
    }
  }
}

// A message that is added to a status is a safety record, or it is named here as evidence only.
TEST(SafetyRecordsTest, EveryOtherMessageInAStatusIsEvidence) {
  std::set<std::string> records;
  for (const SafetyRecord& record : SafetyRecords()) records.insert(std::string(record.field));
  std::set<std::string> others;
  for (const auto* status :
       {api::PtahSchemaStatus::descriptor(), api::PtahMigrationStatus::descriptor()}) {
    for (int i = 0; i < status->field_count(); ++i) {
      const auto* field = status->field(i);
      if (field->message_type() == nullptr || field->is_repeated()) continue;
      if (records.count(field->name()) == 0) others.insert(field->name());
    }
  }
  EXPECT_EQ(others, (std::set<std::string>{"applied", "artifact", "execution_binding", "history",
                                           "last_run", "plan", "source", "target"}));
}

TEST(SafetyRecordsTest, AChangedRecordIsWrittenByTheFamilyWhosePassItWas) {
  sim::Interner interner;
  api::PtahMigration before;
  before.mutable_metadata()->set_name("a");
  api::PtahMigration after = before;
  after.mutable_status()->mutable_unresolved_run()->set_operation_id("op");
  after.mutable_status()->set_phase("Blocked");
  const sim::Handle old =
      interner.Intern(api::Kind::kPtahMigration, std::make_shared<api::PtahMigration>(before));
  const sim::Handle now =
      interner.Intern(api::Kind::kPtahMigration, std::make_shared<api::PtahMigration>(after));

  const auto written = RecordsWritten(sim::Family::kSchema, old, now);
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(PathOf(written[0]), "status.unresolvedRun");
  EXPECT_EQ(written[0].of, sim::Family::kMigration);
  EXPECT_EQ(written[0].by, sim::Family::kSchema);
  EXPECT_TRUE(RecordsWritten(sim::Family::kMigration, now, now).empty());
  EXPECT_EQ(RecordsWritten(sim::Family::kMigration, now, nullptr).size(), 1u) << "it goes too";
}

TEST(SafetyRecordsTest, WhatIsChangedInsideARecordIsAWriteOfIt) {
  sim::Interner interner;
  api::PtahSchema before;
  before.mutable_metadata()->set_name("a");
  before.mutable_status()->mutable_active_operation()->set_id("op");
  api::PtahSchema after = before;
  after.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
  const auto written = RecordsWritten(
      sim::Family::kSchema,
      interner.Intern(api::Kind::kPtahSchema, std::make_shared<api::PtahSchema>(before)),
      interner.Intern(api::Kind::kPtahSchema, std::make_shared<api::PtahSchema>(after)));
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(PathOf(written[0]), "status.activeOperation");
}

}  // namespace
}  // namespace model
