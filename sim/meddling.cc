#include "sim/meddling.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/names.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr const char* kMeddling[] = {act::kSquatJob,    act::kReplaceJob, act::kDisownJob,
                                     act::kAnnotateJob, act::kStripPod,   act::kPlantPod};

// A volume of it keeps a Pod from ever starting.
constexpr char kNoSuchConfigMap[] = "no-such-configmap";

const api::Job& JobAt(const World& world, const api::Key& key) {
  return world.Find(key)->object->As<api::Job>();
}

api::Key PlantedPodOf(const api::Job& job) {
  return {api::Kind::kPod, job.metadata().namespace_(),
          absl::StrCat(job.metadata().name(), "-planted")};
}

bool IsStripped(const api::Pod& pod) {
  return pod.metadata().annotations().count(api::annotation::kAdmissionSnapshotDigest) == 0;
}

// What was done to the operation's Job is nothing that a run undisturbed has to be accounted for.
void NoteDisturbance(World& world, const api::Key& job) {
  const OperationTruth* operation = OperationOfJobName(world, job.namespace_, job.name);
  if (operation == nullptr) return;
  world.truth.operations.Edit(operation->id).disturbed = true;
}

class MeddlingOffers {
 public:
  MeddlingOffers(const World& world, std::vector<WorldStep>& steps)
      : world_(world), steps_(steps) {}

  void Offer() {
    for (const api::Kind kind : {api::Kind::kPtahSchema, api::Kind::kPtahMigration}) {
      ForEachOfKind(world_, kind, [this](const Entry& entry) {
        const api::ActiveOperation& claim = ClaimOf(entry);
        if (!claim.job_name().empty()) OfferOn(entry.object->key.namespace_, claim);
        return true;
      });
    }
  }

 private:
  void OfferOn(const std::string& namespace_, const api::ActiveOperation& claim) {
    const api::Key key{api::Kind::kJob, namespace_, claim.job_name()};
    const Entry* entry = world_.Find(key);
    if (entry == nullptr) return Add(act::kSquatJob, key);
    const api::Job& job = entry->object->As<api::Job>();
    if (job.metadata().deletion_timestamp_ms() != 0) return;
    if (job.metadata().uid() == claim.job_uid()) Add(act::kReplaceJob, key);
    if (!job.metadata().owner_references().empty()) Add(act::kDisownJob, key);
    if (job.metadata().annotations().count(kNote) == 0) Add(act::kAnnotateJob, key);
    if (!IsFinished(job, nullptr) && world_.Find(PlantedPodOf(job)) == nullptr) {
      Add(act::kPlantPod, key);
    }
    for (const api::Pod* pod : PodsOf(world_, job)) {
      if (!IsStripped(*pod)) Add(act::kStripPod, api::KeyOf(*pod));
    }
  }

  void Add(const char* what, const api::Key& key) {
    if (PersonHasLeft(world_, what, key) == 0) return;
    OfferStep(steps_, {.kind = StepKind::kPerson, .what = what, .target = key, .cost = 1},
              absl::StrCat(what, " ", api::ShortName(key)));
  }

  const World& world_;
  std::vector<WorldStep>& steps_;
};

// Nobody's Job is none that the manager made.
void Squat(const ApiServer& server, World& world, const api::Key& key) {
  auto job = std::make_shared<api::Job>();
  job->mutable_metadata()->set_namespace_(key.namespace_);
  job->mutable_metadata()->set_name(key.name);
  job->mutable_spec()->set_suspend(true);
  job->mutable_spec()->mutable_template_()->mutable_spec()->add_containers()->set_name(kSomething);
  const Truth before = world.truth;
  MustHold(Create(server, world, kPersonUser, std::move(job)));
  world.truth = before;
}

// What the server gave the first one it gives the copy anew.
std::shared_ptr<api::Job> CopyOf(const api::Job& job) {
  auto copy = std::make_shared<api::Job>(job);
  copy->mutable_metadata()->clear_uid();
  copy->mutable_metadata()->clear_generation();
  copy->mutable_spec()->clear_selector();
  auto& labels = *copy->mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels();
  for (const char* generated : {api::label::kLegacyJobName, api::label::kJobName,
                                api::label::kLegacyControllerUid, api::label::kControllerUid}) {
    labels.erase(generated);
  }
  return copy;
}

