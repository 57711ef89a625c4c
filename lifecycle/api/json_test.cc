#include "lifecycle/api/json.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/random_message.h"
#include "lifecycle/api/rfc3339.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Message;

constexpr int64_t kNewYear2024 = 1704067200000;

RC_GTEST_PROP(JsonTest, ReadsBackWhatItWrote, (uint64_t seed, bool pretty)) {
  const std::unique_ptr<Message> object = RandomObject(seed);
  const std::string text = ToJson(*object, pretty ? JsonStyle::kPretty : JsonStyle::kCompact);
  const std::unique_ptr<Message> read(object->New());
  const absl::Status status = FromJson(text, read.get());
  RC_ASSERT(status.ok());
  RC_ASSERT(Equal(*read, *object));
}

TEST(JsonTest, IsShapedAsKubernetesShapesIt) {
  PtahSchema schema;
  schema.mutable_metadata()->set_name("a");
  schema.mutable_metadata()->set_creation_timestamp_ms(kNewYear2024);
  (*schema.mutable_metadata()->mutable_labels())["z"] = "1";
  (*schema.mutable_metadata()->mutable_labels())["a"] = "2";
  schema.mutable_spec()->set_interval_seconds(600);
  ActiveOperation* claim = schema.mutable_status()->mutable_active_operation();
  claim->set_job_uid("uid-1");
  claim->set_started_at_ms(kNewYear2024 + 30250);
  EXPECT_EQ(ToJson(schema), R"({"apiVersion":"operator.ptah.run/v1alpha1","kind":"PtahSchema",)"
                            R"("metadata":{"name":"a","creationTimestamp":"2024-01-01T00:00:00Z",)"
                            R"("labels":{"a":"2","z":"1"}},"spec":{"interval":"10m0s"},)"
                            R"("status":{"activeOperation":{"jobUID":"uid-1",)"
                            R"("startedAt":"2024-01-01T00:00:30.250Z"}}})");
}

TEST(JsonTest, IndentsForPeople) {
  ConfigMap map;
  map.mutable_metadata()->set_name("a");
  (*map.mutable_binary_data())["k"] = std::string("\x00\xff", 2);
  map.set_immutable(false);
  EXPECT_EQ(ToJson(map, JsonStyle::kPretty),
            "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"ConfigMap\",\n  \"metadata\": {\n"
            "    \"name\": \"a\"\n  },\n  \"binaryData\": {\n    \"k\": \"AP8=\"\n  },\n"
            "  \"immutable\": false\n}");
  EXPECT_EQ(ToJson(EmptyDirVolumeSource(), JsonStyle::kPretty), "{}");
}

