// Records: what a claim leaves when it goes, an unresolved run's record and its copy, and the
// person who settles it.
//
// Answers: S-14, S-15, S-17, S-25, S-27; what a restore writes is held to S-56 as well.

#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/judges.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;

// Whether the claim that leaves has left its account: a settled one in the last run, or a record.
// A last run that says "Unknown" blocks nothing, so it is no record.
bool LeavesAccount(const Scene& scene) {
  const std::string& id = scene.before.claim->id();
  if (scene.after.proof != nullptr) return scene.after.proof->apply_operation_id() == id;
  const std::string outcome = OutcomeOf(scene);
  if (IsDoubt(outcome) || outcome == api::run_outcome::kPartial) {
    return scene.after.unresolved != nullptr && scene.after.unresolved->operation_id() == id;
  }
  return !outcome.empty();
}

void S14S15(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || scene.operation == nullptr) return;
  const bool dispatched =
      MayHaveDispatched(*scene.before.claim) || scene.operation->created != Count::kNone;
  if (!dispatched) return;
  const bool recorded = LeavesAccount(scene);
  findings.Expect(Property::kS14, recorded, [&] {
    return absl::StrCat(scene.Name(), ": the claim left without a record, neither is stored");
  });
  findings.Expect(Property::kS15, recorded,
                  [&] { return absl::StrCat(scene.Name(), ": a dispatched claim was discarded"); });
}

// Whether the schema's status says more than before of what an operation found out. A plan that
// goes, or a verification that no longer counts, is no result.
bool RecordsResult(const api::PtahSchemaStatus& before, const api::PtahSchemaStatus& after) {
  const api::SourceRecord& was = before.source();
  const api::SourceRecord& is = after.source();
  return is.resolved_at_ms() != was.resolved_at_ms() || (is.verified() && !was.verified()) ||
         (after.has_target() && !SameMessage(after.target(), before.target())) ||
         (after.has_plan() && after.plan().uid() != before.plan().uid()) ||
         (after.has_applied() && !SameMessage(after.applied(), before.applied()));
}

bool RecordsResult(const api::PtahMigrationStatus& before, const api::PtahMigrationStatus& after) {
  return (after.has_artifact() && !SameMessage(after.artifact(), before.artifact())) ||
         (after.has_history() && !SameMessage(after.history(), before.history())) ||
         (after.has_last_run() && !SameMessage(after.last_run(), before.last_run())) ||
         (after.has_plan() && after.plan().uid() != before.plan().uid());
}

// The write that records what an operation found out drops its claim; in the state, S-17 asks for
// the records of an Apply.
void S17(const Scene& scene, Findings& findings) {
  if (scene.before.claim == nullptr || scene.after.claim == nullptr ||
      scene.before.claim->id() != scene.after.claim->id()) {
    return;
  }
  const bool result =
      scene.before.schema != nullptr
          ? RecordsResult(scene.before.schema->status(), scene.after.schema->status())
          : RecordsResult(scene.before.migration->status(), scene.after.migration->status());
  findings.Expect(Property::kS17, !result, [&] {
    return absl::StrCat(scene.Name(), ": the result of a ", scene.before.claim->type(),
                        " is stored and its claim stays");
  });
}

// The record that the annotation copies; false when there is no copy, or none that can be read.
bool CopyOf(const ResourceView& view, api::UnresolvedRun& run) {
  const auto copy = view.meta->annotations().find(api::annotation::kUnresolvedRun);
  return copy != view.meta->annotations().end() && api::FromJson(copy->second, &run).ok();
}

bool IsSettled(const ResourceView& view, const std::string& operation_id) {
  return view.migration->status().resolved_run().operation_id() == operation_id;
}

// Nothing is planned, and no new claim is written, beside a copy whose record is gone.
void S25Planned(const Scene& scene, Findings& findings) {
  api::UnresolvedRun copied;
  if (scene.before.unresolved != nullptr || !CopyOf(scene.before, copied)) return;
  if (IsSettled(scene.before, copied.operation_id())) return;
  if (scene.before.claim != nullptr && scene.before.claim->id() == copied.operation_id()) return;
  const bool planned = scene.write.writes.Has(2) || scene.write.writes.Has(52);
  findings.Expect(Property::kS25, !planned, [&] {
    return absl::StrCat(scene.Name(), ": something is planned beside a copy whose record is gone");
  });
}

// A record that comes from the copy is the copy, and one that was settled does not come back.
void S25Restored(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(48) || scene.before.claim != nullptr) return;
  api::UnresolvedRun copied;
  const bool exact = CopyOf(scene.before, copied) && SameMessage(copied, *scene.after.unresolved);
  const bool settled = IsSettled(scene.before, scene.after.unresolved->operation_id());
  const auto text = [&] {
    return absl::StrCat(scene.Name(), settled ? ": a settled run was restored"
                                              : ": a record was restored that its copy is not");
  };
  findings.Expect(Property::kS25, exact && !settled, text);
  if (!exact) findings.Violate(Property::kS56, text);
}

void S27(const Scene& scene, Findings& findings) {
  const api::PtahMigrationStatus& after = scene.after.migration->status();
  if (after.resolved_run().resolution() != api::resolution::kAcknowledgment) return;
  if (scene.before.unresolved != nullptr && scene.after.unresolved == nullptr) {
    std::string wrong =
        WhyNotAcknowledged(scene.world, *scene.before.migration, after.resolved_run());
    if (wrong.empty() &&
        after.resolved_run().operation_id() != scene.before.unresolved->operation_id()) {
      wrong = "another run is noted as resolved";
    }
    if (wrong.empty() && after.has_plan()) wrong = "a plan stands without a fresh reading";
    findings.Expect(Property::kS27, wrong.empty(), [&] {
      return absl::StrCat(scene.Name(), ": an acknowledgment settled a run, but ", wrong);
    });
  }
  // What is planned afterwards was read afterwards.
  if (!scene.write.writes.Has(52)) return;
  const bool fresh = after.history().observed_at_ms() >= after.resolved_run().resolved_at_ms();
  findings.Expect(Property::kS27, fresh, [&] {
    return absl::StrCat(scene.Name(),
                        ": planned from a history that was read before a person "
                        "settled the run");
  });
}

}  // namespace

// What is written on an acknowledgment is what became of it (W-55).
void JudgeAcknowledgmentStored(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(55)) return;
  const auto& word = scene.write.after->As<api::PtahMigrationRunAcknowledgment>();
  const ResourceView resource = scene.Resource();
  if (resource.migration == nullptr) return;
  const auto& taken = resource.migration->status().resolved_run().acknowledgment_ref().uid();
  const bool consumed = IsTrue(word.status().conditions(), api::condition::kConsumed);
  findings.Expect(Property::kS27, consumed == (taken == word.metadata().uid()), [&] {
    return absl::StrCat(scene.Name(), ": an acknowledgment is said to be ",
                        consumed ? "consumed that settled nothing" : "stale that settled the run");
  });
}

void JudgeRecordChanged(const Scene& scene, Findings& findings) {
  S14S15(scene, findings);
  S17(scene, findings);
  if (scene.before.migration == nullptr || scene.after.migration == nullptr) return;
  S25Planned(scene, findings);
  S25Restored(scene, findings);
  S27(scene, findings);
}

}  // namespace model
