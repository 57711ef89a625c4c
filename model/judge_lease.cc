// The realm: who holds it, until when, and when it is given back.
//
// Answers: S-11, S-12, S-18, S-19, S-22, S-43, L-05, L-13.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/judges.h"
#include "sim/interner.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

constexpr int64_t kContentionPollMs = 5'000;  // Spec 01, 14.

void S11(const Scene& scene, Findings& findings) {
  if (!IsAccount(scene)) return;
  const api::ActiveOperation& claim = *scene.before.claim;
  const api::Lease* lease = LeaseOf(scene.world, claim.coordination_digest());
  const bool same = lease != nullptr && scene.operation != nullptr &&
                    lease->spec().holder_identity() == scene.operation->holder &&
                    EpochOf(*lease) == claim.lease_epoch() && !claim.lease_continuity_lost() &&
                    !scene.operation->realm_moved;
  findings.Expect(Property::kS11, same, [&] {
    return absl::StrCat(scene.Name(), ": an outcome was read although the realm's epoch changed");
  });
}

// Its second half: of a proof.
void S11Proof(const Scene& scene, Findings& findings) {
  const api::PendingObservation* before = scene.before.proof;
  const api::PendingObservation* after = scene.after.proof;
  if (before == nullptr || after == nullptr || before->lease_epoch() == after->lease_epoch())
    return;
  const bool begins_anew =
      after->outcome() == api::proof_outcome::kOutcomeUnknown && !after->plan_required();
  findings.Expect(Property::kS11, begins_anew, [&] {
    return absl::StrCat(scene.Name(), ": the epoch of its proof changed, and the proof goes on");
  });
}

// Whether the process has watched the Lease, as it stands, through its whole duration.
bool HasWatchedLapse(const sim::Process& process, const api::Lease& lease, int64_t now_ms) {
  const auto seen = process.memory->leases.find(lease.metadata().name());
  return seen != process.memory->leases.end() &&
         seen->second.holder == lease.spec().holder_identity() &&
         seen->second.renew_time_ms == lease.spec().renew_time_ms() &&
         now_ms - process.started_ms - seen->second.first_seen_ms >=
             lease.spec().lease_duration_seconds() * 1000;
}

void S12(const Scene& scene, Findings& findings) {
  if (scene.write.request->key.kind != api::Kind::kLease || scene.write.before == nullptr ||
      scene.write.after == nullptr) {
    return;
  }
  const api::Lease& before = scene.write.before->As<api::Lease>();
  const api::Lease& after = scene.write.after->As<api::Lease>();
  const std::string& foreign = before.spec().holder_identity();
  if (foreign.empty() || after.spec().holder_identity().empty() ||
      foreign == after.spec().holder_identity()) {
    return;
  }
  const sim::Process& process = scene.trace.start->processes[scene.trace.id.process];
  const bool watched = HasWatchedLapse(process, before, scene.world.now_ms);
  findings.Expect(Property::kS12, watched, [&] {
    return absl::StrCat(scene.Name(), ": took the Lease from ", foreign,
                        " without having watched it lapse");
  });
}

// The operation that holds the Lease, or null.
const OperationTruth* HolderOf(const sim::World& world, const api::Lease& lease) {
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.holder == lease.spec().holder_identity()) return &operation;
  }
  return nullptr;
}

void S18(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(22)) return;
  const api::Lease& lease = scene.write.before->As<api::Lease>();
  const std::string epoch = EpochOf(lease);
  bool owed = false;
  const OperationTruth* holder = HolderOf(scene.world, lease);
  for (const sim::Entry& entry : scene.world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.release == nullptr) continue;
    owed |= view.release->lease_epoch() == epoch &&
            (holder == nullptr || view.release->operation_id() == holder->id);
  }
  const bool can_run = holder != nullptr && sim::CanRun(scene.world, *holder);
  findings.Expect(Property::kS18, owed && !can_run, [&] {
    return absl::StrCat(scene.Name(), ": the realm was given back ",
                        owed ? "while its executor can still write" : "although no record owes it");
  });
}

