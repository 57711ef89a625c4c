#include "lifecycle/dispatch/retire.h"

#include <gtest/gtest.h>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"

namespace lifecycle::dispatch {
namespace {

using rules::Disposition;
using rules::Family;

api::ActiveOperation ClaimOf(const char* type, const char* epoch) {
  api::ActiveOperation claim;
  claim.set_type(type);
  claim.set_id(api::DigestOf("claim"));
  claim.set_coordination_digest(api::DigestOf("realm"));
  claim.set_lease_duration_seconds(960);
  claim.set_lease_epoch(epoch);
  return claim;
}

api::PendingObservation Proof() {
  api::PendingObservation proof;
  proof.set_apply_operation_id(api::DigestOf("apply"));
  proof.set_coordination_digest(api::DigestOf("realm"));
  proof.set_lease_duration_seconds(960);
  proof.set_lease_epoch("v1-proof");
  return proof;
}

TEST(RetireTest, AnUndispatchedApplyGivesItsOwnRealmBack) {
  const api::ActiveOperation claim = ClaimOf(api::operation::kApply, "v1-claim");
  const auto owed = OwedRelease(
      {.family = Family::kSchema, .claim = claim, .disposition = Disposition::kDiscard});
  ASSERT_TRUE(owed.has_value());
  EXPECT_EQ(owed->operation_id(), claim.id());
  EXPECT_EQ(owed->lease_epoch(), "v1-claim");
  EXPECT_EQ(owed->lease_duration_seconds(), 960);
}

TEST(RetireTest, ASchemasApplyThatRanKeepsItsRealmForTheProof) {
  const api::ActiveOperation claim = ClaimOf(api::operation::kApply, "v1-claim");
  for (const Disposition disposition : {Disposition::kAccounted, Disposition::kUnaccounted}) {
    EXPECT_FALSE(
        OwedRelease({.family = Family::kSchema, .claim = claim, .disposition = disposition})
            .has_value());
  }
}

TEST(RetireTest, AMigrationsApplyGivesItBackUnlessSomethingMayStillWrite) {
  const api::ActiveOperation claim = ClaimOf(api::operation::kApply, "v1-claim");
  EXPECT_TRUE(OwedRelease({.family = Family::kMigration,
                           .claim = claim,
                           .disposition = Disposition::kUnaccounted,
                           .may_still_write = false})
                  .has_value());
  EXPECT_FALSE(OwedRelease({.family = Family::kMigration,
                            .claim = claim,
                            .disposition = Disposition::kUnaccounted,
                            .may_still_write = true})
                   .has_value());
}

TEST(RetireTest, AProofClaimReleasesNothingUntilItEndsTheProof) {
  const api::ActiveOperation claim = ClaimOf(api::operation::kPlan, "v1-proof");
  const api::PendingObservation proof = Proof();
  EXPECT_FALSE(OwedRelease({.family = Family::kSchema,
                            .claim = claim,
                            .proof = &proof,
                            .disposition = Disposition::kAccounted})
                   .has_value());
  const auto owed = OwedRelease({.family = Family::kSchema,
                                 .claim = claim,
                                 .proof = &proof,
                                 .ends_proof = true,
                                 .disposition = Disposition::kAccounted});
  ASSERT_TRUE(owed.has_value());
  EXPECT_EQ(owed->operation_id(), proof.apply_operation_id());
  EXPECT_EQ(owed->lease_epoch(), "v1-proof");
}

TEST(RetireTest, AnIncompleteBindingIsNoRelease) {
  api::ActiveOperation claim = ClaimOf(api::operation::kApply, "v1-claim");
  claim.clear_coordination_digest();
  EXPECT_FALSE(
      OwedRelease({.family = Family::kSchema, .claim = claim, .disposition = Disposition::kDiscard})
          .has_value());
}

TEST(RetireTest, OneReleaseAtATime) {
  api::PtahSchemaStatus status;
  EXPECT_TRUE(StageRelease(std::nullopt, status).ok());
  EXPECT_FALSE(status.has_pending_lock_release());
  EXPECT_TRUE(StageRelease(ReleaseOfProof(Proof()), status).ok());
  EXPECT_FALSE(StageRelease(ReleaseOfProof(Proof()), status).ok());
}

}  // namespace
}  // namespace lifecycle::dispatch
