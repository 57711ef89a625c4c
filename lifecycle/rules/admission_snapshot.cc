#include "lifecycle/rules/admission_snapshot.h"

#include "absl/strings/str_cat.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/rules/fingerprint.h"
#include "lifecycle/rules/pod_template_bytes.h"

namespace lifecycle::rules {
namespace {

bool IsBound(const api::BoundObject& object) {
  return !object.name().empty() && !object.uid().empty() && !object.resource_version().empty();
}

absl::Status Malformed(absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("admission snapshot: ", what));
}

}  // namespace

std::string TemplateDigest(const api::PodTemplateSpec& pod_template, int64_t started_at_ms) {
  return api::DigestOf(PodTemplateBytes(pod_template, started_at_ms));
}

int64_t StartedAtOf(const api::PodTemplateSpec& pod_template) {
  for (const api::Container& container : pod_template.spec().containers()) {
    for (const api::EnvVar& variable : container.env()) {
      if (variable.name() != api::kEnvExecutionNotAfter || variable.time_ms() == 0) continue;
      return variable.time_ms() - pod_template.spec().active_deadline_seconds() * 1000;
    }
  }
  return 0;
}

std::string SnapshotDigest(const api::AdmissionSnapshot& snapshot) {
  Fingerprint fingerprint("admission snapshot");
  fingerprint.Text(snapshot.version())
      .Text(snapshot.template_digest())
      .Optional(snapshot.has_service_account() ? &snapshot.service_account() : nullptr)
      .Int(snapshot.limit_ranges_size());
  for (const api::BoundObject& range : snapshot.limit_ranges()) fingerprint.Message(range);
  return fingerprint.Optional(snapshot.has_runtime_class() ? &snapshot.runtime_class() : nullptr)
      .Optional(snapshot.has_priority_class() ? &snapshot.priority_class() : nullptr)
      .Optional(snapshot.has_toleration_plugin() ? &snapshot.toleration_plugin() : nullptr)
      .Bool(snapshot.extended_resource_toleration())
      .Bool(snapshot.always_pull_images())
      .Digest();
}

absl::Status ValidateSnapshot(const api::AdmissionSnapshot& snapshot) {
  if (snapshot.version() != kSnapshotVersion) return Malformed("unknown version");
  if (!api::IsDigest(snapshot.template_digest())) return Malformed("malformed template digest");
  if (!IsBound(snapshot.service_account())) return Malformed("no service account");
  if (snapshot.limit_ranges_size() > kLimitRangesMax) return Malformed("too many limit ranges");
  for (const api::BoundObject& range : snapshot.limit_ranges()) {
    if (!IsBound(range)) return Malformed("an unbound limit range");
  }
  if (snapshot.has_runtime_class() && !IsBound(snapshot.runtime_class())) {
    return Malformed("an unbound runtime class");
  }
  if (snapshot.has_priority_class() && !IsBound(snapshot.priority_class())) {
    return Malformed("an unbound priority class");
  }
  if (snapshot.digest() != SnapshotDigest(snapshot)) return Malformed("digest does not match");
  return absl::OkStatus();
}

}  // namespace lifecycle::rules
