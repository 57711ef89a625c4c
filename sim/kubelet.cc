#include "sim/kubelet.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "sim/database.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr char kContainerCreating[] = "ContainerCreating";
constexpr char kCompleted[] = "Completed";
constexpr char kError[] = "Error";
constexpr int32_t kKilledExitCode = 137;

// A copy of the stored Pod to change, or null when it is gone.
std::shared_ptr<api::Pod> CopyOf(const World& world, const api::Key& key) {
  const Entry* entry = world.Find(key);
  return entry == nullptr ? nullptr : std::make_shared<api::Pod>(entry->object->As<api::Pod>());
}

// Nothing but the operator's webhook can refuse a write, and it does not judge a kubelet's.
void Report(const ApiServer& server, World& world, std::shared_ptr<api::Pod> pod) {
  const api::Answer answer =
      Update(server, world, kKubelet, std::move(pod), api::Subresource::kStatus);
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

api::ContainerState* StateOf(const std::string& container, api::ContainerStatus* status) {
  status->set_name(container);
  status->clear_state();
  return status->mutable_state();
}

void SetPending(api::Pod& pod) {
  api::PodStatus* status = pod.mutable_status();
  status->set_phase(api::pod_phase::kPending);
  status->clear_container_statuses();
  for (const api::Container& container : pod.spec().containers()) {
    StateOf(container.name(), status->add_container_statuses())
        ->mutable_waiting()
        ->set_reason(kContainerCreating);
  }
}

void SetRunning(int64_t now_ms, api::Pod& pod) {
  api::PodStatus* status = pod.mutable_status();
  status->set_phase(api::pod_phase::kRunning);
  status->set_start_time_ms(now_ms);
  status->clear_init_container_statuses();
  for (const api::Container& container : pod.spec().init_containers()) {
    api::ContainerStateTerminated* done =
        StateOf(container.name(), status->add_init_container_statuses())->mutable_terminated();
    done->set_reason(kCompleted);
    done->set_finished_at_ms(now_ms);
  }
  status->clear_container_statuses();
  for (const api::Container& container : pod.spec().containers()) {
    StateOf(container.name(), status->add_container_statuses())
        ->mutable_running()
        ->set_started_at_ms(now_ms);
  }
}

void SetTerminated(int64_t now_ms, int32_t exit_code, const std::string& message,
                   const std::string& pod_reason, api::Pod& pod) {
  api::PodStatus* status = pod.mutable_status();
  status->set_phase(exit_code == 0 ? api::pod_phase::kSucceeded : api::pod_phase::kFailed);
  status->set_reason(pod_reason);
  for (api::ContainerStatus& container : *status->mutable_container_statuses()) {
    const bool executor = container.name() == api::kExecutorContainer;
    api::ContainerStateTerminated* end =
        StateOf(std::string(container.name()), &container)->mutable_terminated();
    end->set_exit_code(exit_code);
    end->set_reason(exit_code == 0 ? kCompleted : kError);
    end->set_finished_at_ms(now_ms);
    if (executor) end->set_message(message);
  }
}

void NoteStart(World& world, const api::Pod& pod) {
  const std::string& uid = pod.metadata().uid();
  const Instructions told = InstructionsOf(pod);
  Run run;
  run.pod_name = pod.metadata().name();
  run.pod_uid = uid;
  run.namespace_ = pod.metadata().namespace_();
  run.operation_id = std::string(told.operation_id);
  run.started_ms = world.now_ms;
  const api::Job* job = JobOf(world, pod);
  if (job != nullptr) run.job_uid = job->metadata().uid();
  const auto at =
      std::partition_point(world.runs.begin(), world.runs.end(),
                           [&uid](const Cow<Run>& other) { return other->pod_uid < uid; });
  world.runs.insert(at, Cow<Run>(std::move(run)));
  world.logs.Edit(uid) = PodLog{};
  OperationTruth* operation = EditOperation(world, told.operation_id);
  if (operation == nullptr) return;
  operation->pods = Increment(operation->pods);
  if (told.mutating) {
    operation->effect = IntendedEffect(world, pod, told);
  }
}

void WriteLog(World& world, const std::string& pod_uid, std::string text) {
  PodLog& log = world.logs.Edit(pod_uid);
  log.content = Hasher().Text(text).Finish();
  log.text = std::make_shared<const std::string>(std::move(text));
}

void NoteEnd(World& world, const Run& run, const Instructions& told, const RunReport& report,
             const ContainerEnd& end, int32_t database) {
  OperationTruth* operation = EditOperation(world, run.operation_id);
  if (operation == nullptr) return;
  operation->disturbed = operation->disturbed || end.disturbed;
  if (told.mutating) operation->finished_ok = report.did_all;
  if (told.reads && database >= 0 && end.leaves != Leaves::kNothing) {
    operation->reading = ReadingOf(*world.truth.databases[database]);
  }
}

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
    const auto* pod = world.Get<api::Pod>(run->namespace_, run->pod_name);
    if (pod == nullptr || pod->metadata().uid() != run->pod_uid) continue;
    const RunView other = ViewOf(world, *run, *pod);
    if (other.database == view.database && (other.told.mutating || other.told.reads)) return true;
  }
  return false;
}

