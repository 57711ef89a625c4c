// Deletion, suspension, records that go unseen, fences and retries.
//
// Answers: S-23, S-33, S-34, S-36, S-48, S-52, L-06.

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/judges.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

constexpr int64_t kSupervisionMaxMs = 5'000;
constexpr int64_t kDefaultFailureRetryMs = 30'000;

// --- S-23, S-52: the finalizer goes ---

// The unresolved run that the migration holds, in its record or only in the copy.
bool HeldRun(const ResourceView& view, api::UnresolvedRun& run) {
  if (view.unresolved != nullptr) {
    run = *view.unresolved;
    return true;
  }
  if (view.migration == nullptr) return false;
  const auto copy = view.meta->annotations().find(api::annotation::kUnresolvedRun);
  if (copy == view.meta->annotations().end()) return false;
  // One that nobody can read holds the migration all the same, and has no parts to name.
  if (!api::FromJson(copy->second, &run).ok()) run.Clear();
  return run.operation_id() != view.migration->status().resolved_run().operation_id() ||
         run.operation_id().empty();
}

// Why the resource still needs its finalizer; empty when it does not.
std::string StillNeeded(const Scene& scene, const ResourceView& view) {
  if (view.claim != nullptr) return "a claim is stored";
  if (view.proof != nullptr) return "a proof is open";
  if (view.release != nullptr) return "a release is owed";
  for (const auto& [id, operation] : scene.world.truth.operations) {
    if (!operation.mutating || operation.resource_uid != view.meta->uid()) continue;
    if (operation.lost) continue;
    // A migration's record goes with it and does not hold it (spec 01, 2.8), nor does the copy that
    // stands for a record that was lost (spec 06, E-13); and a reading that saw every file applied
    // settled a run that can change nothing any more, whatever it still does.
    api::UnresolvedRun run;
    if (operation.family == sim::Family::kMigration && (HeldRun(view, run) || !operation.open)) {
      continue;
    }
    if (sim::CanRun(scene.world, operation)) return absl::StrCat(id, " can still run");
  }
  return "";
}

void S23(const Scene& scene, const ResourceView& view, Findings& findings) {
  const std::string needed = StillNeeded(scene, view);
  findings.Expect(Property::kS23, needed.empty(), [&] {
    return absl::StrCat(scene.Name(), ": the finalizer was removed although ", needed);
  });
}

// What a deleting resource waits for is over when its claim goes: its record will not wait.
void S23Claim(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || scene.before.migration == nullptr || !IsDeleting(scene.before))
    return;
  const bool can_run = scene.operation != nullptr && sim::CanRun(scene.world, *scene.operation);
  findings.Expect(Property::kS23, !can_run, [&] {
    return absl::StrCat(scene.Name(), ": a deleting migration gave up a run that can still write");
  });
}

void S52(const Scene& scene, const ResourceView& view, Findings& findings) {
  api::UnresolvedRun run;
  if (!IsDeleting(view) || !HeldRun(view, run)) return;
  const std::string* const parts[] = {&run.outcome(), &run.job_name(), &run.plan_ref().name(),
                                      &run.target_identity_digest()};
  const bool announced = std::any_of(
      scene.trace.warnings.begin(), scene.trace.warnings.end(), [&](const std::string& warning) {
        return std::all_of(std::begin(parts), std::end(parts), [&](const std::string* part) {
          return absl::StrContains(warning, *part);
        });
      });
  findings.Expect(Property::kS52, announced, [&] {
    return absl::StrCat(scene.Name(),
                        ": an unresolved run goes with its migration, and no Warning "
                        "named its outcome, Job, plan and database first");
  });
}

// --- S-33: newer state ---

template <class Versions>
bool AnyIsNewer(const Versions& versions, int64_t supported) {
  return std::any_of(versions.begin(), versions.end(),
                     [&](int64_t version) { return version < 0 || version > supported; });
}

