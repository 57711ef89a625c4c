#include "sim/edits.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/backup.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr const char* kEdits[] = {act::kSuspend,        act::kResume,       act::kEditSpec,
                                  act::kDelete,         act::kMovePolicy,   act::kRecreatePolicy,
                                  act::kWithdrawGrant,  act::kGrant,        act::kShare,
                                  act::kDeleteJob,      act::kTamperStatus, act::kRestore,
                                  act::kDropStatus,     act::kRepoint,      act::kDeleteLease,
                                  act::kDropCopy,       act::kGarbleCopy,   act::kMisspellExclude,
                                  act::kMisspellEngine, act::kCorrectSpec,  act::kOccupyProjection,
                                  act::kFreeProjection, act::kDeletePolicy, act::kRestorePolicy,
                                  act::kPermit,         act::kSign,         act::kDrift};

// What both families have, of a stored resource.
struct Parts {
  const api::ObjectMeta& meta;
  const api::TargetSpec& target;
  const api::ConfigMapKeySelector& policy;
  bool suspended;
  bool has_record;  // A claim, or what is left of a run.
  bool contested;   // Another claimant of its realm does not share it.
};

template <class Status>
bool IsContested(const Status& status) {
  return std::any_of(status.conditions().begin(), status.conditions().end(),
                     [](const api::Condition& condition) {
                       return condition.reason() == api::reason::kRealmConflict;
                     });
}

Parts PartsOf(const Entry& entry) {
  if (entry.object->key.kind == api::Kind::kPtahSchema) {
    const api::PtahSchema& schema = entry.object->As<api::PtahSchema>();
    return {schema.metadata(),
            schema.spec().target(),
            schema.spec().desired().verification_policy_from(),
            schema.spec().suspend(),
            schema.status().has_active_operation() || schema.status().has_pending_observation(),
            IsContested(schema.status())};
  }
  const api::PtahMigration& migration = entry.object->As<api::PtahMigration>();
  return {migration.metadata(),
          migration.spec().target(),
          migration.spec().artifact().verification_policy_from(),
          migration.spec().suspend(),
          migration.status().has_active_operation() || migration.status().has_unresolved_run(),
          IsContested(migration.status())};
}

