#include "lifecycle/schema/inputs.h"

#include "lifecycle/api/names.h"
#include "lifecycle/rules/fingerprint.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/rules/operation.h"

namespace lifecycle::schema {
namespace {

void EncodeArtifact(const api::PtahSchemaSpec& spec, rules::Fingerprint& out) {
  out.Text(spec.desired().oci_ref())
      .Message(spec.desired().registry_auth_from())
      .Message(spec.desired().transport());
}

void EncodeReading(const api::PtahSchema& schema, rules::Fingerprint& out) {
  const api::PtahSchemaSpec& spec = schema.spec();
  out.Message(spec.target())
      .Text(CoordinationDigest(schema))
      .List(spec.policy().exclude())
      .Int(spec.execution().connect_timeout_seconds())
      .Int(spec.policy().lock_timeout_seconds())
      .Text(spec.policy().drift_severity())
      .Message(SourceAccess(schema));
}

void EncodePlanning(const api::PtahSchema& schema, rules::Fingerprint& out) {
  EncodeReading(schema, out);
  const api::PtahSchemaSpec& spec = schema.spec();
  out.List(spec.policy().protected_tables())
      .Optional(spec.has_dev() ? &spec.dev() : nullptr)
      .Text(schema.status().target().identity_digest());
}

void EncodeApply(const api::PtahSchema& schema, rules::Fingerprint& out) {
  const api::PlanRecord& plan = schema.status().plan();
  out.Text(plan.fingerprint())
      .Text(plan.content_digest())
      .Text(plan.coordination_digest())
      .Optional(plan.has_approval() ? &plan.approval() : nullptr)
      .Message(SourceAccess(schema));
}

void EncodeVerify(const api::PtahSchema& schema, const PolicyIdentity& policy,
                  rules::Fingerprint& out) {
  const api::SourceRecord& source = schema.status().source();
  out.Text(source.requested_reference())
      .Text(source.resolved_reference())
      .Text(source.digest())
      .Message(schema.spec().desired().verification_policy_from())
      .Text(policy.uid)
      .Text(policy.digest);
}

}  // namespace

std::string InputFingerprint(const api::PtahSchema& schema, absl::string_view type,
                             const PolicyIdentity& policy) {
  const api::PtahSchemaStatus& status = schema.status();
  const bool proving =
      rules::SchemaOperation(type).ServesOutstandingProof(status.has_pending_observation());
  rules::Fingerprint out("schema input");
  out.Int(proving ? status.pending_observation().apply_generation()
                  : schema.metadata().generation())
      .Text(type)
      .Text(schema.metadata().uid())
      .Message(status.execution_binding());
  if (proving) {
    out.Message(status.pending_observation());
  } else if (type == api::operation::kResolve) {
    EncodeArtifact(schema.spec(), out);
  } else if (type == api::operation::kVerify) {
    EncodeVerify(schema, policy, out);
  } else if (type == api::operation::kObserve) {
    EncodeReading(schema, out);
  } else if (type == api::operation::kPlan) {
    EncodePlanning(schema, out);
  } else if (type == api::operation::kApply) {
    EncodeApply(schema, out);
  }
  return out.Digest();
}

bool InputsHold(const api::PtahSchema& schema, const api::ActiveOperation& claim) {
  const PolicyIdentity policy = {claim.verification_policy_uid(),
                                 claim.verification_policy_digest()};
  return InputFingerprint(schema, claim.type(), policy) == claim.input_fingerprint();
}

api::OciAccess SourceAccess(const api::PtahSchema& schema) {
  const api::SourceRecord& source = schema.status().source();
  const api::ArtifactSpec& desired = schema.spec().desired();
  api::OciAccess access;
  access.set_resolved_reference(source.resolved_reference());
  access.set_digest(source.digest());
  if (desired.has_registry_auth_from()) {
    *access.mutable_registry_auth_from() = desired.registry_auth_from();
  }
  if (desired.has_transport()) *access.mutable_transport() = desired.transport();
  return access;
}

api::TargetBinding TargetOf(const api::PtahSchema& schema) {
  api::TargetBinding target;
  target.set_engine(schema.spec().target().engine());
  if (schema.spec().target().has_url_from()) {
    *target.mutable_url_from() = schema.spec().target().url_from();
  }
  return target;
}

std::string CoordinationDigest(const api::PtahSchema& schema) {
  const api::TargetSpec& target = schema.spec().target();
  return rules::CoordinationDigest({.engine = target.engine(),
                                    .namespace_ = schema.metadata().namespace_(),
                                    .coordination_key = target.coordination_key(),
                                    .realm_name = target.realm_ref().name()});
}

std::string PolicyFingerprint(const api::PtahSchema& schema) {
  const api::PtahSchemaSpec& spec = schema.spec();
  return rules::Fingerprint("schema policy")
      .Message(spec.policy())
      .Text(spec.target().engine())
      .Int(spec.execution().connect_timeout_seconds())
      .Digest();
}

}  // namespace lifecycle::schema
