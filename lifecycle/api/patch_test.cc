#include "lifecycle/api/patch.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_join.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/random_message.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Message;

std::string Paths(const Message& base, const Message& next) {
  return absl::StrJoin(Diff(base, next), " ",
                       [](std::string* out, const FieldPath& path) { *out += path.ToString(); });
}

std::unique_ptr<Message> Copy(const Message& message) {
  std::unique_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  return copy;
}

// A variation mostly adds, so the way back mostly removes.
RC_GTEST_PROP(PatchTest, ADifferenceAppliedToTheBaseGivesTheOther,
              (uint64_t seed, uint64_t variation, bool back)) {
  std::unique_ptr<Message> a = RandomObject(seed);
  std::unique_ptr<Message> b = RandomVariation(variation, *a);
  if (back) std::swap(a, b);
  const std::unique_ptr<Message> patched = Copy(*a);
  ApplyPatch(Diff(*a, *b), *b, patched.get());
  RC_ASSERT(Equal(*patched, *b));
  RC_ASSERT(CanonicalBytes(*patched) == CanonicalBytes(*b));
}

RC_GTEST_PROP(PatchTest, EqualMessagesDifferNowhereAndOthersSomewhere,
              (uint64_t seed, uint64_t variation)) {
  const std::unique_ptr<Message> a = RandomObject(seed);
  const std::unique_ptr<Message> b = RandomVariation(variation, *a);
  RC_ASSERT(Diff(*a, *Copy(*a)).empty());
  RC_ASSERT(Diff(*a, *b).empty() == Equal(*a, *b));
}

RC_GTEST_PROP(PatchTest, PatchesOfDisjointFieldsCommute, (uint64_t seed, uint64_t variation)) {
  const std::unique_ptr<Message> a = RandomObject(seed);
  const std::unique_ptr<Message> b = RandomVariation(variation, *a);
  // The paths of one difference are disjoint, so any two halves of it are.
  std::vector<FieldPath> first, second;
  for (const FieldPath& path : Diff(*a, *b)) {
    (first.size() <= second.size() ? first : second).push_back(path);
  }
  const std::unique_ptr<Message> forth = Copy(*a);
  ApplyPatch(first, *b, forth.get());
  ApplyPatch(second, *b, forth.get());
  const std::unique_ptr<Message> back = Copy(*a);
  ApplyPatch(second, *b, back.get());
  ApplyPatch(first, *b, back.get());
  RC_ASSERT(Equal(*forth, *back));
}

TEST(PatchTest, NamesTheDeepestFieldThatBothSidesHold) {
  PtahSchema base;
  base.mutable_status()->mutable_active_operation()->set_job_name("job");
  PtahSchema next = base;
  next.mutable_status()->mutable_active_operation()->set_job_uid("uid-1");
  EXPECT_EQ(Paths(base, next), "status.activeOperation.jobUID");
}

TEST(PatchTest, NamesARecordThatAppearsOrGoesAsOneField) {
  PtahSchema without;
  without.mutable_status()->set_phase("Pending");
  PtahSchema with = without;
  with.mutable_status()->mutable_active_operation()->set_type("Apply");
  EXPECT_EQ(Paths(without, with), "status.activeOperation");
  EXPECT_EQ(Paths(with, without), "status.activeOperation");
}

TEST(PatchTest, NamesTheFieldsOfAnObjectsFirstStatus) {
  PtahSchema base, next;
  next.mutable_status()->set_phase("Pending");
  next.mutable_status()->mutable_execution_binding()->set_epoch("e");
  EXPECT_EQ(Paths(base, next), "status.phase status.executionBinding");
}

TEST(PatchTest, NamesMapsByKeyAndListsWhole) {
  PtahSchema base;
  (*base.mutable_metadata()->mutable_annotations())["kept"] = "1";
  (*base.mutable_metadata()->mutable_annotations())["gone"] = "1";
  PtahSchema next = base;
  next.mutable_metadata()->mutable_annotations()->erase("gone");
  (*next.mutable_metadata()->mutable_annotations())["a/new"] = "1";
  next.mutable_metadata()->add_finalizers("f");
  EXPECT_EQ(Paths(base, next),
            "metadata.annotations[a/new] metadata.annotations[gone] metadata.finalizers");
}

TEST(PatchTest, MapsFilledInAnotherOrderAreEqual) {
  PtahSchema ascending, descending;
  for (int i = 0; i < 40; ++i) {
    (*ascending.mutable_metadata()->mutable_labels())[std::to_string(i)] = "x";
    (*descending.mutable_metadata()->mutable_labels())[std::to_string(39 - i)] = "x";
  }
  EXPECT_TRUE(Equal(ascending, descending));
  (*descending.mutable_metadata()->mutable_labels())["7"] = "y";
  EXPECT_FALSE(Equal(ascending, descending));
}

TEST(PatchTest, TellsAnEmptyValueFromAnAbsentOneWhereTheTypeDoes) {
  Lease never_held, released;
  never_held.mutable_spec()->set_lease_duration_seconds(5);
  released = never_held;
  released.mutable_spec()->set_holder_identity("");
  EXPECT_EQ(Paths(never_held, released), "spec.holderIdentity");
}

TEST(PatchTest, DeletesWithoutMakingTheMessagesOnItsWay) {
  PtahSchema base, next;
  base.mutable_status()->mutable_plan()->mutable_approval()->set_name("x");
  next.mutable_status()->mutable_plan();
  const std::vector<FieldPath> removal = Diff(base, next);
  PtahSchema target;
  target.mutable_status()->set_phase("Pending");
  ApplyPatch(removal, next, &target);
  EXPECT_FALSE(target.status().plan().has_approval());
}

TEST(PatchTest, MergesIntoARecordThatSomebodyElseMadeMeanwhile) {
  PtahSchema base, next, target;
  base.mutable_status();
  next.mutable_status()->mutable_plan()->set_name("mine");
  target.mutable_status()->mutable_plan()->set_uid("theirs");
  ApplyPatch(Diff(base, next), next, &target);
  EXPECT_EQ(target.status().plan().name(), "mine");
  EXPECT_EQ(target.status().plan().uid(), "theirs");
}

TEST(FieldPathTest, KnowsWhatLiesAroundAndUnderIt) {
  PtahSchema base, next;
  base.mutable_status()->mutable_active_operation();
  next = base;
  next.mutable_status()->mutable_active_operation()->set_job_uid("u");
  const FieldPath path = Diff(base, next)[0];
  EXPECT_EQ(path.RootName(), "status");
  EXPECT_TRUE(path.IsUnder("status.activeOperation"));
  EXPECT_TRUE(path.IsUnder("status.activeOperation.jobUID"));
  EXPECT_FALSE(path.IsUnder("status.active"));
  EXPECT_FALSE(path.IsUnder("status.activeOperation.jobUID.x"));
  EXPECT_TRUE(path.Touches("status.activeOperation.jobUID.x"));
  EXPECT_FALSE(path.Touches("status.activeOperation.jobName"));
}

}  // namespace
}  // namespace lifecycle::api