class PodOffers {
 public:
  PodOffers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps)
      : context_(context), world_(world), steps_(steps) {}

  void Offer(const api::Key& key, const api::Pod& pod) {
    key_ = key;
    name_ = api::ShortName(key);
    const Run* run = RunOf(world_, pod.metadata().uid());
    if (run == nullptr) return OfferPending(pod);
    if (run->state == RunState::kEnded) return OfferLostLog(pod);
    OfferStop(pod);
    const RunView view = ViewOf(world_, *run, pod);
    if (view.told.mutating) {
      OfferMutating(view);
    } else {
      OfferReader(view);
    }
  }

 private:
  void Add(StepKind kind, absl::string_view what, int32_t option, int32_t cost, std::string label) {
    OfferStep(
        steps_,
        {.kind = kind, .what = std::string(what), .target = key_, .option = option, .cost = cost},
        std::move(label));
  }

  void OfferPending(const api::Pod& pod) {
    if (HasEnded(pod) || !VolumesExist(world_, pod)) return;
    Add(StepKind::kStartPod, "", 0, 0, absl::StrCat("start ", name_));
  }

  // A Pod that is being deleted is stopped whenever its kubelet gets to it.
  void OfferStop(const api::Pod& pod) {
    if (pod.metadata().deletion_timestamp_ms() == 0) return;
    Add(StepKind::kKillPod, "grace", 0, 0, absl::StrCat("stop ", name_));
  }

  void OfferMutating(const RunView& view) {
    const int32_t left = StatementsLeft(view);
    const bool watched = left > 0 && IsWatched(world_, view);
    if (watched) {
      Add(StepKind::kRun, "pause", 1, 0, absl::StrCat("run ", name_, " one statement"));
    } else {
      Add(StepKind::kRun, "finish", left, 0, absl::StrCat("run ", name_, " to its end"));
      if (context_.rules.slow_runs) OfferSlow(view, left);
    }
    if (context_.rules.kills) OfferKills(view, watched ? 0 : left, left);
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
  void OfferReader(const RunView& view) {
    Add(StepKind::kRun, "finish", 0, 0, absl::StrCat("run ", name_, " to its end"));
    if (context_.rules.kills && IsFirstAttempt(view.run)) {
      Add(StepKind::kKillPod, "hard", 0, 1, absl::StrCat("kill ", name_));
    }
  }

  bool IsFirstAttempt(const Run& run) const {
    const OperationTruth* operation = OperationOf(world_, run.operation_id);
    return operation == nullptr || operation->job_names.size() <= 1;
  }

  // Only a log that somebody may still read is worth losing.
  void OfferLostLog(const api::Pod& pod) {
    if (!context_.rules.lose_logs) return;
    const PodLog* log = world_.logs.Get(pod.metadata().uid());
    if (log == nullptr || log->lost || log->text == nullptr) return;
    const Run* run = RunOf(world_, pod.metadata().uid());
    const OperationTruth* operation = OperationOf(world_, run->operation_id);
    if (operation != nullptr && !operation->mutating && !IsFirstAttempt(*run)) return;
    const api::Job* job = JobOf(world_, pod);
    if (job == nullptr || !IsClaimed(*job)) return;
    Add(StepKind::kLoseLog, "", 0, 1, absl::StrCat("lose the log of ", name_));
  }

  bool IsClaimed(const api::Job& job) const {
    bool claimed = false;
    const auto visit = [&](const Entry& entry) {
      claimed = claimed || (entry.object->key.namespace_ == job.metadata().namespace_() &&
                            ClaimOf(entry).job_name() == job.metadata().name());
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
};

// Runs statements of a child that was going to start, and starts it if it was.
void RunOn(World& world, const api::Pod& pod, int32_t statements) {
  const std::string& uid = pod.metadata().uid();
  const RunView view = ViewOf(world, *RunOf(world, uid), pod);
  if (view.told.mutating && WillRun(view)) RunStatements(world, uid, statements);
}

void Kill(const ApiServer& server, World& world, const WorldStep& step, const api::Pod& pod) {
  ContainerEnd end{.disturbed = true};
  if (step.what == "unsummarized") {
    RunOn(world, pod, step.option);
    end.leaves = Leaves::kFrameOnly;
  } else {
    if (step.option > 0) RunOn(world, pod, step.option);
    end.ending = Ending::kStopped;
    end.leaves = step.what == "hard" ? Leaves::kNothing : Leaves::kEverything;
  }
  EndContainer(server, world, step.target, end);
}

void LoseLog(World& world, const api::Pod& pod) {
  PodLog& log = world.logs.Edit(pod.metadata().uid());
  log = PodLog{};
  log.lost = true;
  const Run* run = RunOf(world, pod.metadata().uid());
  if (OperationTruth* operation = EditOperation(world, run->operation_id)) {
    operation->disturbed = true;
  }
}

}  // namespace

bool VolumesExist(const World& world, const api::Pod& pod) {
  const std::string& namespace_ = pod.metadata().namespace_();
  const auto exists = [&](const std::string& name) {
    return name.empty() || world.Get<api::ConfigMap>(namespace_, name) != nullptr;
  };
  for (const api::Volume& volume : pod.spec().volumes()) {
    if (!exists(volume.config_map().name())) return false;
    for (const api::VolumeProjection& source : volume.projected().sources()) {
      if (!exists(source.config_map().name())) return false;
    }
  }
  return true;
}

void StartContainers(const ApiServer& server, World& world, const api::Key& key) {
  std::shared_ptr<api::Pod> pod = CopyOf(world, key);
  STOPGAP_CHECK(pod != nullptr, "only a stored Pod is started");
  const bool starts = VolumesExist(world, *pod);
  if (starts) {
    SetRunning(world.now_ms, *pod);
  } else {
    SetPending(*pod);
  }
  Report(server, world, pod);
  if (starts) NoteStart(world, *pod);
}

void EndContainer(const ApiServer& server, World& world, const api::Key& key,
                  const ContainerEnd& end) {
  std::shared_ptr<api::Pod> pod = CopyOf(world, key);
  STOPGAP_CHECK(pod != nullptr, "a container that ends has its Pod");
  const std::string uid = pod->metadata().uid();
  const RunView view = ViewOf(world, *RunOf(world, uid), *pod);
  RunReport report = ReportOf(view, end.ending);
  const Instructions told = view.told;
  const int32_t database = view.database;

  std::string message;
  if (end.leaves != Leaves::kNothing) {
    if (report.summary.has_value() && end.leaves == Leaves::kEverything) {
      message = SummaryText(report);
    }
    WriteLog(world, uid, FrameText(report));
  }
  Run& run = *EditRun(world, uid);
  NoteEnd(world, run, told, report, end, database);
  run.state = RunState::kEnded;
  const int32_t exit_code = end.leaves == Leaves::kEverything ? report.exit_code : kKilledExitCode;
  SetTerminated(world.now_ms, exit_code, message, end.pod_reason, *pod);
  Report(server, world, std::move(pod));
  RemoveEndedPods(server, world);
}

void RemoveEndedPods(const ApiServer& server, World& world) {
  std::vector<api::Key> ended;
  ForEachOfKind(world, api::Kind::kPod, [&](const Entry& entry) {
    const api::Pod& pod = entry.object->As<api::Pod>();
    const Run* run = RunOf(world, pod.metadata().uid());
    const bool runs = run != nullptr && run->state != RunState::kEnded;
    if (pod.metadata().deletion_timestamp_ms() != 0 && !runs) ended.push_back(entry.object->key);
    return true;
  });
  for (const api::Key& key : ended) Delete(server, world, kKubelet, key);
  std::erase_if(world.runs, [&](const Cow<Run>& run) {
    const auto* pod = world.Get<api::Pod>(run->namespace_, run->pod_name);
    const bool gone = pod == nullptr || pod->metadata().uid() != run->pod_uid;
    return gone && run->state == RunState::kEnded;
  });
}

void FailPendingPod(const ApiServer& server, World& world, const api::Key& key,
                    const std::string& reason) {
  std::shared_ptr<api::Pod> pod = CopyOf(world, key);
  if (pod == nullptr) return;
  pod->mutable_status()->set_phase(api::pod_phase::kFailed);
  pod->mutable_status()->set_reason(reason);
  Report(server, world, std::move(pod));
}

void EndOverdueRuns(const ApiServer& server, World& world) {
  std::vector<api::Key> overdue;
  for (const Cow<Run>& run : world.runs) {
    if (run->state != RunState::kRunning) continue;
    const auto* pod = world.Get<api::Pod>(run->namespace_, run->pod_name);
    if (pod == nullptr || pod->metadata().uid() != run->pod_uid) continue;
    if (world.now_ms >= KillTimeOf(InstructionsOf(*pod))) overdue.push_back(api::KeyOf(*pod));
  }
  for (const api::Key& key : overdue) {
    EndContainer(server, world, key, {.ending = Ending::kKilled, .disturbed = true});
  }
}

void OfferPodSteps(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  PodOffers offers(context, world, steps);
  ForEachOfKind(world, api::Kind::kPod, [&](const Entry& entry) {
    offers.Offer(entry.object->key, entry.object->As<api::Pod>());
    return true;
  });
}

void TakePodStep(const ActorContext& context, World& world, const WorldStep& step) {
  if (step.kind == StepKind::kStartPod) return StartContainers(context.server, world, step.target);
  const Entry* entry = world.Find(step.target);
  STOPGAP_CHECK(entry != nullptr, "a step of a Pod is taken where it was offered");
  // The message outlives the entry: objects are interned for the whole run.
  const api::Pod& pod = entry->object->As<api::Pod>();
  if (step.kind == StepKind::kLoseLog) return LoseLog(world, pod);
  if (step.kind == StepKind::kKillPod) return Kill(context.server, world, step, pod);
  RunOn(world, pod, step.option);
  if (step.what == "finish") EndContainer(context.server, world, step.target, {});
}

}  // namespace sim
