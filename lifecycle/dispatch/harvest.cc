#include "lifecycle/dispatch/harvest.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/frame.pb.h"

namespace lifecycle::dispatch {
namespace {

using api::PassResult;

constexpr char kResultUnreadable[] = "ResultUnreadable";
constexpr char kRunnerRefused[] = "RunnerProtocolRefused";

// The rule by which Pods that cannot be trusted cost a claim its account, or its attempt.
const char* DoubtOf(EvidenceProblem problem, bool mutating) {
  if (problem == EvidenceProblem::kMultiplicity) return mutating ? "I-3 two Pods" : "F-8 two Pods";
  return mutating ? "I-3 foreign Pod" : "F-8 foreign Pod";
}

}  // namespace

PassResult Harvest::Read() {
  context_.client.Journal("G-1");
  absl::StatusOr<PodEvidence> evidence = CollectPodEvidence(
      context_.client, Identity(), holder_.claim().admission_snapshot(), &job_->spec().template_());
  if (!evidence.ok()) return PassResult::Error(evidence.status());
  evidence_ = *std::move(evidence);
  CountPodsThatWent();
  if (evidence_->problem != EvidenceProblem::kNone) {
    context_.client.Journal("G-3");
    context_.client.Journal(DoubtOf(evidence_->problem, holder_.operation().mutating));
    return Judge(rules::HarvestFault::kPodEvidence,
                 "more than one Pod, or one the claim's envelope does not accept");
  }
  if (evidence_->pod_count == 0 && PodMayYetShow()) {
    context_.client.Journal("G-4");
    return PassResult::After(context_.timing.pod_visible_poll_ms);
  }
  return ReadLog();
}

PassResult Harvest::SettleMovedInputs() {
  context_.client.Journal("G-2");
  if (holder_.operation().mutating) context_.client.Journal("I-3 inputs");
  return Judge(rules::HarvestFault::kInputsChanged,
               "the inputs of the operation moved while it ran");
}

// G-5, G-6.
PassResult Harvest::ReadLog() {
  if (!evidence_->trusted) {  // A Pod whose executor never terminated has no log to trust.
    context_.client.Journal("G-5");
    return ReadFrame("");
  }
  const LogReading log =
      ReadExecutorLog(context_.client, context_.memory, context_.timing, Identity(), *evidence_);
  if (log.state == LogReading::State::kRetry) {
    context_.client.Journal("G-6");
    Warn(kResultUnreadable, "the log of the operation could not be read yet");
    return PassResult::After(log.retry_after_ms);
  }
  return ReadFrame(log.text);
}

// G-7.
PassResult Harvest::ReadFrame(const std::string& log) {
  context_.client.Journal("G-7");
  const api::FrameResult frame = api::ParseFrame(log, Expectation());
  switch (rules::WaitForFrame({.outcome = OutcomeOf(frame),
                               .age_ms = AgeMs(),
                               .window_ms = context_.timing.frame_window_ms})) {
    case rules::FrameAction::kReadAgain:
      return PassResult::After(context_.timing.frame_poll_ms);
    case rules::FrameAction::kUse:
      return UseFrame(frame.payload);
    case rules::FrameAction::kJudge:
      break;
  }
  return JudgeUnread(frame, log);
}

// G-8, and what a family may still read instead.
PassResult Harvest::JudgeUnread(const api::FrameResult& frame, const std::string& log) {
  if (frame.failure == api::FrameFailure::kProtocolMismatch) {
    context_.client.Journal("G-8");
    Warn(kRunnerRefused, "the runner speaks another protocol; no executor was started");
    if (DispositionOf(rules::HarvestFault::kProtocolRefusal) !=
        rules::HarvestDisposition::kReadOn) {
      return Judge(rules::HarvestFault::kProtocolRefusal, "the runner refused the protocol");
    }
  }
  if (holder_.operation().mutating) {
    if (StepResult ended = StandIn(frame, log)) return *std::move(ended);
    context_.client.Journal("I-3 no frame");
  }
  return Judge(rules::HarvestFault::kUnreadableResult,
               absl::StrCat("no result of this attempt could be read: ", frame.why));
}

StepResult Harvest::StandIn(const api::FrameResult&, const std::string&) { return std::nullopt; }

PassResult Harvest::Judge(rules::HarvestFault fault, absl::string_view why) {
  switch (DispositionOf(fault)) {
    case rules::HarvestDisposition::kUnaccounted:
      return Unaccounted(why);
    case rules::HarvestDisposition::kRetry:
      return Retry(why);
    case rules::HarvestDisposition::kDiscard:
      return Discard(why);
    case rules::HarvestDisposition::kReadOn:
      break;
  }
  return PassResult::Error(absl::InternalError("a harvest judged what it should read"));
}

rules::HarvestDisposition Harvest::DispositionOf(rules::HarvestFault fault) const {
  return rules::HarvestFailure(
      {.fault = fault, .family = holder_.family(), .mutating = holder_.operation().mutating});
}

JobIdentity Harvest::Identity() const {
  return {holder_.metadata().namespace_(), job_->metadata().name(), job_->metadata().uid()};
}

void Harvest::CountPodsThatWent() {
  const int64_t ended = job_->status().succeeded() + job_->status().failed();
  if (ended <= 1) return;
  evidence_->pod_count = std::max(evidence_->pod_count, ended);
  evidence_->problem = EvidenceProblem::kMultiplicity;
}

bool Harvest::PodMayYetShow() {
  return NowMs() - holder_.claim().started_at_ms() < context_.timing.pod_visible_window_ms;
}

// Measured from the Job's own condition, so a restart neither resets nor extends the window.
std::optional<int64_t> Harvest::AgeMs() {
  if (end_.at_ms == 0) return std::nullopt;
  return NowMs() - end_.at_ms;
}

api::FrameExpectation Harvest::Expectation() const {
  return {.operation = holder_.operation().runner_operation,
          .operation_id = holder_.claim().id(),
          .protocol_version = context_.configuration.runner_protocol_version};
}

void Harvest::Warn(absl::string_view reason, absl::string_view message) {
  const api::Kind kind = holder_.family() == rules::Family::kSchema ? api::Kind::kPtahSchema
                                                                    : api::Kind::kPtahMigration;
  context_.client.Event({kind, holder_.metadata().namespace_(), holder_.metadata().name()}, true,
                        reason, message);
}

rules::FrameOutcome OutcomeOf(const api::FrameResult& frame) {
  if (frame.ok()) return rules::FrameOutcome::kRead;
  return frame.MayStillArrive() ? rules::FrameOutcome::kMayStillArrive
                                : rules::FrameOutcome::kRefused;
}

}  // namespace lifecycle::dispatch
