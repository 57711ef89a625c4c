#include "lifecycle/dispatch/driver.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/dispatch/realm.h"
#include "lifecycle/dispatch/workload.h"
#include "lifecycle/rules/admission_snapshot.h"
#include "lifecycle/rules/create_class.h"
#include "lifecycle/rules/snapshot_step.h"

namespace lifecycle::dispatch {
namespace {

using api::PassResult;

// One pass through the steps: what the steps before left for the ones after.
class Run {
 public:
  Run(FamilyDispatch& family, const Context& context) : family_(family), context_(context) {}

  PassResult InOrder() {
    for (const Step step : context_.design.order) {
      if (StepResult ended = Perform(step)) return *std::move(ended);
    }
    return PassResult::After(context_.timing.requeue_after_record_ms);
  }

 private:
  StepResult Perform(Step step) {
    switch (step) {
      case Step::kAuthorize:
        context_.client.Journal("E-1");
        return family_.Authorize();
      case Step::kLease:
        return family_.HoldsRealm() ? TakeRealm(family_, context_) : std::nullopt;
      case Step::kStage:
        return family_.Stage();
      case Step::kSnapshot:
        return Snapshot();
      case Step::kConsume:
        return family_.operation().mutating ? family_.Consume() : std::nullopt;
      case Step::kMark:
        return family_.HoldsRealm() ? Mark() : std::nullopt;
      case Step::kCreate:
        return Create();
      case Step::kConfirm:
        return Confirm();
      case Step::kRecord:
        return Record();
    }
    return std::nullopt;
  }

  // E-4.2: the expected Job is built once in a pass.
  StepResult BuildOnce() {
    if (built_) return std::nullopt;
    context_.client.Journal("E-4.2");
    api::Job job;
    if (StepResult ended = family_.Build(job)) return ended;
    if (job.metadata().namespace_() != family_.metadata().namespace_() ||
        job.metadata().name() != family_.claim().job_name()) {
      return PassResult::Error(
          absl::InternalError("the built Job is not the one the claim reserves"));
    }
    built_ = std::move(job);
    return std::nullopt;
  }

  // E-4. A pass that writes the snapshot, or drops one whose template moved, ends on that write.
  StepResult Snapshot() {
    const api::ActiveOperation& claim = family_.claim();
    rules::SnapshotFacts facts = {.present = claim.has_admission_snapshot(),
                                  .refreshed_before = claim.admission_snapshot_refreshed()};
    absl::Status why;
    if (facts.present) {
      context_.client.Journal("E-4.1");
      why = rules::ValidateSnapshot(claim.admission_snapshot());
      facts.valid = why.ok();
      if (!facts.valid) return family_.Refuse(rules::DecideSnapshot(facts).refusal, why);
    }
    if (StepResult ended = BuildOnce()) return ended;
    absl::StatusOr<api::AdmissionSnapshot> resolved;
    context_.client.Journal(facts.present ? "E-4.4" : "E-4.3");
    if (facts.present) {
      facts.digest = StateOfTemplate(claim);
      why = absl::FailedPreconditionError("the Pod template moved again after it was taken anew");
    } else {
      resolved = family_.ResolveSnapshot(*built_);
      facts.resolvable = resolved.ok();
      why = resolved.status();
      // What is not there refuses the claim; an answer that leaves it open refuses nothing.
      if (api::ApiErrorOf(why) && !api::IsNotFound(why)) return PassResult::Error(why);
      if (!facts.resolvable) context_.client.Journal("E-4.3 unresolvable");
    }
    const rules::SnapshotStep step = rules::DecideSnapshot(facts);
    switch (step.action) {
      case rules::SnapshotAction::kProceed:
        return std::nullopt;
      case rules::SnapshotAction::kWrite:
        return EndOnWrite([&](api::ActiveOperation& next) {
          *next.mutable_admission_snapshot() = *std::move(resolved);
        });
      case rules::SnapshotAction::kRefresh:
        return EndOnWrite([](api::ActiveOperation& next) {
          next.clear_admission_snapshot();
          next.set_admission_snapshot_refreshed(true);
        });
      case rules::SnapshotAction::kRefuse:
        break;
    }
    return family_.Refuse(step.refusal, why);
  }

  rules::TemplateDigestState StateOfTemplate(const api::ActiveOperation& claim) const {
    return TemplateDigestOf(*built_, claim) == claim.admission_snapshot().template_digest()
               ? rules::TemplateDigestState::kEqual
               : rules::TemplateDigestState::kDifferent;
  }

  // E-6. Nothing fallible may stand between this write and the create.
  StepResult Mark() {
    context_.client.Journal("E-6");
    return GoOnAfter(family_.WriteClaim([this](api::ActiveOperation& next) {
      next.set_dispatch_started(true);
      family_.AddToMark(next);
    }));
  }

  // E-7: the one permitted create.
  StepResult Create() {
    if (StepResult ended = BuildOnce()) return ended;
    context_.client.Journal("E-7");
    absl::StatusOr<api::Stored<api::Job>> created = context_.client.Create(*built_);
    if (created.ok()) {
      created_ = *std::move(created);
      return std::nullopt;
    }
    const absl::Status& why = created.status();
    const rules::CreateClass failed = rules::ClassifyCreate(why);
    TellOfFailedCreate(failed);
    switch (DispositionOf(rules::DispatchStage::kCreate, failed)) {
      case rules::DispatchDisposition::kWithdrawMark:
        return WithdrawMark(why);
      case rules::DispatchDisposition::kUnaccounted:
        return family_.Unaccounted(nullptr, absl::StrCat("the create of the Job: ", why.message()));
      case rules::DispatchDisposition::kRetry:
        return family_.RetryReadOnly(nullptr, why.message());
      case rules::DispatchDisposition::kRequeue:
        break;
    }
    return PassResult::Error(why);
  }

