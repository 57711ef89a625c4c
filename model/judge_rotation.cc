// Execution bindings: what an epoch authorized, and what it leaves behind.
//
// Answers: S-28, S-29, S-40, S-41, S-54, S-55.

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/judges.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

constexpr int64_t kStopGraceMs = 30'000;

// --- S-28 ---

// The epochs that the resource's stored plans were made under.
std::set<std::string> EpochsOfPlans(const sim::World& world, const ResourceView& view) {
  std::set<std::string> epochs;
  for (const sim::Entry& entry : world.objects) {
    if (entry.object->key.kind == api::Kind::kPtahSchemaPlan) {
      const auto& plan = entry.object->As<api::PtahSchemaPlan>().spec();
      if (plan.schema_ref().uid() == view.meta->uid()) epochs.insert(plan.execution_binding_id());
    }
    if (entry.object->key.kind == api::Kind::kPtahMigrationPlan) {
      const auto& plan = entry.object->As<api::PtahMigrationPlan>().spec();
      if (plan.migration_ref().uid() == view.meta->uid()) {
        epochs.insert(plan.execution_binding_id());
      }
    }
  }
  return epochs;
}

// Whether anything made under another epoch than the one in force is still stored.
bool OldEvidenceStands(const sim::World& world, const ResourceView& view) {
  std::set<std::string> epochs = EpochsOfPlans(world, view);
  epochs.erase(BindingOf(view).epoch());
  return !epochs.empty();
}

// The epoch of the plan that an Apply's claim carries out; empty when it is gone.
std::string EpochOfPlan(const sim::World& world, const ResourceView& view) {
  const std::string& space = view.key->namespace_;
  if (view.schema != nullptr) {
    const auto* plan = world.Get<api::PtahSchemaPlan>(space, view.schema->status().plan().name());
    return plan == nullptr ? "" : plan->spec().execution_binding_id();
  }
  const auto* plan = world.Get<api::PtahMigrationPlan>(space, view.claim->plan_ref().name());
  return plan == nullptr ? "" : plan->spec().execution_binding_id();
}

void S28(const Scene& scene, Findings& findings) {
  if (!IsJobCreate(*scene.write.request)) return;
  const ResourceView view = scene.Resource();
  if (view.key == nullptr || view.claim == nullptr || !OldEvidenceStands(scene.world, view)) return;
  const std::string& epoch = BindingOf(view).epoch();
  const bool claim = view.claim->execution_binding_id() == epoch;
  const bool plan = !IsApply(*view.claim) || EpochOfPlan(scene.world, view) == epoch;
  findings.Expect(Property::kS28, claim && plan, [&] {
    return absl::StrCat(scene.Name(), ": a Job is created for a ", claim ? "plan" : "claim",
                        " of an epoch that is not in force any more");
  });
}

// A binding that is installed has an epoch of its own, also when its components are old ones.
void S28Installed(const Scene& scene, Findings& findings) {
  const api::ExecutionBinding& is = BindingOf(scene.after);
  if (SameMessage(BindingOf(scene.before), is)) return;
  const bool fresh = is.epoch() != BindingOf(scene.before).epoch() &&
                     EpochsOfPlans(scene.world, scene.before).count(is.epoch()) == 0;
  findings.Expect(Property::kS28, fresh, [&] {
    return absl::StrCat(scene.Name(), ": a binding is installed under the epoch of another");
  });
}

// --- S-29 ---

