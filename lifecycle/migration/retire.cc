#include "lifecycle/migration/retire.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/cleanup.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/retire.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/migration/unresolved_copy.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;

// Events for people about what a pass could not finish.
constexpr char kReleaseDeferred[] = "RealmReleaseDeferred";
constexpr char kReleaseNotStaged[] = "RealmReleaseNotStaged";
constexpr char kOperationRetried[] = "OperationRetried";

}  // namespace

absl::Status RetireClaim(const Retiring& retiring, StatusEdit edit, Pass& pass, api::Site site) {
  pass.client().Journal("L-1");
  const bool ran =
      pass.operation().mutating && retiring.disposition != rules::Disposition::kDiscard;
  if (ran) pass.client().Journal("L-4");
  std::optional<api::PendingLockRelease> owed =
      dispatch::OwedRelease({.family = rules::Family::kMigration,
                             .claim = pass.claim(),
                             .disposition = retiring.disposition,
                             .may_still_write = retiring.may_still_write});
  if (!retiring.leaves_record) {
    if (absl::Status removed = RemoveCopyOf(pass.claim().id(), pass); !removed.ok()) return removed;
  }
  if (owed) pass.client().Journal("L-2");
  absl::Status staged;
  const absl::Status written = pass.WriteStatus(
      [&](api::PtahMigrationStatus& status) {
        edit(status);
        status.clear_active_operation();
        staged = dispatch::StageRelease(std::move(owed), status);
      },
      site);
  if (!written.ok()) return written;
  // L-5: the evidence outranks tidiness. The write went on, and the Lease lapses.
  if (!staged.ok()) {
    pass.client().Journal("L-5");
    pass.Event(true, kReleaseNotStaged, staged.message());
  }
  if (absl::Status removed = RemoveSettledCopy(pass); !removed.ok()) return removed;
  if (absl::Status released = pass.PerformRelease(); !released.ok()) {
    pass.Event(true, kReleaseDeferred, released.message());
  }
  return absl::OkStatus();
}

PassResult Discard(StatusEdit edit, Pass& pass, api::Site site) {
  const absl::Status retired =
      RetireClaim({.disposition = rules::Disposition::kDiscard}, edit, pass, site);
  return retired.ok() ? PassResult::Now() : PassResult::Error(retired);
}

PassResult DiscardToPending(Pass& pass, api::Site site) {
  pass.client().Journal("F-7");
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  return Discard(
      [&](api::PtahMigrationStatus& status) { ShowPhase(api::phase::kPending, moment, status); },
      pass, site);
}

PassResult DiscardAsFailed(absl::string_view why, Pass& pass, api::Site site) {
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  const PassResult ended = Discard(
      [&](api::PtahMigrationStatus& status) {
        ShowFailed(why, moment.now_ms + pass.FailureRetryMs(), moment, status);
      },
      pass, site);
  return ended.status.ok() ? PassResult::After(pass.FailureRetryMs()) : ended;
}

PassResult RetryReadOnly(const api::Stored<api::Job>* job, absl::string_view why, Pass& pass) {
  pass.client().Journal("F-8");
  if (!pass.operation().read_only) {
    return PassResult::Error(absl::FailedPreconditionError(
        "only a claim known to be read-only runs again under a new attempt"));
  }
  if (job != nullptr && MayGetCleanupTtl(**job, pass)) {
    if (absl::Status set = SetCleanupTtl(*job, pass); !set.ok()) return PassResult::Error(set);
  }
  const int64_t now_ms = pass.NowMs();
  const absl::Status written = pass.WriteClaim([&](api::ActiveOperation& claim) {
    dispatch::MakeNextAttempt(rules::Family::kMigration, pass.metadata(), claim);
    claim.set_started_at_ms(now_ms);
    claim.set_retry_not_before_ms(now_ms + pass.FailureRetryMs());
  });
  if (!written.ok()) return PassResult::Error(written);
  pass.Event(true, kOperationRetried, why);
  return PassResult::After(pass.FailureRetryMs());
}

absl::Status SetCleanupTtl(const api::Stored<api::Job>& job, Pass& pass) {
  return dispatch::SetCleanupTtl(job, pass.context()).status();
}

bool MayGetCleanupTtl(const api::Job& job, const Pass& pass) {
  if (pass.claim().job_uid().empty() || pass.claim().job_uid() != job.metadata().uid()) {
    return false;
  }
  if (!dispatch::EndOf(job).terminal) return false;
  return dispatch::HoldToEnvelope(rules::JobAsker::kInputsMoved,
                                  {.family = rules::Family::kMigration,
                                   .owner = pass.metadata(),
                                   .claim = pass.claim(),
                                   .binding = pass.binding()},
                                  job)
      .ok();
}

}  // namespace lifecycle::migration