// A schema's realm is its Apply's until the proof is settled: nothing gives it back before.
void S22(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(22)) return;
  const OperationTruth* operation = HolderOf(scene.world, scene.write.before->As<api::Lease>());
  if (operation == nullptr || !operation->mutating || operation->family != sim::Family::kSchema) {
    return;
  }
  const ResourceView resource = scene.Resource();
  const bool proving =
      resource.proof != nullptr && resource.proof->apply_operation_id() == operation->id;
  findings.Expect(Property::kS22, !proving, [&] {
    return absl::StrCat(scene.Name(), ": the realm was given back while its proof is open");
  });
}

// Whether the controller can see that the executor ended: it knows the Job's UID, a Pod of that Job
// stands, and each such Pod's container has terminated.
bool EndIsSeen(const sim::World& world, const api::ActiveOperation& claim,
               const std::string& namespace_) {
  std::string uid = claim.job_uid();
  const api::Job* job = world.Get<api::Job>(namespace_, claim.job_name());
  if (uid.empty() && job != nullptr) uid = job->metadata().uid();
  if (uid.empty()) return false;
  if (job != nullptr && job->metadata().uid() != uid) return false;  // A copy may run on.
  const std::vector<const api::Pod*> pods = PodsOf(world, uid);
  return !pods.empty() && std::all_of(pods.begin(), pods.end(), [](const api::Pod* pod) {
    const auto& containers = pod->status().container_statuses();
    return std::any_of(containers.begin(), containers.end(),
                       [](const auto& container) { return container.state().has_terminated(); });
  });
}

// Whether something of the operation may still write by what is stored, as a controller that
// answers cautiously sees it.
bool MayStillWrite(const sim::World& world, const OperationTruth& operation) {
  if (operation.flying != Count::kNone || sim::CanRun(world, operation)) return true;
  for (const std::string& name : operation.job_names) {
    const api::Job* job = world.Get<api::Job>(operation.resource.namespace_, name);
    if (job == nullptr) continue;
    if (!IsTerminal(*job)) return true;
    for (const api::Pod* pod : PodsOf(world, job->metadata().uid())) {
      if (pod->status().phase() != "Succeeded" && pod->status().phase() != "Failed") return true;
    }
  }
  return false;
}

void S19(const Scene& scene, Findings& findings) {
  if (scene.before.key == nullptr || scene.after.key == nullptr) return;
  // Which acquisition loses its last record in this write.
  std::string operation_id, epoch;
  if (scene.before.proof != nullptr && scene.after.proof == nullptr) {
    operation_id = scene.before.proof->apply_operation_id();
    epoch = scene.before.proof->lease_epoch();
  } else if (scene.before.claim != nullptr && scene.after.claim == nullptr &&
             scene.before.proof == nullptr && scene.after.proof == nullptr) {
    operation_id = scene.before.claim->id();
    epoch = scene.before.claim->lease_epoch();
  }
  const OperationTruth* operation = scene.OperationOf(operation_id);
  if (operation == nullptr || epoch.empty()) return;
  const api::Lease* lease = LeaseOf(scene.world, operation->coordination_digest);
  if (lease == nullptr || lease->spec().holder_identity() != operation->holder ||
      EpochOf(*lease) != epoch) {
    return;
  }
  if (operation->family == sim::Family::kMigration && operation->mutating) {
    if (MayStillWrite(scene.world, *operation)) return;
    // Who was not answered did not see the end either (spec 03, 9).
    if (scene.trace.unanswered) return;
    // Before its own clock ends it, a run counts as going on until somebody saw it end.
    const bool horizon_passed =
        scene.world.now_ms >= operation->execution_not_after_ms + operation->grace_ms;
    if (operation->marked && !horizon_passed && scene.before.claim != nullptr &&
        !EndIsSeen(scene.world, *scene.before.claim, operation->resource.namespace_)) {
      return;
    }
  }
  const bool staged = scene.after.release != nullptr &&
                      scene.after.release->operation_id() == operation_id &&
                      scene.after.release->lease_epoch() == epoch;
  findings.Expect(Property::kS19, staged, [&] {
    return absl::StrCat(scene.Name(), ": the last record of a held realm left without its release");
  });
}