// What a schema's new epoch left unnamed; empty when nothing was.
std::string Forgotten(const Scene& scene) {
  const api::PtahSchemaStatus& before = scene.before.schema->status();
  const api::PtahSchemaStatus& after = scene.after.schema->status();
  const api::PendingBindingRetirement& record = after.pending_binding_retirement();
  if (before.has_pending_binding_retirement()) return "an earlier rotation is not worked off";
  if (after.has_plan()) return "the plan in status is still the old one";
  if (before.has_plan() &&
      (record.plan().name() != before.plan().name() || record.plan().uid() != before.plan().uid() ||
       record.plan().fingerprint() != before.plan().fingerprint())) {
    return "its plan is not named";
  }
  if (after.has_pending_binding_retirement()) {
    const std::string& epoch = record.retired_epoch();
    if (epoch.empty() || (epoch != before.execution_binding().epoch() &&
                          epoch != before.active_operation().execution_binding_id() &&
                          epoch != before.plan().execution_binding_id())) {
      return "the record describes no epoch that was left";
    }
  }
  const auto names_job = [&](const std::string& type, const std::string& name,
                             const std::string& uid) {
    return record.job().operation() == type && record.job().name() == name &&
           record.job().uid() == uid;
  };
  if (scene.before.claim != nullptr) {
    const api::ActiveOperation& claim = *scene.before.claim;
    const bool named = names_job(claim.type(), claim.job_name(), claim.job_uid());
    if (IsApply(claim)) {
      if (!MayHaveDispatched(claim)) return after.has_active_operation() ? "its claim stays" : "";
      const bool carried =
          scene.after.proof != nullptr && scene.after.proof->apply_operation_id() == claim.id();
      return carried && named ? "" : "its Apply is carried by no record";
    }
    const sim::OperationTruth* operation = scene.operation;
    if (operation == nullptr || operation->created == Count::kNone) return "";
    return named && scene.after.claim != nullptr ? "" : "its reading is not named";
  }
  if (scene.before.proof != nullptr && IsDoubt(scene.before.proof->outcome()) &&
      scene.before.proof->plan().execution_binding_id() == before.execution_binding().epoch() &&
      !scene.before.proof->apply_job_name().empty()) {
    return names_job(api::operation::kApply, scene.before.proof->apply_job_name(),
                     scene.before.proof->apply_job_uid())
               ? ""
               : "the Job of its unaccounted Apply is not named";
  }
  return "";
}

// What ran under components that are not in force any more leaves a doubt, whatever it reports.
void S29Retired(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || !MayHaveDispatched(*scene.before.claim)) return;
  if (SameComponents(BindingOf(scene.before), *scene.process().configuration)) return;
  findings.Expect(Property::kS29, IsDoubt(OutcomeOf(scene)), [&] {
    return absl::StrCat(scene.Name(),
                        ": a manager of other components accounted a run, or let it go");
  });
}

void S29(const Scene& scene, Findings& findings) {
  const std::string& old = BindingOf(scene.before).epoch();
  if (old.empty()) return;
  if (old != BindingOf(scene.after).epoch()) {
    std::string forgotten;
    if (scene.before.schema != nullptr) {
      forgotten = Forgotten(scene);
    } else if (scene.after.migration->status().has_plan() || scene.after.claim != nullptr) {
      forgotten = "its plan or claim stays";
    }
    findings.Expect(Property::kS29, forgotten.empty(), [&] {
      return absl::StrCat(scene.Name(), ": an epoch was retired although ", forgotten);
    });
    return;
  }
  if (scene.before.schema == nullptr) return;
  const api::PtahSchemaStatus& before = scene.before.schema->status();
  const api::PtahSchemaStatus& after = scene.after.schema->status();
  if (!before.has_pending_binding_retirement() || !after.has_pending_binding_retirement()) return;
  const bool one = before.pending_binding_retirement().retired_epoch() ==
                   after.pending_binding_retirement().retired_epoch();
  findings.Expect(Property::kS29, one, [&] {
    return absl::StrCat(scene.Name(), ": a retirement record changed the epoch it describes");
  });
}

// --- S-40 and S-41: another release ---

// The manager image that the resource's plan says made it; empty when there is none.
std::string PlannedBy(const sim::World& world, const ResourceView& view) {
  if (view.schema != nullptr) return view.schema->status().plan().controller_image();
  const auto* plan = world.Get<api::PtahMigrationPlan>(view.key->namespace_,
                                                       view.migration->status().plan().name());
  return plan == nullptr ? "" : plan->spec().controller_image();
}

const api::Job* JobOfClaim(const sim::World& world, const ResourceView& view) {
  if (view.claim == nullptr) return nullptr;
  return world.Get<api::Job>(view.key->namespace_, view.claim->job_name());
}

// Whether nothing but the manager's identity is new about a running Apply: it can be rebuilt.
bool CanBeRebuilt(const Scene& scene, const api::Job& job) {
  const ResourceView& view = scene.before;
  const api::ActiveOperation& claim = *view.claim;
  if (IsDeleting(view) || claim.lease_continuity_lost() || IsTerminal(job)) return false;
  if (BuildsAnother(*scene.process().configuration, job)) return false;
  if (view.meta->generation() != ObservedGenerationOf(view)) return false;
  const api::Lease* lease = LeaseOf(scene.world, claim.coordination_digest());
  if (scene.operation == nullptr || lease == nullptr ||
      lease->spec().holder_identity() != scene.operation->holder ||
      EpochOf(*lease) != claim.lease_epoch()) {
    return false;
  }
  // The pass itself created something it cannot tell the fate of.
  if (scene.trace.create_sent || scene.trace.harmed || scene.trace.resumed) return false;
  if (EpochOfPlan(scene.world, view) != claim.execution_binding_id()) return false;
  return PodsOf(scene.world, job.metadata().uid()).size() <= 1 &&
         MatchesClaim(scene.world, scene.trace.resource, job.metadata().uid()).ok();
}

