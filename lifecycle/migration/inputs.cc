#include "lifecycle/migration/inputs.h"

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/rules/fingerprint.h"
#include "lifecycle/rules/names_rule.h"

namespace lifecycle::migration {
namespace {

// What every type is decided from: identity, binding and the whole of the access.
void AddCommon(absl::string_view type, const Pass& pass, rules::Fingerprint& fingerprint) {
  const api::PtahMigrationSpec& spec = pass.spec();
  fingerprint.Int(pass.metadata().generation())
      .Text(type)
      .Text(pass.metadata().uid())
      .Message(pass.binding())
      .Text(spec.artifact().oci_ref())
      .Bool(spec.artifact().transport().plain_http())
      .Message(spec.artifact().verification_policy_from())
      .Message(spec.target())
      .Int(spec.policy().lock_timeout_seconds())
      .Int(spec.execution().connect_timeout_seconds())
      .Text(spec.policy().transaction_mode());
}

}  // namespace

std::optional<VerificationPolicy> PolicyIn(const api::ConfigMap& config_map,
                                           const api::ConfigMapKeySelector& selector) {
  const auto text = config_map.data().find(selector.key());
  if (text != config_map.data().end()) {
    return VerificationPolicy{config_map.metadata().uid(), api::DigestOf(text->second)};
  }
  const auto binary = config_map.binary_data().find(selector.key());
  if (binary == config_map.binary_data().end()) return std::nullopt;
  return VerificationPolicy{config_map.metadata().uid(), api::DigestOf(binary->second)};
}

absl::StatusOr<std::optional<VerificationPolicy>> ReadVerificationPolicy(Pass& pass) {
  const api::ConfigMapKeySelector& selector = pass.spec().artifact().verification_policy_from();
  auto config_map =
      pass.client().Get<api::ConfigMap>(pass.metadata().namespace_(), selector.name());
  if (!config_map.ok()) {
    if (api::IsNotFound(config_map.status())) return std::optional<VerificationPolicy>();
    return config_map.status();
  }
  return PolicyIn(**config_map, selector);
}

std::string InputFingerprint(absl::string_view type,
                             const std::optional<VerificationPolicy>& policy, const Pass& pass) {
  rules::Fingerprint fingerprint("migration input");
  AddCommon(type, pass, fingerprint);
  if (type != api::operation::kResolve) fingerprint.Text(pass.status().artifact().digest());
  if (type == api::operation::kVerify && policy) {
    fingerprint.Text(policy->uid).Text(policy->digest);
  }
  return fingerprint.Digest();
}

absl::StatusOr<Inputs> InputsOf(Pass& pass) {
  const api::ActiveOperation& claim = pass.claim();
  std::optional<VerificationPolicy> policy;
  if (claim.type() == api::operation::kVerify) {
    absl::StatusOr<std::optional<VerificationPolicy>> read = ReadVerificationPolicy(pass);
    if (!read.ok()) return read.status();
    if (!*read) {
      return pass.metadata().generation() == pass.status().observed_generation()
                 ? Inputs::kUnreadable
                 : Inputs::kMoved;
    }
    policy = *std::move(read);
  }
  return InputFingerprint(claim.type(), policy, pass) == claim.input_fingerprint() ? Inputs::kHold
                                                                                   : Inputs::kMoved;
}

std::string CoordinationDigestOf(const api::PtahMigration& migration) {
  const api::TargetSpec& target = migration.spec().target();
  return rules::CoordinationDigest({.engine = target.engine(),
                                    .namespace_ = migration.metadata().namespace_(),
                                    .coordination_key = target.coordination_key(),
                                    .realm_name = target.realm_ref().name()});
}

std::string CoordinationDigestOf(const Pass& pass) { return CoordinationDigestOf(pass.resource()); }

std::string PolicyFingerprintOf(const api::PtahMigrationSpec& spec) {
  return rules::Fingerprint("migration policy")
      .Text(rules::CanonicalEngine(spec.target().engine()))
      .Int(spec.policy().lock_timeout_seconds())
      .Text(spec.policy().transaction_mode())
      .Int(spec.execution().connect_timeout_seconds())
      .Digest();
}

}  // namespace lifecycle::migration
