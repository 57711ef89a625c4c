// What authorizes a claim: its plan, its policy, and one decision that nobody else spends.
//
// Answers: S-07, S-08, S-51, L-14.

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/names.h"
#include "model/judges.h"
#include "sim/actor.h"
#include "sim/edits.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::OperationTruth;

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

// What the plan that is claimed does to its database, read off the statements that would run.
struct PlanKind {
  bool destructive = false;
  bool privileges = false;
  bool audit = false;
};

PlanKind KindOf(const sim::World& world, const api::PtahSchema& schema) {
  const std::string& space = schema.metadata().namespace_();
  PlanKind kind;
  const auto* plan = world.Get<api::PtahSchemaPlan>(space, schema.status().plan().name());
  if (plan == nullptr) return kind;
  for (const auto& chunk : plan->spec().chunks()) {
    const auto* stored = world.Get<api::PtahSchemaPlanChunk>(space, chunk.name());
    if (stored == nullptr) continue;
    const std::string& text = stored->spec().data();
    kind.destructive |= absl::StrContains(text, " DROP ");
    kind.privileges |= absl::StrContains(text, "GRANT ");
    kind.audit |= absl::StrContains(text, " audit ");
  }
  return kind;
}

}  // namespace

std::string NotPermitted(const sim::World& world, const ResourceView& resource, bool approved) {
  const std::string& policy = resource.schema != nullptr
                                  ? resource.schema->spec().policy().apply()
                                  : resource.migration->spec().policy().apply();
  if (policy == api::apply_policy::kNever) return "its policy is Never";
  bool needs_approval = policy != api::apply_policy::kAlways;
  if (resource.schema != nullptr) {
    const api::SchemaPolicy& spec = resource.schema->spec().policy();
    const PlanKind kind = KindOf(world, *resource.schema);
    if (kind.destructive && !spec.allow_destructive()) return "its plan may not be destructive";
    if (kind.audit && spec.protected_tables_size() > 0) return "its plan changes a protected table";
    needs_approval |= kind.destructive || kind.privileges;
  }
  return needs_approval && !approved ? "it needs an approval, and names none" : "";
}

