#include "lifecycle/rules/job_claim.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/rules/job_fixture.h"
#include "lifecycle/rules/variations.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::rules {
namespace {

namespace annotation = api::annotation;
namespace label = api::label;

constexpr MatchMode kModes[] = {MatchMode::kBuiltSubmitted, MatchMode::kBuiltStored,
                                MatchMode::kEnvelope};

// The number of the check that failed, or -1 for a match.
int FailedCheck(const std::optional<Mismatch>& mismatch) { return mismatch ? mismatch->check : -1; }

constexpr int kMatches = -1;

TEST(MatchTest, AJobIsItsClaimsInEveryMode) {
  for (const MatchMode mode : kModes) {
    for (const char* type : {"Apply", "Plan", "Observe", "Resolve"}) {
      EXPECT_EQ(FailedCheck(FixtureOf(Family::kSchema, type).MatchOwn(mode)), kMatches) << type;
    }
    for (const char* type : {"Apply", "History"}) {
      EXPECT_EQ(FailedCheck(FixtureOf(Family::kMigration, type).MatchOwn(mode)), kMatches) << type;
    }
  }
}

TEST(MatchTest, NeedsNeitherABindingNorARecordedUid) {
  JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  claim.binding_given = false;
  claim.recorded_uid.clear();
  for (const MatchMode mode : kModes) EXPECT_EQ(FailedCheck(claim.MatchOwn(mode)), kMatches);
}

TEST(MatchTest, ARecordThatKeptNoFingerprintAndNoStartStillJudgesTheEnvelope) {
  JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  claim.input_fingerprint.clear();
  claim.started_at_ms.reset();
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), kMatches);
  auto& annotations = *claim.stored.mutable_metadata()->mutable_annotations();
  annotations[annotation::kInputFingerprint] = "no digest";
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), 13);
}

TEST(MatchTest, AStoredJobMayCarryTheCleanupTtl) {
  JobFixture claim = FixtureOf(Family::kMigration, "Apply");
  claim.stored.mutable_spec()->set_ttl_seconds_after_finished(300);
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltStored)), kMatches);
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), kMatches);
  claim.stored.mutable_spec()->set_ttl_seconds_after_finished(301);
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltStored)), 10);
  claim.submitted.mutable_spec()->set_ttl_seconds_after_finished(300);
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltSubmitted)), 10);
}

TEST(MatchTest, AJobWithoutGeneratedIdentityIsTakenAsWell) {
  JobFixture claim = FixtureOf(Family::kSchema, "Plan");
  claim.stored = claim.built;
  claim.stored.mutable_metadata()->set_uid(claim.recorded_uid);
  for (const MatchMode mode : {MatchMode::kBuiltStored, MatchMode::kEnvelope}) {
    EXPECT_EQ(FailedCheck(claim.MatchOwn(mode)), kMatches);
  }
}

// One change, and the number of the check that has to refuse it in built and in envelope mode.
struct Case {
  const char* what;
  int built;
  int envelope;
  std::function<void(JobFixture&)> change;
};

// Changes the stored Job's annotation on the Job and on its template alike.
void Annotate(JobFixture& claim, const char* key, const std::string& value) {
  (*claim.stored.mutable_metadata()->mutable_annotations())[key] = value;
  (*claim.stored.mutable_spec()
        ->mutable_template_()
        ->mutable_metadata()
        ->mutable_annotations())[key] = value;
}
void Label(JobFixture& claim, const std::string& key, const std::string& value) {
  (*claim.stored.mutable_metadata()->mutable_labels())[key] = value;
  (*claim.stored.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())[key] =
      value;
}
api::PodSpec* PodOf(JobFixture& claim) {
  return claim.stored.mutable_spec()->mutable_template_()->mutable_spec();
}
api::OwnerReference* OwnerOf(JobFixture& claim) {
  return claim.stored.mutable_metadata()->mutable_owner_references(0);
}
auto& SelectorOf(JobFixture& claim) {
  return *claim.stored.mutable_spec()->mutable_selector()->mutable_match_labels();
}
auto& PodLabelsOf(JobFixture& claim) {
  return *claim.stored.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels();
}

