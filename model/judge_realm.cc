// Who may claim a realm, and what becomes of a refusal.
//
// The census is taken here once more, from the specs alone: by the realm a resource names, or by
// its namespace and key, and never by the digest that the code under test computes of them.
//
// Answers: S-37, S-38, S-39, L-08.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "model/judges.h"
#include "sim/informers.h"

namespace model {
namespace {

namespace api = lifecycle::api;

constexpr int64_t kRecheckMaxMs = 60'000;

enum class Census { kAdmitted, kConflict, kNotAuthorized };

const char* ReasonOf(Census census) {
  return census == Census::kConflict ? api::reason::kRealmConflict
                                     : api::reason::kRealmNotAuthorized;
}

std::string RealmOf(const ResourceView& view) {
  const api::TargetSpec& target = TargetOf(view);
  if (target.has_realm_ref()) return absl::StrCat("realm ", target.realm_ref().name());
  return absl::StrCat("key ", view.key->namespace_, " ", target.coordination_key());
}

const api::PtahRealm* NamedRealm(const sim::World& world, const ResourceView& view) {
  return world.Get<api::PtahRealm>("", TargetOf(view).realm_ref().name());
}

bool IsAdmitted(const sim::World& world, const ResourceView& view) {
  if (!TargetOf(view).has_realm_ref()) return true;
  const api::PtahRealm* realm = NamedRealm(world, view);
  if (realm == nullptr || realm->spec().engine() != TargetOf(view).engine()) return false;
  const auto& listed = realm->spec().namespaces();
  return std::find(listed.begin(), listed.end(), view.key->namespace_) != listed.end();
}

bool IsActive(const ResourceView& view) { return !IsDeleting(view) && !IsSuspended(view); }

// The other resources that claim the resource's realm, and are to be counted.
std::vector<ResourceView> Claimants(const sim::World& world, const ResourceView& view) {
  std::vector<ResourceView> claimants;
  for (const sim::Entry& entry : world.objects) {
    const ResourceView other = ViewOf(entry.object);
    if (other.key == nullptr || other.meta->uid() == view.meta->uid()) continue;
    if (RealmOf(other) == RealmOf(view) && TargetOf(other).engine() == TargetOf(view).engine() &&
        IsAdmitted(world, other) && IsActive(other)) {
      claimants.push_back(other);
    }
  }
  return claimants;
}

Census CensusOf(const sim::World& world, const ResourceView& view) {
  if (!IsAdmitted(world, view)) return Census::kNotAuthorized;
  const std::vector<ResourceView> others = Claimants(world, view);
  if (others.empty()) return Census::kAdmitted;
  if (TargetOf(view).has_realm_ref() &&
      NamedRealm(world, view)->spec().sharing() != api::sharing::kShared) {
    return Census::kConflict;
  }
  const bool all_share = TargetOf(view).shared_realm() &&
                         std::all_of(others.begin(), others.end(), [](const ResourceView& other) {
                           return TargetOf(other).shared_realm();
                         });
  return all_share ? Census::kAdmitted : Census::kConflict;
}

// The census as the process could take it: of what its caches show.
Census ShownCensus(const PassScene& scene) {
  const sim::Process& process = scene.process();
  if (process.cache == nullptr) return CensusOf(scene.begin(), scene.start);
  return CensusOf(sim::ShownBy(scene.begin(), process), scene.start);
}

// Whether somebody stands beside the resource who names the same and is not to be counted: its
// realm without a grant, or its key in another namespace.
bool UncountedStandsBeside(const sim::World& world, const ResourceView& view) {
  for (const sim::Entry& entry : world.objects) {
    const ResourceView other = ViewOf(entry.object);
    if (other.key == nullptr || other.meta->uid() == view.meta->uid() || !IsActive(other)) continue;
    if (TargetOf(view).has_realm_ref()) {
      if (RealmOf(other) == RealmOf(view) && !IsAdmitted(world, other)) return true;
    } else if (!TargetOf(other).has_realm_ref() && RealmOf(other) != RealmOf(view) &&
               TargetOf(other).coordination_key() == TargetOf(view).coordination_key()) {
      return true;
    }
  }
  return false;
}

template <class Conditions>
bool AnyHas(const Conditions& conditions, const char* reason) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const auto& condition) { return condition.reason() == reason; });
}

// Whether the resource stands refused for this reason, by what is stored.
bool IsRefused(const ResourceView& view, const char* reason) {
  if (view.key == nullptr || *view.phase != api::phase::kBlocked) return false;
  return view.schema != nullptr ? AnyHas(view.schema->status().conditions(), reason)
                                : AnyHas(view.migration->status().conditions(), reason);
}

