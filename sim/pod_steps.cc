// What can happen to a Pod: its executor goes on or ends, it is killed, its log is lost.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/kubelet.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr char kDrainUser[] = "system:serviceaccount:kube-system:drain";

// True when somebody else could change or read the database between two statements of this run:
// only then is it worth stopping at each.
bool IsWatched(const World& world, const RunView& view) {
  if (view.database < 0) return false;
  const std::string& digest = world.truth.databases[view.database]->coordination_digest;
  for (const Rival& rival : world.rivals) {
    if (rival.state == Rival::State::kRunning && rival.coordination_digest == digest) return true;
  }
  for (const Cow<Run>& run : world.runs) {
    if (run->state == RunState::kEnded || run->pod_uid == view.run.pod_uid) continue;
    const RunView other = ViewOf(world, *run);
    if (other.database == view.database && (other.told.mutating || other.told.reads)) return true;
  }
  return false;
}

class PodOffers {
 public:
  PodOffers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps)
      : context_(context), world_(world), steps_(steps) {}

  void Offer(const api::Key& key, const api::Pod& pod) {
    Name(key);
    const Run* run = RunOf(world_, pod.metadata().uid());
    if (run == nullptr) return OfferPending(pod);
    if (run->state == RunState::kEnded) return OfferLog(*run, pod);
    const bool heard = run->lost_at_ms == 0;
    if (heard) OfferStop(pod);
    OfferRun(ViewOf(world_, *run), heard);
  }

  // Of a run whose Pod is forgotten.
  void OfferForgotten(const Run& run) {
    if (run.state == RunState::kEnded) return;
    Name({api::Kind::kPod, run.namespace_, run.pod_name});
    OfferRun(ViewOf(world_, run), /*heard=*/false);
  }

 private:
  void Name(const api::Key& key) {
    key_ = key;
    name_ = api::ShortName(key);
  }

  void Add(StepKind kind, absl::string_view what, int32_t option, int32_t cost, std::string label) {
    OfferStep(steps_,
              {.kind = kind,
               .what = std::string(what),
               .target = key_,
               .option = option,
               .cost = cost,
               .patient = patient_ && kind == StepKind::kRun},
              std::move(label));
  }

  void OfferPending(const api::Pod& pod) {
    if (HasEnded(pod) || !VolumesExist(world_, pod)) return;
    Add(StepKind::kStartPod, "", 0, 0, absl::StrCat("start ", name_));
  }

  // A Pod that is being deleted is stopped whenever its kubelet gets to it.
  void OfferStop(const api::Pod& pod) {
    if (pod.metadata().deletion_timestamp_ms() == 0) {
      if (context_.rules.evictions && IsClaimed(pod)) {
        Add(StepKind::kKillPod, "evict", 0, 1, absl::StrCat("evict ", name_));
      }
      return;
    }
    Add(StepKind::kKillPod, "grace", 0, 0, absl::StrCat("stop ", name_));
  }

  // What nobody hears of can only go on.
  void OfferRun(const RunView& view, bool heard) {
    // Nobody waits for what nobody hears of, so time passes meanwhile.
    patient_ = !heard || (context_.rules.lingering_pods && view.run.state == RunState::kRunning);
    if (heard && context_.rules.protocol_mismatch && view.run.state == RunState::kWaiting &&
        IsFirstAttempt(view.run)) {
      Add(StepKind::kRun, "mismatch", 0, 1, absl::StrCat("another protocol in ", name_));
    }
    if (view.told.mutating) {
      OfferMutating(view, heard);
    } else {
      OfferReader(view, heard);
    }
  }

  void OfferMutating(const RunView& view, bool heard) {
    const int32_t left = StatementsLeft(view);
    const bool watched = left > 0 && IsWatched(world_, view);
    if (watched) {
      Add(StepKind::kRun, "pause", 1, 0, absl::StrCat("run ", name_, " one statement"));
    } else {
      Add(StepKind::kRun, "finish", left, 0, absl::StrCat("run ", name_, " to its end"));
      if (context_.rules.slow_runs) OfferSlow(view, left);
    }
    if (heard && context_.rules.kills) OfferKills(view, watched ? 0 : left, left);
  }

  void OfferSlow(const RunView& view, int32_t left) {
    for (int32_t k = view.run.state == RunState::kWaiting ? 0 : 1; k < left; ++k) {
      Add(StepKind::kRun, "pause", k, 1,
          absl::StrCat("run ", name_, " ", k, " statements, slowly"));
    }
  }

  void OfferKills(const RunView& view, int32_t last, int32_t left) {
    for (int32_t k = 0; k <= last; ++k) {
      const std::string label = absl::StrCat("kill ", name_, " after ", k, " statements");
      Add(StepKind::kKillPod, "hard", k, 1, label);
      if (k < left) Add(StepKind::kKillPod, "grace", k, 1, absl::StrCat(label, ", with grace"));
    }
    if (last == left && view.told.operation == api::runner_operation::kMigrationApply) {
      Add(StepKind::kKillPod, "unsummarized", left, 1,
          absl::StrCat("kill ", name_, " after its frame"));
    }
  }

  // A reader's statements change nothing, so it runs at once. Only its first attempt is disturbed:
  // a claim that is killed for ever is retried for ever, each time under another name.
  void OfferReader(const RunView& view, bool heard) {
    Add(StepKind::kRun, "finish", 0, 0, absl::StrCat("run ", name_, " to its end"));
    if (heard && context_.rules.kills && IsFirstAttempt(view.run)) {
      Add(StepKind::kKillPod, "hard", 0, 1, absl::StrCat("kill ", name_));
    }
  }

  bool IsFirstAttempt(const Run& run) const {
    const OperationTruth* operation = OperationOf(world_, run.operation_id);
    return operation == nullptr || operation->mutating || operation->job_names.size() <= 1;
  }

  // Only a log that somebody may still read is worth harming, and once is enough.
  void OfferLog(const Run& run, const api::Pod& pod) {
    const PodLog* log = world_.logs.Get(run.pod_uid);
    if (log == nullptr || log->lost || log->text == nullptr || run.lost_at_ms != 0) return;
    if (log->unreadable) {
      return Add(StepKind::kLoseLog, "back", 0, 0, absl::StrCat("read again the log of ", name_));
    }
    if (!IsFirstAttempt(run) || !IsClaimed(pod)) return;
    const WorldRules& rules = context_.rules;
    if (rules.lose_logs) Harm("", "lose");
    if (rules.slow_logs) Harm("slow", "hold back");
    if (log->harmed) return;
    if (rules.cut_logs) Harm("cut", "cut");
    if (rules.foreign_frames) Harm("foreign", "mix up");
  }

  void Harm(absl::string_view what, absl::string_view verb) {
    Add(StepKind::kLoseLog, what, 0, 1, absl::StrCat(verb, " the log of ", name_));
  }

  bool IsClaimed(const api::Pod& pod) const {
    const api::Job* job = JobOf(world_, pod);
    if (job == nullptr) return false;
    bool claimed = false;
    const auto visit = [&](const Entry& entry) {
      claimed = claimed || (entry.object->key.namespace_ == job->metadata().namespace_() &&
                            ClaimOf(entry).job_name() == job->metadata().name());
      return !claimed;
    };
    ForEachOfKind(world_, api::Kind::kPtahSchema, visit);
    ForEachOfKind(world_, api::Kind::kPtahMigration, visit);
    return claimed;
  }

  const ActorContext& context_;
  const World& world_;
  std::vector<WorldStep>& steps_;
  api::Key key_;
  std::string name_;
  bool patient_ = false;
};

