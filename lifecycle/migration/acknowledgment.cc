#include "lifecycle/migration/acknowledgment.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/migration/approvals.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/migration/unresolved_copy.h"
#include "lifecycle/rules/acknowledgment_rule.h"

namespace lifecycle::migration {
namespace {

using api::PtahMigrationRunAcknowledgment;
using dispatch::StepResult;
using StoredAcknowledgment = api::Stored<PtahMigrationRunAcknowledgment>;

bool IsJudged(const PtahMigrationRunAcknowledgment& acknowledgment) {
  return HasTrue(acknowledgment.status(), api::condition::kConsumed) ||
         HasTrue(acknowledgment.status(), api::condition::kStale);
}

bool IsDeleting(const PtahMigrationRunAcknowledgment& acknowledgment) {
  return acknowledgment.metadata().deletion_timestamp_ms() != 0;
}

rules::AcknowledgmentFacts FactsOf(const PtahMigrationRunAcknowledgment& acknowledgment,
                                   const api::PtahMigrationStatus& status) {
  const auto& spec = acknowledgment.spec();
  rules::AcknowledgmentFacts facts;
  facts.unresolved_run = status.has_unresolved_run();
  facts.stamped = !spec.acknowledged_by().username().empty() && spec.acknowledged_at_ms() != 0 &&
                  !spec.mutation_request_uid().empty();
  facts.names_operation =
      facts.unresolved_run && spec.operation_id() == status.unresolved_run().operation_id();
  facts.resolved_run_names_it =
      status.resolved_run().has_acknowledgment_ref() &&
      status.resolved_run().acknowledgment_ref().uid() == acknowledgment.metadata().uid();
  return facts;
}

// W-55.
absl::Status Judge(const StoredAcknowledgment& acknowledgment, bool consumed, Pass& pass) {
  PtahMigrationRunAcknowledgment next = *acknowledgment;
  const int64_t generation = acknowledgment->metadata().generation();
  dispatch::SetCondition(
      {.type = consumed ? api::condition::kConsumed : api::condition::kStale,
       .status = true,
       .reason = consumed ? api::reason::kRunAcknowledged : api::reason::kRunNotUnresolved,
       .message = "",
       .generation = generation,
       .now_ms = pass.NowMs()},
      *next.mutable_status()->mutable_conditions());
  next.mutable_status()->set_observed_generation(generation);
  return pass.client().Patch(acknowledgment, std::move(next), api::Subresource::kStatus).status();
}

// W-54. The next reading is due now, so nothing is planned before a fresh chain.
absl::Status StoreAcknowledged(const PtahMigrationRunAcknowledgment& acknowledgment, Pass& pass) {
  const Moment moment{pass.NowMs(), pass.metadata().generation()};
  return pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    api::ResolvedRun* resolved = status.mutable_resolved_run();
    resolved->Clear();
    resolved->set_operation_id(status.unresolved_run().operation_id());
    resolved->set_outcome(status.unresolved_run().outcome());
    resolved->set_resolution(api::resolution::kAcknowledgment);
    resolved->mutable_acknowledgment_ref()->set_name(acknowledgment.metadata().name());
    resolved->mutable_acknowledgment_ref()->set_uid(acknowledgment.metadata().uid());
    *resolved->mutable_acknowledged_by() = acknowledgment.spec().acknowledged_by();
    resolved->set_resolved_at_ms(moment.now_ms);
    status.clear_unresolved_run();
    status.set_next_reconciliation_time_ms(moment.now_ms);
    SetCondition(api::condition::kBlocked, false, api::reason::kRunAcknowledged, "", moment,
                 status);
  });
}

// The candidate, re-read directly. One that is no longer what was listed settles nothing this pass.
absl::Status Settle(const PtahMigrationRunAcknowledgment& listed, Pass& pass) {
  pass.client().Journal("P-5");
  auto read = pass.client().Get<PtahMigrationRunAcknowledgment>(listed.metadata().namespace_(),
                                                                listed.metadata().name());
  if (!read.ok() && !api::IsNotFound(read.status())) return read.status();
  rules::CandidateFacts facts;
  facts.gone = !read.ok();
  if (read.ok()) {
    facts.uid_equal = (*read)->metadata().uid() == listed.metadata().uid();
    facts.spec_equal = api::Equal((*read)->spec(), listed.spec());
    facts.deleting = IsDeleting(**read);
    facts.judged = IsJudged(**read);
  }
  if (!rules::CandidateSettles(facts)) return absl::OkStatus();
  if (absl::Status stored = StoreAcknowledged(**read, pass); !stored.ok()) return stored;
  if (absl::Status removed = RemoveSettledCopy(pass); !removed.ok()) return removed;
  return Judge(*read, /*consumed=*/true, pass);
}

absl::StatusOr<std::vector<StoredAcknowledgment>> UnjudgedOldestFirst(Pass& pass) {
  auto listed = pass.client().List<PtahMigrationRunAcknowledgment>(pass.metadata().namespace_(),
                                                                   api::Freshness::kCached);
  if (!listed.ok()) return listed.status();
  listed->erase(std::remove_if(listed->begin(), listed->end(),
                               [&pass](const StoredAcknowledgment& one) {
                                 return one->spec().migration_ref().uid() !=
                                            pass.metadata().uid() ||
                                        IsDeleting(*one) || IsJudged(*one);
                               }),
                listed->end());
  std::stable_sort(listed->begin(), listed->end(),
                   [](const StoredAcknowledgment& a, const StoredAcknowledgment& b) {
                     return a->metadata().creation_timestamp_ms() <
                            b->metadata().creation_timestamp_ms();
                   });
  return listed;
}

}  // namespace

StepResult AnswerAcknowledgments(Pass& pass) {
  absl::StatusOr<std::vector<StoredAcknowledgment>> unjudged = UnjudgedOldestFirst(pass);
  if (!unjudged.ok()) return api::PassResult::Error(unjudged.status());
  if (unjudged->empty()) return std::nullopt;
  pass.client().Journal("C-9");
  const StoredAcknowledgment* candidate = nullptr;
  for (const StoredAcknowledgment& one : *unjudged) {
    absl::Status judged;
    switch (rules::JudgeAcknowledgment(FactsOf(*one, pass.status()))) {
      case rules::AcknowledgmentAction::kCandidate:
        if (candidate == nullptr) candidate = &one;
        break;
      case rules::AcknowledgmentAction::kMarkConsumed:
        judged = Judge(one, /*consumed=*/true, pass);
        break;
      case rules::AcknowledgmentAction::kMarkStale:
        judged = Judge(one, /*consumed=*/false, pass);
        break;
    }
    if (!judged.ok()) return api::PassResult::Error(judged);
  }
  if (candidate == nullptr) return std::nullopt;
  if (absl::Status settled = Settle(**candidate, pass); !settled.ok()) {
    return api::PassResult::Error(settled);
  }
  return std::nullopt;
}

}  // namespace lifecycle::migration