// Whether the pass came to the census: no record precedes it.
bool ComesToCensus(const PassScene& scene) {
  const ResourceView& view = scene.start;
  if (view.claim != nullptr || view.proof != nullptr || view.release != nullptr ||
      view.unresolved != nullptr || !IsActive(view) || !view.meta->finalizers().empty() ||
      view.meta->annotations().count(api::annotation::kUnresolvedRun) > 0) {
    return false;
  }
  if (view.schema != nullptr && view.schema->status().has_pending_binding_retirement())
    return false;
  return SameComponents(BindingOf(view), *scene.process().configuration);
}

void S37S38(const PassScene& scene, Census census, Findings& findings) {
  if (scene.start.claim != nullptr || scene.start.proof != nullptr || !IsActive(scene.start))
    return;
  const bool claims = scene.trace.writes.Has(2);
  if (census == Census::kConflict) {
    findings.Expect(Property::kS37, !claims, [&] {
      return absl::StrCat(scene.Name(), ": a claim was written in a contested realm");
    });
  } else if (census == Census::kNotAuthorized) {
    findings.Expect(Property::kS38, !claims, [&] {
      return absl::StrCat(scene.Name(), ": a claim was written for a realm that does not admit it");
    });
  }
}

void S39(const PassScene& scene, Census census, Findings& findings) {
  if (census != Census::kAdmitted || !UncountedStandsBeside(scene.begin(), scene.start)) return;
  const char* conflict = api::reason::kRealmConflict;
  const bool refused = IsRefused(scene.now, conflict) && !IsRefused(scene.start, conflict);
  findings.Expect(Property::kS39, !refused, [&] {
    return absl::StrCat(scene.Name(), ": somebody without a claim to its realm contests it");
  });
}

// What a refused resource does: it looks again within a minute, and says it once.
std::string Misdone(const PassScene& scene, Census census) {
  const auto& after = scene.result.requeue_after_ms;
  if (scene.result.status.ok() && (!after || *after > kRecheckMaxMs)) {
    return "it does not look again within a minute";
  }
  const char* reason = ReasonOf(census);
  const bool stands = IsRefused(scene.start, reason) &&
                      NextTimeOf(scene.start) > scene.begin().now_ms &&
                      ObservedGenerationOf(scene.start) == scene.start.meta->generation();
  if (stands && IsRefused(scene.now, reason) && !scene.trace.writes.empty()) {
    return "it writes again what already stands";
  }
  return "";
}

void L08(const PassScene& scene, Census census, Findings& findings) {
  if (scene.trace.harmed || !ComesToCensus(scene)) return;
  if (census != Census::kAdmitted) {
    const std::string wrong = Misdone(scene, census);
    findings.Expect(Property::kL08, wrong.empty(), [&] {
      return absl::StrCat(scene.Name(), ": its realm refuses it, and ", wrong);
    });
    return;
  }
  for (const Census refusal : {Census::kConflict, Census::kNotAuthorized}) {
    if (!IsRefused(scene.start, ReasonOf(refusal))) continue;
    if (NextTimeOf(scene.start) > scene.begin().now_ms) continue;
    findings.Expect(Property::kL08, !IsRefused(scene.now, ReasonOf(refusal)), [&] {
      return absl::StrCat(scene.Name(), ": a refusal that is over is not noticed at its deadline");
    });
  }
}

}  // namespace

void JudgeRealmEnded(const PassScene& scene, Findings& findings) {
  // What a pass that stood still had read, nobody knows any more.
  if (scene.trace.resumed) return;
  const Census census = ShownCensus(scene);
  S37S38(scene, census, findings);
  S39(scene, census, findings);
  L08(scene, census, findings);
}

bool ClaimedByAnOldCensus(const PassScene& scene) {
  return !scene.trace.resumed && scene.start.key != nullptr && scene.trace.writes.Has(2) &&
         scene.start.claim == nullptr && scene.start.proof == nullptr && IsActive(scene.start) &&
         ShownCensus(scene) == Census::kAdmitted &&
         CensusOf(scene.begin(), scene.start) != Census::kAdmitted;
}

bool StandsRefused(const sim::World& world, const ResourceView& view) {
  const Census census = CensusOf(world, view);
  return census != Census::kAdmitted && IsRefused(view, ReasonOf(census));
}

// S-39: one digest for each realm, and each realm has its own.
void JudgeRealmState(const sim::World& world, Findings& findings) {
  std::map<std::string, std::string> realm_of_digest;
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.coordination_digest.empty()) continue;
    const sim::Entry* entry = world.Find(operation.resource);
    const ResourceView view = ViewOf(entry == nullptr ? nullptr : entry->object);
    if (view.key == nullptr || view.meta->uid() != operation.resource_uid) continue;
    const auto [known, fresh] =
        realm_of_digest.emplace(operation.coordination_digest, RealmOf(view));
    if (fresh || known->second == RealmOf(view)) continue;
    findings.Violate(Property::kS39, [&, &known = known] {
      return absl::StrCat("two realms have one digest: ", known->second, " and ", RealmOf(view));
    });
  }
}

}  // namespace model
