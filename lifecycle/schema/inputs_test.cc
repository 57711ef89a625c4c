// Every digest of a schema's claims and plans, held to the written list of its inputs.

#include "lifecycle/schema/inputs.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/random_message.h"
#include "lifecycle/rules/exact_inputs.h"
#include "lifecycle/schema/plan_object.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

namespace lifecycle::schema {
namespace {

using google::protobuf::Message;
using Fields = std::vector<std::string>;

const PolicyIdentity kPolicy = {"policy-uid", "policy-digest"};

// A schema of which every field is there; most hold something.
api::PtahSchema AnySchema() {
  api::PtahSchema schema;
  api::Randomize(*rc::gen::arbitrary<uint64_t>(), 100, &schema);
  return schema;
}

Fields Joined(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

const Fields kAccess = {"status.source.resolved_reference", "status.source.digest",
                        "spec.desired.registry_auth_from", "spec.desired.transport"};

// D-1: what a claim of every type is decided from, beside the type itself.
Fields Common() { return {"metadata.generation", "metadata.uid", "status.execution_binding"}; }

Fields Reading(const api::PtahSchema& schema) {
  Fields fields =
      Joined({"spec.target", "spec.policy.exclude", "spec.execution.connect_timeout_seconds",
              "spec.policy.lock_timeout_seconds", "spec.policy.drift_severity",
              // That there is one makes it a proof.
              "status.pending_observation"},
             kAccess);
  // A key means something inside its namespace, a PtahRealm everywhere.
  if (schema.spec().target().realm_ref().name().empty()) fields.push_back("metadata.namespace");
  return fields;
}

Fields InputsOf(const api::PtahSchema& schema, const std::string& type) {
  if (type == api::operation::kResolve) {
    return {"spec.desired.oci_ref", "spec.desired.registry_auth_from", "spec.desired.transport"};
  }
  if (type == api::operation::kVerify) {
    return {"status.source.requested_reference", "status.source.resolved_reference",
            "status.source.digest", "spec.desired.verification_policy_from"};
  }
  if (type == api::operation::kObserve) return Reading(schema);
  if (type == api::operation::kPlan) {
    return Joined(Reading(schema),
                  {"spec.policy.protected_tables", "spec.dev", "status.target.identity_digest"});
  }
  if (type == api::operation::kApply) {
    return Joined({"status.plan.fingerprint", "status.plan.content_digest",
                   "status.plan.coordination_digest", "status.plan.approval"},
                  kAccess);
  }
  return {};
}

std::string OtherInputsOf(const api::PtahSchema& schema, const std::string& type,
                          const Fields& fields) {
  return rules::OtherInputs(schema, fields, [&](const Message& message) {
    return InputFingerprint(static_cast<const api::PtahSchema&>(message), type, kPolicy);
  });
}

RC_GTEST_PROP(SchemaInputsTest, AClaimIsDecidedFromExactlyTheInputsOfItsType, ()) {
  api::PtahSchema schema = AnySchema();
  schema.mutable_status()->clear_pending_observation();
  const std::string type =
      *rc::gen::element<std::string>("Resolve", "Verify", "Observe", "Plan", "Apply", "Dance");
  RC_TAG(type);
  RC_ASSERT(OtherInputsOf(schema, type, Joined(Common(), InputsOf(schema, type))) == "");
}

RC_GTEST_PROP(SchemaInputsTest, AProofIsDecidedFromItsRecordAndNotFromTheSpec, ()) {
  const api::PtahSchema schema = AnySchema();
  const std::string type = *rc::gen::element<std::string>("Observe", "Plan");
  RC_ASSERT(OtherInputsOf(
                schema, type,
                {"metadata.uid", "status.execution_binding", "status.pending_observation"}) == "");
}

RC_GTEST_PROP(SchemaInputsTest, NoOtherClaimServesAProof, ()) {
  const api::PtahSchema schema = AnySchema();
  const std::string type = *rc::gen::element<std::string>("Resolve", "Verify", "Apply");
  RC_ASSERT(OtherInputsOf(schema, type, Joined(Common(), InputsOf(schema, type))) == "");
}

RC_GTEST_PROP(SchemaInputsTest, OnlyAVerifyDependsOnThePolicyObject, ()) {
  const api::PtahSchema schema = AnySchema();
  for (const char* type : {"Resolve", "Verify", "Observe", "Plan", "Apply"}) {
    const bool depends = type == std::string("Verify");
    const std::string before = InputFingerprint(schema, type, kPolicy);
    RC_ASSERT((InputFingerprint(schema, type, {"other", kPolicy.digest}) != before) == depends);
    RC_ASSERT((InputFingerprint(schema, type, {kPolicy.uid, "other"}) != before) == depends);
  }
}

RC_GTEST_PROP(SchemaInputsTest, TheTypeIsAnInput, ()) {
  const api::PtahSchema schema = AnySchema();
  std::set<std::string> digests;
  for (const char* type : {"Resolve", "Verify", "Observe", "Plan", "Apply", "Dance", ""}) {
    digests.insert(InputFingerprint(schema, type, kPolicy));
  }
  RC_ASSERT(digests.size() == 7u);
}

RC_GTEST_PROP(SchemaInputsTest, ThePolicyFingerprintFoldsThePolicyAndHowItIsConnected, ()) {
  RC_ASSERT(rules::OtherInputs(
                AnySchema(),
                {"spec.policy", "spec.target.engine", "spec.execution.connect_timeout_seconds"},
                [](const Message& message) {
                  return PolicyFingerprint(static_cast<const api::PtahSchema&>(message));
                }) == "");
}

RC_GTEST_PROP(SchemaInputsTest, ARealmIsItsEngineAndAKeyInANamespaceOrAName, ()) {
  const api::PtahSchema schema = AnySchema();
  Fields fields = {"spec.target.engine", "spec.target.realm_ref.name"};
  if (schema.spec().target().realm_ref().name().empty()) {
    fields = Joined(fields, {"metadata.namespace", "spec.target.coordination_key"});
  }
  RC_ASSERT(rules::OtherInputs(schema, fields, [](const Message& message) {
              return CoordinationDigest(static_cast<const api::PtahSchema&>(message));
            }) == "");
}

// Two publications of one decision are one object, whoever publishes it, so everything but the
// manager's identity is an input; and chunks follow from the content.
RC_GTEST_PROP(SchemaInputsTest, APlanIsEveryBindingButTheManagersIdentity, ()) {
  api::PtahSchemaPlanSpec plan;
  api::Randomize(*rc::gen::arbitrary<uint64_t>(), 100, &plan);
  const Fields fields = {"contract_version",
                         "schema_ref",
                         "content_digest",
                         "size",
                         "artifact_digest",
                         "coordination_digest",
                         "target_identity_digest",
                         "actual_state_fingerprint",
                         "desired_state_fingerprint",
                         "policy_fingerprint",
                         "verification_policy_uid",
                         "verification_policy_digest",
                         "execution_binding_id",
                         "controller_state_version",
                         "ptah_version",
                         "executor_image",
                         "runner_protocol_version",
                         "dialect",
                         "destructive",
                         "privilege_changes",
                         "statement_count"};
  RC_ASSERT(rules::OtherInputs(plan, fields, [](const Message& message) {
              return PlanFingerprint(static_cast<const api::PtahSchemaPlanSpec&>(message));
            }) == "");
}

}  // namespace
}  // namespace lifecycle::schema
