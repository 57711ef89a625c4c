// What a state still has to come back from, and whether the run has ended.
//
// Answers: L-09 to L-11; spec 05, section 2.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/identity.h"
#include "lifecycle/api/names.h"
#include "model/judge.h"
#include "model/judges.h"

namespace model {
namespace {

namespace api = lifecycle::api;

// Whether a rotation of the schema's binding left something that is not worked off.
bool RotationOpen(const ResourceView& view) {
  return view.schema != nullptr && view.schema->status().has_pending_binding_retirement();
}

bool DeletionOpen(const ResourceView& view) {
  return view.meta->deletion_timestamp_ms() != 0 && !view.meta->finalizers().empty();
}

// Whether a Plan claim has stored its plan and not yet published it.
bool SchemaPublicationOpen(const sim::World& world, const ResourceView& view) {
  if (view.claim == nullptr || view.claim->type() != api::operation::kPlan) return false;
  for (const sim::Entry& entry : world.objects) {
    if (entry.object->key.kind != api::Kind::kPtahSchemaPlan) continue;
    const auto& plan = entry.object->As<api::PtahSchemaPlan>();
    if (plan.spec().schema_ref().uid() == view.meta->uid() &&
        plan.spec().execution_binding_id() == view.claim->execution_binding_id() &&
        plan.metadata().uid() != view.schema->status().plan().uid() &&
        !IsTrue(plan.status().conditions(), api::condition::kReady)) {
      return true;
    }
  }
  return false;
}

// Whether a History has found files to plan, and status names no plan of it yet: its pass stopped
// before or behind the plan object.
bool MigrationPublicationOpen(const sim::World& world, const ResourceView& view) {
  if (*view.phase != api::phase::kPlanning || view.claim != nullptr) return false;
  const api::PtahMigrationStatus& status = view.migration->status();
  if (!status.has_plan()) return status.history().pending_count() > 0;
  for (const sim::Entry& entry : world.objects) {
    if (entry.object->key.kind != api::Kind::kPtahMigrationPlan) continue;
    const auto& plan = entry.object->As<api::PtahMigrationPlan>();
    if (plan.spec().migration_ref().uid() == view.meta->uid() &&
        plan.spec().history_fingerprint() == status.history().fingerprint() &&
        plan.metadata().uid() != status.plan().uid()) {
      return true;
    }
  }
  return false;
}

bool PublicationOpen(const sim::World& world, const ResourceView& view) {
  return view.schema != nullptr ? SchemaPublicationOpen(world, view)
                                : MigrationPublicationOpen(world, view);
}

}  // namespace

bool HoldsProofsRealm(const sim::World& world, const ResourceView& schema) {
  const api::PendingObservation& proof = *schema.proof;
  const api::Lease* lease = LeaseOf(world, proof.coordination_digest());
  return lease != nullptr && EpochOf(*lease) == proof.lease_epoch() &&
         lease->spec().holder_identity() ==
             api::HolderIdentity(schema.meta->uid(), proof.apply_operation_id());
}

namespace {

// Whether nothing of the retired Job is left to be waited for: it and its Pods have stopped, and
// where it is an Apply's the proof that carries it may be worked on.
bool JobCanBeWorkedOff(const PassScene& scene, const api::PendingBindingRetirement& record) {
  const std::string& uid = record.job().uid();
  if (uid.empty()) return false;
  const sim::World& world = scene.begin();
  const auto* job = world.Get<api::Job>(scene.start.key->namespace_, record.job().name());
  if (job != nullptr && job->metadata().uid() == uid && !IsTerminal(*job)) return false;
  const auto pods = PodsOf(world, uid);
  if (!std::all_of(pods.begin(), pods.end(), [](const api::Pod* pod) { return HasStopped(*pod); }))
    return false;
  if (scene.start.claim != nullptr) {
    return scene.start.claim->job_name() == record.job().name();
  }
  return scene.start.proof != nullptr && HoldsProofsRealm(world, scene.start) &&
         scene.now.proof != nullptr && HoldsProofsRealm(scene.end, scene.now);
}

// What a rotation left is worked off by every pass that finds it ready, suspended or not.
void L09(const PassScene& scene, Findings& findings) {
  if (!RotationOpen(scene.start) || IsDeleting(scene.start) || scene.start.release != nullptr ||
      scene.now.key == nullptr || !scene.result.status.ok() || scene.trace.harmed ||
      scene.trace.resumed) {
    return;
  }
  const auto& was = scene.start.schema->status().pending_binding_retirement();
  const auto& is = scene.now.schema->status().pending_binding_retirement();
  if (!was.has_plan() && !JobCanBeWorkedOff(scene, was)) return;
  const bool worked_off = was.has_plan() ? !is.has_plan() : !is.has_job();
  findings.Expect(Property::kL09, worked_off, [&] {
    return absl::StrCat(scene.Name(), ": a retired ", was.has_plan() ? "plan" : "Job",
                        " is left although nothing has to be waited for",
                        IsSuspended(scene.start) ? ", under suspension" : "");
  });
}

}  // namespace

void JudgeRecoveryEnded(const PassScene& scene, Findings& findings) { L09(scene, findings); }

void PremisesOfRecovery(const sim::World& world, const ResourceView& view, Findings& findings) {
  if (RotationOpen(view)) findings.Premise(Property::kL09);
  if (DeletionOpen(view)) findings.Premise(Property::kL10);
  if (PublicationOpen(world, view)) findings.Premise(Property::kL11);
}

Property RecoveryPropertyOf(const sim::World& world) {
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    if (DeletionOpen(view)) return Property::kL10;
    if (RotationOpen(view)) return Property::kL09;
    if (PublicationOpen(world, view)) return Property::kL11;
    if (view.proof != nullptr) return Property::kL03;
    if (view.claim != nullptr) {
      return IsApply(*view.claim) && MayHaveDispatched(*view.claim) ? Property::kL02
                                                                    : Property::kL01;
    }
    if (view.unresolved != nullptr) return Property::kL04;
    if (view.release != nullptr) return Property::kL05;
  }
  return Property::kRecovery;
}

