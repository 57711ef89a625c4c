#include "lifecycle/rules/retirement.h"

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

std::string Describe(ReleasedEpoch released) {
  switch (released) {
    case ReleasedEpoch::kNone:
      return "none";
    case ReleasedEpoch::kClaims:
      return "the claim's";
    case ReleasedEpoch::kProofs:
      return "the proof's";
  }
  return "?";
}

const std::map<std::string, Disposition> kDispositions = {
    {"Discard", Disposition::kDiscard},
    {"Accounted", Disposition::kAccounted},
    {"Unaccounted", Disposition::kUnaccounted}};

TEST(RetirementTest, FollowsTheTable) {
  const std::map<std::string, RealmOwner> owners = {
      {"None", RealmOwner::kNone}, {"Proof", RealmOwner::kProof}, {"Claim", RealmOwner::kClaim}};
  // Owner | ends proof | mutating | disposition | record holds realm | may still write | released
  ExpectFollowsTable(R"(
    | None  | -   | -   | -           | -   | -   | none        |
    | Proof | no  | -   | -           | -   | -   | none        |
    | Proof | yes | -   | -           | -   | -   | the proof's |
    | Claim | -   | no  | Discard     | -   | -   | the claim's |
    | Claim | -   | no  | Accounted   | -   | -   | the claim's |
    | Claim | -   | no  | Unaccounted | -   | -   | the claim's |
    | Claim | -   | yes | Discard     | -   | -   | the claim's |
    | Claim | -   | yes | Accounted   | yes | yes | none        |
    | Claim | -   | yes | Accounted   | yes | no  | none        |
    | Claim | -   | yes | Accounted   | no  | yes | none        |
    | Claim | -   | yes | Accounted   | no  | no  | the claim's |
    | Claim | -   | yes | Unaccounted | yes | yes | none        |
    | Claim | -   | yes | Unaccounted | yes | no  | none        |
    | Claim | -   | yes | Unaccounted | no  | yes | none        |
    | Claim | -   | yes | Unaccounted | no  | no  | the claim's |
  )",
                     {{"None", "Proof", "Claim"},
                      YesNo(),
                      YesNo(),
                      {"Discard", "Accounted", "Unaccounted"},
                      YesNo(),
                      YesNo()},
                     [&](const Inputs& in) {
                       return Describe(Releases({.owner = owners.at(in[0]),
                                                 .ends_proof = in.Yes(1),
                                                 .mutating = in.Yes(2),
                                                 .disposition = kDispositions.at(in[3]),
                                                 .record_holds_realm = in.Yes(4),
                                                 .may_still_write = in.Yes(5)}));
                     });
}

TEST(RetirementTest, ASchemasRecordHoldsTheRealmAndAMigrationsDoesNot) {
  EXPECT_TRUE(RecordHoldsRealm(Family::kSchema));
  EXPECT_FALSE(RecordHoldsRealm(Family::kMigration));
}

// One line of the table of retiring sites, with the claim as it stands before the write.
struct Site {
  const char* name;
  Family family;
  const char* type;
  bool has_epoch;
  bool proof_outstanding;
  bool ends_proof;
  std::vector<Disposition> dispositions;
  bool may_still_write;
  const char* released;
};

std::string ReleasedAt(const Site& site, Disposition disposition) {
  const OperationTraits& operation = OperationOf(site.family, site.type);
  return Describe(Releases({.owner = RealmHeldBy({.proof_outstanding = site.proof_outstanding,
                                                  .serves_proof = operation.serves_proof,
                                                  .claim_has_epoch = site.has_epoch,
                                                  .mutating = operation.mutating}),
                            .ends_proof = site.ends_proof,
                            .mutating = operation.mutating,
                            .disposition = disposition,
                            .record_holds_realm = RecordHoldsRealm(site.family),
                            .may_still_write = site.may_still_write}));
}

TEST(RetirementTest, FollowsTheTableOfRetiringSites) {
  constexpr Family kS = Family::kSchema;
  constexpr Family kM = Family::kMigration;
  const std::vector<Disposition> kD = {Disposition::kDiscard};
  const std::vector<Disposition> kA = {Disposition::kAccounted};
  const std::vector<Disposition> kU = {Disposition::kUnaccounted};
  const std::vector<Disposition> kAny = {Disposition::kDiscard, Disposition::kAccounted,
                                         Disposition::kUnaccounted};
  const Site sites[] = {
      {"Apply read", kS, "Apply", true, false, false, kA, false, "none"},
      {"Apply uncertain", kS, "Apply", true, false, false, kU, false, "none"},
      {"proof Plan accepted", kS, "Plan", true, true, true, kA, false, "the proof's"},
      {"proof Observe accepted", kS, "Observe", true, true, false, kA, false, "none"},
      {"proof Plan discarded or retried", kS, "Plan", true, true, false, kD, false, "none"},
      {"proof Observe discarded or retried", kS, "Observe", true, true, false, kD, false, "none"},
      {"ordinary Plan accepted, discarded, retried", kS, "Plan", true, false, false, kAny, false,
       "the claim's"},
      {"ordinary Plan, no epoch", kS, "Plan", false, false, false, kAny, false, "none"},
      {"Resolve", kS, "Resolve", false, false, false, kAny, false, "none"},
      {"Resolve beside a proof", kS, "Resolve", false, true, false, kAny, false, "none"},
      {"Verify", kS, "Verify", false, false, false, kAny, false, "none"},
      {"Verify beside a proof", kS, "Verify", false, true, false, kAny, false, "none"},
      {"ordinary Observe", kS, "Observe", false, false, false, kAny, false, "none"},
      {"Resolve", kM, "Resolve", false, false, false, kAny, false, "none"},
      {"Verify", kM, "Verify", false, false, false, kAny, false, "none"},
      {"History", kM, "History", false, false, false, kAny, false, "none"},
      {"undispatched Apply discarded", kS, "Apply", true, false, false, kD, false, "the claim's"},
      {"undispatched Apply, no epoch", kS, "Apply", false, false, false, kD, false, "none"},
      {"undispatched Apply discarded", kM, "Apply", true, false, false, kD, false, "the claim's"},
      {"undispatched Apply, no epoch", kM, "Apply", false, false, false, kD, false, "none"},
      {"dispatched Apply at deletion", kS, "Apply", true, false, false, kU, false, "none"},
      {"Apply read", kM, "Apply", true, false, false, kA, false, "the claim's"},
      {"Apply uncertain, stopped", kM, "Apply", true, false, false, kU, false, "the claim's"},
      {"Apply uncertain, may write", kM, "Apply", true, false, false, kU, true, "none"},
      {"rotation, undispatched Apply", kS, "Apply", true, false, false, kD, false, "the claim's"},
      {"rotation, undispatched Apply", kM, "Apply", true, false, false, kD, false, "the claim's"},
      {"unknown type", kS, "Rollback", true, false, false, kAny, false, "none"},
      {"unknown type", kM, "Rollback", true, false, false, kAny, false, "none"},
      {"unknown type beside a proof", kS, "Rollback", true, true, false, kD, false, "none"},
  };
  for (const Site& site : sites) {
    for (const Disposition disposition : site.dispositions) {
      EXPECT_EQ(ReleasedAt(site, disposition), site.released)
          << site.name << " of a " << (site.family == kS ? "schema" : "migration");
    }
  }
}

}  // namespace
}  // namespace lifecycle::rules
