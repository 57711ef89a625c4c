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

std::shared_ptr<api::Pod> PodFor(const api::Job& job) {
  auto pod = std::make_shared<api::Pod>();
  api::ObjectMeta* meta = pod->mutable_metadata();
  meta->set_name(PodNameOf(job, 0));
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

// A Pod that admission refuses is not there, and the Job controller tries again.
void StartPod(const ApiServer& server, World& world, const api::Key& key) {
  std::shared_ptr<api::Pod> pod = PodFor(*Find(world, key));
  const api::Key pod_key = api::KeyOf(*pod);
  if (!Create(server, world, kJobControllerUser, std::move(pod)).status.ok()) return;
  auto job = std::make_shared<api::Job>(*Find(world, key));
  job->mutable_status()->set_active(1);
  job->mutable_status()->set_start_time_ms(world.now_ms);
  ReportJob(server, world, std::move(job));
  StartContainers(server, world, pod_key);
}

void Finish(const ApiServer& server, World& world, const api::Key& key, bool complete,
            const std::string& reason) {
  auto job = std::make_shared<api::Job>(*Find(world, key));
  api::JobStatus* status = job->mutable_status();
  status->set_active(0);
  api::JobCondition* condition = status->add_conditions();
  condition->set_type(complete ? api::condition::kJobComplete : api::condition::kJobFailed);
  condition->set_status(api::condition_status::kTrue);
  condition->set_reason(reason);
  condition->set_last_transition_time_ms(world.now_ms);
  if (complete) {
    status->set_succeeded(1);
    status->set_completion_time_ms(world.now_ms);
  } else {
    status->set_failed(1);
  }
  ReportJob(server, world, std::move(job));
}

void FinishAfterPods(const ApiServer& server, World& world, const api::Key& key) {
  const std::vector<const api::Pod*> pods = PodsOf(world, *Find(world, key));
  const bool complete = std::any_of(pods.begin(), pods.end(), [](const api::Pod* pod) {
    return pod->status().phase() == api::pod_phase::kSucceeded;
  });
  Finish(server, world, key, complete, complete ? "" : api::reason::kBackoffLimitExceeded);
}

// The Pods are stopped with their grace: a child obeys and its runner reports (U-6).
void FinishAtDeadline(const ApiServer& server, World& world, const api::Key& key) {
  std::vector<api::Key> running;
  std::vector<api::Key> pending;
  for (const api::Pod* pod : PodsOf(world, *Find(world, key))) {
    if (HasEnded(*pod)) continue;
    const bool started = RunOf(world, pod->metadata().uid()) != nullptr;
    (started ? running : pending).push_back(api::KeyOf(*pod));
  }
  for (const api::Key& pod : running) {
    EndContainer(server, world, pod,
                 {.ending = Ending::kStopped,
                  .disturbed = true,
                  .pod_reason = api::reason::kDeadlineExceeded});
  }
  for (const api::Key& pod : pending) {
    FailPendingPod(server, world, pod, api::reason::kDeadlineExceeded);
  }
  Finish(server, world, key, /*complete=*/false, api::reason::kDeadlineExceeded);
}

class JobOffers {
 public:
  JobOffers(const World& world, std::vector<WorldStep>& steps) : world_(world), steps_(steps) {}

  void Offer(const api::Key& key, const api::Job& job) {
    if (IsFinished(job, nullptr)) return OfferRemoval(key, job);
    const std::vector<const api::Pod*> pods = PodsOf(world_, job);
    if (pods.empty() && WantsPod(job)) {
      Add(StepKind::kStartPod, "", key, absl::StrCat("start ", api::ShortName(key)));
      return;
    }
    const bool ended =
        std::all_of(pods.begin(), pods.end(), [](const api::Pod* pod) { return HasEnded(*pod); });
    const std::optional<int64_t> deadline = DeadlineOf(job);
    if (ended && job.status().active() > 0) {
      Add(StepKind::kFinishJob, "", key, absl::StrCat("finish ", api::ShortName(key)));
    } else if (deadline.has_value() && world_.now_ms >= *deadline) {
      Add(StepKind::kFinishJob, "deadline", key,
          absl::StrCat("stop ", api::ShortName(key), " at its deadline"));
    }
  }

 private:
  void OfferRemoval(const api::Key& key, const api::Job& job) {
    const std::optional<int64_t> removal = RemovalTimeOf(job);
    if (!removal.has_value() || world_.now_ms < *removal) return;
    Add(StepKind::kCollect, "ttl", key, absl::StrCat("collect ", api::ShortName(key)));
  }

  void Add(StepKind kind, const char* what, const api::Key& key, std::string label) {
    OfferStep(steps_, {.kind = kind, .what = what, .target = key}, std::move(label));
  }

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
  (void)context;
  JobOffers offers(world, steps);
  ForEachOfKind(world, api::Kind::kJob, [&](const Entry& entry) {
    offers.Offer(entry.object->key, entry.object->As<api::Job>());
    return true;
  });
}

void OfferGarbage(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  if (!context.server.HasGarbage(world)) return;
  OfferStep(steps, {.kind = StepKind::kCollect, .what = "garbage"}, "collect garbage");
}

void TakeJobStep(const ActorContext& context, World& world, const WorldStep& step) {
  const ApiServer& server = context.server;
  switch (step.kind) {
    case StepKind::kStartPod:
      return StartPod(server, world, step.target);
    case StepKind::kFinishJob:
      return step.what == "deadline" ? FinishAtDeadline(server, world, step.target)
                                     : FinishAfterPods(server, world, step.target);
    default:
      break;
  }
  if (step.what == "ttl") Delete(server, world, kTtlControllerUser, step.target);
  server.CollectGarbage(world);
  RemoveEndedPods(server, world);
}

}  // namespace sim