template <class Resource, class Change>
void ChangeObject(const ApiServer& server, World& world, const Entry& entry, Change change) {
  auto next = std::make_shared<Resource>(entry.object->As<Resource>());
  change(*next);
  const api::Answer answer =
      Update(server, world, kPersonUser, std::move(next), api::Subresource::kMain);
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

// Changes the spec of a resource of either family.
template <class ChangeSpec>
void EditSpec(const ApiServer& server, World& world, const Entry& entry, ChangeSpec change) {
  const auto of = [&](auto& resource) { change(*resource.mutable_spec()); };
  if (entry.object->key.kind == api::Kind::kPtahSchema) {
    return ChangeObject<api::PtahSchema>(server, world, entry, of);
  }
  ChangeObject<api::PtahMigration>(server, world, entry, of);
}

// ---- Policy and realm ----

api::Key PolicyKeyOf(const Entry& entry) {
  return {api::Kind::kConfigMap, entry.object->key.namespace_, PartsOf(entry).policy.name()};
}

void ReplacePolicy(const ApiServer& server, World& world, const Entry& entry, bool other_content) {
  const api::Key key = PolicyKeyOf(entry);
  auto policy = std::make_shared<api::ConfigMap>(world.Find(key)->object->As<api::ConfigMap>());
  policy->mutable_metadata()->clear_uid();
  policy->mutable_metadata()->clear_generation();
  if (other_content) {
    for (auto& [name, text] : *policy->mutable_data()) absl::StrAppend(&text, "\nrequire: more");
  }
  // Its content cannot be changed, so it is deleted and made anew.
  Delete(server, world, kPersonUser, key);
  const api::Answer answer = Create(server, world, kPersonUser, std::move(policy));
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

constexpr char kPolicyText[] = "require: signature";

void RestorePolicy(const ApiServer& server, World& world, const Entry& entry) {
  const api::Key key = PolicyKeyOf(entry);
  auto policy = std::make_shared<api::ConfigMap>();
  policy->mutable_metadata()->set_namespace_(key.namespace_);
  policy->mutable_metadata()->set_name(key.name);
  (*policy->mutable_data())[PartsOf(entry).policy.key()] = kPolicyText;
  policy->set_immutable(true);
  const api::Answer answer = Create(server, world, kPersonUser, std::move(policy));
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

api::Key RealmKeyOf(const Entry& entry) {
  return {api::Kind::kPtahRealm, "", PartsOf(entry).target.realm_ref().name()};
}

bool IsGranted(const World& world, const Entry& entry) {
  const auto& namespaces =
      world.Find(RealmKeyOf(entry))->object->As<api::PtahRealm>().spec().namespaces();
  return std::find(namespaces.begin(), namespaces.end(), entry.object->key.namespace_) !=
         namespaces.end();
}

void CreateRealm(const ApiServer& server, World& world, const Entry& entry) {
  auto realm = std::make_shared<api::PtahRealm>();
  realm->mutable_metadata()->set_name(RealmKeyOf(entry).name);
  realm->mutable_spec()->set_engine(PartsOf(entry).target.engine());
  realm->mutable_spec()->set_sharing(api::sharing::kExclusive);
  realm->mutable_spec()->add_namespaces(entry.object->key.namespace_);
  const api::Answer answer = Create(server, world, kPersonUser, std::move(realm));
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

void SetGrant(const ApiServer& server, World& world, const Entry& entry, bool granted) {
  if (granted && world.Find(RealmKeyOf(entry)) == nullptr) {
    return CreateRealm(server, world, entry);
  }
  const std::string& namespace_ = entry.object->key.namespace_;
  ChangeObject<api::PtahRealm>(
      server, world, *world.Find(RealmKeyOf(entry)), [&](api::PtahRealm& realm) {
        auto& namespaces = *realm.mutable_spec()->mutable_namespaces();
        if (granted) {
          *namespaces.Add() = namespace_;
          return std::sort(namespaces.begin(), namespaces.end());
        }
        namespaces.erase(std::remove(namespaces.begin(), namespaces.end(), namespace_),
                         namespaces.end());
      });
}

// ---- What is misspelt ----

constexpr char kBadPattern[] = "audit[";
constexpr char kBadEngine[] = "oracle";
constexpr char kGoodEngine[] = "postgresql";

bool HasBadExclude(const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahSchema) return false;
  const auto& exclude = entry.object->As<api::PtahSchema>().spec().policy().exclude();
  return std::find(exclude.begin(), exclude.end(), kBadPattern) != exclude.end();
}

void SetBadExclude(const ApiServer& server, World& world, const Entry& entry, bool bad) {
  ChangeObject<api::PtahSchema>(server, world, entry, [bad](api::PtahSchema& schema) {
    auto& exclude = *schema.mutable_spec()->mutable_policy()->mutable_exclude();
    exclude.Clear();
    if (bad) *exclude.Add() = kBadPattern;
  });
}

// ---- What is held back ----

bool IsNever(const std::string& policy) { return policy == api::apply_policy::kNever; }

// Whether the resource shows, at rest, that its policy is what it waits for.
bool HoldsBack(const Entry& entry) {
  if (!ClaimOf(entry).type().empty()) return false;
  if (entry.object->key.kind == api::Kind::kPtahMigration) {
    const api::PtahMigration& migration = entry.object->As<api::PtahMigration>();
    return IsNever(migration.spec().policy().apply()) && migration.status().has_plan();
  }
  return entry.object->As<api::PtahSchema>().status().phase() == api::phase::kBlocked;
}

void Permit(const ApiServer& server, World& world, const Entry& entry) {
  if (entry.object->key.kind == api::Kind::kPtahMigration) {
    return ChangeObject<api::PtahMigration>(
        server, world, entry, [](api::PtahMigration& migration) {
          migration.mutable_spec()->mutable_policy()->set_apply(api::apply_policy::kAlways);
        });
  }
  ChangeObject<api::PtahSchema>(server, world, entry, [](api::PtahSchema& schema) {
    api::SchemaPolicy& policy = *schema.mutable_spec()->mutable_policy();
    if (IsNever(policy.apply())) policy.set_apply(api::apply_policy::kAlways);
    policy.set_allow_destructive(true);
    policy.clear_protected_tables();
  });
}

// The first database with a statement of a schema that could be undone; -1: there is none.
int32_t DatabaseThatMayDrift(const World& world, const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahSchema) return -1;
  // What a Plan has read may be accounted for: nobody could see what is changed by hand after it.
  if (ClaimOf(entry).type() == api::operation::kPlan) return -1;
  for (size_t at = 0; at < world.truth.databases.size(); ++at) {
    const Database& database = *world.truth.databases[at];
    if (database.in_force > 0) return static_cast<int32_t>(at);
  }
  return -1;
}

void Drift(World& world, const Entry& entry) {
  Database& database = world.truth.databases[DatabaseThatMayDrift(world, entry)].Edit();
  --database.in_force;
  database.last_changed_by = "person";
}

// ---- A projection's name ----

constexpr char kForeignKey[] = "notes";

// The first projection of the schema's plan; nothing when there is no plan.
std::optional<api::Key> ProjectionKeyOf(const World& world, const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahSchema) return std::nullopt;
  const api::PlanRecord& record = entry.object->As<api::PtahSchema>().status().plan();
  const std::string& namespace_ = entry.object->key.namespace_;
  const Entry* plan = world.Find({api::Kind::kPtahSchemaPlan, namespace_, record.name()});
  if (plan == nullptr) return std::nullopt;
  const auto& chunks = plan->object->As<api::PtahSchemaPlan>().spec().chunks();
  if (chunks.empty()) return std::nullopt;
  return api::Key{api::Kind::kConfigMap, namespace_, chunks[0].name()};
}

bool IsForeign(const Entry& entry) {
  return entry.object->As<api::ConfigMap>().data().count(kForeignKey) > 0;
}

void OccupyProjection(const ApiServer& server, World& world, const api::Key& key) {
  auto foreign = std::make_shared<api::ConfigMap>();
  foreign->mutable_metadata()->set_namespace_(key.namespace_);
  foreign->mutable_metadata()->set_name(key.name);
  (*foreign->mutable_data())[kForeignKey] = "nobody's plan";
  const api::Answer answer = Create(server, world, kPersonUser, std::move(foreign));
  STOPGAP_CHECK(answer.status.ok(), answer.status.message());
}

// ---- The copy of an unresolved run ----

const std::string* CopyOf(const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahMigration) return nullptr;
  const auto& annotations = entry.object->As<api::PtahMigration>().metadata().annotations();
  const auto copy = annotations.find(api::annotation::kUnresolvedRun);
  return copy == annotations.end() ? nullptr : &copy->second;
}

