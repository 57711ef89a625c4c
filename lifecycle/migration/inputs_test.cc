// Every digest of a migration's claims and plans, held to the written list of its inputs.

#include "lifecycle/migration/inputs.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/random_message.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/design.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/migration/plan.h"
#include "lifecycle/rules/exact_inputs.h"
#include "lifecycle/testing/memory_door.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::migration {
namespace {

using google::protobuf::Message;
using Fields = std::vector<std::string>;

const VerificationPolicy kPolicy = {"policy-uid", "policy-digest"};

// What a claim of this type would be decided from by a pass over `migration`.
std::string InputsOfClaim(const std::string& type, const std::optional<VerificationPolicy>& policy,
                          const api::PtahMigration& migration) {
  testing::MemoryDoor door;
  api::Client client(door, "manager");
  api::Memory memory;
  const api::Configuration configuration = api::DefaultConfiguration();
  const api::Timing timing;
  const dispatch::Design design;
  const Pass pass({.client = client,
                   .memory = memory,
                   .configuration = configuration,
                   .timing = timing,
                   .design = design},
                  {std::make_shared<const api::PtahMigration>(migration), 1});
  return InputFingerprint(type, policy, pass);
}

// A migration of which every field is there; most hold something.
api::PtahMigration AnyMigration() {
  api::PtahMigration migration;
  api::Randomize(*rc::gen::arbitrary<uint64_t>(), 100, &migration);
  return migration;
}

RC_GTEST_PROP(MigrationInputsTest, AClaimIsDecidedFromTheWholeAccessAndTheArtifactItResolved, ()) {
  Fields fields = {"metadata.generation",
                   "metadata.uid",
                   "status.execution_binding",
                   "spec.artifact.oci_ref",
                   "spec.artifact.transport.plain_http",
                   "spec.artifact.verification_policy_from",
                   "spec.target",
                   "spec.policy.lock_timeout_seconds",
                   "spec.policy.transaction_mode",
                   "spec.execution.connect_timeout_seconds"};
  const std::string type =
      *rc::gen::element<std::string>("Resolve", "Verify", "History", "Apply", "Dance");
  if (type != api::operation::kResolve) fields.push_back("status.artifact.digest");
  RC_TAG(type);
  RC_ASSERT(rules::OtherInputs(AnyMigration(), fields, [&](const Message& message) {
              return InputsOfClaim(type, kPolicy, static_cast<const api::PtahMigration&>(message));
            }) == "");
}

RC_GTEST_PROP(MigrationInputsTest, OnlyAVerifyDependsOnThePolicyObject, ()) {
  const api::PtahMigration migration = AnyMigration();
  for (const char* type : {"Resolve", "Verify", "History", "Apply"}) {
    const bool depends = type == std::string("Verify");
    const std::string before = InputsOfClaim(type, kPolicy, migration);
    for (const std::optional<VerificationPolicy>& other :
         {std::optional<VerificationPolicy>({"other", kPolicy.digest}),
          std::optional<VerificationPolicy>({kPolicy.uid, "other"}),
          std::optional<VerificationPolicy>()}) {
      RC_ASSERT((InputsOfClaim(type, other, migration) != before) == depends);
    }
  }
}

RC_GTEST_PROP(MigrationInputsTest, TheTypeIsAnInput, ()) {
  const api::PtahMigration migration = AnyMigration();
  std::set<std::string> digests;
  for (const char* type : {"Resolve", "Verify", "History", "Apply", "Dance", ""}) {
    digests.insert(InputsOfClaim(type, kPolicy, migration));
  }
  RC_ASSERT(digests.size() == 6u);
}

RC_GTEST_PROP(MigrationInputsTest, ThePolicyFingerprintFoldsWhatDecidesHowAPlanIsRun, ()) {
  RC_ASSERT(rules::OtherInputs(AnyMigration().spec(),
                               {"target.engine", "policy.lock_timeout_seconds",
                                "policy.transaction_mode", "execution.connect_timeout_seconds"},
                               [](const Message& message) {
                                 return PolicyFingerprintOf(
                                     static_cast<const api::PtahMigrationSpec&>(message));
                               }) == "");
}

RC_GTEST_PROP(MigrationInputsTest, ARealmIsItsEngineAndAKeyInANamespaceOrAName, ()) {
  const api::PtahMigration migration = AnyMigration();
  Fields fields = {"spec.target.engine", "spec.target.realm_ref.name"};
  if (migration.spec().target().realm_ref().name().empty()) {
    fields.insert(fields.end(), {"metadata.namespace", "spec.target.coordination_key"});
  }
  RC_ASSERT(rules::OtherInputs(migration, fields, [](const Message& message) {
              return CoordinationDigestOf(static_cast<const api::PtahMigration&>(message));
            }) == "");
}

std::string PlanOf(const api::PtahMigration& migration, const api::PlannedMigration& file,
                   const VerificationPolicy& policy, const api::Configuration& configuration) {
  Pending pending;
  *pending.Add() = file;
  return BuildPlan(migration, pending, policy, configuration).spec().fingerprint();
}

api::PlannedMigration AnyFile() {
  api::PlannedMigration file;
  api::Randomize(*rc::gen::arbitrary<uint64_t>(), 100, &file);
  return file;
}

// Spec 01, 4: the evidence, the realm, the policy and the components of the binding.
RC_GTEST_PROP(MigrationInputsTest, APlanIsEveryBindingOfTheDecision, ()) {
  const api::PtahMigration migration = AnyMigration();
  const api::PlannedMigration file = AnyFile();
  Fields fields = {"metadata.uid",
                   "status.history.fingerprint",
                   "status.history.target_identity_digest",
                   "status.artifact.digest",
                   "status.execution_binding",
                   "spec.target.engine",
                   "spec.target.realm_ref.name",
                   "spec.policy.lock_timeout_seconds",
                   "spec.policy.transaction_mode",
                   "spec.execution.connect_timeout_seconds"};
  if (migration.spec().target().realm_ref().name().empty()) {
    fields.insert(fields.end(), {"metadata.namespace", "spec.target.coordination_key"});
  }
  RC_ASSERT(rules::OtherInputs(migration, fields, [&](const Message& message) {
              return PlanOf(static_cast<const api::PtahMigration&>(message), file, kPolicy,
                            api::DefaultConfiguration());
            }) == "");
}

RC_GTEST_PROP(MigrationInputsTest, APlanIsItsFilesInTheirOrderAndItsPolicyObject, ()) {
  const api::PtahMigration migration = AnyMigration();
  const api::PlannedMigration file = AnyFile();
  const api::Configuration configuration = api::DefaultConfiguration();
  RC_ASSERT(rules::OtherInputs(file,
                               {"version", "version_key", "description", "checksum", "checkpoint",
                                "transaction_mode"},
                               [&](const Message& message) {
                                 return PlanOf(migration,
                                               static_cast<const api::PlannedMigration&>(message),
                                               kPolicy, configuration);
                               }) == "");
  const std::string before = PlanOf(migration, file, kPolicy, configuration);
  RC_ASSERT(PlanOf(migration, file, {"other", kPolicy.digest}, configuration) != before);
  RC_ASSERT(PlanOf(migration, file, {kPolicy.uid, "other"}, configuration) != before);

  api::PlannedMigration second = file;
  second.set_version(file.version() + 1);
  Pending two;
  *two.Add() = file;
  *two.Add() = second;
  Pending swapped;
  *swapped.Add() = second;
  *swapped.Add() = file;
  const auto plan_of = [&](const Pending& pending) {
    return BuildPlan(migration, pending, kPolicy, configuration).spec().fingerprint();
  };
  RC_ASSERT(plan_of(two) != before);
  RC_ASSERT(plan_of(two) != plan_of(swapped));
  RC_ASSERT(plan_of({}) != before);
}

// Two publications of one decision are one object, whichever manager publishes it.
RC_GTEST_PROP(MigrationInputsTest, TheManagersIdentityIsNoInputOfAPlan, ()) {
  const api::PtahMigration migration = AnyMigration();
  const api::PlannedMigration file = AnyFile();
  api::Configuration other = api::DefaultConfiguration();
  other.controller_image += "x";
  other.controller_revision += "x";
  other.runner_image += "x";
  other.coordination_namespace += "x";
  other.user += "x";
  RC_ASSERT(PlanOf(migration, file, kPolicy, other) ==
            PlanOf(migration, file, kPolicy, api::DefaultConfiguration()));
}

}  // namespace
}  // namespace lifecycle::migration
