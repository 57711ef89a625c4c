#include "sim/job_controller.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "sim/kubelet.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr size_t kJobNameInPodMax = 57;
constexpr char kNode[] = "node-1";
// Beside the one a world is about.
constexpr int32_t kOtherDatabase = 1;
constexpr char kForegroundDeletion[] = "foregroundDeletion";

const api::Job* Find(const World& world, const api::Key& key) {
  const Entry* entry = world.Find(key);
  return entry == nullptr ? nullptr : &entry->object->As<api::Job>();
}

void ReportJob(const ApiServer& server, World& world, std::shared_ptr<api::Job> job) {
  const api::Answer answer =
      Update(server, world, kJobControllerUser, std::move(job), api::Subresource::kStatus);
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

// True when the Job may have a Pod and never had one.
bool WantsPod(const api::Job& job) {
  const api::JobStatus& status = job.status();
  return !job.spec().suspend() && job.metadata().deletion_timestamp_ms() == 0 &&
         status.active() == 0 && status.succeeded() == 0 && status.failed() == 0;
}

std::shared_ptr<api::Pod> PodFor(const api::Job& job, int32_t index) {
  auto pod = std::make_shared<api::Pod>();
  api::ObjectMeta* meta = pod->mutable_metadata();
  meta->set_name(PodNameOf(job, index));
  meta->set_namespace_(job.metadata().namespace_());
  const api::PodTemplateSpec& made_of = job.spec().template_();
  *meta->mutable_labels() = made_of.metadata().labels();
  *meta->mutable_annotations() = made_of.metadata().annotations();
  api::OwnerReference* owner = meta->add_owner_references();
  owner->set_api_version(api::ApiVersionOf(api::Kind::kJob));
  owner->set_kind(api::KindName(api::Kind::kJob));
  owner->set_name(job.metadata().name());
  owner->set_uid(job.metadata().uid());
  owner->set_controller(true);
  owner->set_block_owner_deletion(true);
  *pod->mutable_spec() = made_of.spec();
  pod->mutable_spec()->set_node_name(kNode);  // What the scheduler does, in the same step.
  return pod;
}

// A Pod that admission refuses is not there, and the Job controller tries again. The Job has begun
// all the same, and its time runs.
void StartPod(const ApiServer& server, World& world, const api::Key& key, int32_t index,
              std::optional<int32_t> database) {
  std::shared_ptr<api::Pod> pod = PodFor(*Find(world, key), index);
  const api::Key pod_key = api::KeyOf(*pod);
  const bool created = Create(server, world, kJobControllerUser, std::move(pod)).status.ok();
  auto job = std::make_shared<api::Job>(*Find(world, key));
  if (created) job->mutable_status()->set_active(index + 1);
  if (job->status().start_time_ms() == 0) job->mutable_status()->set_start_time_ms(world.now_ms);
  ReportJob(server, world, std::move(job));
  if (created) StartContainers(server, world, pod_key, database);
}

void Finish(const ApiServer& server, World& world, const api::Key& key, bool complete,
            const std::string& reason) {
  auto job = std::make_shared<api::Job>(*Find(world, key));
  api::JobStatus* status = job->mutable_status();
  // Every Pod it ever had is counted, those too that are deleted now and gone before long.
  const int32_t pods = status->active();
  status->set_active(0);
  api::JobCondition* condition = status->add_conditions();
  condition->set_type(complete ? api::condition::kJobComplete : api::condition::kJobFailed);
  condition->set_status(api::condition_status::kTrue);
  condition->set_reason(reason);
  condition->set_last_transition_time_ms(world.now_ms);
  if (complete) {
    status->set_succeeded(1);
    status->set_failed(std::max(0, pods - 1));
    status->set_completion_time_ms(world.now_ms);
  } else {
    status->set_failed(pods);
  }
  ReportJob(server, world, std::move(job));
}

// Pods of a finished Job that still run are deleted: their kubelets stop them when they get to it.
void DeleteRunningPods(const ApiServer& server, World& world, const api::Key& job) {
  std::vector<api::Key> running;
  for (const api::Pod* pod : PodsOf(world, *Find(world, job))) {
    if (!HasEnded(*pod)) running.push_back(api::KeyOf(*pod));
  }
  for (const api::Key& pod : running) Delete(server, world, kJobControllerUser, pod);
  RemoveEndedPods(server, world);
}

void FinishAfterPods(const ApiServer& server, World& world, const api::Key& key) {
  const std::vector<const api::Pod*> pods = PodsOf(world, *Find(world, key));
  const bool complete = std::any_of(pods.begin(), pods.end(), [](const api::Pod* pod) {
    return pod->status().phase() == api::pod_phase::kSucceeded;
  });
  Finish(server, world, key, complete, complete ? "" : api::reason::kBackoffLimitExceeded);
  DeleteRunningPods(server, world, key);
}

void FinishAndLinger(const ApiServer& server, World& world, const api::Key& key) {
  Finish(server, world, key, /*complete=*/false, api::reason::kDeadlineExceeded);
  DeleteRunningPods(server, world, key);
}

// The Pods are stopped with their grace: a child obeys and its runner reports (U-6).
void FinishAtDeadline(const ApiServer& server, World& world, const api::Key& key) {
  std::vector<std::string> running;
  std::vector<api::Key> pending;
  for (const api::Pod* pod : PodsOf(world, *Find(world, key))) {
    if (HasEnded(*pod)) continue;
    const Run* run = RunOf(world, pod->metadata().uid());
    if (run == nullptr) {
      pending.push_back(api::KeyOf(*pod));
    } else if (!IsUnheard(world, *run)) {
      running.push_back(run->pod_uid);
    }
  }
  for (const std::string& pod : running) {
    EndContainer(server, world, pod,
                 {.ending = Ending::kStopped,
                  .disturbed = true,
                  .pod_reason = api::reason::kDeadlineExceeded});
  }
  for (const api::Key& pod : pending) {
    FailPod(server, world, pod, api::reason::kDeadlineExceeded);
  }
  FinishAndLinger(server, world, key);
}

// Once the TTL has passed the Job's Pods go first, as its collector asks: until they have, the Job
// is still there, being deleted.
void CollectPods(const ApiServer& server, World& world, const api::Key& key) {
  auto job = std::make_shared<api::Job>(*Find(world, key));
  std::vector<api::Key> pods;
  for (const api::Pod* pod : PodsOf(world, *job)) pods.push_back(api::KeyOf(*pod));
  job->mutable_metadata()->add_finalizers(kForegroundDeletion);
  Update(server, world, kTtlControllerUser, std::move(job), api::Subresource::kMain);
  Delete(server, world, kTtlControllerUser, key);
  for (const api::Key& pod : pods) Delete(server, world, kGarbageCollectorUser, pod);
  RemoveEndedPods(server, world);
}

void CollectJob(const ApiServer& server, World& world, const api::Key& key) {
  if (Find(world, key)->metadata().deletion_timestamp_ms() == 0) {
    Delete(server, world, kTtlControllerUser, key);
    return;
  }
  auto job = std::make_shared<api::Job>(*Find(world, key));
  job->mutable_metadata()->clear_finalizers();
  Update(server, world, kGarbageCollectorUser, std::move(job), api::Subresource::kMain);
}

class JobOffers {
 public:
  JobOffers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps)
      : server_(context.server), rules_(context.rules), world_(world), steps_(steps) {}

  void Offer(const api::Key& key, const api::Job& job) {
    if (IsFinished(job, nullptr)) return OfferRemoval(key, job);
    const std::vector<const api::Pod*> pods = PodsOf(world_, job);
    if (pods.empty() && WantsPod(job) && IsTriedNow(job)) {
      Add(StepKind::kStartPod, "", key, absl::StrCat("start ", Short(key)));
      if (rules_.wrong_database && IsMutating(key)) {
        Add(StepKind::kStartPod, "elsewhere", key,
            absl::StrCat("start ", Short(key), " against another database"), 1);
      }
      return;
    }
    const std::optional<int64_t> deadline = DeadlineOf(job);
    if (IsDecided(pods) && job.status().active() > 0) {
      Add(StepKind::kFinishJob, "", key, absl::StrCat("finish ", api::ShortName(key)));
    } else if (deadline.has_value() && world_.now_ms >= *deadline) {
      Add(StepKind::kFinishJob, "deadline", key,
          absl::StrCat("stop ", api::ShortName(key), " at its deadline"));
      if (rules_.lingering_pods && !pods.empty()) {
        Add(StepKind::kFinishJob, "linger", key,
            absl::StrCat("fail ", api::ShortName(key), " at its deadline"), 1);
      }
    }
    OfferSecondPod(key, job);
  }

 private:
  // A Pod that was refused is tried again when it would not be.
  bool IsTriedNow(const api::Job& job) const {
    const std::optional<int64_t> deadline = DeadlineOf(job);
    if (!deadline.has_value()) return true;
    return world_.now_ms < *deadline &&
           MayCreate(server_, world_, kJobControllerUser, PodFor(job, 0));
  }

  // One Pod that has ended decides it: one success is enough, and one failure is too many.
  static bool IsDecided(const std::vector<const api::Pod*>& pods) {
    return pods.empty() || std::any_of(pods.begin(), pods.end(),
                                       [](const api::Pod* pod) { return HasEnded(*pod); });
  }

  // Two is as many as there are ever: a third would show nothing new.
  void OfferSecondPod(const api::Key& key, const api::Job& job) {
    if (!rules_.second_pods || job.status().active() != 1 ||
        job.metadata().deletion_timestamp_ms() != 0) {
      return;
    }
    // Readers repeat under another name, and nothing they do twice matters.
    if (!IsMutating(key)) return;
    Add(StepKind::kStartPod, "second", key,
        absl::StrCat("start a second Pod of ", api::ShortName(key)), 1);
  }

  bool IsMutating(const api::Key& job) const {
    const OperationTruth* operation = OperationOfJobName(world_, job.namespace_, job.name);
    return operation != nullptr && operation->mutating;
  }

  void OfferRemoval(const api::Key& key, const api::Job& job) {
    const std::optional<int64_t> removal = RemovalTimeOf(job);
    if (!removal.has_value() || world_.now_ms < *removal) return;
    const bool begun = job.metadata().deletion_timestamp_ms() != 0;
    if (rules_.piecewise_ttl && !begun) {
      Add(StepKind::kCollect, "ttl-pods", key, absl::StrCat("collect the Pods of ", Short(key)));
    } else if (!begun || PodsOf(world_, job).empty()) {
      Add(StepKind::kCollect, "ttl", key, absl::StrCat("collect ", Short(key)));
    }
  }

  static std::string Short(const api::Key& key) { return api::ShortName(key); }

  void Add(StepKind kind, const char* what, const api::Key& key, std::string label,
           int32_t cost = 0) {
    OfferStep(steps_, {.kind = kind, .what = what, .target = key, .cost = cost}, std::move(label));
  }

  const ApiServer& server_;
  const WorldRules& rules_;
  const World& world_;
  std::vector<WorldStep>& steps_;
};

}  // namespace