void S40(const Scene& scene, Findings& findings) {
  const api::Configuration& configuration = *scene.process().configuration;
  if (!SameComponents(BindingOf(scene.before), configuration)) return;
  const std::string planned_by = PlannedBy(scene.world, scene.before);
  if (!planned_by.empty() && planned_by != configuration.controller_image) {
    const bool kept = BindingOf(scene.before).epoch() == BindingOf(scene.after).epoch();
    findings.Expect(Property::kS40, kept, [&] {
      return absl::StrCat(scene.Name(), ": a manager of the same components moved the epoch");
    });
  }
  const api::Job* job = JobOfClaim(scene.world, scene.before);
  if (job == nullptr || !IsApply(*scene.before.claim)) return;
  const auto& annotations = job->metadata().annotations();
  const auto made_by = annotations.find(api::annotation::kControllerImage);
  if (made_by == annotations.end() || made_by->second == configuration.controller_image) return;
  if (!CanBeRebuilt(scene, *job)) return;
  const bool kept =
      scene.after.claim != nullptr && scene.after.claim->id() == scene.before.claim->id();
  findings.Expect(Property::kS40, kept, [&] {
    return absl::StrCat(scene.Name(), ": a running Apply that only another build of the manager ",
                        "made was given up");
  });
}

// What a write makes of a dispatched Apply whose Job another builder made, where that is not its
// being left unknown; empty when nothing is wrong.
std::string WrongWithUnconfirmed(const Scene& scene) {
  if (RetiresApply(scene)) {
    return IsDoubt(OutcomeOf(scene)) ? "" : "was accounted, or let go without a record";
  }
  const api::ActiveOperation& before = *scene.before.claim;
  const api::ActiveOperation* after = scene.after.claim;
  const bool kept = after != nullptr && after->id() == before.id() &&
                    after->job_name() == before.job_name() && MayHaveDispatched(*after);
  return kept ? "" : "has a claim that may dispatch again";
}

// A release of the same components builds another Job than the one that runs.
void S41Met(const Scene& scene, Findings& findings) {
  const api::Configuration& configuration = *scene.process().configuration;
  const api::Job* job = JobOfClaim(scene.world, scene.before);
  if (job == nullptr || !IsApply(*scene.before.claim) || !MayHaveDispatched(*scene.before.claim) ||
      !SameComponents(BindingOf(scene.before), configuration) ||
      !BuildsAnother(configuration, *job)) {
    return;
  }
  const std::string wrong = WrongWithUnconfirmed(scene);
  findings.Expect(Property::kS41, wrong.empty(), [&] {
    return absl::StrCat(scene.Name(), ": an Apply whose Job another builder made ", wrong);
  });
}

// Nothing else is applied until that one is accounted for, or any other.
void S41Created(const Scene& scene, Findings& findings) {
  if (!IsJobCreate(*scene.write.request)) return;
  const OperationTruth* created = OperationOfJob(scene.world, scene.write.request->key.name);
  if (created == nullptr || !created->mutating) return;
  for (const auto& [id, other] : scene.world.truth.operations) {
    if (id == created->id || !other.mutating || other.resource_uid != created->resource_uid)
      continue;
    const bool dispatched = other.marked || other.created != Count::kNone;
    if (!dispatched || !other.open) continue;
    findings.Violate(Property::kS41, [&, id = id] {
      return absl::StrCat(scene.Name(), ": an Apply is dispatched while ", id,
                          " has no settled account");
    });
  }
}

// --- S-54 and S-55: what is worked off ---

// Whether the retired Job may still read the database: it or a Pod of it runs, within the bound of
// its own clock.
bool MayStillRead(const sim::World& world, const api::Job& job) {
  const auto pods = PodsOf(world, job.metadata().uid());
  const bool pods_run =
      std::any_of(pods.begin(), pods.end(), [](const api::Pod* pod) { return !HasStopped(*pod); });
  if (!IsTerminal(job)) return true;
  const int64_t start = job.status().start_time_ms();
  const bool over =
      start != 0 && job.spec().has_active_deadline_seconds() &&
      world.now_ms >= start + job.spec().active_deadline_seconds() * 1000 + kStopGraceMs;
  return pods_run && !over;
}

