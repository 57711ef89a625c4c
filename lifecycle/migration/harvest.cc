#include "lifecycle/migration/harvest.h"

#include <optional>
#include <string>

#include "lifecycle/api/frame.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/dispatch/harvest.h"
#include "lifecycle/migration/readings.h"
#include "lifecycle/migration/retire.h"
#include "lifecycle/migration/run_report.h"
#include "lifecycle/migration/settle.h"
#include "lifecycle/rules/summary_rule.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;
using StoredJob = api::Stored<api::Job>;

constexpr char kSummaryRefused[] = "TerminationSummaryRefused";

class MigrationHarvest final : public dispatch::Harvest {
 public:
  MigrationHarvest(const StoredJob& job, Pass& pass)
      : Harvest(pass, job, pass.context()), job_(job), pass_(pass) {}

 private:
  int64_t NowMs() override { return pass_.NowMs(); }

  PassResult UseFrame(const api::FramePayload& frame) override {
    if (pass_.operation().mutating) {
      pass_.client().Journal("G-10");
      return SettleRun(job_, frame, "", pass_);
    }
    pass_.client().Journal("G-12");
    return AccountReading(job_, frame, end().succeeded, pass_);
  }

  // G-11: the executor's termination message says in short what the frame would have said.
  StepResult StandIn(const api::FrameResult& frame, const std::string& log) override {
    pass_.client().Journal("G-11");
    const std::string& message = evidence()->termination_message;
    const absl::StatusOr<api::TerminationSummary> summary =
        api::ParseSummary(message, Expectation());
    rules::SummaryFacts facts;
    facts.trusted_pod = evidence()->trusted;
    facts.summary = message.empty() ? rules::SummaryState::kAbsent
                    : summary.ok()  ? rules::SummaryState::kValid
                                    : rules::SummaryState::kInvalid;
    facts.frame = dispatch::OutcomeOf(frame);
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

  PassResult Unaccounted(absl::string_view why) override {
    return RecordUncertainRun(&job_, why, "", pass_);
  }
  PassResult Retry(absl::string_view why) override { return RetryReadOnly(&job_, why, pass_); }
  PassResult Discard(absl::string_view) override {
    if (absl::Status set = SetCleanupTtl(job_, pass_); !set.ok()) return PassResult::Error(set);
    return DiscardToPending(pass_);
  }

  const StoredJob& job_;
  Pass& pass_;
};

}  // namespace

PassResult Harvest(const StoredJob& job, bool inputs_hold, Pass& pass) {
  MigrationHarvest harvest(job, pass);
  if (inputs_hold) return harvest.Read();
  if (pass.operation().mutating) pass.client().Journal(pass.spec().suspend() ? "O-4" : "O-5");
  return harvest.SettleMovedInputs();
}

}  // namespace lifecycle::migration