bool IsNewer(const ResourceView& view, int64_t supported) {
  if (view.schema != nullptr) {
    const api::PtahSchemaStatus& status = view.schema->status();
    return AnyIsNewer(
        std::initializer_list<int64_t>{
            status.execution_binding().controller_state_version(),
            status.plan().controller_state_version(), status.applied().controller_state_version(),
            status.pending_observation().plan().controller_state_version()},
        supported);
  }
  const int64_t version = view.migration->status().execution_binding().controller_state_version();
  return version < 0 || version > supported;
}

bool StartsNewer(const PassTrace& trace) {
  const sim::Entry* entry = trace.start->Find(trace.resource);
  const ResourceView start = ViewOf(entry == nullptr ? nullptr : entry->object);
  const sim::Process& process = trace.start->processes[trace.id.process];
  return start.key != nullptr && IsNewer(start, process.configuration->controller_state_version);
}

// --- S-34: types nobody knows ---

bool IsUnknownType(const ResourceView& view) {
  if (view.claim == nullptr) return false;
  const std::string& type = view.claim->type();
  const auto is_one_of = [&](std::initializer_list<const char*> known) {
    return std::any_of(known.begin(), known.end(), [&](const char* one) { return type == one; });
  };
  if (is_one_of({api::operation::kResolve, api::operation::kVerify, api::operation::kApply})) {
    return false;
  }
  return view.schema != nullptr ? !is_one_of({api::operation::kObserve, api::operation::kPlan})
                                : !is_one_of({api::operation::kHistory});
}

// Rotation and deletion retire it; else a schema drops one of which nothing was dispatched.
bool MayBeDropped(const Scene& scene) {
  const api::ActiveOperation& claim = *scene.before.claim;
  const bool rotated = BindingOf(scene.before).epoch() != BindingOf(scene.after).epoch();
  if (IsDeleting(scene.before) || rotated) return true;
  return scene.before.schema != nullptr && !MayHaveDispatched(claim) &&
         scene.world.Get<api::Job>(scene.trace.resource.namespace_, claim.job_name()) == nullptr;
}

// What was done for a claim of an unknown type by this write; empty for nothing.
std::string DoneForUnknown(const Scene& scene, const ResourceView& resource) {
  const api::Request& request = *scene.write.request;
  if (request.key.kind == api::Kind::kJob) return "its Job was touched";
  if (request.key.kind == api::Kind::kLease && resource.release == nullptr) {
    return "a realm was touched for it";
  }
  if (!scene.write.stored || scene.before.claim == nullptr || scene.after.key == nullptr) return "";
  if (scene.after.claim != nullptr) {
    return SameMessage(*scene.before.claim, *scene.after.claim) ? "" : "it was worked on";
  }
  if (scene.after.release != nullptr && scene.before.release == nullptr) {
    return "a release was staged for it";
  }
  const bool recorded = (scene.after.proof != nullptr && scene.before.proof == nullptr) ||
                        (scene.after.unresolved != nullptr && scene.before.unresolved == nullptr);
  if (recorded) return "a result was recorded for it";
  return MayBeDropped(scene) ? "" : "it was discarded";
}

void S34(const Scene& scene, Findings& findings) {
  const ResourceView resource = scene.Resource();
  if (resource.key == nullptr || !IsUnknownType(resource)) return;
  const std::string done = DoneForUnknown(scene, resource);
  findings.Expect(Property::kS34, done.empty(), [&] {
    return absl::StrCat(scene.Name(), ": a claim of the unknown type ", resource.claim->type(),
                        " was not left alone: ", done);
  });
}

// --- S-36: suspension ---

