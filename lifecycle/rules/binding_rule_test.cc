#include "lifecycle/rules/binding_rule.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

TEST(BindingRuleTest, ASchemaFollowsTheTable) {
  const std::map<std::string, ClaimEpoch> claims = {
      {"none", ClaimEpoch::kNoClaim}, {"same", ClaimEpoch::kSame}, {"other", ClaimEpoch::kOther}};
  // Pending retirement | binding current | claim's epoch | mutating and dispatched | evidence |
  // action. A claim is itself evidence.
  ExpectFollowsTable(R"(
    | yes | -   | -          | -   | -   | work it off |
    | no  | yes | none/same  | -   | -   | nothing     |
    | no  | yes | other      | yes | -   | M-5         |
    | no  | yes | other      | no  | -   | M-4         |
    | no  | no  | same/other | yes | -   | M-5         |
    | no  | no  | none       | -   | no  | install     |
    | no  | no  | none       | -   | yes | M-4         |
    | no  | no  | same/other | no  | -   | M-4         |
  )",
                     {YesNo(), YesNo(), {"none", "same", "other"}, YesNo(), YesNo()},
                     [&](const Inputs& in) -> std::string {
                       switch (DecideSchemaBinding({.pending_retirement = in.Yes(0),
                                                    .binding_current = in.Yes(1),
                                                    .claim = claims.at(in[2]),
                                                    .mutating_and_dispatched = in.Yes(3),
                                                    .evidence = in.Yes(4)})) {
                         case SchemaBindingAction::kWorkOffRetirement:
                           return "work it off";
                         case SchemaBindingAction::kNothing:
                           return "nothing";
                         case SchemaBindingAction::kRotateDispatchedApply:
                           return "M-5";
                         case SchemaBindingAction::kRotate:
                           return "M-4";
                         case SchemaBindingAction::kInstall:
                           return "install";
                       }
                       return "?";
                     });
}

TEST(BindingRuleTest, ARotationRecordsAndDropsWhatTheTableSays) {
  const std::map<std::string, RotatedClaim> claims = {
      {"read-only", RotatedClaim::kReadOnly},
      {"undispatched Apply", RotatedClaim::kUndispatchedApply},
      {"dispatched Apply", RotatedClaim::kDispatchedApply},
      {"unknown type", RotatedClaim::kUnknownType},
      {"none", RotatedClaim::kNone}};
  const std::map<std::string, RotatedProof> proofs = {
      {"none", RotatedProof::kNone},
      {"OutcomeUnknown", RotatedProof::kUnknownOfRetiredEpoch},
      {"other", RotatedProof::kOther}};
  // Claim | pendingObservation | retirement.job | claim after | released. An Apply never stands
  // beside a proof; asked anyway, the claim decides.
  ExpectFollowsTable(
      R"(
    | read-only          | -              | the claim's | kept    | nothing     |
    | undispatched Apply | -              | none        | dropped | the claim's |
    | dispatched Apply   | -              | the Apply's | moved   | nothing     |
    | unknown type       | -              | none        | dropped | nothing     |
    | none               | OutcomeUnknown | the Apply's | none    | nothing     |
    | none               | other/none     | none        | none    | nothing     |
  )",
      {{"read-only", "undispatched Apply", "dispatched Apply", "unknown type", "none"},
       {"none", "OutcomeUnknown", "other"}},
      [&](const Inputs& in) {
        const RotationRecord record = RecordRotation(claims.at(in[0]), proofs.at(in[1]));
        const char* job = record.job == RetirementJob::kNone        ? "none"
                          : record.job == RetirementJob::kTheClaims ? "the claim's"
                                                                    : "the Apply's";
        const char* claim = record.claim == ClaimAfterRotation::kNone      ? "none"
                            : record.claim == ClaimAfterRotation::kKept    ? "kept"
                            : record.claim == ClaimAfterRotation::kDropped ? "dropped"
                                                                           : "moved";
        return absl::StrCat(job, "; ", claim, "; ",
                            record.releases_claims_epoch ? "the claim's" : "nothing");
      });
}

TEST(BindingRuleTest, AMigrationFollowsTheTable) {
  // Equal | claim | mutating and dispatched | action
  ExpectFollowsTable(R"(
    | yes | -   | -   | nothing                    |
    | no  | yes | yes | unresolved run first       |
    | no  | no  | -   | new epoch                  |
    | no  | yes | no  | new epoch, claim dropped   |
  )",
                     {YesNo(), YesNo(), YesNo()}, [](const Inputs& in) -> std::string {
                       switch (DecideMigrationBinding({.binding_current = in.Yes(0),
                                                       .claim_present = in.Yes(1),
                                                       .mutating_and_dispatched = in.Yes(2)})) {
                         case MigrationBindingAction::kNothing:
                           return "nothing";
                         case MigrationBindingAction::kUnresolvedRunFirst:
                           return "unresolved run first";
                         case MigrationBindingAction::kRotate:
                           return "new epoch";
                         case MigrationBindingAction::kRotateAndDropClaim:
                           return "new epoch, claim dropped";
                       }
                       return "?";
                     });
}

}  // namespace
}  // namespace lifecycle::rules