// Runs statements of a child that was going to start, and starts it if it was.
void RunOn(World& world, const Run& run, int32_t statements) {
  const std::string uid = run.pod_uid;
  const RunView view = ViewOf(world, run);
  if (view.told.mutating && WillRun(view)) RunStatements(world, uid, statements);
}

void Kill(const ApiServer& server, World& world, const WorldStep& step, const std::string& uid) {
  ContainerEnd end{.disturbed = true};
  if (step.what == "unsummarized") {
    RunOn(world, *RunOf(world, uid), step.option);
    end.leaves = Leaves::kFrameOnly;
  } else {
    if (step.option > 0) RunOn(world, *RunOf(world, uid), step.option);
    end.ending = Ending::kStopped;
    end.leaves = step.what == "hard" ? Leaves::kNothing : Leaves::kEverything;
  }
  EndContainer(server, world, uid, end);
}

void SetText(PodLog& log, std::string text) {
  log.content = Hasher().Text(text).Finish();
  log.text = std::make_shared<const std::string>(std::move(text));
}

// A frame without its footer and half of its payload.
std::string WithoutItsEnd(const std::string& text) { return text.substr(0, text.size() / 2); }

// The frame that another attempt would have written: whole, and about something else.
std::string OfAnotherAttempt(const std::string& text, const Instructions& told) {
  api::FrameResult frame = api::ParseFrame(text, {.operation = told.operation,
                                                  .operation_id = told.operation_id,
                                                  .protocol_version = told.protocol_version});
  if (!frame.ok()) return text;
  frame.payload.set_operation_id(api::DigestOf("another operation"));
  return api::RenderFrame(frame.payload);
}

