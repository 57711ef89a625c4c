// Properties of single writes, and of whole passes.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/rules/admission_snapshot.h"
#include "model/compare.h"
#include "model/judge.h"
#include "model/judges.h"
#include "model/scene.h"
#include "sim/interner.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

void S02(const Scene& scene, Findings& findings) {
  if (!IsJobCreate(*scene.write.request)) return;
  const OperationTruth* operation = OperationOfJob(scene.world, scene.write.request->key.name);
  if (operation == nullptr || !operation->mutating) return;
  const sim::Entry* entry = scene.trace.start->Find(operation->resource);
  const ResourceView at_start = ViewOf(entry == nullptr ? nullptr : entry->object);
  const bool dispatched = at_start.claim != nullptr && at_start.claim->id() == operation->id &&
                          MayHaveDispatched(*at_start.claim);
  findings.Expect(Property::kS02, !dispatched, [&] {
    return absl::StrCat(scene.Name(), ": a pass created ", scene.write.request->key.name,
                        " although its claim was dispatched before the pass began");
  });
}

void S05(const Scene& scene, Findings& findings) {
  if (!IsJobCreate(*scene.write.request) || !scene.write.stored) return;
  const api::Job& job = scene.write.after->As<api::Job>();
  const ResourceView resource = scene.Resource();
  if (resource.claim == nullptr) return;
  const auto digest = job.metadata().annotations().find(api::annotation::kAdmissionSnapshotDigest);
  const bool carried = digest != job.metadata().annotations().end() &&
                       resource.claim->has_admission_snapshot() &&
                       digest->second == resource.claim->admission_snapshot().digest();
  findings.Expect(Property::kS05, carried, [&] {
    return absl::StrCat(scene.Name(), ": ", scene.write.request->key.name,
                        " was stored without the digest of a stored snapshot");
  });
}

// S-06 asks at the mark for what is stored by then. What the mark promises of the template shows in
// the Job that is sent under it.
void S06Template(const Scene& scene, Findings& findings) {
  if (!IsJobCreate(*scene.write.request)) return;
  const ResourceView resource = scene.Resource();
  if (resource.claim == nullptr || !IsApply(*resource.claim) ||
      resource.claim->job_name() != scene.write.request->key.name) {
    return;
  }
  const auto& job = static_cast<const api::Job&>(*scene.write.request->body);
  const std::string digest =
      lifecycle::rules::TemplateDigest(job.spec().template_(), resource.claim->started_at_ms());
  const bool equal = resource.claim->admission_snapshot().template_digest() == digest;
  findings.Expect(Property::kS06, equal, [&] {
    return absl::StrCat(scene.Name(), ": ", scene.write.request->key.name,
                        " has another Pod template than the snapshot its mark was set under");
  });
}

// Why the projections of the schema's plan are not all there; empty when they are.
std::string MissingProjection(const sim::World& world, const api::PtahSchema& schema) {
  const std::string& space = schema.metadata().namespace_();
  const auto* plan = world.Get<api::PtahSchemaPlan>(space, schema.status().plan().name());
  if (plan == nullptr || plan->metadata().uid() != schema.status().plan().uid()) {
    return "the plan is gone";
  }
  for (const auto& chunk : plan->spec().chunks()) {
    const auto* projection = world.Get<api::ConfigMap>(space, chunk.name());
    if (projection == nullptr) return absl::StrCat("projection ", chunk.name(), " is missing");
    if (!projection->immutable() || projection->binary_data_size() != 1) {
      return absl::StrCat("projection ", chunk.name(), " is not one fixed value");
    }
    const std::string& data = projection->binary_data().begin()->second;
    if (static_cast<int64_t>(data.size()) != chunk.size() ||
        api::DigestOf(data) != chunk.digest()) {
      return absl::StrCat("projection ", chunk.name(), " is not its plan's chunk");
    }
  }
  return "";
}

// Why something the mark needs is missing; empty when nothing is.
std::string MissingAtMark(const Scene& scene) {
  const api::ActiveOperation& claim = *scene.after.claim;
  const api::Lease* lease = LeaseOf(scene.world, claim.coordination_digest());
  if (lease == nullptr || lease->spec().holder_identity() != scene.operation->holder) {
    return "the realm's Lease is not held";
  }
  if (EpochOf(*lease) != claim.lease_epoch()) return "the Lease has another epoch";
  if (!claim.has_admission_snapshot()) return "there is no admission snapshot";
  if (scene.after.schema != nullptr) {
    const std::string missing = MissingProjection(scene.world, *scene.after.schema);
    if (!missing.empty()) return missing;
  }
  if (!scene.operation->approval_uid.empty()) {
    const auto approval = scene.world.truth.approvals.find(scene.operation->approval_uid);
    if (approval == scene.world.truth.approvals.end() ||
        approval->second.consumed_by != scene.operation->id) {
      return "the approval is not spent";
    }
  }
  return "";
}