std::vector<Case> Cases() {
  return {
      // 7.1: a claim that judges nothing.
      {"no namespace", 0, 0, [](JobFixture& c) { c.owner_namespace.clear(); }},
      {"no owner name", 0, 0, [](JobFixture& c) { c.owner_name.clear(); }},
      {"no owner UID", 0, 0, [](JobFixture& c) { c.owner_uid.clear(); }},
      {"no operation", 0, 0, [](JobFixture& c) { c.type.clear(); }},
      {"no id", 0, 0, [](JobFixture& c) { c.id.clear(); }},
      {"no Job name", 0, 0, [](JobFixture& c) { c.job_name.clear(); }},
      {"malformed epoch", 0, 0, [](JobFixture& c) { c.epoch = "v1-x"; }},
      {"no snapshot", 0, 0, [](JobFixture& c) { c.snapshot.Clear(); }},
      {"broken snapshot", 0, 0, [](JobFixture& c) { c.snapshot.set_always_pull_images(true); }},
      // 1 to 7, both modes.
      {"no UID", 1, 1, [](JobFixture& c) { c.stored.mutable_metadata()->clear_uid(); }},
      {"other name", 2, 2, [](JobFixture& c) { c.stored.mutable_metadata()->set_name("j"); }},
      {"other namespace", 2, 2,
       [](JobFixture& c) { c.stored.mutable_metadata()->set_namespace_("n"); }},
      {"another claim's name", 2, 2, [](JobFixture& c) { c.job_name = "ptah-apply-other"; }},
      {"replaced", 3, 3, [](JobFixture& c) { c.recorded_uid = "another"; }},
      {"no owner", 4, 4,
       [](JobFixture& c) { c.stored.mutable_metadata()->clear_owner_references(); }},
      {"two owners", 4, 4,
       [](JobFixture& c) {
         *c.stored.mutable_metadata()->add_owner_references() =
             c.stored.metadata().owner_references(0);
       }},
      {"other API version", 4, 4, [](JobFixture& c) { OwnerOf(c)->set_api_version("v1"); }},
      {"other owner kind", 4, 4, [](JobFixture& c) { OwnerOf(c)->set_kind("PtahMigration"); }},
      {"other owner name", 4, 4, [](JobFixture& c) { OwnerOf(c)->set_name("o"); }},
      {"other owner UID", 4, 4, [](JobFixture& c) { OwnerOf(c)->set_uid("o"); }},
      {"not controller", 4, 4, [](JobFixture& c) { OwnerOf(c)->set_controller(false); }},
      {"not blocking", 4, 4, [](JobFixture& c) { OwnerOf(c)->clear_block_owner_deletion(); }},
      {"epoch not in force", 5, 5,
       [](JobFixture& c) { c.binding.set_epoch(api::EpochOf(std::string(16, '\2'))); }},
      {"Job of another epoch", 6, 6,
       [](JobFixture& c) {
         Annotate(c, annotation::kExecutionBindingId, api::EpochOf(std::string(16, '\2')));
       }},
      {"no epoch on the Job", 6, 6,
       [](JobFixture& c) {
         c.stored.mutable_metadata()->mutable_annotations()->erase(annotation::kExecutionBindingId);
       }},
      {"selector of another Job", 7, 7,
       [](JobFixture& c) { SelectorOf(c)[label::kControllerUid] = "another"; }},
      {"selector by team", 7, 7, [](JobFixture& c) { SelectorOf(c)["team"] = "shop"; }},
      {"empty selector", 7, 7, [](JobFixture& c) { SelectorOf(c).clear(); }},
      {"label of another Job", 7, 7,
       [](JobFixture& c) { PodLabelsOf(c)[label::kLegacyJobName] = "another"; }},
      {"label of another UID", 7, 7,
       [](JobFixture& c) { PodLabelsOf(c)[label::kControllerUid] = "another"; }},
      // 8: labels and annotations.
      {"other component", 8, 8, [](JobFixture& c) { Label(c, label::kComponent, "x"); }},
      {"other manager", 8, 8, [](JobFixture& c) { Label(c, label::kManagedBy, "x"); }},
      {"other subject", 8, 8, [](JobFixture& c) { Label(c, label::kSchema, "x"); }},
      {"other operation", 8, 8, [](JobFixture& c) { Label(c, label::kOperation, "plan"); }},
      {"other operation hash", 8, 8, [](JobFixture& c) { Label(c, label::kOperationHash, "x"); }},
      {"subject of the other family", 8, 8,
       [](JobFixture& c) { Label(c, label::kMigration, "x"); }},
      {"reserved label", 8, 8, [](JobFixture& c) { Label(c, "kubernetes.io/os", "linux"); }},
      {"reserved annotation", 8, 8, [](JobFixture& c) { Annotate(c, "x.ptah.run/y", "z"); }},
      {"generated label on the Job", 8, 8,
       [](JobFixture& c) {
         (*c.stored.mutable_metadata()->mutable_labels())[label::kLegacyJobName] = c.job_name;
       }},
      {"other operation ID", 8, 8,
       [](JobFixture& c) { Annotate(c, annotation::kOperationId, api::DigestOf("other")); }},
      {"other snapshot", 8, 8,
       [](JobFixture& c) {
         Annotate(c, annotation::kAdmissionSnapshotDigest, api::DigestOf("other"));
       }},
      {"more labels than podMetadata may declare", 8, 8,
       [](JobFixture& c) {
         for (int i = 0; i < 16; ++i) Label(c, absl::StrCat("extra-", i), "x");
       }},
      // Declared metadata: its values are the template's to pin once the inputs moved.
      {"one more declared label", 8, 17, [](JobFixture& c) { Label(c, "tier", "x"); }},
      {"other declared annotation", 8, 17,
       [](JobFixture& c) { Annotate(c, "example.com/ticket", "43"); }},
      // 10: the spec, which an envelope compares by its template alone.
      {"backoff", 10, kMatches,
       [](JobFixture& c) { c.stored.mutable_spec()->set_backoff_limit(1); }},
      {"no backoff", 10, kMatches,
       [](JobFixture& c) { c.stored.mutable_spec()->clear_backoff_limit(); }},
      {"image", 10, 17, [](JobFixture& c) { PodOf(c)->mutable_containers(0)->set_image("x"); }},
      {"deadline", 10, 17,
       [](JobFixture& c) {
         PodOf(c)->mutable_containers(0)->mutable_env()->rbegin()->set_time_ms(1);
       }},
      {"no runtime class is not an empty one", 10, 17,
       [](JobFixture& c) { PodOf(c)->set_runtime_class_name(""); }},
      {"other service account", 10, 17,
       [](JobFixture& c) { PodOf(c)->set_service_account("root"); }},
      // 11 to 16: what a rebuilt Job implies.
      {"controller image not pinned", 8, 11,
       [](JobFixture& c) { Annotate(c, annotation::kControllerImage, "controller:latest"); }},
      {"blank revision", 8, 11,
       [](JobFixture& c) { Annotate(c, annotation::kControllerRevision, ""); }},
      {"state version zero", 8, 11,
       [](JobFixture& c) { Annotate(c, annotation::kControllerStateVersion, "0"); }},
      {"state version not canonical", 8, 11,
       [](JobFixture& c) { Annotate(c, annotation::kControllerStateVersion, "+1"); }},
      {"untrimmed Ptah version", 8, 11,
       [](JobFixture& c) { Annotate(c, annotation::kPtahVersion, " 1.4.0"); }},
      {"long Ptah version", 8, 11,
       [](JobFixture& c) { Annotate(c, annotation::kPtahVersion, std::string(129, '1')); }},
      {"other Ptah version", 8, 12,
       [](JobFixture& c) { Annotate(c, annotation::kPtahVersion, "1.4.1"); }},
      {"other state version", 8, 12,
       [](JobFixture& c) { Annotate(c, annotation::kControllerStateVersion, "2"); }},
      {"other inputs", 8, 13,
       [](JobFixture& c) { Annotate(c, annotation::kInputFingerprint, api::DigestOf("other")); }},
      {"other plan", 8, 14,
       [](JobFixture& c) { Annotate(c, annotation::kPlanFingerprint, api::DigestOf("other")); }},
      {"other plan content", 8, 14,
       [](JobFixture& c) { Annotate(c, annotation::kPlanContentDigest, api::DigestOf("other")); }},
      {"may be evicted", 8, 15,
       [](JobFixture& c) { Annotate(c, annotation::kSafeToEvict, "true"); }},
      {"template of another operation", 10, 16,
       [](JobFixture& c) { PodLabelsOf(c)[label::kOperation] = "plan"; }},
      {"template without an annotation", 10, 16,
       [](JobFixture& c) {
         c.stored.mutable_spec()
             ->mutable_template_()
             ->mutable_metadata()
             ->mutable_annotations()
             ->erase(annotation::kSafeToEvict);
       }},
  };
}

