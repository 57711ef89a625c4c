// Dispatch: one Job for one authorized claim, and nothing before everything is in place.
//
// Answers: S-02, S-05 to S-09, S-13, S-24, S-44, S-49, S-51, L-07.

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/rules/admission_snapshot.h"
#include "model/judges.h"

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

void JudgeDispatchSent(const Scene& scene, Findings& findings) {
  S02(scene, findings);
  S06Template(scene, findings);
  S24(scene, findings);
}

void JudgeDispatchStored(const Scene& scene, Findings& findings) {
  S05(scene, findings);
  S44(scene, findings);
}

void JudgeDispatchChanged(const Scene& scene, Findings& findings) {
  S06(scene, findings);
  S07(scene, findings);
  S08(scene, findings);
  S13(scene, findings);
  S49(scene, findings);
  L07(scene, findings);
}

void JudgeDispatchEnded(const PassScene& scene, Findings& findings) {
  if (scene.start.claim == nullptr || scene.trace.harmed) return;
  // S-51: a claim whose authorization moved goes without the realm.
  if (IsApply(*scene.start.claim) && !MayHaveDispatched(*scene.start.claim) &&
      scene.start.release == nullptr) {
    const std::string moved = Unauthorized(scene.begin(), scene.start);
    const bool retired =
        scene.now.claim == nullptr || scene.now.claim->id() != scene.start.claim->id();
    if (!moved.empty()) {
      findings.Expect(Property::kS51, retired && !scene.trace.writes.Has(5), [&] {
        return absl::StrCat(api::ShortName(scene.trace.resource), ": ", moved, ", and the claim ",
                            retired ? "was retired only after taking the realm"
                                    : "waits for the realm instead of going");
      });
    }
  }
}

}  // namespace model
