// Dispatch: one Job for one authorized claim, and nothing before everything is in place.
//
// Answers: S-02, S-05, S-06, S-13, S-24, S-44, S-49, L-07.

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
                          MayHaveDispatched(*at_start.claim) && !scene.trace.marked_before;
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

// Whether the process could rebuild the Job of its claim, and would build another.
bool RebuiltAsAnother(const Scene& scene) {
  const ResourceView& view = scene.before;
  if (view.meta->generation() != ObservedGenerationOf(view) ||
      view.claim->execution_binding_id() != BindingOf(view).epoch()) {
    return false;  // The inputs moved.
  }
  const auto* job = scene.world.Get<api::Job>(view.key->namespace_, view.claim->job_name());
  return job != nullptr && BuildsAnother(*scene.process().configuration, *job);
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
  // A pass that was left standing held the Job to its claim when it read it back.
  const bool matches =
      scene.trace.resumed ||
      (MatchesClaim(scene.world, scene.trace.resource, uid).ok() && !RebuiltAsAnother(scene));
  findings.Expect(Property::kS13, read && matches, [&] {
    return absl::StrCat(scene.Name(), ": recorded the UID of a Job that ",
                        read ? "does not match its claim" : "nobody read back");
  });
}

void S24(const Scene& scene, Findings& findings) {
  const ResourceView resource = scene.Resource();
  if (resource.unresolved == nullptr) return;
  bool applies = scene.write.writes.Has(2) && IsApply(*scene.after.claim);
  // One that comes after its pass was left standing is the webhook's to refuse (E-7).
  const bool late = scene.trace.resumed && !scene.write.stored;
  if (IsJobCreate(*scene.write.request) && !late) {
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
  S13(scene, findings);
  S49(scene, findings);
  L07(scene, findings);
}

}  // namespace model