void S06(const Scene& scene, Findings& findings) {
  if (!IsMark(scene)) return;
  const std::string missing = MissingAtMark(scene);
  findings.Expect(Property::kS06, missing.empty(),
                  [&] { return absl::StrCat(scene.Name(), ": marked although ", missing); });
}

void S07(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(2) || !IsApply(*scene.after.claim)) return;
  const OperationTruth* operation = nullptr;
  const auto found = scene.after_world.truth.operations.find(scene.after.claim->id());
  if (found != scene.after_world.truth.operations.end()) operation = &found->second;
  if (operation == nullptr || operation->approval_uid.empty()) return;
  const auto approval = scene.world.truth.approvals.find(operation->approval_uid);
  const bool spent =
      approval != scene.world.truth.approvals.end() && !approval->second.consumed_by.empty();
  findings.Expect(Property::kS07, !spent, [&] {
    return absl::StrCat(scene.Name(), ": claimed under an approval that ",
                        approval->second.consumed_by, " spent");
  });
}

// Why the policy object is not the one of this UID and digest; empty when it is.
std::string PolicyMoved(const sim::World& world, const std::string& space,
                        const api::ConfigMapKeySelector& selector, const std::string& uid,
                        const std::string& digest) {
  const auto* policy = world.Get<api::ConfigMap>(space, selector.name());
  if (policy == nullptr) return "its policy is gone";
  if (policy->metadata().uid() != uid) return "its policy is another object";
  const auto text = policy->data().find(selector.key());
  const auto bytes = policy->binary_data().find(selector.key());
  const bool equal = text != policy->data().end() ? api::DigestOf(text->second) == digest
                                                  : bytes != policy->binary_data().end() &&
                                                        api::DigestOf(bytes->second) == digest;
  return equal ? "" : "its policy says something else";
}

std::string SchemaNotCurrent(const Scene& scene) {
  const std::string& space = scene.trace.resource.namespace_;
  const api::PtahSchema& schema = *scene.after.schema;
  const api::PtahSchemaStatus& status = schema.status();
  const auto* object = scene.world.Get<api::PtahSchemaPlan>(space, status.plan().name());
  if (object == nullptr || object->metadata().uid() != status.plan().uid())
    return "its plan is gone";
  const api::PtahSchemaPlanSpec& plan = object->spec();
  if (plan.fingerprint() != status.plan().fingerprint()) return "its plan is another";
  if (plan.execution_binding_id() != status.execution_binding().epoch()) {
    return "its plan is of another epoch";
  }
  if (plan.artifact_digest() != status.source().digest()) return "its artifact moved";
  if (plan.coordination_digest() != scene.after.claim->coordination_digest() ||
      plan.target_identity_digest() != status.target().identity_digest()) {
    return "its database is another";
  }
  if (!scene.operation->approval_uid.empty()) {
    const auto* approval =
        scene.world.Get<api::PtahSchemaApproval>(space, status.plan().approval().name());
    if (approval == nullptr || approval->metadata().uid() != scene.operation->approval_uid ||
        approval->spec().plan_ref().uid() != object->metadata().uid() ||
        approval->spec().plan_fingerprint() != plan.fingerprint()) {
      return "its approval names another plan";
    }
  }
  return PolicyMoved(scene.world, space, schema.spec().desired().verification_policy_from(),
                     plan.verification_policy_uid(), plan.verification_policy_digest());
}

