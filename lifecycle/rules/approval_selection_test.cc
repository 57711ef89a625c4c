#include "lifecycle/rules/approval_selection.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

// What a lone candidate comes to, row by row.
TEST(SchemaApprovalTest, ALoneCandidateFollowsTheTable) {
  // Gone | Stale | deleting | Consumed | matches | action
  ExpectFollowsTable(R"(
    | yes | -   | -   | -   | -   | skip    |
    | no  | yes | -   | -   | -   | skip    |
    | no  | no  | yes | -   | -   | skip    |
    | no  | no  | no  | yes | yes | skip    |
    | no  | no  | no  | yes | no  | cleanup |
    | no  | no  | no  | no  | yes | choice  |
    | no  | no  | no  | no  | no  | cleanup |
  )",
                     std::vector<Domain>(5, YesNo()), [](const Inputs& in) -> std::string {
                       const SchemaCandidate candidate{.gone = in.Yes(0),
                                                       .stale = in.Yes(1),
                                                       .deleting = in.Yes(2),
                                                       .consumed = in.Yes(3),
                                                       .matches = in.Yes(4)};
                       switch (SelectSchemaApproval({candidate}).action) {
                         case SelectionAction::kNone:
                           return "skip";
                         case SelectionAction::kChoose:
                           return "choice";
                         case SelectionAction::kMarkPlanNoLongerCurrent:
                           return "cleanup";
                         case SelectionAction::kMarkSuperseded:
                           return "superseded";
                       }
                       return "?";
                     });
}

TEST(SchemaApprovalTest, EveryListOfThreeFollowsTheRules) {
  const std::map<std::string, SchemaCandidate> kinds = {
      {"choice", {.matches = true}}, {"cleanup", {}}, {"skip", {.gone = true}}};
  // Oldest | second | third | what this pass does
  ExpectFollowsTable(
      R"(
    | choice       | choice       | -            | mark 1 superseded |
    | choice       | cleanup/skip | choice       | mark 2 superseded |
    | cleanup/skip | choice       | choice       | mark 2 superseded |
    | choice       | cleanup/skip | cleanup/skip | choose 0          |
    | cleanup/skip | choice       | cleanup/skip | choose 1          |
    | cleanup/skip | cleanup/skip | choice       | choose 2          |
    | cleanup      | cleanup/skip | cleanup/skip | clean up 0        |
    | skip         | cleanup      | cleanup/skip | clean up 1        |
    | skip         | skip         | cleanup      | clean up 2        |
    | skip         | skip         | skip         | nothing           |
  )",
      std::vector<Domain>(3, {"choice", "cleanup", "skip"}), [&](const Inputs& in) -> std::string {
        const Selection selection =
            SelectSchemaApproval({kinds.at(in[0]), kinds.at(in[1]), kinds.at(in[2])});
        switch (selection.action) {
          case SelectionAction::kNone:
            return "nothing";
          case SelectionAction::kChoose:
            return absl::StrCat("choose ", selection.index);
          case SelectionAction::kMarkSuperseded:
            return absl::StrCat("mark ", selection.index, " superseded");
          case SelectionAction::kMarkPlanNoLongerCurrent:
            return absl::StrCat("clean up ", selection.index);
        }
        return "?";
      });
  EXPECT_EQ(SelectSchemaApproval({}), Selection{});
}

TEST(SchemaApprovalTest, TheRecordedOneFollowsTheTable) {
  // Found | UID equal | deleting | Stale | matches plan and record | Consumed | held by the claim |
  // valid
  ExpectFollowsTable(R"(
    | no  | -   | -   | -   | -   | -   | -   | no  |
    | yes | no  | -   | -   | -   | -   | -   | no  |
    | yes | yes | yes | -   | -   | -   | -   | no  |
    | yes | yes | no  | yes | -   | -   | -   | no  |
    | yes | yes | no  | no  | no  | -   | -   | no  |
    | yes | yes | no  | no  | yes | no  | -   | yes |
    | yes | yes | no  | no  | yes | yes | yes | yes |
    | yes | yes | no  | no  | yes | yes | no  | no  |
  )",
                     std::vector<Domain>(7, YesNo()), [](const Inputs& in) -> std::string {
                       return RecordedApprovalValid({.found = in.Yes(0),
                                                     .uid_equal = in.Yes(1),
                                                     .deleting = in.Yes(2),
                                                     .stale = in.Yes(3),
                                                     .matches = in.Yes(4),
                                                     .consumed = in.Yes(5),
                                                     .held_by_claim = in.Yes(6)})
                                  ? "yes"
                                  : "no";
                     });
}

MigrationCandidate Good() {
  return {.migration_uid_equal = true,
          .plan_uid_equal = true,
          .fingerprint_equal = true,
          .approver_stamped = true,
          .request_stamped = true};
}

TEST(MigrationApprovalTest, SkipsWhateverDoesNotAuthorizeThisPlanAnyMore) {
  // Deleting | migration UID | plan UID | fingerprint | approver | request | Stale | Consumed
  ExpectFollowsTable(R"(
    | no | yes | yes | yes | yes | yes | no | no | chosen  |
    | -  | -   | -   | -   | -   | -   | -  | -  | skipped |
  )",
                     std::vector<Domain>(8, YesNo()), [](const Inputs& in) -> std::string {
                       const MigrationCandidate candidate{.deleting = in.Yes(0),
                                                          .migration_uid_equal = in.Yes(1),
                                                          .plan_uid_equal = in.Yes(2),
                                                          .fingerprint_equal = in.Yes(3),
                                                          .approver_stamped = in.Yes(4),
                                                          .request_stamped = in.Yes(5),
                                                          .stale = in.Yes(6),
                                                          .consumed = in.Yes(7)};
                       return SelectMigrationApproval({candidate}) ? "chosen" : "skipped";
                     });
}