TEST(MatchTest, EveryChangeIsRefusedByItsOwnCheck) {
  for (const Case& one : Cases()) {
    JobFixture claim = FixtureOf(Family::kSchema, "Apply");
    one.change(claim);
    EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltStored)), one.built) << one.what;
    EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), one.envelope) << one.what;
  }
}

// 14, the plan's half: what the record says of the plan it carries out.
TEST(MatchTest, AnEnvelopeHoldsTheRecordedPlanToTheClaim) {
  const std::function<void(JobFixture&)> changes[] = {
      [](JobFixture& c) { c.has_plan = false; },
      [](JobFixture& c) { c.plan_name.clear(); },
      [](JobFixture& c) { c.plan_uid.clear(); },
      [](JobFixture& c) { c.plan_fingerprint = "x"; },
      [](JobFixture& c) { c.plan_content = api::DigestOf("other"); },
      [](JobFixture& c) { c.plan_epoch = api::EpochOf(std::string(16, '\2')); },
      [](JobFixture& c) { c.plan_state_version = 2; },
      [](JobFixture& c) { c.plan_ptah_version = "1.4.1"; },
  };
  for (const auto& change : changes) {
    JobFixture claim = FixtureOf(Family::kSchema, "Apply");
    change(claim);
    EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), 14);
  }
}

