#include "lifecycle/migration/readings.h"

#include <string>

#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/migration/history.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/status.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using StoredJob = api::Stored<api::Job>;

constexpr char kVerified[] = "PolicySatisfied";
constexpr char kNotVerified[] = "NotVerified";

// W-27: the TTL, then the result and the claim's end in one patch (H-3).
PassResult Account(const StoredJob& job, StatusEdit edit, PassResult then, Pass& pass) {
  pass.client().Journal("H-3");
  if (absl::Status set = SetCleanupTtl(job, pass); !set.ok()) return PassResult::Error(set);
  const absl::Status stored =
      RetireClaim({.disposition = rules::Disposition::kAccounted}, edit, pass);
  return stored.ok() ? then : PassResult::Error(stored);
}

Moment MomentOf(Pass& pass) { return {pass.NowMs(), pass.metadata().generation()}; }

PassResult AccountResolve(const StoredJob& job, const api::FramePayload& payload, Pass& pass) {
  if (!api::IsDigest(payload.resolved_digest()) || payload.resolved_reference().empty()) {
    return RetryReadOnly(&job, "the result pins no artifact", pass);
  }
  const Moment moment = MomentOf(pass);
  return Account(
      job,
      [&](api::PtahMigrationStatus& status) {
        const api::ArtifactSpec& spec = pass.spec().artifact();
        api::OciAccess* artifact = status.mutable_artifact();
        artifact->Clear();
        artifact->set_resolved_reference(payload.resolved_reference());
        artifact->set_digest(payload.resolved_digest());
        if (spec.has_registry_auth_from()) {
          *artifact->mutable_registry_auth_from() = spec.registry_auth_from();
        }
        if (spec.has_transport()) *artifact->mutable_transport() = spec.transport();
        SetCondition(api::condition::kArtifactVerified, false, kNotVerified, "", moment, status);
        ShowPhase(api::phase::kVerifying, moment, status);
      },
      PassResult::Now(), pass);
}

bool IsRefusal(const api::FramePayload& payload) {
  return payload.error().code() == api::error_code::kVerificationRefused;
}

// A refusal by the very policy the claim was made under is an accounted result.
PassResult AccountVerify(const StoredJob& job, const api::FramePayload& payload, Pass& pass) {
  if (payload.verification_policy_digest() != pass.claim().verification_policy_digest()) {
    return RetryReadOnly(&job, "the result is of another verification policy", pass);
  }
  if (payload.resolved_digest() != pass.claim().source().digest()) {
    return RetryReadOnly(&job, "another artifact was verified", pass);
  }
  const Moment moment = MomentOf(pass);
  if (IsRefusal(payload)) {
    pass.client().Journal("G-12 refused");
    return Account(
        job,
        [&](api::PtahMigrationStatus& status) {
          SetCondition(api::condition::kArtifactVerified, false,
                       api::error_code::kVerificationRefused, payload.error().message(), moment,
                       status);
          ShowBlocked(api::error_code::kVerificationRefused, payload.error().message(), moment,
                      status);
          status.set_next_reconciliation_time_ms(moment.now_ms + pass.IntervalMs());
        },
        PassResult::After(pass.IntervalMs()), pass);
  }
  return Account(
      job,
      [&](api::PtahMigrationStatus& status) {
        SetCondition(api::condition::kArtifactVerified, true, kVerified, "", moment, status);
        ShowPhase(api::phase::kReading, moment, status);
      },
      PassResult::Now(), pass);
}

PassResult AccountHistoryResult(const StoredJob& job, const api::FramePayload& payload,
                                Pass& pass) {
  const std::string refused = RefuseHistory(payload, pass);
  if (!refused.empty()) return RetryReadOnly(&job, refused, pass);
  return AccountHistory(job, payload, pass);
}

}  // namespace

PassResult AccountReading(const StoredJob& job, const api::FramePayload& payload, bool succeeded,
                          Pass& pass) {
  const std::string& type = pass.claim().type();
  const bool verify = type == api::operation::kVerify;
  if (verify && IsRefusal(payload)) return AccountVerify(job, payload, pass);
  if (!succeeded || payload.has_error()) {
    return RetryReadOnly(
        &job, payload.has_error() ? payload.error().message() : "the operation did not succeed",
        pass);
  }
  if (payload.truncation().stdout()) return RetryReadOnly(&job, "the result was cut short", pass);
  if (verify) return AccountVerify(job, payload, pass);
  if (type == api::operation::kResolve) return AccountResolve(job, payload, pass);
  return AccountHistoryResult(job, payload, pass);
}

}  // namespace lifecycle::migration