std::string MigrationNotCurrent(const Scene& scene) {
  const std::string& space = scene.trace.resource.namespace_;
  const api::ActiveOperation& claim = *scene.after.claim;
  const api::PtahMigrationStatus& status = scene.after.migration->status();
  const auto* object = scene.world.Get<api::PtahMigrationPlan>(space, claim.plan_ref().name());
  if (object == nullptr || object->metadata().uid() != claim.plan_ref().uid()) {
    return "its plan is gone";
  }
  const api::PtahMigrationPlanSpec& plan = object->spec();
  if (plan.history_fingerprint() != status.history().fingerprint()) {
    return "the history moved since its plan was made";
  }
  if (plan.execution_binding_id() != status.execution_binding().epoch()) {
    return "its plan is of another epoch";
  }
  if (plan.artifact_digest() != status.artifact().digest()) return "its artifact moved";
  if (plan.coordination_digest() != claim.coordination_digest() ||
      plan.target_identity_digest() != claim.target_identity_digest()) {
    return "its database is another";
  }
  if (!scene.operation->approval_uid.empty()) {
    const auto* approval =
        scene.world.Get<api::PtahMigrationApproval>(space, claim.approval_ref().name());
    if (approval == nullptr || approval->metadata().uid() != scene.operation->approval_uid ||
        approval->spec().plan_ref().uid() != object->metadata().uid() ||
        approval->spec().plan_fingerprint() != plan.fingerprint()) {
      return "its approval names another plan";
    }
  }
  return PolicyMoved(scene.world, space,
                     scene.after.migration->spec().artifact().verification_policy_from(),
                     plan.verification_policy_uid(), plan.verification_policy_digest());
}

// Why what the mark authorizes is not current; empty when it is.
std::string NotCurrent(const Scene& scene) {
  if (scene.after.claim->execution_binding_id() != BindingOf(scene.after).epoch()) {
    return "its epoch is not in force";
  }
  return scene.after.schema != nullptr ? SchemaNotCurrent(scene) : MigrationNotCurrent(scene);
}

void S08(const Scene& scene, Findings& findings) {
  // An adoption marks nothing new: the Job is there already.
  if (!IsMark(scene) || !scene.write.writes.Has(12)) return;
  const std::string moved = NotCurrent(scene);
  findings.Expect(Property::kS08, moved.empty(),
                  [&] { return absl::StrCat(scene.Name(), ": marked although ", moved); });
}

void S11(const Scene& scene, Findings& findings) {
  if (!IsAccount(scene)) return;
  const api::ActiveOperation& claim = *scene.before.claim;
  const api::Lease* lease = LeaseOf(scene.world, claim.coordination_digest());
  const bool same = lease != nullptr && scene.operation != nullptr &&
                    lease->spec().holder_identity() == scene.operation->holder &&
                    EpochOf(*lease) == claim.lease_epoch() && !claim.lease_continuity_lost();
  findings.Expect(Property::kS11, same, [&] {
    return absl::StrCat(scene.Name(), ": an outcome was read although the realm's epoch changed");
  });
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
  const auto seen = process.memory->leases.find(before.metadata().name());
  const int64_t now = scene.world.now_ms - process.started_ms;
  const bool watched =
      seen != process.memory->leases.end() && seen->second.holder == foreign &&
      seen->second.renew_time_ms == before.spec().renew_time_ms() &&
      now - seen->second.first_seen_ms >= before.spec().lease_duration_seconds() * 1000;
  findings.Expect(Property::kS12, watched, [&] {
    return absl::StrCat(scene.Name(), ": took the Lease from ", foreign,
                        " without having watched it lapse");
  });
}

void S13(const Scene& scene, Findings& findings) {
  if (scene.before.claim == nullptr || scene.after.claim == nullptr ||
      scene.before.claim->id() != scene.after.claim->id() ||
      !scene.before.claim->job_uid().empty() || scene.after.claim->job_uid().empty()) {
    return;
  }
  const std::string& uid = scene.after.claim->job_uid();
  // The truth keeps the UIDs of two Jobs, and a read-only claim has one for each attempt.
  const bool many = scene.operation != nullptr && !scene.operation->mutating &&
                    scene.operation->created == Count::kMore;
  const bool read =
      many || (scene.operation != nullptr &&
               std::find(scene.operation->read_back.begin(), scene.operation->read_back.end(),
                         uid) != scene.operation->read_back.end());
  const absl::Status match = MatchesClaim(scene.world, scene.trace.resource, uid);
  findings.Expect(Property::kS13, read && match.ok(), [&] {
    return absl::StrCat(scene.Name(), ": recorded the UID of a Job that ",
                        read ? "does not match its claim" : "nobody read back");
  });
}

// A claim that leaves, and what it leaves.
void S14S15(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || scene.operation == nullptr) return;
  const bool dispatched =
      MayHaveDispatched(*scene.before.claim) || scene.operation->created != Count::kNone;
  if (!dispatched) return;
  const bool recorded = !OutcomeOf(scene).empty();
  findings.Expect(Property::kS14, recorded, [&] {
    return absl::StrCat(scene.Name(), ": the claim left without a record, neither is stored");
  });
  findings.Expect(Property::kS15, recorded,
                  [&] { return absl::StrCat(scene.Name(), ": a dispatched claim was discarded"); });
}