std::string PodNameOf(const api::Job& job, int32_t index) {
  const std::string of = api::Sha256Hex(absl::StrCat(job.metadata().uid(), "/", index));
  return absl::StrCat(job.metadata().name().substr(0, kJobNameInPodMax), "-", of.substr(0, 5));
}

std::optional<int64_t> DeadlineOf(const api::Job& job) {
  if (job.status().start_time_ms() == 0 || !job.spec().has_active_deadline_seconds() ||
      IsFinished(job, nullptr)) {
    return std::nullopt;
  }
  return job.status().start_time_ms() + job.spec().active_deadline_seconds() * 1000;
}

std::optional<int64_t> RemovalTimeOf(const api::Job& job) {
  int64_t finished_ms = 0;
  if (!job.spec().has_ttl_seconds_after_finished() || !IsFinished(job, &finished_ms)) {
    return std::nullopt;
  }
  return finished_ms + job.spec().ttl_seconds_after_finished() * int64_t{1000};
}

void OfferJobSteps(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  JobOffers offers(context, world, steps);
  ForEachOfKind(world, api::Kind::kJob, [&](const Entry& entry) {
    offers.Offer(entry.object->key, entry.object->As<api::Job>());
    return true;
  });
}

void OfferGarbage(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  if (!context.server.HasGarbage(world)) return;
  if (context.rules.piecewise_garbage) {
    for (const api::Key& key : context.server.Garbage(world)) {
      OfferStep(steps, {.kind = StepKind::kCollect, .what = "one", .target = key},
                absl::StrCat("collect ", api::ShortName(key)));
    }
    return;
  }
  OfferStep(steps, {.kind = StepKind::kCollect, .what = "garbage"}, "collect garbage");
}

void TakeJobStep(const ActorContext& context, World& world, const WorldStep& step) {
  const ApiServer& server = context.server;
  switch (step.kind) {
    case StepKind::kStartPod:
      return StartPod(
          server, world, step.target, step.what == "second" ? 1 : 0,
          step.what == "elsewhere" ? std::optional<int32_t>(kOtherDatabase) : std::nullopt);
    case StepKind::kFinishJob:
      if (step.what == "deadline") return FinishAtDeadline(server, world, step.target);
      if (step.what == "linger") return FinishAndLinger(server, world, step.target);
      return FinishAfterPods(server, world, step.target);
    default:
      break;
  }
  if (step.what == "ttl-pods") return CollectPods(server, world, step.target);
  if (step.what == "one") {
    server.Collect(world, step.target);
    return RemoveEndedPods(server, world);
  }
  if (step.what == "ttl") CollectJob(server, world, step.target);
  // Piecemeal, the rest is garbage that waits.
  if (!context.rules.piecewise_garbage) server.CollectGarbage(world);
  RemoveEndedPods(server, world);
}

}  // namespace sim
