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

// What a Pod of the operation is about to change is added to what an earlier one has done.
void NoteIntent(World& world, const api::Pod& pod, const Instructions& told,
                OperationTruth& operation) {
  for (FileEffect& intended : IntendedEffect(world, pod, told)) {
    const bool known =
        std::any_of(operation.effect.begin(), operation.effect.end(),
                    [&](const FileEffect& effect) { return effect.version == intended.version; });
    if (!known) operation.effect.push_back(std::move(intended));
  }
}

void NoteStart(World& world, Handle object, std::optional<int32_t> opened) {
  const api::Pod& pod = object->As<api::Pod>();
  const std::string& uid = pod.metadata().uid();
  const Instructions told = InstructionsOf(pod);
  Run run;
  run.pod = object;
  run.database = opened.value_or(DatabaseOf(world, pod, told));
  run.pod_name = pod.metadata().name();
  run.pod_uid = uid;
  run.namespace_ = pod.metadata().namespace_();
  run.operation_id = std::string(told.operation_id);
  run.started_ms = world.now_ms;
  const int32_t database = run.database;
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
  if (!told.mutating) return;
  if (operation->database < 0) operation->database = database;
  NoteIntent(world, pod, told, *operation);
}

// Of a Pod that is gone nobody will ask for it.
void WriteLog(World& world, const std::string& pod_uid, std::string text) {
  if (!world.logs.contains(pod_uid)) return;
  PodLog& log = world.logs.Edit(pod_uid);
  log.content = Hasher().Text(text).Finish();
  log.text = std::make_shared<const std::string>(std::move(text));
}

void NoteEnd(World& world, const Run& run, const Instructions& told, const RunReport& report,
             const ContainerEnd& end) {
  OperationTruth* operation = EditOperation(world, run.operation_id);
  if (operation == nullptr) return;
  operation->disturbed = operation->disturbed || end.disturbed;
  if (told.mutating) operation->finished_ok = report.did_all;
  const bool read = end.leaves != Leaves::kNothing && end.ending != Ending::kMismatch;
  if (told.reads && run.database >= 0 && read) {
    operation->reading = ReadingOf(*world.truth.databases[run.database]);
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

void StartContainers(const ApiServer& server, World& world, const api::Key& key,
                     std::optional<int32_t> database) {
  std::shared_ptr<api::Pod> pod = CopyOf(world, key);
  STOPGAP_CHECK(pod != nullptr, "only a stored Pod is started");
  const bool starts = VolumesExist(world, *pod);
  if (starts) {
    SetRunning(world.now_ms, *pod);
  } else {
    SetPending(*pod);
  }
  Report(server, world, pod);
  if (starts) NoteStart(world, world.Find(key)->object, database);
}

const Entry* PodOf(const World& world, const Run& run) {
  const Entry* entry = world.Find({api::Kind::kPod, run.namespace_, run.pod_name});
  const bool same =
      entry != nullptr && entry->object->As<api::Pod>().metadata().uid() == run.pod_uid;
  return same ? entry : nullptr;
}

bool IsUnheard(const World& world, const Run& run) {
  return run.lost_at_ms != 0 || PodOf(world, run) == nullptr;
}

void EndContainer(const ApiServer& server, World& world, const std::string& uid,
                  const ContainerEnd& end) {
  const Run* standing = RunOf(world, uid);
  STOPGAP_CHECK(standing != nullptr, "a container that ends has its run");
  const bool unheard = IsUnheard(world, *standing);
  const RunView view = ViewOf(world, *standing);
  RunReport report = ReportOf(view, end.ending);
  const Instructions told = view.told;

  std::string message;
  if (end.leaves != Leaves::kNothing) {
    if (report.summary.has_value() && end.leaves == Leaves::kEverything) {
      message = SummaryText(report);
    }
    WriteLog(world, uid, FrameText(report));
  }
  Run& run = *EditRun(world, uid);
  NoteEnd(world, run, told, report, end);
  run.state = RunState::kEnded;
  if (!unheard) {
    auto pod = std::make_shared<api::Pod>(PodOf(world, run)->object->As<api::Pod>());
    const int32_t exit_code =
        end.leaves == Leaves::kEverything ? report.exit_code : kKilledExitCode;
    SetTerminated(world.now_ms, exit_code, message, end.pod_reason, *pod);
    Report(server, world, std::move(pod));
  }
  RemoveEndedPods(server, world);
}

void RemoveEndedPods(const ApiServer& server, World& world) {
  std::vector<api::Key> ended;
  ForEachOfKind(world, api::Kind::kPod, [&](const Entry& entry) {
    const api::Pod& pod = entry.object->As<api::Pod>();
    const Run* run = RunOf(world, pod.metadata().uid());
    const bool stands = run != nullptr && (run->state != RunState::kEnded || run->lost_at_ms != 0);
    if (pod.metadata().deletion_timestamp_ms() != 0 && !stands) ended.push_back(entry.object->key);
    return true;
  });
  for (const api::Key& key : ended) Delete(server, world, kKubelet, key);
  std::erase_if(world.runs, [&](const Cow<Run>& run) {
    return run->state == RunState::kEnded && PodOf(world, *run) == nullptr;
  });
}

void FailPod(const ApiServer& server, World& world, const api::Key& key,
             const std::string& reason) {
  std::shared_ptr<api::Pod> pod = CopyOf(world, key);
  if (pod == nullptr) return;
  pod->mutable_status()->set_phase(api::pod_phase::kFailed);
  pod->mutable_status()->set_reason(reason);
  Report(server, world, std::move(pod));
}

void EndOverdueRuns(const ApiServer& server, World& world) {
  std::vector<std::string> overdue;
  for (const Cow<Run>& run : world.runs) {
    if (run->state != RunState::kRunning) continue;
    if (world.now_ms >= KillTimeOf(ViewOf(world, *run).told)) overdue.push_back(run->pod_uid);
  }
  for (const std::string& uid : overdue) {
    EndContainer(server, world, uid, {.ending = Ending::kKilled, .disturbed = true});
  }
}

}  // namespace sim