// Why the Pod is not one whose report counts; empty when it is: of the Job, under its snapshot, and
// with an executor that ended.
std::string NotTrusted(const api::Pod& pod, const api::Job& job) {
  const auto& owners = pod.metadata().owner_references();
  if (owners.size() != 1 || owners[0].uid() != job.metadata().uid() || !owners[0].controller()) {
    return "its Pod is not the Job's alone";
  }
  const auto& annotations = pod.metadata().annotations();
  const auto carried = annotations.find(api::annotation::kAdmissionSnapshotDigest);
  const auto& expected = job.metadata().annotations();
  const auto wanted = expected.find(api::annotation::kAdmissionSnapshotDigest);
  if (carried == annotations.end() || wanted == expected.end() ||
      carried->second != wanted->second) {
    return "its Pod is of another snapshot";
  }
  for (const auto& container : pod.status().container_statuses()) {
    if (container.name() == api::kExecutorContainer && container.state().has_terminated())
      return "";
  }
  return "its executor has not ended";
}

// Why there is no report to take the outcome from; empty when there is one.
std::string MissingReport(const Scene& scene) {
  const OperationTruth* operation = scene.operation;
  if (operation == nullptr || operation->job_uids.size() != 1) return "no single Job ran";
  const auto* job =
      scene.world.Get<api::Job>(scene.trace.resource.namespace_, scene.before.claim->job_name());
  if (job == nullptr || job->metadata().uid() != operation->job_uids[0]) return "its Job is gone";
  const auto pods = PodsOf(scene.world, operation->job_uids[0]);
  if (pods.size() != 1) return "not exactly one Pod is there";
  const std::string untrusted = NotTrusted(*pods[0], *job);
  if (!untrusted.empty()) return untrusted;
  if (FrameOf(scene.world, operation) || SummaryOf(scene.world, operation)) return "";
  return "neither a frame nor a summary of this attempt is there";
}

void S16(const Scene& scene, Findings& findings) {
  if (!IsAccount(scene)) return;
  const std::string missing = MissingReport(scene);
  findings.Expect(Property::kS16, missing.empty(), [&] {
    return absl::StrCat(scene.Name(), ": an outcome was recorded although ", missing);
  });
}

void S18(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(22)) return;
  const api::Lease& lease = scene.write.before->As<api::Lease>();
  const std::string epoch = EpochOf(lease);
  bool owed = false;
  const OperationTruth* holder = nullptr;
  for (const auto& [id, operation] : scene.world.truth.operations) {
    if (operation.holder == lease.spec().holder_identity()) holder = &operation;
  }
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

// Whether the controller can see that the executor ended: it knows the Job's UID, a Pod of that Job
// stands, and each such Pod's container has terminated.
bool EndIsSeen(const sim::World& world, const api::ActiveOperation& claim,
               const std::string& namespace_) {
  std::string uid = claim.job_uid();
  const api::Job* job = world.Get<api::Job>(namespace_, claim.job_name());
  if (uid.empty() && job != nullptr) uid = job->metadata().uid();
  if (uid.empty()) return false;
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

// Why no record of the resource speaks for this Job's cleanup; empty when one does.
std::string NotToBeCleaned(const Scene& scene, const ResourceView& resource, const api::Job& job) {
  const std::string& uid = job.metadata().uid();
  if (resource.schema != nullptr &&
      resource.schema->status().pending_binding_retirement().job().uid() == uid) {
    // The Job a rotation left: nobody cleans it while it runs.
    if (!IsTerminal(job)) return "the Job is still running";
    const absl::Status match = resource.claim != nullptr
                                   ? lifecycle::dispatch::HoldRetiredReading(*resource.schema, job)
                                   : lifecycle::dispatch::HoldRetiredApply(*resource.schema, job);
    return match.ok() ? "" : "the Job does not match the record";
  }
  if (resource.claim == nullptr || resource.claim->job_uid() != uid)
    return "no claim records the Job";
  if (!MatchesClaim(scene.world, scene.trace.resource, uid).ok()) {
    return "the Job does not match the claim";
  }
  const bool running_allowed = resource.schema != nullptr && IsApply(*resource.claim);
  return IsTerminal(job) || running_allowed ? "" : "the Job is still running";
}

void S20(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(17)) return;
  const api::Job& job = scene.write.after->As<api::Job>();
  const ResourceView resource = scene.Resource();
  std::string wrong;
  if (job.spec().ttl_seconds_after_finished() != 300) {
    wrong = "it is not 300";
  } else if (resource.key == nullptr) {
    wrong = "the resource is gone";
  } else {
    wrong = NotToBeCleaned(scene, resource, scene.write.before->As<api::Job>());
  }
  findings.Expect(Property::kS20, wrong.empty(), [&] {
    return absl::StrCat(scene.Name(), ": a cleanup TTL was set although ", wrong);
  });
}