void HarmLog(World& world, const WorldStep& step, const std::string& uid) {
  PodLog& log = world.logs.Edit(uid);
  if (step.what == "back") {
    log.unreadable = false;
    return;
  }
  const Run& run = *RunOf(world, uid);
  OperationTruth* operation = EditOperation(world, run.operation_id);
  if (operation != nullptr) operation->disturbed = true;
  if (step.what == "slow") {
    log.unreadable = true;
    return;
  }
  log.harmed = true;
  if (step.what == "cut") return SetText(log, WithoutItsEnd(*log.text));
  if (step.what == "foreign") {
    return SetText(log, OfAnotherAttempt(*log.text, ViewOf(world, run).told));
  }
  log = PodLog{};
  log.lost = true;
}

// The run that a step of a Pod is about: of the stored Pod, or of the one that was forgotten.
std::string RunUidOf(const World& world, const api::Key& pod) {
  if (const Entry* entry = world.Find(pod); entry != nullptr) {
    return entry->object->As<api::Pod>().metadata().uid();
  }
  for (const Cow<Run>& run : world.runs) {
    if (run->namespace_ == pod.namespace_ && run->pod_name == pod.name) return run->pod_uid;
  }
  STOPGAP_CHECK(false, "a step of a Pod is taken where it was offered");
}

}  // namespace

void OfferPodSteps(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  PodOffers offers(context, world, steps);
  ForEachOfKind(world, api::Kind::kPod, [&](const Entry& entry) {
    offers.Offer(entry.object->key, entry.object->As<api::Pod>());
    return true;
  });
  for (const Cow<Run>& run : world.runs) {
    if (PodOf(world, *run) == nullptr) offers.OfferForgotten(*run);
  }
}

void TakePodStep(const ActorContext& context, World& world, const WorldStep& step) {
  const ApiServer& server = context.server;
  if (step.kind == StepKind::kStartPod) return StartContainers(server, world, step.target);
  const std::string uid = RunUidOf(world, step.target);
  if (step.kind == StepKind::kLoseLog) return HarmLog(world, step, uid);
  if (step.what == "evict") {
    if (OperationTruth* operation = EditOperation(world, RunOf(world, uid)->operation_id)) {
      operation->disturbed = true;
    }
    Delete(server, world, kDrainUser, step.target);
    return;
  }
  if (step.kind == StepKind::kKillPod) return Kill(server, world, step, uid);
  if (step.what == "mismatch") {
    return EndContainer(server, world, uid, {.ending = Ending::kMismatch, .disturbed = true});
  }
  RunOn(world, *RunOf(world, uid), step.option);
  if (step.what == "finish") EndContainer(server, world, uid, {});
}

}  // namespace sim