  // Which way into I (or, for a read-only claim, out of this pass) a failed create is.
  void TellOfFailedCreate(rules::CreateClass failed) {
    const bool mutating = family_.operation().mutating;
    switch (failed) {
      case rules::CreateClass::kRefusedBeforeStoring:
        return context_.client.Journal("E-7 refused");
      case rules::CreateClass::kAlreadyExists:
        return context_.client.Journal(mutating ? "I-3 exists" : "F-8 exists");
      case rules::CreateClass::kAmbiguous:
      case rules::CreateClass::kStored:
        return context_.client.Journal(mutating ? "I-3 ambiguous" : "E-7 ambiguous");
    }
  }

  // W-14. Only ever in the pass whose create was refused before storage, and before anything else
  // is written: this pass started unmarked, so no earlier create can stand under the name. The
  // refusal is the pass's error, so that a lasting one is retried with back-off.
  PassResult WithdrawMark(const absl::Status& refusal) {
    const absl::Status withdrawn =
        family_.WriteClaim([](api::ActiveOperation& next) { next.clear_dispatch_started(); });
    return PassResult::Error(withdrawn.ok() ? refusal : withdrawn);
  }

  // E-8. A read-back that fails is an error: the marker is durable, and the next pass judges what
  // it finds under the name.
  StepResult Confirm() {
    context_.client.Journal("E-8");
    const api::ActiveOperation& claim = family_.claim();
    absl::StatusOr<api::Stored<api::Job>> read =
        context_.client.Get<api::Job>(family_.metadata().namespace_(), claim.job_name());
    if (!read.ok()) return PassResult::Error(read.status());
    if (StepResult ended = BuildOnce()) return ended;
    const absl::Status held = HoldToBuilt(rules::JobAsker::kReadBack,
                                          {.family = family_.family(),
                                           .owner = family_.metadata(),
                                           .claim = claim,
                                           .binding = family_.binding(),
                                           .plan = family_.plan_record()},
                                          **read, *built_);
    if (held.ok()) {
      confirmed_ = *std::move(read);
      return std::nullopt;
    }
    context_.client.Journal(family_.operation().mutating ? "I-3 mismatch" : "F-8 mismatch");
    switch (DispositionOf(rules::DispatchStage::kIntent, rules::CreateClass::kStored)) {
      case rules::DispatchDisposition::kUnaccounted:
        return family_.Unaccounted(&*read, held.message());
      case rules::DispatchDisposition::kRetry:
        return family_.RetryReadOnly(nullptr, held.message());
      case rules::DispatchDisposition::kWithdrawMark:
      case rules::DispatchDisposition::kRequeue:
        break;
    }
    return PassResult::Error(held);
  }

  // E-9.
  StepResult Record() {
    context_.client.Journal("E-9");
    const std::optional<api::Stored<api::Job>>& job = confirmed_ ? confirmed_ : created_;
    if (!job) return PassResult::Error(absl::InternalError("no Job was made whose UID to record"));
    const absl::Status recorded = family_.WriteClaim(
        [&](api::ActiveOperation& next) { next.set_job_uid((*job)->metadata().uid()); });
    if (!recorded.ok()) return PassResult::Error(recorded);
    context_.client.Event(
        KeyOfResource(), false, api::event::kOperationStarted,
        absl::StrCat(family_.claim().type(), " runs as Job ", family_.claim().job_name()));
    return std::nullopt;
  }

  StepResult EndOnWrite(ClaimEdit edit) {
    const absl::Status written = family_.WriteClaim(edit);
    return written.ok() ? PassResult::Now() : PassResult::Error(written);
  }

  static StepResult GoOnAfter(const absl::Status& written) {
    if (written.ok()) return std::nullopt;
    return PassResult::Error(written);
  }

  rules::DispatchDisposition DispositionOf(rules::DispatchStage stage, rules::CreateClass create) {
    return rules::DispatchFailure(
        {.stage = stage, .mutating = family_.operation().mutating, .create = create});
  }

  api::Key KeyOfResource() const {
    return api::Key{family_.family() == rules::Family::kSchema ? api::Kind::kPtahSchema
                                                               : api::Kind::kPtahMigration,
                    family_.metadata().namespace_(), family_.metadata().name()};
  }

  FamilyDispatch& family_;
  const Context& context_;
  std::optional<api::Job> built_;
  std::optional<api::Stored<api::Job>> created_;    // As the create answered.
  std::optional<api::Stored<api::Job>> confirmed_;  // As read back, and the claim's.
};

}  // namespace

PassResult Dispatch(FamilyDispatch& family, const Context& context) {
  context.client.Journal("E-0");
  if (!family.operation().known) {
    return PassResult::Error(absl::FailedPreconditionError(absl::StrCat(
        "an operation of the unknown type ", family.claim().type(), " is not dispatched")));
  }
  if (family.operation().mutating && MayHaveDispatched(family.claim())) {
    return PassResult::Error(absl::FailedPreconditionError(
        "a mutating claim that may have dispatched is never dispatched again"));
  }
  return Run(family, context).InOrder();
}

}  // namespace lifecycle::dispatch