void S21(const Scene& scene, Findings& findings) {
  if (scene.before.proof == nullptr || scene.after.proof == nullptr) return;
  bool kept = scene.after.proof->apply_pod_count() >= scene.before.proof->apply_pod_count();
  for (const std::string& uid : scene.before.proof->apply_pod_uids()) {
    const auto& now = scene.after.proof->apply_pod_uids();
    kept &= std::find(now.begin(), now.end(), uid) != now.end();
  }
  if (scene.after.proof->apply_pod_count() > 1) {
    kept &= scene.after.proof->outcome() == api::proof_outcome::kOutcomeUnknown;
  }
  findings.Expect(Property::kS21, kept, [&] {
    return absl::StrCat(scene.Name(), ": Pod evidence of the proof was lost");
  });
}

// S-22 and S-32 judge the attribution; the rival's starts are judged in the state.
void S22S32(const Scene& scene, Findings& findings) {
  if (scene.before.schema == nullptr || scene.after.schema == nullptr) return;
  if (scene.before.proof == nullptr || scene.after.proof != nullptr) return;
  const bool attributed = scene.after.schema->status().has_applied() &&
                          !(scene.before.schema->status().has_applied() &&
                            SameMessage(scene.before.schema->status().applied(),
                                        scene.after.schema->status().applied()));
  const OperationTruth* apply = scene.OperationOf(scene.before.proof->apply_operation_id());
  // Of the database its Apply opened; others are no business of this schema's.
  const bool ours = apply != nullptr && apply->database >= 0 &&
                    scene.world.truth.databases[apply->database]->last_changed_by == apply->id;
  findings.Expect(Property::kS22, !attributed || ours, [&] {
    return absl::StrCat(scene.Name(),
                        ": convergence was attributed although somebody else changed "
                        "the database in between");
  });
  const bool read = scene.before.proof->outcome() == api::proof_outcome::kApplySucceeded &&
                    apply != nullptr && apply->pods == Count::kOne && apply->finished_ok;
  findings.Expect(Property::kS32, !attributed || read, [&] {
    return absl::StrCat(scene.Name(), ": convergence was attributed to an Apply nobody accounted");
  });
}

void S24(const Scene& scene, Findings& findings) {
  const ResourceView resource = scene.Resource();
  if (resource.unresolved == nullptr) return;
  bool applies = scene.write.writes.Has(2) && IsApply(*scene.after.claim);
  if (IsJobCreate(*scene.write.request)) {
    const OperationTruth* operation = OperationOfJob(scene.world, scene.write.request->key.name);
    applies |= operation != nullptr && operation->mutating;
  }
  findings.Expect(Property::kS24, !applies, [&] {
    return absl::StrCat(scene.Name(), ": an Apply was taken up under an unresolved run");
  });
}

void S26(const Scene& scene, Findings& findings) {
  if (scene.before.proof != nullptr && scene.after.key != nullptr && scene.after.proof == nullptr) {
    const bool plan =
        scene.before.claim != nullptr && scene.before.claim->type() == api::operation::kPlan;
    const bool deleting = scene.before.meta->deletion_timestamp_ms() != 0;
    findings.Expect(Property::kS26, plan || deleting,
                    [&] { return absl::StrCat(scene.Name(), ": a proof ended without its Plan"); });
  }
  if (scene.before.unresolved != nullptr && scene.after.key != nullptr &&
      scene.after.unresolved == nullptr) {
    const api::PtahMigrationStatus& status = scene.after.migration->status();
    const bool person = status.resolved_run().has_acknowledged_by();
    const bool reading = scene.before.claim != nullptr &&
                         scene.before.claim->type() == api::operation::kHistory &&
                         status.history().pending_count() == 0 && !status.history().dirty() &&
                         !scene.before.unresolved->target_identity_digest().empty() &&
                         status.history().target_identity_digest() ==
                             scene.before.unresolved->target_identity_digest();
    const bool suspended = scene.before.migration->spec().suspend();
    findings.Expect(Property::kS26, (person || reading) && !suspended, [&] {
      return absl::StrCat(scene.Name(),
                          ": an unresolved run was settled by no reading and no person");
    });
  }
}

