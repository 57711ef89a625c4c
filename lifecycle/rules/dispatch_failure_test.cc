#include "lifecycle/rules/dispatch_failure.h"

#include <map>

#include "gtest/gtest.h"
#include "lifecycle/rules/decision_table.h"

namespace lifecycle::rules {
namespace {

const std::map<std::string, DispatchStage> kStages = {{"create", DispatchStage::kCreate},
                                                      {"confirm", DispatchStage::kConfirm},
                                                      {"intent", DispatchStage::kIntent},
                                                      {"unknown", DispatchStage::kUnknown}};
const std::map<std::string, CreateClass> kClasses = {
    {"Stored", CreateClass::kStored},
    {"RefusedBeforeStoring", CreateClass::kRefusedBeforeStoring},
    {"AlreadyExists", CreateClass::kAlreadyExists},
    {"Ambiguous", CreateClass::kAmbiguous}};

std::string Describe(DispatchDisposition disposition) {
  switch (disposition) {
    case DispatchDisposition::kWithdrawMark:
      return "WithdrawMark";
    case DispatchDisposition::kUnaccounted:
      return "Unaccounted";
    case DispatchDisposition::kRequeue:
      return "Requeue";
    case DispatchDisposition::kRetry:
      return "Retry";
  }
  return "?";
}

DispatchFailureFacts FactsOf(const Inputs& in) {
  return {.stage = kStages.at(in[0]), .mutating = in.Yes(1), .create = kClasses.at(in[2])};
}

const std::vector<Domain> kDispatchInputs = {
    {"create", "confirm", "intent", "unknown"},
    YesNo(),
    {"Stored", "RefusedBeforeStoring", "AlreadyExists", "Ambiguous"}};

TEST(DispatchFailureTest, FollowsTheTable) {
  // Stage | mutating | class | disposition. The Stored rows are ours: no failure, so the most
  // conservative answer.
  ExpectFollowsTable(R"(
    | create  | yes | RefusedBeforeStoring | WithdrawMark |
    | create  | yes | AlreadyExists        | Unaccounted  |
    | create  | yes | Ambiguous            | Unaccounted  |
    | create  | yes | Stored               | Unaccounted  |
    | create  | no  | RefusedBeforeStoring | Requeue      |
    | create  | no  | AlreadyExists        | Retry        |
    | create  | no  | Ambiguous            | Requeue      |
    | create  | no  | Stored               | Requeue      |
    | confirm | yes | -                    | Requeue      |
    | confirm | no  | -                    | Requeue      |
    | intent  | yes | -                    | Unaccounted  |
    | intent  | no  | -                    | Retry        |
    | unknown | yes | -                    | Unaccounted  |
    | unknown | no  | -                    | Requeue      |
  )",
                     kDispatchInputs,
                     [](const Inputs& in) { return Describe(DispatchFailure(FactsOf(in))); });
}

TEST(DispatchFailureTest, OfTheOlderPagesNeverWithdrawsTheMark) {
  ExpectFollowsTable(R"(
    | create  | yes | -                          | Unaccounted |
    | create  | no  | AlreadyExists              | Retry       |
    | create  | no  | -                          | Requeue     |
    | confirm | -   | -                          | Requeue     |
    | intent  | yes | -                          | Unaccounted |
    | intent  | no  | -                          | Retry       |
    | unknown | yes | -                          | Unaccounted |
    | unknown | no  | -                          | Requeue     |
  )",
                     kDispatchInputs,
                     [](const Inputs& in) { return Describe(OlderDispatchFailure(FactsOf(in))); });
}

const std::map<std::string, Family> kFamilies = {{"schema", Family::kSchema},
                                                 {"migration", Family::kMigration}};

