#include "lifecycle/schema/harvest.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/evidence.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/dispatch_failure.h"
#include "lifecycle/rules/frame_wait.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/outcome.h"
#include "lifecycle/schema/results.h"

namespace lifecycle::schema {
namespace {

using StoredJob = api::Stored<api::Job>;
using dispatch::PodEvidence;

constexpr char kResultUnreadable[] = "ResultUnreadable";
constexpr char kRunnerRefused[] = "RunnerProtocolRefused";

// One terminal Job being read.
class Reading {
 public:
  Reading(Pass& pass, StoredJob& job) : pass_(pass), job_(job), end_(dispatch::EndOf(*job)) {}

  PassResult Read() {
    absl::StatusOr<PodEvidence> evidence = dispatch::CollectPodEvidence(
        pass_.client(), Identity(), pass_.claim()->admission_snapshot(), &job_->spec().template_());
    if (!evidence.ok()) return PassResult::Error(evidence.status());
    evidence_ = *std::move(evidence);
    if (evidence_.problem != dispatch::EvidenceProblem::kNone) {
      pass_.client().Journal("G-3");
      return Judge(rules::HarvestFault::kPodEvidence, "more than one Pod, or one that is not ours");
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
    return pass_.NowMs() - pass_.claim()->started_at_ms() < pass_.timing().pod_visible_window_ms;
  }

  // G-5 to G-8.
  PassResult ReadFrame() {
    dispatch::LogReading log;  // G-5: a Pod whose executor never terminated has no log to trust.
    if (evidence_.trusted) {
      log = dispatch::ReadExecutorLog(pass_.client(), pass_.context().memory, pass_.timing(),
                                      Identity(), evidence_);
    }
    if (log.state == dispatch::LogReading::State::kRetry) {
      pass_.client().Journal("G-6");
      pass_.client().Event(pass_.key(), true, kResultUnreadable, "the log could not be read yet");
      return PassResult::After(log.retry_after_ms);
    }
    const api::FrameResult frame = api::ParseFrame(
        log.text, {.operation = pass_.operation().runner_operation,
                   .operation_id = pass_.claim()->id(),
                   .protocol_version = pass_.context().configuration.runner_protocol_version});
    pass_.client().Journal("G-7");
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
    if (frame.failure == api::FrameFailure::kProtocolMismatch) {
      pass_.client().Journal("G-8");
      pass_.client().Event(pass_.key(), true, kRunnerRefused,
                           "the runner speaks another protocol; no executor was started");
      return Judge(rules::HarvestFault::kProtocolRefusal, "the runner refused the protocol");
    }
    return Judge(rules::HarvestFault::kUnreadableResult, "no frame of this attempt can be read");
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

  PassResult UseFrame(const api::FramePayload& frame) {
    if (pass_.operation().mutating) return AccountForApply(frame);
    if (!end_.succeeded && !IsAccountedRefusal(pass_, frame)) {
      return Judge(rules::HarvestFault::kJobNotSucceeded, frame.error().message());
    }
    if (frame.truncation().stdout()) {
      return Judge(rules::HarvestFault::kUnreadableResult, "the result was cut short");
    }
    return AcceptReading(pass_, job_, frame);
  }

  // G-9.
  PassResult AccountForApply(const api::FramePayload& frame) {
    pass_.client().Journal("G-9");
    if (!end_.succeeded || frame.has_error() || frame.uncertain()) {
      return Judge(rules::HarvestFault::kUnreadableResult,
                   frame.has_error() ? frame.error().message() : "the run did not end well");
    }
    const api::ActiveOperation& claim = *pass_.claim();
    if (frame.coordination_digest() != claim.coordination_digest() ||
        frame.target_identity_digest() != claim.target_identity_digest()) {
      return Judge(rules::HarvestFault::kUnreadableResult, "the run reached another database");
    }
    return RecordApplied(pass_, job_, evidence_);
  }

  PassResult Judge(rules::HarvestFault fault, absl::string_view why) {
    switch (rules::HarvestFailure({.fault = fault,
                                   .family = rules::Family::kSchema,
                                   .mutating = pass_.operation().mutating})) {
      case rules::HarvestDisposition::kUnaccounted:
        return RecordUnknownOutcome(pass_, {.job = &job_, .evidence = &evidence_, .why = why});
      case rules::HarvestDisposition::kRetry:
        return RetryReading(pass_, &job_, why);
      case rules::HarvestDisposition::kDiscard:
      case rules::HarvestDisposition::kReadOn:
        break;
    }
    return PassResult::Error(absl::InternalError("a schema's harvest has no such disposition"));
  }

  Pass& pass_;
  StoredJob& job_;
  const dispatch::JobEnd end_;
  PodEvidence evidence_;
};

// G-2: whatever it says, a result of moved inputs is not read.
PassResult SettleMovedInputs(Pass& pass, StoredJob& job) {
  pass.client().Journal("G-2");
  constexpr char kWhy[] = "the inputs of the claim moved";
  if (pass.operation().mutating) return RecordUnknownOutcome(pass, {.job = &job, .why = kWhy});
  const absl::Status cleaned = SetCleanupTtl(pass, job);
  if (!cleaned.ok()) return PassResult::Error(cleaned);
  return DiscardReading(pass, kWhy);
}

}  // namespace

PassResult Harvest(Pass& pass, StoredJob job, bool inputs_hold) {
  return inputs_hold ? Reading(pass, job).Read() : SettleMovedInputs(pass, job);
}

}  // namespace lifecycle::schema