TEST(MatchTest, MarksOfAnApplyOnAReadOnlyJobAreRefused) {
  for (const char* key :
       {annotation::kSafeToEvict, annotation::kPlanFingerprint, annotation::kPlanContentDigest}) {
    JobFixture claim = FixtureOf(Family::kSchema, "Plan");
    Annotate(claim, key, "false");
    EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), 8) << key;
  }
}

TEST(MatchTest, WithoutABindingTheVersionsOnlyHaveToBeWellFormed) {
  JobFixture claim = FixtureOf(Family::kSchema, "Plan");
  claim.binding_given = false;
  Annotate(claim, annotation::kPtahVersion, "9.9.9");
  // The template is pinned by its digest all the same.
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kEnvelope)), 17);
}

// A template that is not the one the snapshot recorded, built as faithfully as can be.
TEST(MatchTest, ARebuiltJobIsStillHeldToTheSnapshot) {
  JobFixture claim = FixtureOf(Family::kMigration, "Apply");
  for (api::Job* job : {&claim.built, &claim.stored}) {
    job->mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image("x");
  }
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltStored)), 17);
}

// 9 asks about metadata of a submitted create only.
TEST(MatchTest, ASubmittedJobCarriesNoMetadataOfItsOwn) {
  JobFixture claim = FixtureOf(Family::kSchema, "Plan");
  claim.submitted.mutable_metadata()->add_finalizers("example.com/keep");
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltSubmitted)), 9);
  claim.stored.mutable_metadata()->add_finalizers("foregroundDeletion");
  EXPECT_EQ(FailedCheck(claim.MatchOwn(MatchMode::kBuiltStored)), kMatches);
}

// Fields of a Job that a mode leaves to others, by the start of their path.
bool LeftOut(MatchMode mode, const std::string& path) {
  const auto is = [&path](std::initializer_list<const char*> starts) {
    for (const char* start : starts) {
      if (absl::StartsWith(path, start)) return true;
    }
    return false;
  };
  // Assigned by the server, or not the Job's intent.
  if (is({"status", "metadata.resource_version", "metadata.generation ",
          "metadata.creation_timestamp_ms"})) {
    return true;
  }
  // Another value than the Job's own is refused; none at all is not.
  if (is({"spec.selector disappears"})) return true;
  if (is({"spec.template.metadata.labels["}) && absl::EndsWith(path, "removed")) {
    return path.find("controller-uid") != std::string::npos ||
           path.find("job-name") != std::string::npos;
  }
  if (is({"spec.template.spec.service_account cleared"})) return true;
  if (mode == MatchMode::kBuiltSubmitted) return false;
  if (is({"metadata.deletion", "metadata.finalizers"})) return true;
  if (mode == MatchMode::kBuiltStored) return false;
  return is({"spec."}) && !is({"spec.template", "spec.selector"});
}

TEST(MatchTest, ChangingAnyOneFieldOfTheJobIsRefused) {
  for (const MatchMode mode : kModes) {
    const JobFixture claim = FixtureOf(Family::kSchema, "Apply");
    int refused = 0;
    for (const Variation& variation : VariationsOf(claim.JobOf(mode))) {
      const auto& job = static_cast<const api::Job&>(*variation.message);
      const int check = FailedCheck(claim.MatchJob(mode, job));
      if (LeftOut(mode, variation.path)) {
        EXPECT_EQ(check, kMatches) << variation.path;
      } else {
        EXPECT_NE(check, kMatches) << variation.path;
        ++refused;
      }
    }
    EXPECT_GT(refused, 150);
  }
}