void ChangeCopy(const ApiServer& server, World& world, const Entry& entry, const char* text) {
  world.truth.copy_tampered = true;
  ChangeObject<api::PtahMigration>(server, world, entry, [text](api::PtahMigration& migration) {
    auto& annotations = *migration.mutable_metadata()->mutable_annotations();
    if (text == nullptr) {
      annotations.erase(api::annotation::kUnresolvedRun);
    } else {
      annotations[api::annotation::kUnresolvedRun] = text;
    }
  });
}

constexpr char kGarbled[] = "{";

// ---- Status ----

template <class Status>
void ClearRecords(Status& status) {
  status.clear_active_operation();
  status.set_phase(api::phase::kInSync);
}

// As a person would who takes a record for stale.
void Tamper(const ApiServer& server, World& world, const Entry& entry) {
  std::shared_ptr<google::protobuf::Message> next;
  if (entry.object->key.kind == api::Kind::kPtahSchema) {
    auto schema = std::make_shared<api::PtahSchema>(entry.object->As<api::PtahSchema>());
    ClearRecords(*schema->mutable_status());
    schema->mutable_status()->clear_pending_observation();
    next = std::move(schema);
  } else {
    auto migration = std::make_shared<api::PtahMigration>(entry.object->As<api::PtahMigration>());
    ClearRecords(*migration->mutable_status());
    migration->mutable_status()->clear_unresolved_run();
    next = std::move(migration);
  }
  const api::Answer answer =
      Update(server, world, kPersonUser, std::move(next), api::Subresource::kStatus);
  world.truth.status_tampering_tried = true;
  world.truth.status_tampered = world.truth.status_tampered || answer.status.ok();
}

// What an annotation still says of an account, the backup has not settled: it is open again, and
// the restored object's. Accounts of which nothing is left were lost with the status.
void SortAccounts(World& world, const api::Key& key, const std::string& old_uid) {
  const api::ObjectMeta& meta = api::MetaOf(*world.Find(key)->object->message);
  const auto copy = meta.annotations().find(api::annotation::kUnresolvedRun);
  const std::string copied = copy == meta.annotations().end() ? "" : copy->second;
  std::vector<std::string> of_it;
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.resource_uid == old_uid) of_it.push_back(id);
  }
  for (const std::string& id : of_it) {
    OperationTruth& operation = world.truth.operations.Edit(id);
    operation.lost = !absl::StrContains(copied, id);
    if (operation.lost) continue;
    operation.open = true;
    operation.resource_uid = meta.uid();
  }
}