namespace {

// An Apply is claimed only where it may run at all.
void S08Claimed(const Scene& scene, Findings& findings) {
  if (!scene.write.writes.Has(2) || !IsApply(*scene.after.claim)) return;
  const bool approved = scene.after.schema != nullptr
                            ? scene.after.schema->status().plan().has_approval()
                            : scene.after.claim->has_approval_ref();
  const std::string refused = NotPermitted(scene.world, scene.after, approved);
  findings.Expect(Property::kS08, refused.empty(),
                  [&] { return absl::StrCat(scene.Name(), ": claimed although ", refused); });
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
  if (!status.source().verified()) return "its artifact is not verified";
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
    // Nobody else writes a spec here.
    if (scene.after.migration->spec().policy().require_distinct_approver() &&
        approval->spec().approver().username() == sim::kPersonUser) {
      return "its approver wrote the spec";
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
  // Until a person has signed it, no policy is satisfied by the artifact.
  if (sim::PersonHasLeft(scene.world, sim::act::kSign) > 0) return "its artifact is not signed";
  const std::string refused =
      NotPermitted(scene.world, scene.after, !scene.operation->approval_uid.empty());
  if (!refused.empty()) return refused;
  return scene.after.schema != nullptr ? SchemaNotCurrent(scene) : MigrationNotCurrent(scene);
}

void S08(const Scene& scene, Findings& findings) {
  // An adoption marks nothing new: the Job is there already.
  if (!IsMark(scene) || !scene.write.writes.Has(12)) return;
  const std::string moved = NotCurrent(scene);
  findings.Expect(Property::kS08, moved.empty(),
                  [&] { return absl::StrCat(scene.Name(), ": marked although ", moved); });
}

// Why the object that was named is not the one that stands, or is stale; empty when it holds.
template <class Approval>
std::string ApprovalMoved(const sim::World& world, const std::string& space,
                          const std::string& name, const std::string& uid) {
  const auto* approval = world.Get<Approval>(space, name);
  if (approval == nullptr || approval->metadata().uid() != uid) return "its approval is gone";
  return IsTrue(approval->status().conditions(), api::condition::kStale) ? "its approval is stale"
                                                                         : "";
}

template <class Plan>
bool IsPlanGone(const sim::World& world, const std::string& space, const std::string& name,
                const std::string& uid) {
  const auto* plan = world.Get<Plan>(space, name);
  return plan == nullptr || plan->metadata().uid() != uid;
}

// Why a claim that has not dispatched is no longer authorized in `world`; empty when it is.
std::string Unauthorized(const sim::World& world, const ResourceView& resource) {
  const std::string& space = resource.key->namespace_;
  if (resource.schema != nullptr) {
    const api::PlanRecord& plan = resource.schema->status().plan();
    if (IsPlanGone<api::PtahSchemaPlan>(world, space, plan.name(), plan.uid())) {
      return "its plan is gone";
    }
    if (!plan.has_approval()) return "";
    return ApprovalMoved<api::PtahSchemaApproval>(world, space, plan.approval().name(),
                                                  plan.approval().uid());
  }
  const api::ActiveOperation& claim = *resource.claim;
  if (IsPlanGone<api::PtahMigrationPlan>(world, space, claim.plan_ref().name(),
                                         claim.plan_ref().uid())) {
    return "its plan is gone";
  }
  if (!claim.has_approval_ref()) return "";
  return ApprovalMoved<api::PtahMigrationApproval>(world, space, claim.approval_ref().name(),
                                                   claim.approval_ref().uid());
}

// A claim whose authorization moved goes without the realm.
void S51(const PassScene& scene, Findings& findings) {
  if (!IsApply(*scene.start.claim) || MayHaveDispatched(*scene.start.claim)) return;
  if (scene.start.release != nullptr) return;
  const std::string moved = Unauthorized(scene.begin(), scene.start);
  if (moved.empty()) return;
  const bool retired =
      scene.now.claim == nullptr || scene.now.claim->id() != scene.start.claim->id();
  findings.Expect(Property::kS51, retired && !scene.trace.writes.Has(5), [&] {
    return absl::StrCat(scene.Name(), ": ", moved, ", and the claim ",
                        retired ? "was retired only after taking the realm"
                                : "waits for the realm instead of going");
  });
}

// The approval that a schema without a claim has reserved, when a claim that is gone spent it.
bool ReservesSpentApproval(const sim::World& world, const ResourceView& view) {
  if (view.schema == nullptr || view.claim != nullptr || view.proof != nullptr) return false;
  if (*view.phase != api::phase::kAwaitingApproval) return false;
  const auto approval = world.truth.approvals.find(view.schema->status().plan().approval().uid());
  return approval != world.truth.approvals.end() && !approval->second.consumed_by.empty();
}

// What asks for another approval takes one: the pass that finds the spent one reserved lets it go.
void L14(const PassScene& scene, Findings& findings) {
  if (!ReservesSpentApproval(scene.begin(), scene.start) || !scene.result.status.ok()) return;
  const bool kept = scene.now.key != nullptr && ReservesSpentApproval(scene.end, scene.now);
  findings.Expect(Property::kL14, !kept, [&] {
    return absl::StrCat(scene.Name(), ": asks for an approval, and keeps one that is spent");
  });
}

}  // namespace

void JudgeAuthorizationChanged(const Scene& scene, Findings& findings) {
  S07(scene, findings);
  S08Claimed(scene, findings);
  S08(scene, findings);
}

void JudgeAuthorizationEnded(const PassScene& scene, Findings& findings) {
  // One that was left standing read what was there before it stood.
  if (scene.trace.harmed || scene.trace.resumed) return;
  if (scene.start.claim != nullptr) S51(scene, findings);
  L14(scene, findings);
}

}  // namespace model