// Whether this is an Apply whose Job runs as its claim has it, in the claim's own realm: nothing
// but suspension is new about it.
bool RunsUndisturbed(const PassScene& scene) {
  const sim::World& world = scene.begin();
  const ResourceView& view = scene.start;
  const api::ActiveOperation& claim = *view.claim;
  if (IsDeleting(view) || claim.lease_continuity_lost()) return false;
  if (!SameComponents(BindingOf(view), *scene.process().configuration) ||
      claim.execution_binding_id() != BindingOf(view).epoch()) {
    return false;
  }
  const auto found = world.truth.operations.find(claim.id());
  const api::Lease* lease = LeaseOf(world, claim.coordination_digest());
  if (found == world.truth.operations.end() || lease == nullptr ||
      lease->spec().holder_identity() != found->second.holder ||
      EpochOf(*lease) != claim.lease_epoch()) {
    return false;
  }
  const auto* job = world.Get<api::Job>(view.key->namespace_, claim.job_name());
  return job != nullptr && !IsTerminal(*job) && PodsOf(world, job->metadata().uid()).size() <= 1 &&
         MatchesClaim(world, scene.trace.resource, job->metadata().uid()).ok();
}

void S36(const PassScene& scene, Findings& findings) {
  const ResourceView& start = scene.start;
  if (scene.trace.harmed || scene.trace.resumed || !IsSuspended(start)) return;
  if (start.claim == nullptr || !IsApply(*start.claim) || !MayHaveDispatched(*start.claim)) return;
  if (!RunsUndisturbed(scene)) return;
  const bool kept = scene.now.claim != nullptr && scene.now.claim->id() == start.claim->id();
  const api::Lease* lease = LeaseOf(scene.end, start.claim->coordination_digest());
  // Asked for the write too: where no time has passed, the times are equal without one.
  const bool renewed = lease != nullptr && scene.trace.writes.Has(5) &&
                       lease->spec().renew_time_ms() == scene.end.now_ms;
  const bool looks_again =
      scene.result.requeue_after_ms && *scene.result.requeue_after_ms <= kSupervisionMaxMs;
  findings.Expect(Property::kS36, kept && renewed && looks_again, [&] {
    return absl::StrCat(scene.Name(), ": while it is suspended, its run ",
                        !kept      ? "was given up"
                        : !renewed ? "lost the renewal of its realm"
                                   : "is not looked at again in time");
  });
}

// The same of a run that is being proven: J-1 keeps its realm, and J-2 says that no reading comes.
void S36Proof(const PassScene& scene, Findings& findings) {
  const ResourceView& start = scene.start;
  if (scene.trace.harmed || scene.trace.resumed || !IsSuspended(start) || IsDeleting(start)) return;
  if (start.proof == nullptr || start.claim != nullptr || start.release != nullptr) return;
  if (!SameComponents(BindingOf(start), *scene.process().configuration)) return;
  if (start.schema->status().has_pending_binding_retirement() || !scene.result.status.ok()) return;
  if (!HoldsProofsRealm(scene.begin(), start) || !HoldsProofsRealm(scene.end, scene.now)) return;
  const api::Lease* lease = LeaseOf(scene.end, start.proof->coordination_digest());
  const bool renewed =
      scene.trace.writes.Has(5) && lease->spec().renew_time_ms() == scene.end.now_ms;
  const bool looks_again =
      scene.result.requeue_after_ms &&
      *scene.result.requeue_after_ms < start.proof->lease_duration_seconds() * 1000;
  findings.Expect(Property::kS36, renewed && looks_again, [&] {
    return absl::StrCat(
        scene.Name(), ": while it is suspended, the proof of its run ",
        renewed ? "is not looked at again in time" : "lost the renewal of its realm");
  });
}

// --- S-48: moved inputs ---

void S48(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || !MayHaveDispatched(*scene.before.claim)) return;
  const bool moved = scene.before.meta->generation() != ObservedGenerationOf(scene.before) ||
                     scene.before.claim->execution_binding_id() != BindingOf(scene.before).epoch();
  const auto* job =
      scene.world.Get<api::Job>(scene.trace.resource.namespace_, scene.before.claim->job_name());
  if (!moved || job == nullptr || !IsTerminal(*job)) return;
  const bool unread = IsDoubt(OutcomeOf(scene)) && !scene.trace.read_log;
  findings.Expect(Property::kS48, unread, [&] {
    return absl::StrCat(scene.Name(),
                        ": a result was read although what the run was decided from has moved");
  });
}