TEST(JsonTest, ReadsStrictly) {
  UnresolvedRun run;
  const auto read = [&run](absl::string_view text) { return FromJson(text, &run).ok(); };
  EXPECT_TRUE(read(R"({"outcome":"Partial","planRef":{"name":"p","uid":"u"}})"));
  EXPECT_EQ(run.plan_ref().uid(), "u");
  EXPECT_TRUE(read(" { \"jobUID\" : \"\\u0041\" } \n"));
  EXPECT_EQ(run.job_uid(), "A");
  EXPECT_EQ(run.outcome(), "") << "what was there before is replaced";
  EXPECT_FALSE(read(R"({"outcome":"Partial","invented":1})"));
  EXPECT_FALSE(read(R"({"jobUid":"x"})"));
  EXPECT_FALSE(read(R"({"outcome":"Partial"} x)"));
  EXPECT_FALSE(read(R"({"outcome":"Partial","outcome":"Unknown"})"));
  EXPECT_FALSE(read(R"({"outcome":1})"));
  EXPECT_FALSE(read(R"({"outcome":null})"));
  EXPECT_FALSE(read(R"({"outcome":"Partial",})"));
  EXPECT_FALSE(read(R"({"outcome":"Partial")"));
  EXPECT_FALSE(read(R"({"outcome":"Part)"));
  EXPECT_FALSE(read(R"({"recordedAt":"yesterday"})"));
  EXPECT_FALSE(read(R"({"recordedAt":1704067200000})"));
  EXPECT_FALSE(read(""));
  TerminationSummary summary;
  EXPECT_TRUE(FromJson(R"({"protocolVersion":1,"migration":{"appliedCount":2}})", &summary).ok());
  EXPECT_FALSE(FromJson(R"({"protocolVersion":1.5})", &summary).ok());
  EXPECT_FALSE(FromJson(R"({"protocolVersion":01})", &summary).ok());
  EXPECT_FALSE(FromJson(R"({"protocolVersion":99999999999999999999})", &summary).ok());
  PtahSchema schema;
  EXPECT_FALSE(FromJson(R"({"kind":"PtahMigration"})", &schema).ok());
}

TEST(JsonTest, SaysWhereTheTextIsWrong) {
  UnresolvedRun run;
  EXPECT_EQ(FromJson(R"({"invented":1})", &run).message(),
            "JSON, at byte 12: unknown field invented");
}

TEST(Rfc3339Test, GivesEveryInstantOneSpelling) {
  EXPECT_EQ(FormatRfc3339(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatRfc3339(kNewYear2024 + 5), "2024-01-01T00:00:00.005Z");
  EXPECT_EQ(FormatRfc3339(951782400000), "2000-02-29T00:00:00Z");
  EXPECT_EQ(ParseRfc3339("2024-01-01T00:00:00.005Z"), kNewYear2024 + 5);
  for (const char* text :
       {"2024-02-30T00:00:00Z", "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00+00:00",
        "2024-01-01 00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00", ""}) {
    EXPECT_EQ(ParseRfc3339(text), std::nullopt) << text;
  }
}

TEST(DescribeChangeTest, ShowsWhatAWriteChangedAndNothingElse) {
  PtahSchema base;
  base.mutable_status()->set_phase("Pending");
  base.mutable_status()->mutable_active_operation()->set_type("Apply");
  PtahSchema next = base;
  EXPECT_EQ(DescribeChange(base, next), "");
  next.mutable_status()->set_phase("Applying");
  next.mutable_status()->mutable_active_operation()->set_job_uid("uid-1");
  next.mutable_status()->mutable_active_operation()->set_dispatch_started(true);
  next.mutable_metadata()->add_finalizers("f");
  EXPECT_EQ(DescribeChange(base, next),
            "metadata.finalizers [] -> [\"f\"], phase \"Pending\" -> \"Applying\", "
            "activeOperation.jobUID \"\" -> \"uid-1\", "
            "activeOperation.dispatchStarted false -> true");
}

TEST(DescribeChangeTest, NamesRecordsThatAppearAndGo) {
  PtahSchema without, with;
  without.mutable_status();
  with.mutable_status()->mutable_pending_lock_release()->set_operation_id(
      "sha256:0123456789abcdef0123456789abcdef");
  with.mutable_status()->mutable_pending_lock_release()->set_lease_duration_seconds(960);
  EXPECT_EQ(DescribeChange(without, with),
            "+pendingLockRelease{operationID \"sha256:01234567...\", leaseDurationSeconds 960}");
  EXPECT_EQ(DescribeChange(with, without), "-pendingLockRelease");
}

TEST(DescribeChangeTest, ShowsConditionsByTypeAndMapsByKey) {
  PtahSchema base;
  Condition* ready = base.mutable_status()->add_conditions();
  ready->set_type("Ready");
  ready->set_status("True");
  PtahSchema next = base;
  next.mutable_status()->mutable_conditions(0)->set_status("False");
  next.mutable_status()->mutable_conditions(0)->set_reason("Blocked");
  (*next.mutable_metadata()->mutable_annotations())["k"] = "v";
  EXPECT_EQ(DescribeChange(base, next),
            "+metadata.annotations[k] \"v\", conditions[Ready] True -> False (Blocked)");
}

}  // namespace
}  // namespace lifecycle::api
