// The account of a run: what it is taken from, and what may follow it.
//
// Answers: S-16, S-20 to S-22, S-26, S-30 to S-32, S-35, S-46, S-47.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/runner_contract.h"
#include "lifecycle/dispatch/hold.h"
#include "model/judges.h"
#include "sim/interner.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

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

// Why no record of the resource speaks for this Job's cleanup; empty when one does.
std::string NotToBeCleaned(const Scene& scene, const ResourceView& resource, const api::Job& job) {
  const std::string& uid = job.metadata().uid();
  if (resource.schema != nullptr &&
      resource.schema->status().pending_binding_retirement().job().uid() == uid) {
    // The Job a rotation left: nobody cleans it while it runs.
    if (!IsTerminal(job)) return "the Job is still running";
    const absl::Status match =
        resource.claim != nullptr
            ? lifecycle::dispatch::HoldRetiredReading(lifecycle::rules::JobAsker::kRotationCleanup,
                                                      *resource.schema, job)
            : lifecycle::dispatch::HoldRetiredApply(lifecycle::rules::JobAsker::kRotationCleanup,
                                                    *resource.schema, job);
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

// Of S-22 the attribution; that the realm is kept is judged where it is given back.
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

// A run that is not accounted names the database that its report names, once that was read.
void S30Record(const Scene& scene, Findings& findings) {
  if (!RetiresApply(scene) || scene.after.unresolved == nullptr || !scene.trace.read_log) return;
  const std::optional<api::FramePayload> frame = FrameOf(scene.world, scene.operation);
  if (!frame || frame->target_identity_digest().empty()) return;
  const bool named =
      scene.after.unresolved->target_identity_digest() == frame->target_identity_digest();
  findings.Expect(Property::kS30, named, [&] {
    return absl::StrCat(scene.Name(),
                        ": the record of a run names another database than its report");
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

}  // namespace

void JudgeOutcomeStored(const Scene& scene, Findings& findings) { S20(scene, findings); }

void JudgeOutcomeChanged(const Scene& scene, Findings& findings) {
  S16(scene, findings);
  S21(scene, findings);
  S22S32(scene, findings);
  S26(scene, findings);
  S30(scene, findings);
  S30Record(scene, findings);
  S31(scene, findings);
  S35(scene, findings);
  S46S47(scene, findings);
}

}  // namespace model