void S54(const Scene& scene, Findings& findings) {
  if (scene.before.schema == nullptr || IsDeleting(scene.before)) return;
  const api::PendingBindingRetirement& record =
      scene.before.schema->status().pending_binding_retirement();
  if (scene.before.claim == nullptr || scene.after.claim != nullptr ||
      IsApply(*scene.before.claim) || scene.before.claim->job_name() != record.job().name()) {
    return;
  }
  const auto* job = scene.world.Get<api::Job>(scene.trace.resource.namespace_, record.job().name());
  bool ours =
      job != nullptr && (record.job().uid().empty() || record.job().uid() == job->metadata().uid());
  if (ours) {
    const auto& owners = job->metadata().owner_references();
    ours = owners.size() == 1 && owners[0].uid() == scene.before.meta->uid();
  }
  const bool runs = ours && MayStillRead(scene.world, *job);
  findings.Expect(Property::kS54, !runs, [&] {
    return absl::StrCat(scene.Name(), ": a reading of a retired epoch was let go while ",
                        record.job().name(), " can still reach the database");
  });
}

// Every approval of the plan that the pass could see is stale by now.
void Swept(const Scene& scene, const std::string& plan_uid, const char* what, Findings& findings) {
  for (const sim::Entry& entry : scene.trace.start->objects) {
    if (entry.object->key.kind != api::Kind::kPtahSchemaApproval) continue;
    const auto& seen = entry.object->As<api::PtahSchemaApproval>();
    if (seen.spec().plan_ref().uid() != plan_uid) continue;
    const auto* now = scene.world.Get<api::PtahSchemaApproval>(seen.metadata().namespace_(),
                                                               seen.metadata().name());
    const bool swept = now == nullptr || now->metadata().uid() != seen.metadata().uid() ||
                       IsTrue(now->status().conditions(), api::condition::kStale);
    findings.Expect(Property::kS55, swept, [&] {
      return absl::StrCat(scene.Name(), ": ", what, " and approval ", seen.metadata().name(),
                          " of its plan is not stale");
    });
  }
}

void S55(const Scene& scene, Findings& findings) {
  if (scene.before.proof == nullptr || scene.after.proof != nullptr) return;
  if (scene.before.claim == nullptr || IsDeleting(scene.before)) return;
  const api::PlanRecord& plan = scene.before.proof->plan();
  if (plan.execution_binding_id() == BindingOf(scene.before).epoch()) return;
  Swept(scene, plan.uid(), "a proof ended under a retired epoch", findings);
}

// M-6: before the record forgets the plan.
void S55Retired(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(40)) return;
  const auto& record = scene.before.schema->status().pending_binding_retirement();
  Swept(scene, record.plan().uid(), "a retired plan is forgotten", findings);
}

// M-7: before the record forgets an Apply's Job that a proof carries.
void S29Forgotten(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(44)) return;
  const auto& record = scene.before.schema->status().pending_binding_retirement();
  const api::PendingObservation& proof = *scene.before.proof;
  const auto pods = PodsOf(scene.world, record.job().uid());
  const bool stopped =
      std::all_of(pods.begin(), pods.end(), [](const api::Pod* pod) { return HasStopped(*pod); });
  const bool given_up =
      proof.observe_after_ms() != 0 && scene.world.now_ms >= proof.observe_after_ms();
  findings.Expect(Property::kS29, record.job().uid().empty() ? given_up : stopped, [&] {
    return absl::StrCat(scene.Name(), ": the Job ", record.job().name(),
                        record.job().uid().empty() ? " is given up on before its time is over"
                                                   : " is forgotten while a Pod of it runs");
  });
}

}  // namespace

void JudgeRotationSent(const Scene& scene, Findings& findings) {
  S28(scene, findings);
  S41Created(scene, findings);
}

void JudgeRotationChanged(const Scene& scene, Findings& findings) {
  S28Installed(scene, findings);
  S29(scene, findings);
  S29Retired(scene, findings);
  S40(scene, findings);
  S41Met(scene, findings);
  S54(scene, findings);
  S55(scene, findings);
  S55Retired(scene, findings);
  S29Forgotten(scene, findings);
}

}  // namespace model