template <class Resource>
void RestoreWithoutStatus(const ApiServer& server, World& world, const WorldStep& step) {
  const Resource& before = world.Find(step.target)->object->As<Resource>();
  const std::string old_uid = before.metadata().uid();
  if (step.what == act::kRestore) {
    BringBack<Resource>(server, world, step.target);
  } else {
    auto next = std::make_shared<Resource>(before);
    next->clear_status();
    RestoreStatus(server, world, std::move(next));
  }
  SortAccounts(world, step.target, old_uid);
}

// ---- Offers ----

// A database that the Secret does not open, and is its own realm; -1: there is none.
int32_t OtherDatabase(const World& world) { return world.truth.databases.size() > 1 ? 1 : -1; }

class EditOffers {
 public:
  EditOffers(const World& world, std::vector<WorldStep>& steps) : world_(world), steps_(steps) {}

  void Offer() {
    for (const api::Kind kind : {api::Kind::kPtahSchema, api::Kind::kPtahMigration}) {
      ForEachOfKind(world_, kind, [this](const Entry& entry) {
        OfferOf(entry);
        return true;
      });
    }
    if (PersonHasLeft(world_, act::kDeleteLease) > 0) {
      ForEachOfKind(world_, api::Kind::kLease, [this](const Entry& entry) {
        Add(act::kDeleteLease, entry.object->key, 1);
        return true;
      });
    }
    if (PersonHasLeft(world_, act::kDeleteJob) > 0) {
      ForEachOfKind(world_, api::Kind::kJob, [this](const Entry& entry) {
        const api::Job& job = entry.object->As<api::Job>();
        if (!IsFinished(job, nullptr) && job.metadata().deletion_timestamp_ms() == 0) {
          Add(act::kDeleteJob, entry.object->key, 1);
        }
        return true;
      });
    }
  }

 private:
  void OfferOf(const Entry& entry) {
    const Parts parts = PartsOf(entry);
    const api::Key& key = entry.object->key;
    if (parts.meta.deletion_timestamp_ms() == 0) {
      // To step back from a contested realm is what a person is asked to do.
      if (!parts.suspended) Offer(act::kSuspend, key, parts.contested ? 0 : 1);
      if (parts.suspended) Offer(act::kResume, key, 0);
      if (HoldsBack(entry)) Offer(act::kPermit, key, 0);
      if (!parts.target.shared_realm()) Offer(act::kShare, key, 0);
      Offer(act::kEditSpec, key, 1);
      Offer(act::kDelete, key, 1);
      Offer(act::kRestore, key, 1);
      Offer(act::kDropStatus, key, 1);
    }
    if (world_.Find(PolicyKeyOf(entry)) != nullptr) {
      Offer(act::kMovePolicy, key, 1);
      Offer(act::kRecreatePolicy, key, 1);
      Offer(act::kDeletePolicy, key, 1);
    } else {
      Offer(act::kRestorePolicy, key, 0);
    }
    Offer(act::kSign, key, 0);
    if (DatabaseThatMayDrift(world_, entry) >= 0) Offer(act::kDrift, key, 1);
    if (world_.Find(RealmKeyOf(entry)) != nullptr) {
      if (IsGranted(world_, entry)) Offer(act::kWithdrawGrant, key, 1);
      if (!IsGranted(world_, entry)) Offer(act::kGrant, key, 0);
    } else if (parts.target.has_realm_ref()) {
      Offer(act::kGrant, key, 0);
    }
    if (parts.has_record) Offer(act::kTamperStatus, key, 1);
    if (const std::string* copy = CopyOf(entry)) {
      // Nobody but a person can remove what nobody can read.
      Offer(act::kDropCopy, key, *copy == kGarbled ? 0 : 1);
      if (*copy != kGarbled) Offer(act::kGarbleCopy, key, 1);
    }
    if (key.kind == api::Kind::kPtahSchema) Offer(act::kMisspellExclude, key, 1);
    Offer(act::kMisspellEngine, key, 1);
    if (HasBadExclude(entry) || parts.target.engine() == kBadEngine) {
      Offer(act::kCorrectSpec, key, 0);
    }
    if (OtherDatabase(world_) >= 0) Offer(act::kRepoint, key, 1);
    if (const std::optional<api::Key> projection = ProjectionKeyOf(world_, entry)) {
      const Entry* standing = world_.Find(*projection);
      if (standing == nullptr) Offer(act::kOccupyProjection, key, 1);
      if (standing != nullptr && IsForeign(*standing)) Offer(act::kFreeProjection, key, 0);
    }
  }