TEST(VariationsTest, OnlyThoseAskedForAreMadeAndInTheirPlaces) {
  const JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  const std::vector<Variation> all = VariationsOf(claim.built);
  const std::vector<Variation> some =
      VariationsOf(claim.built, [](size_t index) { return index % 24 == 5; });
  ASSERT_EQ(some.size(), (all.size() + 18) / 24);
  for (size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].path, all[24 * i + 5].path);
    EXPECT_TRUE(api::Equal(*some[i].message, *all[24 * i + 5].message));
  }
}

TEST(MatchTest, ChangingAnyOneFieldOfTheRebuiltJobIsRefused) {
  const JobFixture original = FixtureOf(Family::kMigration, "Apply");
  for (const Variation& variation : VariationsOf(original.built)) {
    JobFixture claim = original;
    claim.built = static_cast<const api::Job&>(*variation.message);
    // What Match holds the live Job to by the claim, or a server assigns, it does not ask of the
    // rebuild; and an alias equal to the name says nothing.
    if (absl::StartsWith(variation.path, "status")) continue;
    if (absl::StartsWith(variation.path, "metadata.") &&
        !absl::StartsWith(variation.path, "metadata.labels") &&
        !absl::StartsWith(variation.path, "metadata.annotations")) {
      continue;
    }
    if (absl::StartsWith(variation.path, "spec.selector")) continue;
    EXPECT_NE(FailedCheck(claim.MatchOwn(MatchMode::kBuiltStored)), kMatches) << variation.path;
  }
}

RC_GTEST_PROP(MatchTest, AnyOneInputOfTheClaimChangedIsRefused, ()) {
  JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  std::string* const texts[] = {&claim.owner_namespace,
                                &claim.owner_name,
                                &claim.owner_uid,
                                &claim.type,
                                &claim.id,
                                &claim.job_name,
                                &claim.recorded_uid,
                                &claim.epoch,
                                &claim.input_fingerprint,
                                &claim.plan_fingerprint,
                                &claim.plan_content,
                                &claim.plan_epoch};
  std::string& changed = *texts[*rc::gen::inRange<size_t>(0, std::size(texts))];
  const std::string before = changed;
  // An empty recorded UID or input fingerprint is a record that kept none.
  changed = *rc::gen::suchThat(rc::gen::container<std::string>(rc::gen::inRange('a', 'z')),
                               [&](const std::string& s) { return !s.empty() && s != before; });
  RC_ASSERT(claim.MatchOwn(MatchMode::kEnvelope).has_value());
}

// A fixture with every change of its Job, made once: the property below asks many times.
struct Varied {
  JobFixture claim;
  std::vector<Variation> submitted;
  std::vector<Variation> stored;
};

std::vector<Varied> EveryKindOfJob() {
  std::vector<Varied> all;
  for (const auto& [family, type] :
       std::vector<std::pair<Family, const char*>>{{Family::kSchema, "Resolve"},
                                                   {Family::kSchema, "Observe"},
                                                   {Family::kSchema, "Plan"},
                                                   {Family::kMigration, "History"},
                                                   {Family::kMigration, "Apply"}}) {
    const JobFixture claim = FixtureOf(family, type);
    all.push_back({claim, VariationsOf(claim.submitted), VariationsOf(claim.stored)});
  }
  return all;
}

RC_GTEST_PROP(MatchTest, AnyOneFieldOfAnyJobChangedIsRefused, ()) {
  static const std::vector<Varied>& all = *new std::vector<Varied>(EveryKindOfJob());
  const Varied& varied = all[*rc::gen::inRange<size_t>(0, all.size())];
  const MatchMode mode = kModes[*rc::gen::inRange(0, 3)];
  const std::vector<Variation>& changes =
      mode == MatchMode::kBuiltSubmitted ? varied.submitted : varied.stored;
  const Variation& change = changes[*rc::gen::inRange<size_t>(0, changes.size())];
  RC_PRE(!LeftOut(mode, change.path));
  const auto& job = static_cast<const api::Job&>(*change.message);
  RC_ASSERT(varied.claim.MatchJob(mode, job).has_value());
}

TEST(OwnedExactlyTest, AsksForOneExactControllingReference) {
  JobFixture claim = FixtureOf(Family::kSchema, "Apply");
  api::ObjectMeta resource;
  resource.set_name(claim.owner_name);
  resource.set_uid(claim.owner_uid);
  EXPECT_TRUE(OwnedExactly(Family::kSchema, resource, claim.stored));
  EXPECT_FALSE(OwnedExactly(Family::kMigration, resource, claim.stored));
  resource.set_uid("recreated");
  EXPECT_FALSE(OwnedExactly(Family::kSchema, resource, claim.stored));
}

}  // namespace
}  // namespace lifecycle::rules
