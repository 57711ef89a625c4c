#include "lifecycle/migration/settle.h"

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/migration/unresolved_copy.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;

constexpr size_t kMessageMax = 1024;
constexpr int kAppliedVersionsMax = 256;

// The Job of the run as the claim can name it: the recorded UID, or the Job in hand when the claim
// recorded none. A reserved name alone is not evidence that anything was created.
struct RunJob {
  std::string name;
  std::string uid;
  const api::Job* object = nullptr;  // When it is in hand.
};

RunJob JobOfRun(const api::Job* in_hand, const api::ActiveOperation& claim) {
  RunJob job;
  const std::string& recorded = claim.job_uid();
  if (in_hand != nullptr && (recorded.empty() || recorded == in_hand->metadata().uid())) {
    return {in_hand->metadata().name(), in_hand->metadata().uid(), in_hand};
  }
  if (!recorded.empty()) return {claim.job_name(), recorded, nullptr};
  return job;
}

api::RunRecord LastRunOf(const RunJob& job, const RunAccount& account, Pass& pass) {
  api::RunRecord run;
  run.set_outcome(rules::RunOutcomeName(account.outcome));
  run.set_job_name(job.name);
  run.set_job_uid(job.uid);
  run.set_started_at_ms(pass.claim().started_at_ms());
  run.set_finished_at_ms(pass.NowMs());
  for (const int64_t version : account.applied_versions) {
    if (run.applied_versions_size() == kAppliedVersionsMax) break;
    run.add_applied_versions(version);
  }
  if (job.object != nullptr) {
    *run.mutable_dispatched_by() = dispatch::DispatchedBy(job.object->spec().template_());
  }
  run.set_message(account.message.substr(0, kMessageMax));
  return run;
}

// P-2. The database named is the one the run reported, else that of the last history reading.
api::UnresolvedRun UnresolvedRunOf(const RunJob& job, const RunAccount& account, Pass& pass) {
  api::UnresolvedRun record;
  record.set_outcome(rules::RunOutcomeName(account.outcome));
  record.set_operation_id(pass.claim().id());
  record.set_job_name(job.name);
  record.set_job_uid(job.uid);
  *record.mutable_plan_ref() = pass.claim().plan_ref();
  record.set_target_identity_digest(account.reported_target.empty()
                                        ? pass.status().history().target_identity_digest()
                                        : account.reported_target);
  if (job.object != nullptr) {
    *record.mutable_dispatched_by() = dispatch::DispatchedBy(job.object->spec().template_());
  }
  record.set_recorded_at_ms(pass.NowMs());
  return record;
}

// Under Always a run that failed would be planned and made again at once, for ever; the reading
// that leads there waits for the failure interval (spec 06, D).
bool BacksOff(const RunAccount& account, const Pass& pass) {
  return account.outcome == rules::RunOutcome::kFailed &&
         pass.spec().policy().apply() == api::apply_policy::kAlways;
}

// The copy, then the one status patch that swaps the claim for its record (W-20, W-21).
absl::Status StoreOutcome(const RunJob& job, const RunAccount& account, Retiring retiring,
                          Pass& pass) {
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  api::RunRecord last_run = LastRunOf(job, account, pass);
  const bool backs_off = BacksOff(account, pass);
  if (!rules::LeavesUnresolvedRun(account.outcome)) {
    return RetireClaim(
        retiring,
        [&](api::PtahMigrationStatus& status) {
          *status.mutable_last_run() = std::move(last_run);
          status.clear_plan();
          ShowPhase(api::phase::kVerifyingHistory, moment, status);
          if (backs_off) {
            status.set_next_reconciliation_time_ms(moment.now_ms + pass.FailureRetryMs());
          }
        },
        pass);
  }
  pass.client().Journal("P-2");
  api::UnresolvedRun record = UnresolvedRunOf(job, account, pass);
  if (absl::Status copied = PutCopy(record, pass); !copied.ok()) return copied;
  retiring.leaves_record = true;
  return RetireClaim(
      retiring,
      [&](api::PtahMigrationStatus& status) {
        *status.mutable_last_run() = std::move(last_run);
        *status.mutable_unresolved_run() = std::move(record);
        status.clear_plan();
        ShowBlocked(api::reason::kApplyOutcomeUnknown, account.message, moment, status);
        status.set_next_reconciliation_time_ms(moment.now_ms + pass.IntervalMs());
      },
      pass);
}

// W-17 of an uncertain run. No other Job is touched, because the webhook would refuse it; and a
// failure is only reported, because the record matters more.
void TryCleanupTtl(const api::Stored<api::Job>* job, Pass& pass) {
  if (job == nullptr || !MayGetCleanupTtl(**job, pass)) return;
  if (absl::Status set = SetCleanupTtl(*job, pass); !set.ok()) {
    pass.Event(true, api::event::kMigrationJobCleanupDeferred, set.message());
  }
}

struct UncertainRun {
  const api::Stored<api::Job>* job = nullptr;  // In hand, or null.
  absl::string_view why;
  absl::string_view reported_target;
  bool may_still_write = false;
};

absl::Status StoreUncertain(const UncertainRun& run, Pass& pass) {
  TryCleanupTtl(run.job, pass);
  RunAccount account;
  account.reported_target = std::string(run.reported_target);
  account.message = std::string(run.why);
  const api::Job* in_hand = run.job == nullptr ? nullptr : &**run.job;
  return StoreOutcome(
      JobOfRun(in_hand, pass.claim()), account,
      {.disposition = rules::Disposition::kUnaccounted, .may_still_write = run.may_still_write},
      pass);
}

}  // namespace

PassResult AccountRun(const api::Stored<api::Job>& job, const RunAccount& account, Pass& pass) {
  pass.client().Journal("H-2");
  if (absl::Status set = SetCleanupTtl(job, pass); !set.ok()) return PassResult::Error(set);
  const absl::Status stored = StoreOutcome(JobOfRun(&*job, pass.claim()), account,
                                           {.disposition = rules::Disposition::kAccounted}, pass);
  if (!stored.ok()) return PassResult::Error(stored);
  return BacksOff(account, pass) ? PassResult::After(pass.FailureRetryMs()) : PassResult::Now();
}

PassResult RecordUncertainRun(const api::Stored<api::Job>* job, absl::string_view why,
                              absl::string_view reported_target, Pass& pass) {
  pass.client().Journal("I-2");
  const api::Job* in_hand = job == nullptr ? nullptr : &**job;
  const bool may_still_write = dispatch::DispatchedApplyMayStillWrite(
      pass.client(), pass.metadata().namespace_(), pass.claim(), in_hand, pass.NowMs());
  const absl::Status stored = StoreUncertain({.job = job,
                                              .why = why,
                                              .reported_target = reported_target,
                                              .may_still_write = may_still_write},
                                             pass);
  return stored.ok() ? PassResult::After(pass.IntervalMs()) : PassResult::Error(stored);
}

absl::Status RecordEndedRun(const api::Stored<api::Job>* job, absl::string_view why, Pass& pass) {
  pass.client().Journal("I-2");
  return StoreUncertain({.job = job, .why = why, .reported_target = ""}, pass);
}

}  // namespace lifecycle::migration
