#include "model/properties.h"

#include <array>

namespace model {
namespace {

using enum PropertyKind;

// What a test proves names the test's file, and after it the tests, a blank between them.
constexpr std::array<PropertyInfo, kPropertyCount> kProperties = {{
    {"S-01", kState, "one Job per mutating claim"},
    {"S-02", kWrite, "never dispatched twice"},
    {"S-03", kState, "the finalizer before the claim"},
    {"S-04", kTest, "names are unrepeatable",
     "lifecycle/rules/names_rule_test.cc JobNameTest.ChangesWhenAnyOneOfItsInputsDoes "
     "JobNameTest.IsNotAmbiguousWhenTextMovesFromOnePartToTheNext "
     "OperationIdTest.ChangesWithTheFingerprintAndTheNonce"},
    {"S-05", kWrite, "the envelope before the Job"},
    {"S-06", kWrite, "everything before the mark"},
    {"S-07", kState, "one decision, one dispatch"},
    {"S-08", kWrite, "exactly the plan that was authorized"},
    {"S-09", kState, "spent before marked"},
    {"S-10", kState, "no two executors in one realm"},
    {"S-11", kWrite, "a changed epoch ends readability"},
    {"S-12", kWrite, "a foreign Lease lapses by one's own watch"},
    {"S-13", kWrite, "a recorded UID was confirmed"},
    {"S-14", kWrite, "claim or record, never both and never neither"},
    {"S-15", kWrite, "what was dispatched is never discarded"},
    {"S-16", kWrite, "an account comes only from the frame"},
    {"S-17", kState, "result and retirement are one write"},
    {"S-18", kWrite, "a release only after, and only when owed"},
    {"S-19", kWrite, "no owed release is forgotten"},
    {"S-20", kWrite, "the TTL touches only the claim's Job"},
    {"S-21", kWrite, "Pod evidence is monotone"},
    {"S-22", kWrite, "a schema holds its realm through the proof"},
    {"S-23", kWrite, "deletion waits for executors"},
    {"S-24", kWrite, "an unresolved run blocks"},
    {"S-25", kState, "the copy brackets the record"},
    {"S-26", kWrite, "only evidence or a person settles"},
    {"S-27", kWrite, "an acknowledgment is exact and named"},
    {"S-28", kWrite, "what an epoch authorized ends with it"},
    {"S-29", kWrite, "a rotation forgets nothing"},
    {"S-30", kWrite, "the right database"},
    {"S-31", kComparison, "a summary says no more than its frame"},
    {"S-32", kWrite, "convergence is not attribution"},
    {"S-33", kWrite, "newer state is untouched"},
    {"S-34", kWrite, "unknown types are inert"},
    {"S-35", kWrite, "one Pod or unknown"},
    {"S-36", kWrite, "suspension keeps the run"},
    {"S-37", kWrite, "a contested realm runs nothing new"},
    {"S-38", kWrite, "no grant, no Job"},
    {"S-39", kWrite, "the unadmitted contest nothing"},
    {"S-40", kWrite, "the manager's identity binds nothing"},
    {"S-41", kWrite, "a changed Job is no second executor"},
    {"S-42", kState, "a stale reading is not a replay"},
    {"S-43", kWrite, "the Lease outlives the executor"},
    {"S-44", kComparison, "controller and webhook agree"},
    {"S-45", kComparison, "no reason and no phase decides"},
    {"S-46", kWrite, "under a proof only reads"},
    {"S-47", kWrite, "the proof waits for the executor"},
    {"S-48", kWrite, "moved inputs are not harvested"},
    {"S-49", kState, "withdrawal is narrow"},
    {"S-50", kState, "a projection is exactly its plan"},
    {"S-51", kWrite, "authorization needs no realm"},
    {"S-52", kWrite, "a loss is announced"},
    {"S-53", kState, "a person does not write status"},
    {"S-54", kWrite, "a retired reading keeps its realm"},
    {"S-55", kWrite, "a late approval of a retired plan is swept"},
    {"S-56", kTest, "a copied record is exact",
     "lifecycle/migration/unresolved_copy_test.cc "
     "UnresolvedCopyTest.EveryRecordSurvivesTheAnnotation "
     "UnresolvedCopyTest.ReadingIsStrict HoldCopyTest.AnUnreadableCopyBlocksAndIsLeftAlone"},
    {"L-01", kRecovery, "every claim ends"},
    {"L-02", kRecovery, "every outcome is accounted or recorded"},
    {"L-03", kRecovery, "every schema proof completes"},
    {"L-04", kRecovery, "an unresolved run gets its reading"},
    {"L-05", kWrite, "realms come back"},
    {"L-06", kWrite, "read-only work is retried, no faster"},
    {"L-07", kWrite, "a refused create is not lost"},
    {"L-08", kWrite, "a grant is noticed, a refusal written once"},
    {"L-09", kRecovery, "a rotation finishes"},
    {"L-10", kRecovery, "a deletion finishes"},
    {"L-11", kRecovery, "a publication resumes"},
    {"L-12", kRecovery, "no spin"},
    {"L-13", kWrite, "contention does not starve"},
    {"L-14", kState, "spent and retired asks again"},
    {"L-15", kWrite, "no fault, no doubt"},
    {"verdict", kWrite, "every verdict is sound"},
    {"listed", kWrite, "every durable write is listed"},
    {"read", kWrite, "a read that fails tells nothing, and none that decides is of a cache"},
    {"pod", kState, "a Pod starts only as its claim's snapshot binds it"},
    {"recovery", kRecovery, "recovery ends"},
}};

}  // namespace

const PropertyInfo& InfoOf(Property property) {
  return kProperties[static_cast<uint32_t>(property)];
}

absl::string_view PropertyKindName(PropertyKind kind) {
  switch (kind) {
    case kState:
      return "state";
    case kWrite:
      return "write";
    case kRecovery:
      return "recovery";
    case kComparison:
      return "comparison";
    case kTest:
      return "test";
  }
  return "";
}

std::optional<Property> PropertyByName(absl::string_view name) {
  for (uint32_t number = 0; number < kPropertyCount; ++number) {
    if (kProperties[number].name == name) return static_cast<Property>(number);
  }
  return std::nullopt;
}

}  // namespace model
