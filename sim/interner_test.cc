#include "sim/interner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/names.h"
#include "sim/world_testing.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

api::PtahSchema SchemaWithPhase(const std::string& phase) {
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  schema.mutable_status()->set_phase(phase);
  return schema;
}

Handle Intern(Interner& interner, const api::PtahSchema& schema) {
  return interner.Intern(api::Kind::kPtahSchema, std::make_shared<api::PtahSchema>(schema));
}

TEST(InternerTest, OneValueIsOneHandle) {
  Interner interner;
  const Handle first = Intern(interner, SchemaWithPhase("Pending"));
  EXPECT_EQ(Intern(interner, SchemaWithPhase("Pending")), first);
  EXPECT_NE(Intern(interner, SchemaWithPhase("Planning")), first);
  EXPECT_EQ(interner.size(), 2u);
  EXPECT_EQ(first->As<api::PtahSchema>().status().phase(), "Pending");
}

TEST(InternerTest, TimesTellHandlesApartAndNotContents) {
  Interner interner;
  api::PtahSchema schema = SchemaWithPhase("Pending");
  schema.mutable_status()->set_next_reconciliation_time_ms(5);
  const Handle early = Intern(interner, schema);
  schema.mutable_status()->set_next_reconciliation_time_ms(6);
  const Handle late = Intern(interner, schema);
  schema.mutable_status()->clear_next_reconciliation_time_ms();
  const Handle never = Intern(interner, schema);
  EXPECT_NE(early, late);
  EXPECT_EQ(early->content, late->content);
  EXPECT_NE(early->content, never->content);  // That it is set counts.
  ASSERT_EQ(early->times.size(), 1u);
  EXPECT_EQ(early->times[0].role, TimeRole::kDeadline);
  EXPECT_EQ(early->times[0].at_ms, 5);
}

TEST(InternerTest, TheTimeInTheCopyOfAnUnresolvedRunIsATimeToo) {
  Interner interner;
  const auto with_copy = [&](const std::string& recorded_at) {
    api::PtahMigration migration = Named<api::PtahMigration>("m");
    (*migration.mutable_metadata()->mutable_annotations())[api::annotation::kUnresolvedRun] =
        absl::StrCat("{\"outcome\":\"Partial\",\"recordedAt\":\"", recorded_at, "\"}");
    return interner.Intern(api::Kind::kPtahMigration,
                           std::make_shared<api::PtahMigration>(migration));
  };
  const Handle first = with_copy("2024-05-01T00:00:00Z");
  const Handle second = with_copy("2024-05-01T00:00:07Z");
  EXPECT_NE(first, second);
  EXPECT_EQ(first->content, second->content);
}

TEST(InternerTest, ACountThatIsOnlyShownIsToldApartLikeATime) {
  Interner interner;
  const auto changed_hands = [&](int64_t times) {
    api::Lease lease;
    lease.mutable_metadata()->set_name("l");
    if (times >= 0) lease.mutable_spec()->set_lease_transitions(times);
    return interner.Intern(api::Kind::kLease, std::make_shared<api::Lease>(lease));
  };
  EXPECT_NE(changed_hands(1), changed_hands(2));
  EXPECT_EQ(changed_hands(0)->content, changed_hands(2)->content);
  EXPECT_FALSE(changed_hands(2)->times_matter);
  EXPECT_NE(changed_hands(-1)->content, changed_hands(0)->content) << "whether it is set counts";
}

TEST(InternerTest, RolesSayHowATimeCounts) {
  const std::vector<TimeValue> times = {
      {TimeRole::kDeadline, 100, 0}, {TimeRole::kSince, 40, 30}, {TimeRole::kShown, 7, 0}};
  const auto at = [&](int64_t now_ms, bool exact = false) {
    Hasher hasher;
    AbsorbTimes(times, now_ms, exact, hasher);
    return hasher.Finish();
  };
  EXPECT_NE(at(50), at(60));    // The deadline comes nearer.
  EXPECT_EQ(at(100), at(900));  // Past is past, and elapsed times beyond the cap are one.
  EXPECT_NE(at(60), at(100));
  EXPECT_EQ(at(50, true), at(60, true));
}