void S30(const Scene& scene, Findings& findings) {
  if (!IsAccount(scene)) return;
  const std::optional<api::FramePayload> frame = FrameOf(scene.world, scene.operation);
  if (!frame) return;
  const api::ActiveOperation& claim = *scene.before.claim;
  const bool right = frame->coordination_digest() == claim.coordination_digest() &&
                     frame->target_identity_digest() == claim.target_identity_digest();
  findings.Expect(Property::kS30, right, [&] {
    return absl::StrCat(scene.Name(), ": a run against another database was accounted");
  });
}

void S31(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || !scene.write.writes.Has(21) || scene.operation == nullptr) return;
  if (FrameOf(scene.world, scene.operation)) return;
  const std::string outcome = scene.after.migration->status().last_run().outcome();
  if (outcome == api::run_outcome::kUnknown) return;
  findings.Expect(Property::kS31, outcome == ReportOf(*scene.operation), [&] {
    return absl::StrCat(scene.Name(), ": without its frame the run was recorded ", outcome,
                        ", with it it would have been ", ReportOf(*scene.operation));
  });
}

void S35(const Scene& scene, Findings& findings) {
  // At the account.
  if (RetiresApply(scene) && scene.operation != nullptr && !OutcomeOf(scene).empty()) {
    size_t pods = 0;
    for (const std::string& uid : scene.operation->job_uids) {
      pods += PodsOf(scene.world, uid).size();
    }
    if (pods > 1) {
      findings.Expect(Property::kS35, IsDoubt(OutcomeOf(scene)), [&] {
        return absl::StrCat(scene.Name(), ": a run of ", pods, " Pods was accounted");
      });
    }
  }
  // Of a schema at any later time: whatever is claimed under the proof, or ends it, has seen them.
  if (scene.before.proof == nullptr) return;
  const bool decides = scene.write.writes.Has(2) || scene.after.proof == nullptr;
  const size_t seen =
      std::max(PodsOf(*scene.trace.start, scene.before.proof->apply_job_uid()).size(),
               static_cast<size_t>(scene.before.proof->apply_pod_count()));
  if (!decides || seen <= 1) return;
  findings.Expect(Property::kS35, IsDoubt(scene.before.proof->outcome()), [&] {
    return absl::StrCat(scene.Name(), ": an Apply of ", seen, " Pods is proved as if one had run");
  });
}

void S43(const Scene& scene, Findings& findings) {
  if (scene.write.request->key.kind != api::Kind::kLease || scene.write.after == nullptr) return;
  const api::Lease& lease = scene.write.after->As<api::Lease>();
  for (const auto& entry : scene.world.truth.operations) {
    const sim::OperationTruth& operation = entry.second;
    if (operation.holder != lease.spec().holder_identity()) continue;
    if (operation.family != sim::Family::kMigration || !operation.mutating) continue;
    const int64_t lapse =
        lease.spec().renew_time_ms() + lease.spec().lease_duration_seconds() * 1000;
    findings.Expect(Property::kS43, lapse >= operation.execution_not_after_ms + 120'000, [&] {
      return absl::StrCat(scene.Name(), ": the Lease may lapse ",
                          (lapse - operation.execution_not_after_ms) / 1000,
                          " s after the execution deadline, less than 120");
    });
  }
}

void S46S47(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(2) || scene.before.proof == nullptr) return;
  const api::ActiveOperation& claim = *scene.after.claim;
  const bool reads =
      (claim.type() == api::operation::kObserve || claim.type() == api::operation::kPlan) &&
      claim.lease_epoch() == scene.before.proof->lease_epoch();
  findings.Expect(Property::kS46, reads, [&] {
    return absl::StrCat(scene.Name(), ": a ", claim.type(), " was claimed under a proof");
  });
  const OperationTruth* apply = scene.OperationOf(scene.before.proof->apply_operation_id());
  const bool can_run = apply != nullptr && sim::CanRun(scene.world, *apply);
  const bool early = scene.before.proof->observe_after_ms() > scene.world.now_ms;
  findings.Expect(Property::kS47, !can_run && !early, [&] {
    return absl::StrCat(scene.Name(), ": a proof was claimed ",
                        early ? "before observeAfter" : "while the Apply can still run");
  });
}

