#include "lifecycle/rules/operation.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

const char* Word(bool yes) { return yes ? "yes" : "no"; }

const char* Word(LockUse lock) {
  switch (lock) {
    case LockUse::kNever:
      return "never";
    case LockUse::kWhileProving:
      return "while proving";
    case LockUse::kAlways:
      return "always";
  }
  return "?";
}

std::string Describe(const OperationTraits& traits) {
  return absl::StrCat(Word(traits.known), "; ", Word(traits.mutating), "; ", Word(traits.read_only),
                      "; ", Word(traits.lock), "; ", Word(traits.HoldsRealm(false)), "; ",
                      Word(traits.HoldsRealm(true)), "; ", Word(traits.serves_proof), "; ",
                      traits.phase, "; ", traits.runner_operation);
}

TEST(OperationTest, FollowsTheSchemaTable) {
  // Type | known | mutating | read-only | lock | holds realm without proof | with proof
  // outstanding | serves proof | phase | runner operation
  ExpectFollowsTable(
      R"(
    | Resolve | yes | no  | yes | never         | no  | no  | no  | Resolving | resolve |
    | Verify  | yes | no  | yes | never         | no  | no  | no  | Verifying | verify  |
    | Observe | yes | no  | yes | while proving | no  | yes | yes | Observing | observe |
    | Plan    | yes | no  | yes | always        | yes | yes | yes | Planning  | plan    |
    | Apply   | yes | yes | no  | always        | yes | yes | no  | Applying  | apply   |
    | -       | no  | no  | no  | never         | no  | no  | no  |           |         |
  )",
      {{"Resolve", "Verify", "Observe", "Plan", "Apply", "History", "apply", "", "Rollback"}},
      [](const Inputs& in) { return Describe(SchemaOperation(in[0])); });
}

TEST(OperationTest, FollowsTheMigrationTable) {
  ExpectFollowsTable(R"(
    | Resolve | yes | no  | yes | never  | no  | no  | no | Resolving | resolve           |
    | Verify  | yes | no  | yes | never  | no  | no  | no | Verifying | verify            |
    | History | yes | no  | yes | never  | no  | no  | no | Reading   | migration-history |
    | Apply   | yes | yes | no  | always | yes | yes | no | Applying  | migration-apply   |
    | -       | no  | no  | no  | never  | no  | no  | no |           |                   |
  )",
                     {{"Resolve", "Verify", "History", "Apply", "Observe", "Plan", "", "Rollback"}},
                     [](const Inputs& in) { return Describe(MigrationOperation(in[0])); });
}

TEST(OperationTest, IsFoundByFamily) {
  EXPECT_STREQ(OperationOf(Family::kSchema, "Apply").runner_operation, "apply");
  EXPECT_STREQ(OperationOf(Family::kMigration, "Apply").runner_operation, "migration-apply");
}

TEST(OperationTest, PublishesVerifyingConvergenceWhileItServesAnOutstandingProof) {
  ExpectFollowsTable(
      R"(
    | Observe/Plan | yes | VerifyingConvergence |
    | Resolve      | -   | Resolving            |
    | Verify       | -   | Verifying            |
    | Observe      | no  | Observing            |
    | Plan         | no  | Planning             |
    | Apply        | -   | Applying             |
    | Rollback     | -   |                      |
  )",
      {{"Resolve", "Verify", "Observe", "Plan", "Apply", "Rollback"}, YesNo()},
      [](const Inputs& in) { return std::string(ClaimPhase(SchemaOperation(in[0]), in.Yes(1))); });
}

std::string Describe(const Obligations& owed) {
  const char* release = owed.release == ReleaseDuty::kNone       ? "nothing"
                        : owed.release == ReleaseDuty::kOwnEpoch ? "own epoch"
                                                                 : "through its record";
  return absl::StrCat(Word(owed.authorize), "; ", Word(owed.persist), "; ", Word(owed.mark), "; ",
                      Word(owed.spend_approval), "; ", Word(owed.account), "; ",
                      Word(owed.resolve_uncertainty), "; ", release);
}

std::string ObligationsIn(Family family, const Inputs& in) {
  return Describe(ObligationsOf(OperationOf(family, in[0]),
                                {.proof_outstanding = in.Yes(1), .approval_required = in.Yes(2)}));
}

// Type | proof outstanding | approval required | authorize | persist | mark | spend approval |
// account | resolve uncertainty | release. An unknown type is refused: it carries nothing.
TEST(OperationTest, CarriesTheObligationsOfItsKind) {
  ExpectFollowsTable(
      R"(
    | Apply          | -   | yes | yes | yes | yes | yes | yes | yes | through its record |
    | Apply          | -   | no  | yes | yes | yes | no  | yes | yes | through its record |
    | Plan           | no  | -   | yes | yes | yes | no  | no  | no  | own epoch          |
    | Plan           | yes | -   | yes | yes | yes | no  | no  | no  | nothing            |
    | Observe        | yes | -   | yes | yes | yes | no  | no  | no  | nothing            |
    | Observe        | no  | -   | yes | yes | no  | no  | no  | no  | nothing            |
    | Resolve/Verify | -   | -   | yes | yes | no  | no  | no  | no  | nothing            |
    | Rollback       | -   | -   | no  | no  | no  | no  | no  | no  | nothing            |
  )",
      {{"Resolve", "Verify", "Observe", "Plan", "Apply", "Rollback"}, YesNo(), YesNo()},
      [](const Inputs& in) { return ObligationsIn(Family::kSchema, in); });
}

// A migration has no proof, so one that is said to be outstanding changes nothing.
TEST(OperationTest, AMigrationsClaimCarriesThemToo) {
  ExpectFollowsTable(
      R"(
    | Apply                  | - | yes | yes | yes | yes | yes | yes | yes | through its record |
    | Apply                  | - | no  | yes | yes | yes | no  | yes | yes | through its record |
    | Resolve/Verify/History | - | -   | yes | yes | no  | no  | no  | no  | nothing            |
    | Plan/Observe/Rollback  | - | -   | no  | no  | no  | no  | no  | no  | nothing            |
  )",
      {{"Resolve", "Verify", "History", "Apply", "Plan", "Observe", "Rollback"}, YesNo(), YesNo()},
      [](const Inputs& in) { return ObligationsIn(Family::kMigration, in); });
}

}  // namespace
}  // namespace lifecycle::rules
