#include "lifecycle/schema/harvest.h"

#include "lifecycle/api/frame.pb.h"
#include "lifecycle/dispatch/harvest.h"
#include "lifecycle/schema/claim_work.h"
#include "lifecycle/schema/discard.h"
#include "lifecycle/schema/outcome.h"
#include "lifecycle/schema/results.h"

namespace lifecycle::schema {
namespace {

using StoredJob = api::Stored<api::Job>;

class SchemaHarvest final : public dispatch::Harvest {
 public:
  SchemaHarvest(Pass& pass, const ClaimWork& work, StoredJob& job)
      : Harvest(work, job, pass.context()), pass_(pass), job_(job) {}

 private:
  int64_t NowMs() override { return pass_.NowMs(); }

  PassResult UseFrame(const api::FramePayload& frame) override {
    if (pass_.operation().mutating) return AccountForApply(frame);
    if (!end().succeeded && !IsAccountedRefusal(pass_, frame)) {
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
    if (!end().succeeded || frame.has_error() || frame.uncertain()) {
      pass_.client().Journal("I-3 frame error");
      return Judge(rules::HarvestFault::kUnreadableResult,
                   frame.has_error() ? frame.error().message() : "the run did not end well");
    }
    const api::ActiveOperation& claim = *pass_.claim();
    if (frame.coordination_digest() != claim.coordination_digest() ||
        frame.target_identity_digest() != claim.target_identity_digest()) {
      pass_.client().Journal("I-3 other database");
      return Judge(rules::HarvestFault::kUnreadableResult, "the run reached another database");
    }
    return RecordApplied(pass_, job_, *evidence());
  }

  PassResult Unaccounted(absl::string_view why) override {
    return RecordUnknownOutcome(pass_, {.job = &job_, .evidence = evidence(), .why = why});
  }
  PassResult Retry(absl::string_view why) override { return RetryReading(pass_, &job_, why); }
  PassResult Discard(absl::string_view why) override {
    const absl::Status cleaned = SetCleanupTtl(pass_, job_);
    if (!cleaned.ok()) return PassResult::Error(cleaned);
    return DiscardReading(pass_, why);
  }

  Pass& pass_;
  StoredJob& job_;
};

}  // namespace

PassResult Harvest(Pass& pass, StoredJob job, bool inputs_hold) {
  const ClaimWork work(pass);
  SchemaHarvest harvest(pass, work, job);
  return inputs_hold ? harvest.Read() : harvest.SettleMovedInputs();
}

}  // namespace lifecycle::schema