// Returns how far the times of a Job that began at 1 s count in a state's key.
Hash128 TimesOfJobAt(Interner& interner, bool finished, int64_t now_ms) {
  api::Job job = Named<api::Job>("job");
  job.mutable_status()->set_start_time_ms(1'000);
  if (finished) {
    api::JobCondition* condition = job.mutable_status()->add_conditions();
    condition->set_type(api::condition::kJobComplete);
    condition->set_status("True");
  }
  const Handle handle = interner.Intern(api::Kind::kJob, std::make_shared<api::Job>(job));
  Hasher hasher;
  AbsorbTimes(handle->times, now_ms, false, hasher);
  return hasher.Finish();
}

TEST(InternerTest, AStartCountsUntilTheJobHasFinished) {
  Interner interner;
  EXPECT_NE(TimesOfJobAt(interner, false, 2'000), TimesOfJobAt(interner, false, 3'000));
  EXPECT_EQ(TimesOfJobAt(interner, true, 2'000), TimesOfJobAt(interner, true, 3'000));
}

TEST(InternerTest, MapsFilledInAnyOrderHaveOneExactHash) {
  api::Job ascending = Named<api::Job>("j");
  api::Job descending = ascending;
  for (int i = 0; i < 40; ++i) {
    (*ascending.mutable_metadata()->mutable_labels())[absl::StrCat("label-", i)] = "x";
    (*descending.mutable_metadata()->mutable_labels())[absl::StrCat("label-", 39 - i)] = "x";
  }
  EXPECT_EQ(ExactHashOf(ascending), ExactHashOf(descending));
  (*descending.mutable_metadata()->mutable_labels())["label-7"] = "y";
  EXPECT_NE(ExactHashOf(ascending), ExactHashOf(descending));
}

TEST(InternerTest, MentionsWholeWordsOfEveryText) {
  Interner interner;
  api::PtahSchema schema = SchemaWithPhase("Pending");
  auto* condition = schema.mutable_status()->add_conditions();
  condition->set_message("Job 0f0e0d0c-0000-4000-8000-000000000001 ended. See ptah-apply-x.");
  (*schema.mutable_metadata()->mutable_annotations())["copy"] = "{\"jobUID\":\"uid-in-json\"}";
  (*schema.mutable_metadata()->mutable_labels())["a-label-key"] = "a-label-value";
  const Handle handle = Intern(interner, schema);
  EXPECT_TRUE(handle->Mentions("0f0e0d0c-0000-4000-8000-000000000001"));
  EXPECT_TRUE(handle->Mentions("ptah-apply-x"));
  EXPECT_TRUE(handle->Mentions("uid-in-json"));
  EXPECT_TRUE(handle->Mentions("a-label-key"));
  EXPECT_TRUE(handle->Mentions("a-label-value"));
  EXPECT_FALSE(handle->Mentions("ptah-apply"));
  EXPECT_FALSE(handle->Mentions("0f0e0d0c-0000-4000-8000-000000000002"));
}

TEST(InternerTest, TheSamePatchOfTheSameObjectIsMadeOnce) {
  TestStore store;
  store.Create(Named<api::PtahSchema>("a"));
  const Handle base = store.world.objects[0].object;
  api::PtahSchema next = base->As<api::PtahSchema>();
  next.mutable_status()->set_phase("Planning");
  next.mutable_status()->set_next_reconciliation_time_ms(5);
  const api::Request request = store.PatchRequest(next, api::Subresource::kStatus);
  const Handle first = store.interner.Patched(base, request);
  const size_t size = store.interner.size();
  EXPECT_EQ(store.interner.Patched(base, request), first);
  EXPECT_EQ(store.interner.size(), size);
  // Another value, a time included, is another patch.
  next.mutable_status()->set_next_reconciliation_time_ms(6);
  const Handle other =
      store.interner.Patched(base, store.PatchRequest(next, api::Subresource::kStatus));
  EXPECT_NE(other, first);
  EXPECT_EQ(other->As<api::PtahSchema>().status().next_reconciliation_time_ms(), 6);
}

TEST(InternerTest, APatchThatDeletesIsNotTheOneThatSets) {
  TestStore store;
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  (*schema.mutable_metadata()->mutable_annotations())["key"] = "value";
  schema = store.Create(schema);
  const Handle base = store.world.objects[0].object;
  schema.mutable_metadata()->mutable_annotations()->erase("key");
  const Handle without = store.interner.Patched(base, store.PatchRequest(schema));
  (*schema.mutable_metadata()->mutable_annotations())["key"] = "";
  const Handle empty = store.interner.Patched(base, store.PatchRequest(schema));
  EXPECT_NE(without, empty);
  EXPECT_EQ(without->As<api::PtahSchema>().metadata().annotations_size(), 0);
}

// Sets some fields of a schema, times among them; equal choices give equal schemas.
api::PtahSchema SchemaFrom(const std::vector<int>& choices) {
  api::PtahSchema schema = Named<api::PtahSchema>("a");
  const auto choice = [&](size_t i) { return i < choices.size() ? choices[i] : 0; };
  schema.mutable_spec()->set_interval_seconds(choice(0));
  for (int i = 0; i < choice(1); ++i) schema.mutable_metadata()->add_finalizers("f");
  if (choice(2) != 0) {
    schema.mutable_status()->mutable_active_operation()->set_attempt(choice(2) - 1);
  }
  if (choice(3) != 0) {
    (*schema.mutable_metadata()->mutable_labels())[absl::StrCat("k", choice(3))] = "v";
  }
  schema.mutable_metadata()->set_deletion_timestamp_ms(choice(4));
  return schema;
}

RC_GTEST_PROP(InternerTest, HandlesAreEqualExactlyWhenTheValuesAre, ()) {
  const auto choices = rc::gen::container<std::vector<int>>(5, rc::gen::inRange(0, 3));
  const api::PtahSchema a = SchemaFrom(*choices);
  const api::PtahSchema b = SchemaFrom(*choices);
  Interner interner;
  RC_ASSERT((Intern(interner, a) == Intern(interner, b)) == api::Equal(a, b));
}

}  // namespace
}  // namespace sim
