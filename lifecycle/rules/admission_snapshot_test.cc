#include "lifecycle/rules/admission_snapshot.h"

#include "gtest/gtest.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/time_fields.h"
#include "lifecycle/rules/job_fixture.h"
#include "lifecycle/rules/variations.h"

namespace lifecycle::rules {
namespace {

constexpr int64_t kStartedMs = 1'700'000'000'000;

api::PodTemplateSpec Template() {
  return FixtureOf(Family::kSchema, "Apply").built.spec().template_();
}

TEST(TemplateDigestTest, ChangesWithEveryFieldOfTheTemplate) {
  const api::PodTemplateSpec pod_template = Template();
  const std::string before = TemplateDigest(pod_template, kStartedMs);
  int changed = 0;
  for (const Variation& variation : VariationsOf(pod_template)) {
    const auto& varied = static_cast<const api::PodTemplateSpec&>(*variation.message);
    const std::string digest = TemplateDigest(varied, kStartedMs);
    if (variation.path.find("admission-snapshot-digest") != std::string::npos) {
      EXPECT_EQ(digest, before) << variation.path;
    } else {
      EXPECT_NE(digest, before) << variation.path;
      ++changed;
    }
  }
  EXPECT_GT(changed, 100);
}

TEST(TemplateDigestTest, LeavesOutTheLabelsAServerGenerates) {
  api::PodTemplateSpec pod_template = Template();
  const std::string before = TemplateDigest(pod_template, kStartedMs);
  for (const char* key : {api::label::kControllerUid, api::label::kJobName,
                          api::label::kLegacyControllerUid, api::label::kLegacyJobName}) {
    (*pod_template.mutable_metadata()->mutable_labels())[key] = "u";
    EXPECT_EQ(TemplateDigest(pod_template, kStartedMs), before) << key;
  }
}

TEST(TemplateDigestTest, TakesTheServiceAccountsAliasForTheNameAndNothingElse) {
  api::PodTemplateSpec pod_template = Template();
  const std::string before = TemplateDigest(pod_template, kStartedMs);
  pod_template.mutable_spec()->set_service_account("ptah-runner");
  EXPECT_EQ(TemplateDigest(pod_template, kStartedMs), before);
  pod_template.mutable_spec()->set_service_account("root");
  EXPECT_NE(TemplateDigest(pod_template, kStartedMs), before);
}

TEST(TemplateDigestTest, IsTheSameWhateverOClockTheClaimWasMade) {
  api::PodTemplateSpec later = Template();
  for (api::EnvVar& variable : *later.mutable_spec()->mutable_containers(0)->mutable_env()) {
    if (variable.time_ms() != 0) variable.set_time_ms(variable.time_ms() + 60'000);
  }
  EXPECT_EQ(TemplateDigest(later, kStartedMs + 60'000), TemplateDigest(Template(), kStartedMs));
  EXPECT_NE(TemplateDigest(later, kStartedMs), TemplateDigest(Template(), kStartedMs));
}

// AddInstants knows one field; another time in a template would be in no digest at all.
TEST(TemplateDigestTest, ATemplateHoldsNoTimesButThoseOfTheEnvironment) {
  for (const api::TimeField& field : api::TimeFieldsOf(api::PodTemplateSpec::descriptor())) {
    EXPECT_TRUE(field.path == "spec.initContainers.env.time" ||
                field.path == "spec.containers.env.time")
        << field.path;
  }
}

TEST(StartedAtTest, IsReadOffTheDeadlinesOfAnApply) {
  EXPECT_EQ(StartedAtOf(Template()), kStartedMs);
  EXPECT_EQ(StartedAtOf(FixtureOf(Family::kSchema, "Plan").built.spec().template_()), 0);
}

TEST(SnapshotTest, IsValidAsItWasResolved) {
  EXPECT_TRUE(ValidateSnapshot(FixtureOf(Family::kSchema, "Apply").snapshot).ok());
}

TEST(SnapshotTest, AChangeOfAnyFieldMakesItInvalid) {
  api::AdmissionSnapshot snapshot = FixtureOf(Family::kSchema, "Apply").snapshot;
  for (int i = 0; i < 2; ++i) {
    api::BoundObject* range = snapshot.add_limit_ranges();
    range->set_name(i == 0 ? "small" : "large");
    range->set_uid("range-uid");
    range->set_resource_version("3");
  }
  *snapshot.mutable_runtime_class() = snapshot.limit_ranges(0);
  *snapshot.mutable_priority_class() = snapshot.limit_ranges(1);
  snapshot.mutable_toleration_plugin()->set_not_ready_toleration_seconds(300);
  snapshot.set_digest(SnapshotDigest(snapshot));
  ASSERT_TRUE(ValidateSnapshot(snapshot).ok());
  for (const Variation& variation : VariationsOf(snapshot)) {
    const auto& varied = static_cast<const api::AdmissionSnapshot&>(*variation.message);
    EXPECT_FALSE(ValidateSnapshot(varied).ok()) << variation.path;
  }
}

// Sealed again after the change: the digest is right, the contents are not.
bool ValidAfter(void (*change)(api::AdmissionSnapshot*)) {
  api::AdmissionSnapshot snapshot = FixtureOf(Family::kSchema, "Apply").snapshot;
  change(&snapshot);
  snapshot.set_digest(SnapshotDigest(snapshot));
  return ValidateSnapshot(snapshot).ok();
}

TEST(SnapshotTest, IsInvalidWhenSomethingIsUnboundHoweverItIsSealed) {
  EXPECT_TRUE(ValidAfter([](api::AdmissionSnapshot*) {}));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) { s->set_version("v2"); }));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) { s->set_template_digest("x"); }));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) { s->clear_service_account(); }));
  EXPECT_FALSE(
      ValidAfter([](api::AdmissionSnapshot* s) { s->mutable_service_account()->clear_uid(); }));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) { s->add_limit_ranges(); }));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) { s->mutable_runtime_class(); }));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) { s->mutable_priority_class(); }));
  EXPECT_FALSE(ValidAfter([](api::AdmissionSnapshot* s) {
    for (int i = 0; i < kLimitRangesMax + 1; ++i) {
      *s->add_limit_ranges() = s->service_account();
    }
  }));
}

}  // namespace
}  // namespace lifecycle::rules