// The webhook's answer to a create against the controller's own match of what was stored.
void S44(const Scene& scene, Findings& findings) {
  if (!IsJobCreate(*scene.write.request) || !scene.write.stored) return;
  sim::World stored = scene.after_world;
  const absl::Status match = MatchesClaim(stored, scene.trace.resource,
                                          scene.write.after->As<api::Job>().metadata().uid());
  findings.Expect(Property::kS44, match.ok(), [&] {
    return absl::StrCat(scene.Name(),
                        ": the webhook admitted a Job the controller refuses: ", match.message());
  });
}

void S49(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(14)) return;
  findings.Expect(Property::kS49, scene.trace.create_refused && !scene.trace.create_ambiguous, [&] {
    return absl::StrCat(scene.Name(),
                        ": the mark was withdrawn by a pass whose create was not "
                        "refused before storage");
  });
}

void L05(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(5)) return;
  const ResourceView resource = scene.Resource();
  const std::string& holder = scene.write.after->As<api::Lease>().spec().holder_identity();
  const OperationTruth* operation = nullptr;
  for (const auto& [id, one] : scene.world.truth.operations) {
    if (one.holder == holder) operation = &one;
  }
  const bool recorded =
      operation != nullptr &&
      ((resource.claim != nullptr && resource.claim->id() == operation->id) ||
       (resource.proof != nullptr && resource.proof->apply_operation_id() == operation->id));
  findings.Expect(Property::kL05, recorded, [&] {
    return absl::StrCat(scene.Name(), ": the realm was taken or renewed for a claim that is gone");
  });
}

void L07(const Scene& scene, Findings& findings) {
  if (!scene.trace.create_refused || scene.trace.create_ambiguous) return;
  const bool doubted = RetiresApply(scene) && IsDoubt(OutcomeOf(scene));
  findings.Expect(Property::kL07, !doubted, [&] {
    return absl::StrCat(scene.Name(), ": a create refused before storage was recorded as unknown");
  });
}

// Why a claim that has not dispatched is no longer authorized in `world`; empty when it is.
std::string Unauthorized(const sim::World& world, const ResourceView& resource) {
  const std::string& space = resource.key->namespace_;
  const api::ActiveOperation& claim = *resource.claim;
  if (resource.schema != nullptr) {
    const api::PlanRecord& plan = resource.schema->status().plan();
    const auto* object = world.Get<api::PtahSchemaPlan>(space, plan.name());
    if (object == nullptr || object->metadata().uid() != plan.uid()) return "its plan is gone";
    if (!plan.has_approval()) return "";
    const auto* approval = world.Get<api::PtahSchemaApproval>(space, plan.approval().name());
    if (approval == nullptr || approval->metadata().uid() != plan.approval().uid()) {
      return "its approval is gone";
    }
    return IsTrue(approval->status().conditions(), api::condition::kStale) ? "its approval is stale"
                                                                           : "";
  }
  const auto* object = world.Get<api::PtahMigrationPlan>(space, claim.plan_ref().name());
  if (object == nullptr || object->metadata().uid() != claim.plan_ref().uid()) {
    return "its plan is gone";
  }
  if (!claim.has_approval_ref()) return "";
  const auto* approval = world.Get<api::PtahMigrationApproval>(space, claim.approval_ref().name());
  if (approval == nullptr || approval->metadata().uid() != claim.approval_ref().uid()) {
    return "its approval is gone";
  }
  return IsTrue(approval->status().conditions(), api::condition::kStale) ? "its approval is stale"
                                                                         : "";
}

}  // namespace

void PassJudge::Verdicts(const SentWrite& write, const PassTrace& trace) {
  for (const Judgement& judgement : Judge(write, trace)) {
    verdicts_.Add(judgement.verdict);
    if (on_verdict) on_verdict(judgement.verdict);
    findings_.Expect(Property::kSoundVerdict, !judgement.unsound.has_value(), [&] {
      return absl::StrCat(api::ShortName(trace.resource), ": unsound verdict \"",
                          VerdictName(judgement.verdict), "\": ", *judgement.unsound);
    });
    const bool doubt = judgement.verdict == Verdict::kUnaccounted;
    const bool account =
        judgement.verdict == Verdict::kAccounted || judgement.verdict == Verdict::kPartial;
    // A probe stands behind a stop, so L-15 does not speak of it.
    if (findings_.faults() == 0 && !trace.probe && (doubt || account)) {
      findings_.Expect(Property::kL15, !doubt, [&] {
        return absl::StrCat(api::ShortName(trace.resource),
                            ": a run that nothing disturbed was recorded as unknown");
      });
    }
  }
}

