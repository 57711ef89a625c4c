#include "lifecycle/api/time_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <utility>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/random_message.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::api {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int64_t kNow = 1704067200000;

std::vector<std::pair<std::string, int64_t>> TimesIn(const Message& message) {
  std::vector<std::pair<std::string, int64_t>> times;
  ForEachTime(message, [&times](const TimeField& field, int64_t value_ms) {
    times.emplace_back(field.path, value_ms);
  });
  return times;
}

std::string WithoutTimes(const Message& message) {
  Encoder out;
  EncodeWithoutTimes(message, out);
  return out.bytes();
}

// Moves every time that is set, each by another amount.
void MoveTimes(Message* message, int64_t* by) {
  const Reflection* reflection = message->GetReflection();
  for (const Field& field : FieldsOf(message->GetDescriptor())) {
    const FieldDescriptor* descriptor = field.descriptor;
    if (field.role != TIME_ROLE_UNSPECIFIED && IsPresent(*message, field)) {
      reflection->SetInt64(message, descriptor, reflection->GetInt64(*message, descriptor) + ++*by);
    } else if (field.shape == Shape::kMessage && IsPresent(*message, field)) {
      MoveTimes(reflection->MutableMessage(message, descriptor), by);
    } else if (field.shape == Shape::kRepeated &&
               descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < reflection->FieldSize(*message, descriptor); ++i) {
        MoveTimes(reflection->MutableRepeatedMessage(message, descriptor, i), by);
      }
    }
  }
}

RC_GTEST_PROP(TimeFieldsTest, ContentAndTimesTogetherAreTheObject,
              (uint64_t seed, uint64_t variation)) {
  const std::unique_ptr<Message> a = RandomObject(seed);
  const std::unique_ptr<Message> b = RandomVariation(variation, *a);
  const bool same = WithoutTimes(*a) == WithoutTimes(*b) && TimesIn(*a) == TimesIn(*b);
  RC_ASSERT(same == Equal(*a, *b));
}

RC_GTEST_PROP(TimeFieldsTest, MovingEveryTimeMovesAllValuesAndNoContent, (uint64_t seed)) {
  const std::unique_ptr<Message> before = RandomObject(seed);
  const std::unique_ptr<Message> after(before->New());
  after->CopyFrom(*before);
  int64_t by = 0;
  MoveTimes(after.get(), &by);
  RC_ASSERT(WithoutTimes(*before) == WithoutTimes(*after));
  const auto old_times = TimesIn(*before);
  const auto new_times = TimesIn(*after);
  RC_ASSERT(old_times.size() == static_cast<size_t>(by));
  RC_ASSERT(new_times.size() == old_times.size());
  for (size_t i = 0; i < old_times.size(); ++i) {
    RC_ASSERT(new_times[i].first == old_times[i].first);
    RC_ASSERT(new_times[i].second != old_times[i].second);
  }
}

TEST(TimeFieldsTest, KeepsWhetherATimeIsSet) {
  PtahSchema live, deleting, deleting_later;
  live.mutable_metadata()->set_name("a");
  deleting = live;
  deleting.mutable_metadata()->set_deletion_timestamp_ms(kNow);
  deleting_later = live;
  deleting_later.mutable_metadata()->set_deletion_timestamp_ms(kNow + 1);
  EXPECT_NE(WithoutTimes(live), WithoutTimes(deleting));
  EXPECT_EQ(WithoutTimes(deleting), WithoutTimes(deleting_later));
}

TEST(TimeFieldsTest, ListsWhatATypeCanHoldWithRolesAndCaps) {
  const std::vector<TimeField>& times = TimeFieldsOf(Job::descriptor());
  const TimeField terminal{"status.conditions.lastTransitionTime", SINCE, 300'000};
  EXPECT_NE(std::find(times.begin(), times.end(), terminal), times.end());
  const TimeField deadline{"spec.template.spec.containers.env.time", DEADLINE, 0};
  EXPECT_NE(std::find(times.begin(), times.end(), deadline), times.end());
  EXPECT_EQ(TimeFieldsOf(ConfigMap::descriptor()).size(), 2u);
}

TEST(TimeFieldsTest, FindsTheTimeInTheCopyOfAnUnresolvedRun) {
  PtahMigration migration;
  UnresolvedRun* run = migration.mutable_status()->mutable_unresolved_run();
  run->set_outcome("Partial");
  run->set_recorded_at_ms(kNow);
  auto& copy = (*migration.mutable_metadata()->mutable_annotations())[annotation::kUnresolvedRun];
  copy = ToJson(*run);
  PtahMigration later = migration;
  later.mutable_status()->mutable_unresolved_run()->set_recorded_at_ms(kNow + 1000);
  (*later.mutable_metadata()->mutable_annotations())[annotation::kUnresolvedRun] =
      ToJson(later.status().unresolved_run());

  EXPECT_EQ(WithoutTimes(migration), WithoutTimes(later));
  EXPECT_EQ(TimesIn(migration).size(), 2u);
  EXPECT_EQ(TimesIn(later).back().second, kNow + 1000);

  // A copy of another recording of the same run is not equal to the record (P-3).
  PtahMigration apart = migration;
  apart.mutable_status()->mutable_unresolved_run()->set_recorded_at_ms(kNow + 1000);
  EXPECT_NE(WithoutTimes(migration), WithoutTimes(apart));
}

TEST(TimeFieldsTest, LeavesACopyThatIsNotOursAsItIs) {
  PtahMigration one, other;
  auto& of_one = (*one.mutable_metadata()->mutable_annotations())[annotation::kUnresolvedRun];
  auto& of_other = (*other.mutable_metadata()->mutable_annotations())[annotation::kUnresolvedRun];
  of_one = R"({"recordedAt":"2024-01-01"})";
  of_other = R"({"recordedAt":"2024-01-02"})";
  EXPECT_NE(WithoutTimes(one), WithoutTimes(other));
  EXPECT_TRUE(TimesIn(one).empty());
}

}  // namespace
}  // namespace lifecycle::api
