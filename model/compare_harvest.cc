#include "model/compare_harvest.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/frame.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/scene.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// Past the window in which a frame may still arrive (G-7).
constexpr int64_t kPastTheWindowMs = 31'000;

// What a pass recorded of the run.
struct Record {
  std::string outcome;
  std::vector<int64_t> applied;
};

const ResourceView ResourceOf(const sim::World& world, PassId id) {
  const sim::Entry* entry = world.Find(world.processes[id.process].work[id.work].resource);
  return ViewOf(entry == nullptr ? nullptr : entry->object);
}

// Returns what the pass records of the operation; nullopt when it still holds the claim.
std::optional<Record> RecordOf(const sim::World& world, PassId id, const PassRunner& runner) {
  const std::string operation = ResourceOf(world, id).claim->id();
  const sim::World end = runner.Run(world, id, true, nullptr, nullptr);
  const ResourceView view = ResourceOf(end, id);
  if (view.key == nullptr || view.claim != nullptr) return std::nullopt;
  Record record;
  if (view.proof != nullptr && view.proof->apply_operation_id() == operation) {
    record.outcome = view.proof->outcome();
  } else if (view.migration != nullptr) {
    const api::RunRecord& run = view.migration->status().last_run();
    record.outcome = run.outcome();
    record.applied.assign(run.applied_versions().begin(), run.applied_versions().end());
  } else {
    return std::nullopt;
  }
  return record;
}

sim::World WithLog(const sim::World& world, const std::string& pod_uid, std::string text) {
  sim::World changed = world;
  sim::PodLog& log = changed.logs.Edit(pod_uid);
  log.text = std::make_shared<const std::string>(std::move(text));
  return changed;
}

// The same world, whose executor left this termination message.
sim::World WithSummary(const sim::World& world, const api::Pod& pod, const std::string& message,
                       sim::Interner& interner) {
  sim::World changed = world;
  auto next = std::make_shared<api::Pod>(pod);
  for (auto& container : *next->mutable_status()->mutable_container_statuses()) {
    if (!container.state().has_terminated()) continue;
    container.mutable_state()->mutable_terminated()->set_message(message);
  }
  sim::Entry* entry =
      changed.Find({api::Kind::kPod, pod.metadata().namespace_(), pod.metadata().name()});
  entry->object = interner.Intern(api::Kind::kPod, std::move(next));
  return changed;
}

bool SaysNoMore(const Record& less, const Record& more) {
  if (IsDoubt(less.outcome)) return true;
  if (less.outcome != more.outcome) return false;
  return std::all_of(less.applied.begin(), less.applied.end(), [&](int64_t version) {
    return std::find(more.applied.begin(), more.applied.end(), version) != more.applied.end();
  });
}

}  // namespace

std::optional<std::string> CompareHarvests(const sim::World& fresh, PassId id,
                                           const PassRunner& runner, sim::Interner& interner) {
  const ResourceView view = ResourceOf(fresh, id);
  if (view.key == nullptr || view.claim == nullptr || !IsApply(*view.claim)) return std::nullopt;
  const auto found = fresh.truth.operations.find(view.claim->id());
  if (found == fresh.truth.operations.end()) return std::nullopt;
  const std::optional<api::FramePayload> frame = FrameOf(fresh, &found->second);
  const auto* job = fresh.Get<api::Job>(view.key->namespace_, view.claim->job_name());
  if (!frame || job == nullptr || !IsTerminal(*job)) return std::nullopt;
  const api::Pod& pod = *PodsOf(fresh, job->metadata().uid()).front();
  const std::string& uid = pod.metadata().uid();

  sim::World later = fresh;
  later.now_ms += kPastTheWindowMs;
  const std::optional<Record> with = RecordOf(later, id, runner);
  if (!with) return std::nullopt;
  const std::optional<Record> without = RecordOf(WithLog(later, uid, ""), id, runner);
  if (!without) return "a run whose frame is missing for good is never recorded";
  if (view.schema != nullptr && !IsDoubt(without->outcome)) {
    return absl::StrCat("without its frame an Apply is recorded ", without->outcome);
  }
  if (!SaysNoMore(*without, *with)) {
    return absl::StrCat("without its frame the run is recorded ", without->outcome,
                        ", with it it is ", with->outcome);
  }
  api::FramePayload other = *frame;
  other.set_operation_id(api::DigestOf("another attempt"));
  const std::optional<Record> refused =
      RecordOf(WithLog(later, uid, api::RenderFrame(other)), id, runner);
  if (refused && !IsDoubt(refused->outcome)) {
    return absl::StrCat("under a frame of another attempt the run is recorded ", refused->outcome);
  }
  std::optional<api::TerminationSummary> summary = SummaryOf(fresh, &found->second);
  if (!summary) return std::string();
  summary->mutable_migration()->set_outcome(api::report_outcome::kUnknown);
  summary->set_uncertain(true);
  const std::optional<Record> beside =
      RecordOf(WithSummary(later, pod, api::RenderSummary(*summary), interner), id, runner);
  if (!beside || beside->outcome != with->outcome) {
    return "a summary beside a valid frame decides what is recorded";
  }
  return std::string();
}

}  // namespace model