bool AccountOpen(const sim::World& world) {
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    if (view.proof != nullptr || view.unresolved != nullptr || view.release != nullptr) return true;
    if (view.claim != nullptr && IsApply(*view.claim)) return true;
    if (RotationOpen(view) || DeletionOpen(view)) return true;
  }
  return false;
}

namespace {

bool WaitsForAPerson(const sim::World& world, const ResourceView& view, const sim::Actors& actors) {
  if (view.claim != nullptr || IsDeleting(view)) return false;
  const std::string& phase = *view.phase;
  if (phase == api::phase::kSuspended) return IsSuspended(view);
  const bool schema = view.schema != nullptr;
  if (phase == api::phase::kBlocked) {
    const bool planned =
        schema ? view.schema->status().has_plan() : view.migration->status().has_plan();
    return (planned && !NotPermitted(world, view, true).empty()) || StandsRefused(world, view);
  }
  return actors.AwaitsApproval(world, *view.key);
}

}  // namespace

bool WaitsForPeople(const sim::World& world, const sim::Actors& actors) {
  if (AccountOpen(world)) return false;
  bool any = false;
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    if (!WaitsForAPerson(world, view, actors)) return false;
    any = true;
  }
  return any;
}

namespace {

// Whether what this resource does next is no part of the run.
bool IsPutAway(const sim::World& world, const ResourceView& view, int operations, bool readings) {
  if (view.claim != nullptr) {
    // The reading that follows a migration's run belongs to it; any other chain is the next one. A
    // claim of a type that nobody knows is neither.
    const std::string& type = view.claim->type();
    return !readings && (type == api::operation::kResolve || type == api::operation::kVerify ||
                         type == api::operation::kObserve || type == api::operation::kPlan);
  }
  // Every account is settled and put away: whatever comes now begins with the next reading.
  return world.truth.apply_claims >= operations && view.meta->finalizers().empty() &&
         *view.phase != api::phase::kVerifyingHistory && *view.phase != api::phase::kReading;
}

// Whether a pass stands in its middle: what it still sends belongs to the run.
bool APassStands(const sim::World& world) {
  return std::any_of(world.processes.begin(), world.processes.end(), [](const auto& process) {
    return process.running &&
           std::any_of(process.work.begin(), process.work.end(),
                       [](const sim::Work& work) { return work.paused != nullptr; });
  });
}

}  // namespace

bool HasEnded(const sim::World& world, int operations, bool readings) {
  if (world.truth.apply_claims > operations) return true;
  if (AccountOpen(world) || APassStands(world)) return false;
  bool put_away = true;
  bool any = false;
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    any = true;
    put_away = put_away && IsPutAway(world, view, operations, readings);
  }
  // Of a resource that is gone nothing is left but what may still run.
  return any ? put_away : world.runs.empty() && world.in_flight.empty();
}

}  // namespace model
