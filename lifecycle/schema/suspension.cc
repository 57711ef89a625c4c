#include "lifecycle/schema/suspension.h"

#include "lifecycle/api/names.h"

namespace lifecycle::schema {
namespace {

using dispatch::StepResult;

constexpr char kReason[] = "Suspended";

void ShowSuspended(Pass& pass, api::PtahSchemaStatus& next) {
  next.set_phase(api::phase::kSuspended);
  pass.SetCondition(api::condition::kSuspended, true, kReason, "", next);
  pass.SetCondition(api::condition::kReady, false, kReason, "", next);
}

}  // namespace

StepResult SuspendAtRest(Pass& pass) {
  if (!pass.spec().suspend()) return std::nullopt;
  pass.client().Journal("B-13");
  const absl::Status written = pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    next.set_observed_generation(pass.metadata().generation());
    ShowSuspended(pass, next);
  });
  return written.ok() ? PassResult::Done() : PassResult::Error(written);
}

PassResult SuspendClaim(Pass& pass) {
  pass.client().Journal("O-1");
  const absl::Status written =
      pass.RetireClaim(rules::Disposition::kDiscard, [&](api::PtahSchemaStatus& next) {
        ShowSuspended(pass, next);
        pass.SetCondition(api::condition::kApplying, false, kReason, "", next);
      });
  return written.ok() ? NowOr(pass.HandBack()) : PassResult::Error(written);
}

StepResult SuspendProof(Pass& pass) {
  if (!pass.spec().suspend()) return std::nullopt;
  pass.client().Journal("J-2");
  const absl::Status written =
      pass.WriteStatus([&](api::PtahSchemaStatus& next) { ShowSuspended(pass, next); });
  return written.ok() ? PassResult::After(pass.timing().supervision_poll_ms)
                      : PassResult::Error(written);
}

}  // namespace lifecycle::schema