// The copy runs what the first one did, so it counts as the operation's in all but this: the
// manager stored one Job and no second.
void Replace(const ApiServer& server, World& world, const api::Key& key) {
  std::shared_ptr<api::Job> copy = CopyOf(JobAt(world, key));
  const OperationTruth* operation = OperationOfJobName(world, key.namespace_, key.name);
  const std::string id = operation == nullptr ? "" : operation->id;
  const Count created = operation == nullptr ? Count::kNone : operation->created;
  MustHold(Delete(server, world, kPersonUser, key));
  MustHold(Create(server, world, kPersonUser, std::move(copy)));
  if (OperationTruth* known = EditOperation(world, id)) known->created = created;
}

template <class Object, class Change>
void ChangeMetadata(const ApiServer& server, World& world, const api::Key& key, Change change) {
  auto next = std::make_shared<Object>(world.Find(key)->object->As<Object>());
  change(*next->mutable_metadata());
  MustHold(Update(server, world, kPersonUser, std::move(next), api::Subresource::kMain));
}

void Plant(const ApiServer& server, World& world, const api::Key& key) {
  const api::Job& job = JobAt(world, key);
  const api::Key pod_key = PlantedPodOf(job);
  auto pod = std::make_shared<api::Pod>();
  api::ObjectMeta* meta = pod->mutable_metadata();
  meta->set_namespace_(pod_key.namespace_);
  meta->set_name(pod_key.name);
  *meta->mutable_labels() = job.spec().template_().metadata().labels();
  api::OwnerReference* owner = meta->add_owner_references();
  owner->set_api_version(api::ApiVersionOf(api::Kind::kJob));
  owner->set_kind(api::KindName(api::Kind::kJob));
  owner->set_name(key.name);
  owner->set_uid(job.metadata().uid());
  owner->set_controller(true);
  owner->set_block_owner_deletion(true);
  pod->mutable_spec()->add_containers()->set_name(kSomething);
  api::Volume* volume = pod->mutable_spec()->add_volumes();
  volume->set_name(kSomething);
  volume->mutable_config_map()->set_name(kNoSuchConfigMap);
  auto counted = std::make_shared<api::Job>(job);
  counted->mutable_status()->set_active(job.status().active() + 1);
  if (job.status().start_time_ms() == 0) {
    counted->mutable_status()->set_start_time_ms(world.now_ms);
  }
  MustHold(Restore(server, world, std::move(pod)));
  MustHold(
      Update(server, world, kJobControllerUser, std::move(counted), api::Subresource::kStatus));
}

void NoteDisturbanceOf(World& world, const api::Key& target) {
  if (target.kind == api::Kind::kJob) return NoteDisturbance(world, target);
  const api::Job* job = JobOf(world, world.Find(target)->object->As<api::Pod>());
  if (job != nullptr) NoteDisturbance(world, api::KeyOf(*job));
}

}  // namespace

bool IsMeddling(absl::string_view what) {
  return std::any_of(std::begin(kMeddling), std::end(kMeddling),
                     [what](const char* known) { return what == known; });
}

void OfferMeddling(const ActorContext&, const World& world, std::vector<WorldStep>& steps) {
  MeddlingOffers(world, steps).Offer();
}

void TakeMeddling(const ActorContext& context, World& world, const WorldStep& step) {
  const ApiServer& server = context.server;
  NoteDisturbanceOf(world, step.target);
  if (step.what == act::kSquatJob) return Squat(server, world, step.target);
  if (step.what == act::kReplaceJob) return Replace(server, world, step.target);
  if (step.what == act::kPlantPod) return Plant(server, world, step.target);
  if (step.what == act::kDisownJob) {
    return ChangeMetadata<api::Job>(server, world, step.target,
                                    [](api::ObjectMeta& meta) { meta.clear_owner_references(); });
  }
  if (step.what == act::kAnnotateJob) {
    return ChangeMetadata<api::Job>(server, world, step.target, [](api::ObjectMeta& meta) {
      (*meta.mutable_annotations())[kNote] = kSomething;
    });
  }
  ChangeMetadata<api::Pod>(server, world, step.target, [](api::ObjectMeta& meta) {
    meta.mutable_annotations()->erase(api::annotation::kAdmissionSnapshotDigest);
  });
}

}  // namespace sim