  void Offer(const char* what, const api::Key& key, int32_t cost) {
    if (PersonHasLeft(world_, what, key) > 0) Add(what, key, cost);
  }
  void Add(const char* what, const api::Key& key, int32_t cost) {
    OfferStep(steps_, {.kind = StepKind::kPerson, .what = what, .target = key, .cost = cost},
              absl::StrCat(what, " ", api::ShortName(key)));
  }

  const World& world_;
  std::vector<WorldStep>& steps_;
};

void Repoint(World& world) {
  std::vector<Cow<Database>>& databases = world.truth.databases;
  std::string first = databases[0]->secret;
  databases[0].Edit().secret = databases[1]->secret;
  databases[1].Edit().secret = std::move(first);
}

}  // namespace

bool IsEdit(absl::string_view what) {
  return std::any_of(std::begin(kEdits), std::end(kEdits),
                     [what](const char* edit) { return what == edit; });
}

void OfferEdits(const ActorContext&, const World& world, std::vector<WorldStep>& steps) {
  EditOffers(world, steps).Offer();
}

void TakeEdit(const ActorContext& context, World& world, const WorldStep& step) {
  const ApiServer& server = context.server;
  const Entry entry = *world.Find(step.target);
  if (step.what == act::kSuspend || step.what == act::kResume) {
    const bool suspend = step.what == act::kSuspend;
    return EditSpec(server, world, entry, [&](auto& spec) { spec.set_suspend(suspend); });
  }
  if (step.what == act::kShare) {
    return EditSpec(server, world, entry,
                    [](auto& spec) { spec.mutable_target()->set_shared_realm(true); });
  }
  if (step.what == act::kEditSpec) {
    return EditSpec(server, world, entry, [](auto& spec) {
      auto* policy = spec.mutable_policy();
      policy->set_lock_timeout_seconds(policy->lock_timeout_seconds() + 60);
    });
  }
  if (step.what == act::kMisspellExclude) return SetBadExclude(server, world, entry, true);
  if (step.what == act::kMisspellEngine) {
    return EditSpec(server, world, entry,
                    [](auto& spec) { spec.mutable_target()->set_engine(kBadEngine); });
  }
  if (step.what == act::kCorrectSpec) {
    if (HasBadExclude(entry)) return SetBadExclude(server, world, entry, false);
    return EditSpec(server, world, entry,
                    [](auto& spec) { spec.mutable_target()->set_engine(kGoodEngine); });
  }
  if (step.what == act::kOccupyProjection) {
    return OccupyProjection(server, world, *ProjectionKeyOf(world, entry));
  }
  if (step.what == act::kFreeProjection) {
    Delete(server, world, kPersonUser, *ProjectionKeyOf(world, entry));
    return;
  }
  if (step.what == act::kDropCopy) return ChangeCopy(server, world, entry, nullptr);
  if (step.what == act::kGarbleCopy) return ChangeCopy(server, world, entry, kGarbled);
  if (step.what == act::kDelete || step.what == act::kDeleteJob || step.what == act::kDeleteLease) {
    Delete(server, world, kPersonUser, step.target);
    return;
  }
  if (step.what == act::kMovePolicy || step.what == act::kRecreatePolicy) {
    return ReplacePolicy(server, world, entry, step.what == act::kMovePolicy);
  }
  if (step.what == act::kDeletePolicy) {
    Delete(server, world, kPersonUser, PolicyKeyOf(entry));
    return;
  }
  if (step.what == act::kRestorePolicy) return RestorePolicy(server, world, entry);
  if (step.what == act::kPermit) return Permit(server, world, entry);
  if (step.what == act::kSign) return;  // That it was done is all there is to it.
  if (step.what == act::kDrift) return Drift(world, entry);
  if (step.what == act::kWithdrawGrant || step.what == act::kGrant) {
    return SetGrant(server, world, entry, step.what == act::kGrant);
  }
  if (step.what == act::kTamperStatus) return Tamper(server, world, entry);
  if (step.what == act::kRepoint) return Repoint(world);
  if (step.target.kind == api::Kind::kPtahSchema) {
    return RestoreWithoutStatus<api::PtahSchema>(server, world, step);
  }
  RestoreWithoutStatus<api::PtahMigration>(server, world, step);
}

}  // namespace sim