TEST(HarvestFailureTest, FollowsTheTable) {
  const std::map<std::string, HarvestFault> faults = {
      {"inputs changed", HarvestFault::kInputsChanged},
      {"Pod evidence", HarvestFault::kPodEvidence},
      {"unreadable result", HarvestFault::kUnreadableResult},
      {"Job not succeeded", HarvestFault::kJobNotSucceeded},
      {"protocol refusal", HarvestFault::kProtocolRefusal}};
  // Fault | family | mutating | disposition. A migration Apply's exit status is not consulted, and
  // a protocol refusal goes through the frame or the unread path: both read on.
  ExpectFollowsTable(
      R"(
    | inputs changed    | -         | yes | Unaccounted |
    | inputs changed    | -         | no  | Discard     |
    | Pod evidence      | -         | yes | Unaccounted |
    | Pod evidence      | -         | no  | Retry       |
    | unreadable result | -         | yes | Unaccounted |
    | unreadable result | -         | no  | Retry       |
    | Job not succeeded | schema    | yes | Unaccounted |
    | Job not succeeded | migration | yes | ReadOn      |
    | Job not succeeded | -         | no  | Retry       |
    | protocol refusal  | schema    | yes | Unaccounted |
    | protocol refusal  | migration | yes | ReadOn      |
    | protocol refusal  | -         | no  | Retry       |
  )",
      {{"inputs changed", "Pod evidence", "unreadable result", "Job not succeeded",
        "protocol refusal"},
       {"schema", "migration"},
       YesNo()},
      [&](const Inputs& in) -> std::string {
        switch (HarvestFailure(
            {.fault = faults.at(in[0]), .family = kFamilies.at(in[1]), .mutating = in.Yes(2)})) {
          case HarvestDisposition::kUnaccounted:
            return "Unaccounted";
          case HarvestDisposition::kDiscard:
            return "Discard";
          case HarvestDisposition::kRetry:
            return "Retry";
          case HarvestDisposition::kReadOn:
            return "ReadOn";
        }
        return "?";
      });
}

TEST(JobRefusalTest, FollowsTheTable) {
  const std::map<std::string, JobRefusal> refusals = {
      {"snapshot invalid", JobRefusal::kSnapshotInvalid},
      {"snapshot unresolvable", JobRefusal::kSnapshotUnresolvable},
      {"template unreadable", JobRefusal::kTemplateUnreadable},
      {"template moved twice", JobRefusal::kTemplateMovedTwice}};
  // Refusal | family | mutating | disposition
  ExpectFollowsTable(
      R"(
    | snapshot invalid      | schema    | yes | failure, claim kept   |
    | snapshot invalid      | schema    | no  | failure, claim kept   |
    | snapshot invalid      | migration | -   | discard, phase Failed |
    | snapshot unresolvable | schema    | yes | failure, claim kept   |
    | snapshot unresolvable | schema    | no  | failure, claim kept   |
    | snapshot unresolvable | migration | -   | discard, phase Failed |
    | template unreadable   | schema    | yes | failure, claim kept   |
    | template unreadable   | schema    | no  | discard               |
    | template unreadable   | migration | -   | discard, phase Failed |
    | template moved twice  | schema    | yes | failure, claim kept   |
    | template moved twice  | schema    | no  | discard               |
    | template moved twice  | migration | -   | discard, phase Failed |
  )",
      {{"snapshot invalid", "snapshot unresolvable", "template unreadable", "template moved twice"},
       {"schema", "migration"},
       YesNo()},
      [&](const Inputs& in) -> std::string {
        switch (RefusalOf({.refusal = refusals.at(in[0]),
                           .family = kFamilies.at(in[1]),
                           .mutating = in.Yes(2)})) {
          case RefusalDisposition::kFailureClaimKept:
            return "failure, claim kept";
          case RefusalDisposition::kDiscard:
            return "discard";
          case RefusalDisposition::kDiscardPhaseFailed:
            return "discard, phase Failed";
        }
        return "?";
      });
}

}  // namespace
}  // namespace lifecycle::rules