void PassJudge::Sent(const SentWrite& write, const PassTrace& trace) {
  Verdicts(write, trace);
  Scene scene{write, trace, *write.world_before, *write.world_after, {}, {}, nullptr};
  if (write.stored) {
    writes_ |= write.writes;
    if (on_write) on_write(write.writes, trace.previous);
    findings_.Expect(Property::kListedWrite, !write.writes.empty(), [&] {
      return absl::StrCat(api::ShortName(trace.resource), ": unlisted write to ",
                          api::ShortName(write.request->key));
    });
    scene.before = ViewOf(write.before);
    scene.after = ViewOf(write.after);
    if (scene.before.claim != nullptr)
      scene.operation = scene.OperationOf(scene.before.claim->id());
  }
  S02(scene, findings_);
  S06Template(scene, findings_);
  S24(scene, findings_);
  JudgeLifecycleSent(scene, findings_);
  JudgeRotationSent(scene, findings_);
  if (comparer_ != nullptr) comparer_->OfWrite(write, trace, findings_);
  if (!write.stored) return;
  S05(scene, findings_);
  S12(scene, findings_);
  S18(scene, findings_);
  S20(scene, findings_);
  S43(scene, findings_);
  S44(scene, findings_);
  L05(scene, findings_);
  JudgeLifecycleStored(scene, findings_);
  if (scene.before.key == nullptr || scene.after.key == nullptr) return;
  JudgeRotationStored(scene, findings_);
  JudgeRecordStored(scene, findings_);
  S06(scene, findings_);
  S07(scene, findings_);
  S08(scene, findings_);
  S11(scene, findings_);
  S13(scene, findings_);
  S14S15(scene, findings_);
  S16(scene, findings_);
  S19(scene, findings_);
  S21(scene, findings_);
  S22S32(scene, findings_);
  S26(scene, findings_);
  S30(scene, findings_);
  S31(scene, findings_);
  S35(scene, findings_);
  S46S47(scene, findings_);
  S49(scene, findings_);
  L07(scene, findings_);
}

void PassJudge::Ended(const api::PassResult& result, const PassTrace& trace,
                      const sim::World& end) {
  const sim::Entry* entry = trace.start->Find(trace.resource);
  const ResourceView start = ViewOf(entry == nullptr ? nullptr : entry->object);
  const sim::Entry* last = end.Find(trace.resource);
  const ResourceView now = ViewOf(last == nullptr ? nullptr : last->object);
  if (start.key != nullptr) {
    const PassScene scene{result, trace, end, start, now};
    JudgeLifecycleEnded(scene, findings_);
    JudgeRealmEnded(scene, findings_);
  }
  if (start.claim == nullptr || trace.harmed) return;
  // S-51: a claim whose authorization moved goes without the realm.
  if (IsApply(*start.claim) && !MayHaveDispatched(*start.claim) && start.release == nullptr) {
    const std::string moved = Unauthorized(*trace.start, start);
    const bool retired = now.claim == nullptr || now.claim->id() != start.claim->id();
    if (!moved.empty()) {
      findings_.Expect(Property::kS51, retired && !trace.writes.Has(5), [&] {
        return absl::StrCat(api::ShortName(trace.resource), ": ", moved, ", and the claim ",
                            retired ? "was retired only after taking the realm"
                                    : "waits for the realm instead of going");
      });
    }
  }
  // L-13: a claim that waits for a realm somebody else holds looks again within five seconds.
  const api::Lease* lease = LeaseOf(end, start.claim->coordination_digest());
  const auto operation = end.truth.operations.find(start.claim->id());
  if (now.claim != nullptr && !MayHaveDispatched(*now.claim) && lease != nullptr &&
      operation != end.truth.operations.end() && trace.writes.empty() && result.status.ok() &&
      !lease->spec().holder_identity().empty() &&
      lease->spec().holder_identity() != operation->second.holder && IsApply(*now.claim)) {
    findings_.Expect(Property::kL13, result.requeue_after_ms && *result.requeue_after_ms <= 5'000,
                     [&] {
                       return absl::StrCat(api::ShortName(trace.resource),
                                           ": waits longer than five seconds for a realm");
                     });
  }
}

}  // namespace model
