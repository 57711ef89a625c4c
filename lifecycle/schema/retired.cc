#include "lifecycle/schema/retired.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/job_claim.h"
#include "lifecycle/rules/retired_job_rule.h"
#include "lifecycle/schema/approvals.h"
#include "lifecycle/schema/claim_work.h"
#include "lifecycle/schema/discard.h"

namespace lifecycle::schema {
namespace {

using dispatch::StepResult;
using StoredJob = api::Stored<api::Job>;

const api::PendingBindingRetirement& RecordOf(const Pass& pass) {
  return pass.status().pending_binding_retirement();
}

void RemoveJob(api::PtahSchemaStatus& next) {
  next.mutable_pending_binding_retirement()->clear_job();
  if (!next.pending_binding_retirement().has_plan()) next.clear_pending_binding_retirement();
}

void RemovePlan(api::PtahSchemaStatus& next) {
  next.mutable_pending_binding_retirement()->clear_plan();
  if (!next.pending_binding_retirement().has_job()) next.clear_pending_binding_retirement();
}

// Returns the Job of that name, nullopt when there is none. Errors: any other answer.
absl::StatusOr<std::optional<StoredJob>> ReadJob(Pass& pass, const std::string& name) {
  absl::StatusOr<StoredJob> read = pass.client().Get<api::Job>(pass.metadata().namespace_(), name);
  if (read.ok()) return std::optional<StoredJob>(*std::move(read));
  if (api::IsNotFound(read.status())) return std::optional<StoredJob>();
  return read.status();
}

// The finalizer goes when no record needs it; the retirement record alone does not.
absl::Status RemoveIdleFinalizer(Pass& pass) {
  const bool needed = pass.claim() != nullptr || pass.proof() != nullptr || !pass.HasFinalizer() ||
                      pass.status().has_pending_lock_release();
  return needed ? absl::OkStatus() : pass.RemoveFinalizer();
}

// M-6. Swept again by the next pass when this one stops before the record's write.
PassResult RetirePlan(Pass& pass) {
  pass.client().Journal("M-6");
  const absl::Status swept = SweepApprovals(pass, RecordOf(pass).plan());
  if (!swept.ok()) return PassResult::Error(swept);
  const absl::Status written = pass.WriteStatus(RemovePlan);
  return written.ok() ? NowOr(RemoveIdleFinalizer(pass)) : PassResult::Error(written);
}

// Stopped is terminal with no Pod of it running. The Pods are waited for until the Job's own
// deadline and the stop grace are over, by when each has ended by its own clock (M-7b).
absl::StatusOr<bool> HasStoppedWithPods(Pass& pass, const api::Job& job) {
  if (!dispatch::EndOf(job).terminal) return false;
  const absl::StatusOr<dispatch::PodEvidence> evidence = dispatch::CollectPodEvidence(
      pass.client(), {pass.metadata().namespace_(), job.metadata().name(), job.metadata().uid()},
      pass.claim()->admission_snapshot(), nullptr);
  if (!evidence.ok()) return evidence.status();
  if (evidence->all_stopped) return true;
  const int64_t start_ms = job.status().start_time_ms();
  const bool bounded = start_ms != 0 && job.spec().has_active_deadline_seconds();
  const int64_t bound_ms =
      (job.spec().active_deadline_seconds() + pass.timing().termination_grace_seconds) * 1000;
  return bounded && pass.NowMs() - start_ms >= bound_ms;
}

// A Job of this resource that may be the one the record means.
bool MayBeTheRecords(const Pass& pass, const api::Job& job) {
  const std::string& recorded = RecordOf(pass).job().uid();
  return (recorded.empty() || recorded == job.metadata().uid()) &&
         rules::OwnedExactly(rules::Family::kSchema, pass.metadata(), job);
}

// M-7a, W-41
PassResult RecordUidOfReading(Pass& pass, const std::string& uid) {
  pass.client().Journal("M-7a");
  return NowOr(pass.WriteStatus([&](api::PtahSchemaStatus& next) {
    next.mutable_active_operation()->set_job_uid(uid);
    next.mutable_pending_binding_retirement()->mutable_job()->set_uid(uid);
  }));
}

// M-7b. What the renewal says decides nothing but when to look again: a claim that lost its realm
// goes like one that kept it.
PassResult WaitForReading(Pass& pass) {
  pass.client().Journal("M-7b");
  ClaimWork work(pass);
  if (work.HoldsRealm()) {
    if (StepResult ended = dispatch::TakeRealm(work, pass.context())) return *std::move(ended);
  }
  return PassResult::After(pass.timing().supervision_poll_ms);
}

// M-7d, W-42
PassResult DropReading(Pass& pass) {
  pass.client().Journal("M-7d");
  const absl::Status written = pass.RetireClaim(
      rules::Disposition::kDiscard, [](api::PtahSchemaStatus& next) { RemoveJob(next); });
  return written.ok() ? NowOr(pass.HandBack()) : PassResult::Error(written);
}

// M-7 for the read-only claim a rotation kept.
PassResult WorkOffReading(Pass& pass) {
  pass.client().Journal("M-7");
  absl::StatusOr<std::optional<StoredJob>> job = ReadJob(pass, RecordOf(pass).job().name());
  if (!job.ok()) return PassResult::Error(job.status());
  rules::RetiredReadOnlyFacts facts = {.job_found = job->has_value(),
                                       .uid_known = !RecordOf(pass).job().uid().empty()};
  if (*job) {
    facts.matches =
        dispatch::HoldRetiredReading(rules::JobAsker::kRotationCleanup, pass.schema(), ***job).ok();
    if (MayBeTheRecords(pass, ***job)) {
      const absl::StatusOr<bool> stopped = HasStoppedWithPods(pass, ***job);
      if (!stopped.ok()) return PassResult::Error(stopped.status());
      facts.not_stopped = !*stopped;
    }
  }
  switch (rules::DecideRetiredReadOnly(facts)) {
    case rules::RetiredReadOnlyAction::kRecordUid:
      return RecordUidOfReading(pass, (**job)->metadata().uid());
    case rules::RetiredReadOnlyAction::kWait:
      return WaitForReading(pass);
    case rules::RetiredReadOnlyAction::kTtlThenDrop: {
      pass.client().Journal("M-7c");
      const absl::Status cleaned = SetCleanupTtl(pass, **job);
      if (!cleaned.ok()) return PassResult::Error(cleaned);
      break;
    }
    case rules::RetiredReadOnlyAction::kDrop:
    case rules::RetiredReadOnlyAction::kError:
      break;
  }
  return DropReading(pass);
}

// W-45: nothing in status carries the Job the record names, so nothing can be worked off.
PassResult RemoveRecord(Pass& pass) {
  pass.client().Journal("M-7 neither");
  const absl::Status written = pass.WriteStatus(
      [](api::PtahSchemaStatus& next) { next.clear_pending_binding_retirement(); });
  return written.ok() ? NowOr(RemoveIdleFinalizer(pass)) : PassResult::Error(written);
}

bool RetirementNamesReading(const Pass& pass) {
  return pass.claim() != nullptr && pass.operation().read_only && RecordOf(pass).has_job() &&
         RecordOf(pass).job().operation() == pass.claim()->type() &&
         RecordOf(pass).job().name() == pass.claim()->job_name();
}

rules::RetiredApplyJob JudgeRetiredApply(const Pass& pass, const std::optional<StoredJob>& job) {
  if (!job) return rules::RetiredApplyJob::kMissing;
  if (!dispatch::HoldRetiredApply(rules::JobAsker::kRotationCleanup, pass.schema(), **job).ok()) {
    return rules::RetiredApplyJob::kNoMatch;
  }
  if ((*job)->spec().has_ttl_seconds_after_finished()) return rules::RetiredApplyJob::kTtlSet;
  return dispatch::EndOf(**job).terminal ? rules::RetiredApplyJob::kTerminal
                                         : rules::RetiredApplyJob::kNotTerminal;
}

}  // namespace

StepResult WorkOffRetirement(Pass& pass) {
  if (RecordOf(pass).has_plan()) return RetirePlan(pass);
  if (RetirementNamesReading(pass)) return WorkOffReading(pass);
  if (!RetirementNamesApply(pass)) return RemoveRecord(pass);
  pass.client().Journal("M-8");
  return std::nullopt;
}

bool RetirementNamesApply(const Pass& pass) {
  return pass.claim() == nullptr && pass.proof() != nullptr && RecordOf(pass).has_job() &&
         RecordOf(pass).job().operation() == api::operation::kApply &&
         RecordOf(pass).job().name() == pass.proof()->apply_job_name();
}

absl::Status WorkOffRetiredApply(Pass& pass, bool pods_running) {
  const bool uid_known = !pass.proof()->apply_job_uid().empty();
  pass.client().Journal(uid_known ? "M-7 apply b" : "M-7 apply a");
  absl::StatusOr<std::optional<StoredJob>> job = ReadJob(pass, pass.proof()->apply_job_name());
  if (!job.ok()) return job.status();
  const int64_t horizon_ms = pass.proof()->observe_after_ms();
  switch (rules::DecideRetiredApply({.uid_known = uid_known,
                                     .pods_running = pods_running,
                                     .job = JudgeRetiredApply(pass, *job),
                                     .observe_after_reached = horizon_ms <= pass.NowMs()})) {
    case rules::RetiredApplyAction::kRecordUid: {
      const std::string& uid = (**job)->metadata().uid();
      return pass.WriteStatus([&](api::PtahSchemaStatus& next) {
        next.mutable_pending_observation()->set_apply_job_uid(uid);
        next.mutable_pending_binding_retirement()->mutable_job()->set_uid(uid);
      });
    }
    case rules::RetiredApplyAction::kWait:
      return absl::OkStatus();
    case rules::RetiredApplyAction::kTtlThenClear: {
      const absl::Status cleaned = SetCleanupTtl(pass, **job);
      if (!cleaned.ok()) return cleaned;
      break;
    }
    case rules::RetiredApplyAction::kClear:
      break;
  }
  return pass.WriteStatus(RemoveJob);
}

}  // namespace lifecycle::schema