void S43(const Scene& scene, Findings& findings) {
  if (scene.write.request->key.kind != api::Kind::kLease || scene.write.after == nullptr) return;
  const api::Lease& lease = scene.write.after->As<api::Lease>();
  const OperationTruth* holder = HolderOf(scene.world, lease);
  if (holder == nullptr || holder->family != sim::Family::kMigration || !holder->mutating) return;
  const int64_t lapse = lease.spec().renew_time_ms() + lease.spec().lease_duration_seconds() * 1000;
  findings.Expect(Property::kS43, lapse >= holder->execution_not_after_ms + 120'000, [&] {
    return absl::StrCat(scene.Name(), ": the Lease may lapse ",
                        (lapse - holder->execution_not_after_ms) / 1000,
                        " s after the execution deadline, less than 120");
  });
}

void L05(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(5)) return;
  const ResourceView resource = scene.Resource();
  const OperationTruth* operation = HolderOf(scene.world, scene.write.after->As<api::Lease>());
  const bool recorded =
      operation != nullptr &&
      ((resource.claim != nullptr && resource.claim->id() == operation->id) ||
       (resource.proof != nullptr && resource.proof->apply_operation_id() == operation->id));
  findings.Expect(Property::kL05, recorded, [&] {
    return absl::StrCat(scene.Name(), ": the realm was taken or renewed for a claim that is gone");
  });
}

// The Lease for which the pass's claim still waits when it ends, since somebody else holds it; null
// when it does not.
const api::Lease* AwaitedLease(const PassScene& scene) {
  if (scene.now.claim == nullptr || !IsApply(*scene.now.claim) ||
      MayHaveDispatched(*scene.now.claim) || !scene.trace.writes.empty() ||
      !scene.result.status.ok()) {
    return nullptr;
  }
  const api::Lease* lease = LeaseOf(scene.end, scene.start.claim->coordination_digest());
  const auto operation = scene.end.truth.operations.find(scene.start.claim->id());
  if (lease == nullptr || operation == scene.end.truth.operations.end()) return nullptr;
  const std::string& holder = lease->spec().holder_identity();
  return holder.empty() || holder == operation->second.holder ? nullptr : lease;
}

// A realm whose holder is gone comes back: who has watched its Lease lapse takes it.
void L05Lapsed(const PassScene& scene, const api::Lease& awaited, Findings& findings) {
  const bool lapsed = HasWatchedLapse(scene.process(), awaited, scene.begin().now_ms);
  findings.Expect(Property::kL05, !lapsed, [&] {
    return absl::StrCat(scene.Name(), ": waits for a realm that it has watched lapse");
  });
}

// A claim that waits for a realm somebody else holds looks again within five seconds.
void L13(const PassScene& scene, Findings& findings) {
  const auto& requeue_ms = scene.result.requeue_after_ms;
  findings.Expect(Property::kL13, requeue_ms && *requeue_ms <= kContentionPollMs, [&] {
    return absl::StrCat(scene.Name(), ": waits longer than five seconds for a realm");
  });
}

}  // namespace

void JudgeLeaseStored(const Scene& scene, Findings& findings) {
  S12(scene, findings);
  S18(scene, findings);
  S22(scene, findings);
  S43(scene, findings);
  L05(scene, findings);
}

void JudgeLeaseChanged(const Scene& scene, Findings& findings) {
  S11(scene, findings);
  S11Proof(scene, findings);
  S19(scene, findings);
}

void JudgeLeaseEnded(const PassScene& scene, Findings& findings) {
  if (scene.start.claim == nullptr || scene.trace.harmed) return;
  const api::Lease* awaited = AwaitedLease(scene);
  if (awaited == nullptr) return;
  L05Lapsed(scene, *awaited, findings);
  L13(scene, findings);
}

}  // namespace model