TEST(MigrationApprovalTest, TheOldestWinsAndLaterDuplicatesChangeNothing) {
  MigrationCandidate spent = Good();
  spent.consumed = true;
  EXPECT_EQ(SelectMigrationApproval({Good(), Good()}), 0u);
  EXPECT_EQ(SelectMigrationApproval({spent, Good(), Good()}), 1u);
  EXPECT_EQ(SelectMigrationApproval({spent}), std::nullopt);
  EXPECT_EQ(SelectMigrationApproval({}), std::nullopt);
}

std::string Describe(ConsumeStep step) {
  switch (step) {
    case ConsumeStep::kProceed:
      return "proceed";
    case ConsumeStep::kRetire:
      return "retire";
    case ConsumeStep::kWriteConsumed:
      return "write Consumed";
    case ConsumeStep::kError:
      return "error";
  }
  return "?";
}

HeldApproval HeldOf(const Inputs& in) {
  const std::map<std::string, ApprovalRead> reads = {{"error", ApprovalRead::kError},
                                                     {"missing", ApprovalRead::kMissing},
                                                     {"present", ApprovalRead::kFound}};
  return {.ref_set = in[0] == "set",
          .read = reads.at(in[1]),
          .uid_equal = in.Yes(2),
          .deleting = in.Yes(3),
          .stale = in.Yes(4),
          .consumed = in.Yes(5)};
}

const std::vector<Domain> kHeldInputs = {
    {"none", "set"}, {"error", "missing", "present"}, YesNo(), YesNo(), YesNo(), YesNo()};

TEST(MigrationApprovalTest, ConsumeFollowsTheTable) {
  // approvalRef | object | UID equal | deleting | Stale | Consumed | result
  ExpectFollowsTable(
      R"(
    | none | -       | -   | -   | -   | -   | proceed        |
    | set  | error   | -   | -   | -   | -   | error          |
    | set  | missing | -   | -   | -   | -   | retire         |
    | set  | present | no  | -   | -   | -   | retire         |
    | set  | present | yes | yes | -   | -   | retire         |
    | set  | present | yes | no  | yes | -   | retire         |
    | set  | present | yes | no  | no  | yes | proceed        |
    | set  | present | yes | no  | no  | no  | write Consumed |
  )",
      kHeldInputs, [](const Inputs& in) { return Describe(ConsumeMigrationApproval(HeldOf(in))); });
}

TEST(MigrationApprovalTest, AuthorizeAsksTheSameAndWritesNothing) {
  ExpectFollowsTable(R"(
    | none | -       | -   | -   | -   | - | proceed |
    | set  | error   | -   | -   | -   | - | error   |
    | set  | missing | -   | -   | -   | - | retire  |
    | set  | present | no  | -   | -   | - | retire  |
    | set  | present | yes | yes | -   | - | retire  |
    | set  | present | yes | no  | yes | - | retire  |
    | set  | present | yes | no  | no  | - | proceed |
  )",
                     kHeldInputs, [](const Inputs& in) {
                       return Describe(AuthorizeMigrationApproval(HeldOf(in)));
                     });
}

TEST(ApprovalRequiredTest, FollowsTheTable) {
  // Family | policy | destructive | privilege changes | required. An empty policy is the default,
  // OnApproval; one this binary does not know never applies.
  ExpectFollowsTable(R"(
    | -         | Never/Sometimes    | -   | -   | never applies |
    | -         | OnApproval/default | -   | -   | yes           |
    | schema    | Always             | no  | no  | no            |
    | schema    | Always             | yes | -   | yes           |
    | schema    | Always             | no  | yes | yes           |
    | migration | Always             | -   | -   | no            |
  )",
                     {{"schema", "migration"},
                      {"Never", "OnApproval", "Always", "default", "Sometimes"},
                      YesNo(),
                      YesNo()},
                     [](const Inputs& in) -> std::string {
                       const std::string policy = in[1] == "default" ? "" : in[1];
                       switch (ApprovalRequired(
                           {.family = in[0] == "schema" ? Family::kSchema : Family::kMigration,
                            .policy = policy,
                            .destructive = in.Yes(2),
                            .privilege_changes = in.Yes(3)})) {
                         case ApplyPermission::kNeverApplies:
                           return "never applies";
                         case ApplyPermission::kApprovalRequired:
                           return "yes";
                         case ApplyPermission::kNoApprovalNeeded:
                           return "no";
                       }
                       return "?";
                     });
}

TEST(ApprovalRequiredTest, ADestructivePlanIsPermittedOnlyWhereThePolicyAllowsIt) {
  EXPECT_TRUE(PlanPermitted(false, false));
  EXPECT_TRUE(PlanPermitted(false, true));
  EXPECT_FALSE(PlanPermitted(true, false));
  EXPECT_TRUE(PlanPermitted(true, true));
}

}  // namespace
}  // namespace lifecycle::rules
