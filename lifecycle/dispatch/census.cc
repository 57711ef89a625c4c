#include "lifecycle/dispatch/census.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/rules/realm_census.h"

namespace lifecycle::dispatch {
namespace {

bool ListsNamespace(const api::PtahRealm& realm, const std::string& namespace_) {
  const auto& listed = realm.spec().namespaces();
  return std::find(listed.begin(), listed.end(), namespace_) != listed.end();
}

// One counting of the claimants of one realm.
class Census {
 public:
  Census(const Claimant& claimant, const Context& context)
      : claimant_(claimant),
        context_(context),
        digest_(RealmDigest(claimant.metadata, claimant.target)) {
    facts_.names_realm = !claimant.target.realm_ref().name().empty();
    facts_.without_shared_realm = claimant.target.shared_realm() ? 0 : 1;
  }

  // Errors: a read of the cache failed.
  absl::StatusOr<rules::CensusFacts> Count() {
    if (absl::Status read = ReadRealm(); !read.ok()) return read;
    if (facts_.names_realm && !facts_.realm_exists) return facts_;  // Counted nowhere.
    if (absl::Status counted = CountKind<api::PtahSchema>(); !counted.ok()) return counted;
    if (absl::Status counted = CountKind<api::PtahMigration>(); !counted.ok()) return counted;
    return facts_;
  }

 private:
  absl::Status ReadRealm() {
    if (!facts_.names_realm) return absl::OkStatus();
    auto realm = context_.client.Get<api::PtahRealm>("", claimant_.target.realm_ref().name(),
                                                     api::Freshness::kCached);
    if (!realm.ok()) {
      return api::IsNotFound(realm.status()) ? absl::OkStatus() : realm.status();
    }
    realm_ = *std::move(realm);
    facts_.realm_exists = true;
    facts_.lists_namespace = ListsNamespace(*realm_, claimant_.metadata.namespace_());
    facts_.engine_equal = rules::CanonicalEngine(realm_->spec().engine()) ==
                          rules::CanonicalEngine(claimant_.target.engine());
    facts_.shared = realm_->spec().sharing() == api::sharing::kShared;
    return absl::OkStatus();
  }

  // The claimant counts itself as it was read directly, whatever the cache holds of it.
  template <class Resource>
  absl::Status CountKind() {
    const std::string& where = facts_.names_realm ? everywhere_ : claimant_.metadata.namespace_();
    const auto listed = context_.client.List<Resource>(where, api::Freshness::kCached);
    if (!listed.ok()) return listed.status();
    for (const api::Stored<Resource>& one : *listed) {
      const bool left = one->metadata().deletion_timestamp_ms() != 0 || one->spec().suspend();
      if (!left && one->metadata().uid() != claimant_.metadata.uid()) {
        CountOther(one->metadata(), one->spec().target());
      }
    }
    return absl::OkStatus();
  }

  void CountOther(const api::ObjectMeta& metadata, const api::TargetSpec& target) {
    if (facts_.names_realm && !ListsNamespace(*realm_, metadata.namespace_())) return;
    if (RealmDigest(metadata, target) != digest_) return;
    ++facts_.claimants;
    if (!target.shared_realm()) ++facts_.without_shared_realm;
  }

  const std::string everywhere_;
  const Claimant& claimant_;
  const Context& context_;
  const std::string digest_;
  api::Stored<api::PtahRealm> realm_;
  rules::CensusFacts facts_;
};

CensusRefusal NotAuthorized(const Claimant& claimant, const rules::CensusFacts& facts) {
  const std::string& name = claimant.target.realm_ref().name();
  CensusRefusal refusal;
  refusal.reason = api::reason::kRealmNotAuthorized;
  refusal.message = !facts.realm_exists ? absl::StrCat("there is no PtahRealm ", name)
                    : !facts.lists_namespace
                        ? absl::StrCat("PtahRealm ", name, " does not list this namespace")
                        : absl::StrCat("PtahRealm ", name, " is of another database engine");
  return refusal;
}

// The message names no count: a third claimant that comes or goes is no news to the refused.
CensusRefusal Conflict(const rules::CensusFacts& facts) {
  CensusRefusal refusal;
  refusal.reason = api::reason::kRealmConflict;
  refusal.message = facts.names_realm && !facts.shared
                        ? "another resource claims this database, and its PtahRealm is Exclusive"
                        : "another resource claims this database, and not every one of them says "
                          "sharedRealm";
  return refusal;
}

bool ShowsRefusal(const Conditions& conditions) {
  return std::any_of(conditions.begin(), conditions.end(), [](const api::Condition& condition) {
    return condition.reason() == api::reason::kRealmConflict ||
           condition.reason() == api::reason::kRealmNotAuthorized;
  });
}

// A withdrawal is felt at once, a grant only when the standing refusal is due.
bool IsChangeOfGrant(const Claimant& claimant, rules::CensusVerdict verdict) {
  const bool refused = ShowsRefusal(claimant.conditions);
  if (verdict == rules::CensusVerdict::kAdmitted) {
    return refused && claimant.stored_deadline_ms > claimant.now_ms;
  }
  return !refused && verdict == rules::CensusVerdict::kRealmNotAuthorized;
}

}  // namespace

std::string RealmDigest(const api::ObjectMeta& metadata, const api::TargetSpec& target) {
  return rules::CoordinationDigest({.engine = target.engine(),
                                    .namespace_ = metadata.namespace_(),
                                    .coordination_key = target.coordination_key(),
                                    .realm_name = target.realm_ref().name()});
}

absl::StatusOr<std::optional<CensusRefusal>> TakeCensus(const Claimant& claimant,
                                                        const Context& context) {
  context.client.Journal("Q-1");
  const absl::StatusOr<rules::CensusFacts> facts = Census(claimant, context).Count();
  if (!facts.ok()) return facts.status();
  const rules::CensusVerdict verdict = rules::VerdictOfCensus(*facts);
  if (IsChangeOfGrant(claimant, verdict)) context.client.Journal("Q-5");
  CensusRefusal refusal;
  switch (verdict) {
    case rules::CensusVerdict::kAdmitted:
      return std::optional<CensusRefusal>();
    case rules::CensusVerdict::kRealmNotAuthorized:
      context.client.Journal("Q-2");
      refusal = NotAuthorized(claimant, *facts);
      break;
    case rules::CensusVerdict::kRealmConflict:
      context.client.Journal("Q-3");
      refusal = Conflict(*facts);
      break;
  }
  context.client.Journal("Q-4");
  refusal.recheck_at_ms =
      rules::RefusalDeadline({.now_ms = claimant.now_ms,
                              .stored_deadline_ms = claimant.stored_deadline_ms,
                              .interval_ms = claimant.interval_ms,
                              .recheck_max_ms = context.timing.realm_recheck_max_ms});
  return std::optional<CensusRefusal>(std::move(refusal));
}

}  // namespace lifecycle::dispatch