// --- L-06: read-only retries ---

int64_t FailureRetryMs(const ResourceView& view) {
  const api::ExecutionSpec& execution =
      view.schema != nullptr ? view.schema->spec().execution() : view.migration->spec().execution();
  const int64_t seconds = execution.failure_retry_interval_seconds();
  return seconds > 0 ? seconds * 1000 : kDefaultFailureRetryMs;
}

int64_t RetryDeadlineOf(const ResourceView& view) {
  return view.schema != nullptr ? NextTimeOf(view) : view.claim->retry_not_before_ms();
}

void L06(const Scene& scene, Findings& findings) {
  if (scene.write.writes.Has(25) && scene.after.claim != nullptr) {
    const int64_t wait = RetryDeadlineOf(scene.after) - scene.world.now_ms;
    findings.Expect(Property::kL06, wait >= FailureRetryMs(scene.after), [&] {
      return absl::StrCat(scene.Name(), ": a reading is to run again after ", wait, " ms");
    });
  }
  if (!IsJobCreate(*scene.write.request)) return;
  const sim::Entry* entry = scene.trace.start->Find(scene.trace.resource);
  const ResourceView start = ViewOf(entry == nullptr ? nullptr : entry->object);
  if (start.key == nullptr || start.claim == nullptr || start.claim->attempt() <= 1 ||
      IsApply(*start.claim)) {
    return;
  }
  const bool waited = RetryDeadlineOf(start) <= scene.world.now_ms;
  findings.Expect(Property::kL06, waited, [&] {
    return absl::StrCat(scene.Name(), ": a reading runs again before its delay is over");
  });
}

// A reading whose Job another builder made cannot be confirmed, so it runs again.
void L06Rebuilt(const Scene& scene, Findings& findings) {
  const ResourceView& view = scene.before;
  if (view.claim == nullptr || IsApply(*view.claim) || IsDeleting(view) || IsSuspended(view) ||
      view.meta->generation() != ObservedGenerationOf(view) ||
      view.claim->execution_binding_id() != BindingOf(view).epoch()) {
    return;
  }
  const bool again = scene.write.writes.Has(25);
  const bool read = scene.after.claim == nullptr && !scene.write.writes.Has(24);
  if (!again && !read) return;
  const auto* job = scene.world.Get<api::Job>(view.key->namespace_, view.claim->job_name());
  if (job == nullptr || !BuildsAnother(*scene.process().configuration, *job)) return;
  findings.Expect(Property::kL06, again, [&] {
    return absl::StrCat(scene.Name(), ": a reading whose Job another builder made was read");
  });
}

}  // namespace

void JudgeLifecycleSent(const Scene& scene, Findings& findings) {
  if (StartsNewer(scene.trace)) {
    findings.Violate(Property::kS33, [&] {
      return absl::StrCat(scene.Name(), ": a write to ", api::ShortName(scene.write.request->key),
                          " although its state was written by a newer manager");
    });
  }
  S34(scene, findings);
}

void JudgeLifecycleStored(const Scene& scene, Findings& findings) {
  L06(scene, findings);
  L06Rebuilt(scene, findings);
  if (scene.write.writes.Has(30) && scene.before.key != nullptr) {
    S23(scene, scene.before, findings);
    S52(scene, scene.before, findings);
  }
  S23Claim(scene, findings);
  S48(scene, findings);
}

void JudgeLifecycleEnded(const PassScene& scene, Findings& findings) {
  if (StartsNewer(scene.trace)) findings.Premise(Property::kS33);
  if (IsUnknownType(scene.start)) findings.Premise(Property::kS34);
  S36(scene, findings);
  S36Proof(scene, findings);
}

}  // namespace model
