#include "lifecycle/migration/harvest.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/migration/readings.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/run_report.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/rules/dispatch_failure.h"
#include "lifecycle/rules/frame_wait.h"
#include "lifecycle/rules/summary_rule.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::PodEvidence;
using StoredJob = api::Stored<api::Job>;

constexpr char kResultUnreadable[] = "ResultUnreadable";
constexpr char kRunnerRefused[] = "RunnerProtocolRefused";
constexpr char kSummaryRefused[] = "TerminationSummaryRefused";

// One terminal Job being read.
class Reading {
 public:
  Reading(Pass& pass, const StoredJob& job) : pass_(pass), job_(job), end_(dispatch::EndOf(*job)) {}

  PassResult Read() {
    absl::StatusOr<PodEvidence> evidence = dispatch::CollectPodEvidence(
        pass_.client(), Identity(), pass_.claim().admission_snapshot(), &job_->spec().template_());
    if (!evidence.ok()) return PassResult::Error(evidence.status());
    evidence_ = *std::move(evidence);
    if (evidence_.problem != dispatch::EvidenceProblem::kNone) {
      pass_.client().Journal("G-3");
      return Judge(rules::HarvestFault::kPodEvidence,
                   "more than one Pod, or one the claim's envelope does not accept");
    }
    if (evidence_.pod_count == 0 && PodMayYetShow()) {
      pass_.client().Journal("G-4");
      return PassResult::After(pass_.timing().pod_visible_poll_ms);
    }
    return ReadFrame();
  }

 private:
  dispatch::JobIdentity Identity() const {
    return {pass_.metadata().namespace_(), job_->metadata().name(), job_->metadata().uid()};
  }

  bool PodMayYetShow() {
    return pass_.NowMs() - pass_.claim().started_at_ms() < pass_.timing().pod_visible_window_ms;
  }

  api::FrameExpectation Expectation() const {
    return {.operation = pass_.operation().runner_operation,
            .operation_id = pass_.claim().id(),
            .protocol_version = pass_.context().configuration.runner_protocol_version};
  }

  // G-5 to G-7.
  PassResult ReadFrame() {
    dispatch::LogReading log;  // G-5: a Pod whose executor never terminated has no log to trust.
    if (evidence_.trusted) {
      log = dispatch::ReadExecutorLog(pass_.client(), pass_.context().memory, pass_.timing(),
                                      Identity(), evidence_);
    }
    if (log.state == dispatch::LogReading::State::kRetry) {
      pass_.client().Journal("G-6");
      pass_.Event(true, kResultUnreadable, "the log of the operation could not be read yet");
      return PassResult::After(log.retry_after_ms);
    }
    pass_.client().Journal("G-7");
    const api::FrameResult frame = api::ParseFrame(log.text, Expectation());
    switch (rules::WaitForFrame({.outcome = OutcomeOf(frame),
                                 .age_ms = AgeMs(),
                                 .window_ms = pass_.timing().frame_window_ms})) {
      case rules::FrameAction::kReadAgain:
        return PassResult::After(pass_.timing().frame_poll_ms);
      case rules::FrameAction::kUse:
        return UseFrame(frame.payload);
      case rules::FrameAction::kJudge:
        break;
    }
    return JudgeUnread(frame, log.text);
  }

  static rules::FrameOutcome OutcomeOf(const api::FrameResult& frame) {
    if (frame.ok()) return rules::FrameOutcome::kRead;
    return frame.MayStillArrive() ? rules::FrameOutcome::kMayStillArrive
                                  : rules::FrameOutcome::kRefused;
  }

  std::optional<int64_t> AgeMs() {
    if (end_.at_ms == 0) return std::nullopt;
    return pass_.NowMs() - end_.at_ms;
  }

  PassResult UseFrame(const api::FramePayload& payload) {
    if (pass_.operation().mutating) {
      pass_.client().Journal("G-10");
      return SettleRun(job_, payload, "", pass_);
    }
    pass_.client().Journal("G-12");
    return AccountReading(job_, payload, end_.succeeded, pass_);
  }

  // G-8, and what is left to an Apply: its termination summary.
  PassResult JudgeUnread(const api::FrameResult& frame, const std::string& log) {
    if (frame.failure == api::FrameFailure::kProtocolMismatch) {
      pass_.client().Journal("G-8");
      pass_.Event(true, kRunnerRefused, "the runner speaks another protocol");
      if (!pass_.operation().mutating) {
        return Judge(rules::HarvestFault::kProtocolRefusal, "the runner refused the protocol");
      }
    }
    if (pass_.operation().mutating) {
      if (std::optional<PassResult> settled = SettleFromSummary(frame, log)) return *settled;
    }
    return Judge(rules::HarvestFault::kUnreadableResult,
                 absl::StrCat("no result of this attempt could be read: ", frame.why));
  }

  // G-11.
  std::optional<PassResult> SettleFromSummary(const api::FrameResult& frame,
                                              const std::string& log) {
    pass_.client().Journal("G-11");
    const absl::StatusOr<api::TerminationSummary> summary =
        api::ParseSummary(evidence_.termination_message, Expectation());
    rules::SummaryFacts facts;
    facts.trusted_pod = evidence_.trusted;
    facts.summary = evidence_.termination_message.empty() ? rules::SummaryState::kAbsent
                    : summary.ok()                        ? rules::SummaryState::kValid
                                                          : rules::SummaryState::kInvalid;
    facts.frame = OutcomeOf(frame);
    facts.headers_agree = summary.ok() && api::FrameHeadersAgree(log, summary->frame_digest());
    switch (rules::SummaryStandsIn(facts)) {
      case rules::SummaryVerdict::kNoSilent:
        return std::nullopt;
      case rules::SummaryVerdict::kNoEvent:
        pass_.Event(true, kSummaryRefused, "the termination summary may not stand in");
        return std::nullopt;
      case rules::SummaryVerdict::kStandsIn:
        break;
    }
    return SettleRun(job_, PayloadOf(*summary), RangeOf(*summary), pass_);
  }

  PassResult Judge(rules::HarvestFault fault, absl::string_view why) {
    switch (rules::HarvestFailure({.fault = fault,
                                   .family = rules::Family::kMigration,
                                   .mutating = pass_.operation().mutating})) {
      case rules::HarvestDisposition::kUnaccounted:
        return RecordUncertainRun(&job_, why, "", pass_);
      case rules::HarvestDisposition::kRetry:
        return RetryReadOnly(&job_, why, pass_);
      case rules::HarvestDisposition::kDiscard:
      case rules::HarvestDisposition::kReadOn:
        break;
    }
    return PassResult::Error(absl::InternalError("a harvest judged what it should read"));
  }

  Pass& pass_;
  const StoredJob& job_;
  const dispatch::JobEnd end_;
  PodEvidence evidence_;
};

// G-2: whatever it says, a result of moved inputs is not read.
PassResult SettleMovedInputs(const StoredJob& job, Pass& pass) {
  pass.client().Journal("G-2");
  if (pass.operation().mutating) {
    pass.client().Journal(pass.spec().suspend() ? "O-4" : "O-5");
    return RecordUncertainRun(&job, "the inputs of the operation moved while it ran", "", pass);
  }
  if (absl::Status set = SetCleanupTtl(job, pass); !set.ok()) return PassResult::Error(set);
  return DiscardToPending(pass);
}

}  // namespace

PassResult Harvest(const StoredJob& job, bool inputs_hold, Pass& pass) {
  return inputs_hold ? Reading(pass, job).Read() : SettleMovedInputs(job, pass);
}

}  // namespace lifecycle::migration
