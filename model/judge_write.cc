// What is judged of each write, and of each pass, in the order in which it comes; the judges
// themselves stand in a file for each matter (judges.h).
//
// Answers: spec 05; L-15.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "model/compare.h"
#include "model/judge.h"
#include "model/judges.h"
#include "model/scene.h"
#include "model/whole_writes.h"

namespace model {

namespace api = lifecycle::api;

void PassJudge::Verdicts(const SentWrite& write, const PassTrace& trace) {
  for (const Judgement& judgement : Judge(write, trace)) {
    verdicts_.Add(judgement.verdict);
    if (on_verdict) on_verdict(judgement.verdict);
    findings_.Expect(Property::kSoundVerdict, !judgement.unsound.has_value(), [&] {
      return absl::StrCat(api::ShortName(trace.resource), ": unsound verdict \"",
                          VerdictName(judgement.verdict), "\": ", *judgement.unsound);
    });
    const bool doubt = judgement.verdict == Verdict::kUnaccounted;
    const bool account =
        judgement.verdict == Verdict::kAccounted || judgement.verdict == Verdict::kPartial;
    // A probe stands behind a stop, so L-15 does not speak of it.
    if (findings_.faults() == 0 && !trace.probe && (doubt || account)) {
      findings_.Expect(Property::kL15, !doubt, [&] {
        return absl::StrCat(api::ShortName(trace.resource),
                            ": a run that nothing disturbed was recorded as unknown");
      });
    }
  }
}

namespace {

// The UID of the approval or acknowledgment that a write takes; empty when it takes none.
std::string DecisionTaken(const Scene& scene) {
  const WriteSet writes = scene.write.writes;
  if (writes.Has(3)) return scene.after.schema->status().plan().approval().uid();
  if (writes.Has(54)) {
    return scene.after.migration->status().resolved_run().acknowledgment_ref().uid();
  }
  const bool claims = writes.Has(2) && scene.after.migration != nullptr;
  return claims ? scene.after.claim->approval_ref().uid() : std::string();
}

// A list may be of a cache: what it shows is a candidate, and is read before it is taken.
void TakenFromAList(const Scene& scene, Findings& findings) {
  const std::string taken = DecisionTaken(scene);
  if (taken.empty() || scene.trace.resumed) return;
  const std::vector<std::string>& read = scene.trace.decisions;
  const bool seen = std::find(read.begin(), read.end(), taken) != read.end();
  findings.Expect(Property::kRead, seen, [&] {
    return absl::StrCat(scene.Name(), ": takes a decision that it has not read directly");
  });
}

}  // namespace

void PassJudge::Sent(const SentWrite& write, const PassTrace& trace) {
  Verdicts(write, trace);
  Scene scene{write, trace, *write.world_before, *write.world_after, {}, {}, nullptr};
  if (write.stored) {
    writes_ |= write.writes;
    if (on_write) on_write(write.writes, trace.previous);
    findings_.Expect(Property::kListedWrite, !write.writes.empty(), [&] {
      return absl::StrCat(api::ShortName(trace.resource), ": unlisted write to ",
                          api::ShortName(write.request->key));
    });
    const std::string lack = LackOf(write.writes, write.before, write.after);
    findings_.Expect(Property::kListedWrite, lack.empty(),
                     [&] { return absl::StrCat(api::ShortName(trace.resource), ": ", lack); });
    scene.before = ViewOf(write.before);
    scene.after = ViewOf(write.after);
    if (scene.before.claim != nullptr)
      scene.operation = scene.OperationOf(scene.before.claim->id());
  }
  JudgeDispatchSent(scene, findings_);
  JudgeLifecycleSent(scene, findings_);
  JudgeRotationSent(scene, findings_);
  if (comparer_ != nullptr) comparer_->OfWrite(write, trace, findings_);
  if (!write.stored) return;
  JudgeDispatchStored(scene, findings_);
  JudgeLeaseStored(scene, findings_);
  JudgeOutcomeStored(scene, findings_);
  JudgeLifecycleStored(scene, findings_);
  JudgeAcknowledgmentStored(scene, findings_);
  if (scene.before.key == nullptr || scene.after.key == nullptr) return;
  TakenFromAList(scene, findings_);
  JudgeDispatchChanged(scene, findings_);
  JudgeAuthorizationChanged(scene, findings_);
  JudgeLeaseChanged(scene, findings_);
  JudgeOutcomeChanged(scene, findings_);
  JudgeRotationChanged(scene, findings_);
  JudgeRecordChanged(scene, findings_);
}

void PassJudge::Ended(const api::PassResult& result, const PassTrace& trace,
                      const sim::World& end) {
  const sim::Entry* entry = trace.start->Find(trace.resource);
  const ResourceView start = ViewOf(entry == nullptr ? nullptr : entry->object);
  const sim::Entry* last = end.Find(trace.resource);
  const ResourceView now = ViewOf(last == nullptr ? nullptr : last->object);
  if (start.key == nullptr) return;
  const PassScene scene{result, trace, end, start, now};
  JudgeAuthorizationEnded(scene, findings_);
  JudgeLeaseEnded(scene, findings_);
  JudgeLifecycleEnded(scene, findings_);
  JudgeRealmEnded(scene, findings_);
  JudgeReads(scene);
  if (on_old_census && ClaimedByAnOldCensus(scene)) on_old_census();
  JudgeRecoveryEnded(scene, findings_);
}

void PassJudge::JudgeReads(const PassScene& scene) {
  if (scene.trace.cached) {
    findings_.Expect(Property::kRead, !scene.trace.cached_wrongly, [&] {
      return absl::StrCat(scene.Name(), ": a cache was asked for what has to be read directly");
    });
  }
  if (!scene.trace.unanswered) return;
  // The one thing that may still be stored is an account, where all that it rests on was answered:
  // whether its executor may still write is answered "yes" then, so the realm is not given back
  // (spec 03, 9).
  const bool accounts = verdicts_.Has(Verdict::kAccounted) || verdicts_.Has(Verdict::kPartial) ||
                        verdicts_.Has(Verdict::kUnaccounted);
  const bool lapses =
      accounts && !scene.trace.evidence_unanswered && !verdicts_.Has(Verdict::kRelease);
  const bool stands = !scene.result.status.ok() || !scene.trace.changed_unanswered || lapses;
  findings_.Expect(Property::kRead, stands, [&] {
    return absl::StrCat(scene.Name(),
                        ": a read was not answered, and it goes on as if it had been");
  });
}

}  // namespace model
