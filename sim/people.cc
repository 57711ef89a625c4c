#include "sim/people.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/schema.pb.h"
#include "sim/administrator.h"
#include "sim/backup.h"
#include "sim/cluster_objects.h"
#include "sim/database.h"
#include "sim/edits.h"
#include "sim/meddling.h"
#include "sim/runner.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

// Whoever writes a spec is kPersonUser; this one only approves.
constexpr char kOtherUser[] = "bob";

template <class Conditions>
bool HasCondition(const Conditions& conditions, absl::string_view type) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const api::Condition& condition) {
    return condition.type() == type && condition.status() == api::condition_status::kTrue;
  });
}

// A name nothing stands under: the resource's, what it is, and the smallest free number.
std::string FreeName(const World& world, api::Kind kind, const api::ObjectMeta& of,
                     absl::string_view what) {
  for (int number = 1;; ++number) {
    std::string name = absl::StrCat(of.name(), "-", what, "-", number);
    if (world.Find({kind, of.namespace_(), name}) == nullptr) return name;
  }
}

template <class Object>
std::shared_ptr<Object> Named(const World& world, const api::ObjectMeta& of,
                              absl::string_view what) {
  auto object = std::make_shared<Object>();
  object->mutable_metadata()->set_namespace_(of.namespace_());
  object->mutable_metadata()->set_name(FreeName(world, api::KindOf<Object>(), of, what));
  return object;
}

template <class Resource>
void Refer(const Resource& resource, api::ObjectRef* reference) {
  reference->set_name(resource.metadata().name());
  reference->set_uid(resource.metadata().uid());
}

// True when an approval of the plan already waits to be used.
template <class Approval>
bool IsApproved(const World& world, const std::string& namespace_, const std::string& plan_uid) {
  bool found = false;
  ForEachOfKind(world, api::KindOf<Approval>(), [&](const Entry& entry) {
    const Approval& approval = entry.object->As<Approval>();
    found = entry.object->key.namespace_ == namespace_ &&
            approval.spec().plan_ref().uid() == plan_uid &&
            !HasCondition(approval.status().conditions(), api::condition::kStale) &&
            !HasCondition(approval.status().conditions(), api::condition::kConsumed);
    return !found;
  });
  return found;
}

template <class Status>
bool AsksForApproval(const Status& status) {
  return status.phase() == api::phase::kAwaitingApproval &&
         HasCondition(status.conditions(), api::condition::kApprovalRequired);
}

// Each of the two returns the approval a person would create now, or null when nothing asks for
// one.
std::shared_ptr<google::protobuf::Message> ApprovalFor(const World& world,
                                                       const api::PtahSchema& schema) {
  const api::PlanRecord& plan = schema.status().plan();
  const std::string& namespace_ = schema.metadata().namespace_();
  if (!AsksForApproval(schema.status()) || !schema.status().has_plan() ||
      IsApproved<api::PtahSchemaApproval>(world, namespace_, plan.uid())) {
    return nullptr;
  }
  auto approval = Named<api::PtahSchemaApproval>(world, schema.metadata(), "approval");
  Refer(schema, approval->mutable_spec()->mutable_schema_ref());
  approval->mutable_spec()->mutable_plan_ref()->set_name(plan.name());
  approval->mutable_spec()->mutable_plan_ref()->set_uid(plan.uid());
  approval->mutable_spec()->set_plan_fingerprint(plan.fingerprint());
  return approval;
}

std::shared_ptr<google::protobuf::Message> ApprovalFor(const World& world,
                                                       const api::PtahMigration& migration) {
  const std::string& namespace_ = migration.metadata().namespace_();
  const auto* plan =
      world.Get<api::PtahMigrationPlan>(namespace_, migration.status().plan().name());
  if (!AsksForApproval(migration.status()) || plan == nullptr ||
      plan->metadata().uid() != migration.status().plan().uid() ||
      IsApproved<api::PtahMigrationApproval>(world, namespace_, plan->metadata().uid())) {
    return nullptr;
  }
  auto approval = Named<api::PtahMigrationApproval>(world, migration.metadata(), "approval");
  api::PtahMigrationApprovalSpec* spec = approval->mutable_spec();
  Refer(migration, spec->mutable_migration_ref());
  Refer(*plan, spec->mutable_plan_ref());
  spec->set_plan_fingerprint(plan->spec().fingerprint());
  spec->set_history_fingerprint(plan->spec().history_fingerprint());
  spec->set_artifact_digest(plan->spec().artifact_digest());
  spec->set_coordination_digest(plan->spec().coordination_digest());
  spec->set_target_identity_digest(plan->spec().target_identity_digest());
  spec->set_policy_fingerprint(plan->spec().policy_fingerprint());
  spec->set_verification_policy_uid(plan->spec().verification_policy_uid());
  spec->set_verification_policy_digest(plan->spec().verification_policy_digest());
  spec->set_execution_binding_id(plan->spec().execution_binding_id());
  return approval;
}

std::shared_ptr<google::protobuf::Message> ApprovalFor(const World& world, const Entry& entry) {
  return entry.object->key.kind == api::Kind::kPtahSchema
             ? ApprovalFor(world, entry.object->As<api::PtahSchema>())
             : ApprovalFor(world, entry.object->As<api::PtahMigration>());
}

// The acknowledgment of the migration's unresolved run, or null when there is nothing to say.
std::shared_ptr<google::protobuf::Message> AcknowledgmentFor(const World& world,
                                                             const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahMigration) return nullptr;
  const api::PtahMigration& migration = entry.object->As<api::PtahMigration>();
  if (!migration.status().has_unresolved_run()) return nullptr;
  const std::string& run = migration.status().unresolved_run().operation_id();
  bool said = false;
  ForEachOfKind(world, api::Kind::kPtahMigrationRunAcknowledgment, [&](const Entry& other) {
    said = other.object->As<api::PtahMigrationRunAcknowledgment>().spec().operation_id() == run;
    return !said;
  });
  if (said) return nullptr;
  auto word = Named<api::PtahMigrationRunAcknowledgment>(world, migration.metadata(), "ack");
  Refer(migration, word->mutable_spec()->mutable_migration_ref());
  word->mutable_spec()->set_operation_id(run);
  return word;
}

// One of a run that this migration does not hold, as it was stamped at its time.
std::shared_ptr<api::PtahMigrationRunAcknowledgment> OldAcknowledgmentFor(const World& world,
                                                                          const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahMigration) return nullptr;
  const api::PtahMigration& migration = entry.object->As<api::PtahMigration>();
  if (!migration.status().has_unresolved_run()) return nullptr;
  auto word = Named<api::PtahMigrationRunAcknowledgment>(world, migration.metadata(), "old-ack");
  auto& spec = *word->mutable_spec();
  Refer(migration, spec.mutable_migration_ref());
  spec.set_operation_id(api::DigestOf("a run of another time"));
  spec.mutable_acknowledged_by()->set_username(kPersonUser);
  spec.set_acknowledged_at_ms(world.now_ms);
  spec.set_mutation_request_uid("old-request");
  return word;
}

// Whether a schema's proof is about the plan that the approval names.
bool IsBeingProven(const World& world, const Entry& approval) {
  const std::string& plan = approval.object->As<api::PtahSchemaApproval>().spec().plan_ref().uid();
  bool proven = false;
  ForEachOfKind(world, api::Kind::kPtahSchema, [&](const Entry& entry) {
    const api::PendingObservation& proof =
        entry.object->As<api::PtahSchema>().status().pending_observation();
    proven = proven || (!plan.empty() && proof.plan().uid() == plan);
    return !proven;
  });
  return proven;
}

// The approval as it was signed, under a name of its own and with no word of what became of it.
std::shared_ptr<api::PtahSchemaApproval> SecondApproval(const World& world, const Entry& approval) {
  const auto& first = approval.object->As<api::PtahSchemaApproval>();
  auto second = Named<api::PtahSchemaApproval>(world, first.metadata(), "again");
  *second->mutable_spec() = first.spec();
  return second;
}

const char* UserOf(absl::string_view what) {
  return what == act::kApproveAsAnother ? kOtherUser : kPersonUser;
}

// The database a migration applies to: the one its run or its last reading reported, else the only
// one. -1 when that is none of ours.
int32_t DatabaseOfMigration(const World& world, const api::PtahMigration& migration) {
  const api::PtahMigrationStatus& status = migration.status();
  const std::string& reported = status.unresolved_run().target_identity_digest().empty()
                                    ? status.history().target_identity_digest()
                                    : status.unresolved_run().target_identity_digest();
  const size_t count = world.truth.databases.size();
  for (size_t at = 0; at < count; ++at) {
    if (world.truth.databases[at]->identity_digest == reported) return static_cast<int32_t>(at);
  }
  return count == 1 ? 0 : -1;
}

bool SomethingRuns(const World& world) {
  return std::any_of(world.runs.begin(), world.runs.end(),
                     [](const Cow<Run>& run) { return run->state == RunState::kRunning; }) ||
         std::any_of(world.rivals.begin(), world.rivals.end(),
                     [](const Rival& rival) { return rival.state == Rival::State::kRunning; });
}

// A person is asked to look at the database when a run is unresolved, and steps in while nothing is
// seen to run.
bool IsRepairable(const World& world, const Entry& entry) {
  if (entry.object->key.kind != api::Kind::kPtahMigration) return false;
  const api::PtahMigration& migration = entry.object->As<api::PtahMigration>();
  const bool dirty =
      migration.status().history().dirty() && migration.status().phase() == api::phase::kBlocked;
  if (!migration.status().has_unresolved_run() && !dirty) return false;
  const int32_t index = DatabaseOfMigration(world, migration);
  if (index < 0 || SomethingRuns(world)) return false;
  return !PendingFiles(*world.truth.databases[index]).empty();
}

void Repair(World& world, const api::PtahMigration& migration) {
  Database& database = world.truth.databases[DatabaseOfMigration(world, migration)].Edit();
  for (Database::File& file : database.files) {
    file.committed = file.statements;
    file.recorded = true;
    file.dirty = false;
  }
  database.last_changed_by = "person";
}

// Chunks belong to the plan by its UID and are recorded by theirs.
void RepublishSchemaPlan(const ApiServer& server, World& world, const api::Key& key) {
  const auto before =
      std::make_shared<api::PtahSchemaPlan>(world.Find(key)->object->As<api::PtahSchemaPlan>());
  const api::MessagePtr stored = BringBack<api::PtahSchemaPlan>(server, world, key);
  const std::string uid = api::MetaOf(*stored).uid();
  auto after =
      std::make_shared<api::PtahSchemaPlan>(static_cast<const api::PtahSchemaPlan&>(*stored));
  *after->mutable_status() = before->status();
  for (api::PublishedChunk& published : *after->mutable_status()->mutable_published_chunks()) {
    const api::Key chunk_key{api::Kind::kPtahSchemaPlanChunk, key.namespace_, published.name()};
    const Entry* entry = world.Find(chunk_key);
    if (entry == nullptr) continue;
    auto chunk =
        std::make_shared<api::PtahSchemaPlanChunk>(entry->object->As<api::PtahSchemaPlanChunk>());
    Remove(server, world, chunk_key);
    chunk->mutable_metadata()->clear_uid();
    for (api::OwnerReference& owner : *chunk->mutable_metadata()->mutable_owner_references()) {
      if (owner.uid() == before->metadata().uid()) owner.set_uid(uid);
    }
    const api::Answer answer = Restore(server, world, std::move(chunk));
    if (answer.status.ok()) published.set_uid(api::MetaOf(*answer.stored.object).uid());
  }
  RestoreStatus(server, world, std::move(after));
}

bool IsUnspent(const api::DecisionStatus& status) {
  return !HasCondition(status.conditions(), api::condition::kConsumed) &&
         !HasCondition(status.conditions(), api::condition::kStale);
}

const api::DecisionStatus& DecisionOf(const Entry& approval) {
  return approval.object->key.kind == api::Kind::kPtahSchemaApproval
             ? approval.object->As<api::PtahSchemaApproval>().status()
             : approval.object->As<api::PtahMigrationApproval>().status();
}

// Whether a resource's status names this plan.
bool IsCurrentPlan(const World& world, const Entry& plan) {
  const std::string& uid = api::MetaOf(*plan.object->message).uid();
  bool current = false;
  ForEachOfKind(world, api::Kind::kPtahSchema, [&](const Entry& entry) {
    current = current || entry.object->As<api::PtahSchema>().status().plan().uid() == uid;
    return !current;
  });
  ForEachOfKind(world, api::Kind::kPtahMigration, [&](const Entry& entry) {
    current = current || entry.object->As<api::PtahMigration>().status().plan().uid() == uid;
    return !current;
  });
  return current;
}

class PeopleOffers {
 public:
  PeopleOffers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps)
      : context_(context), world_(world), steps_(steps) {}

  void Offer() {
    for (const api::Kind kind : {api::Kind::kPtahSchema, api::Kind::kPtahMigration}) {
      Each(kind, [this](const Entry& entry) { OfferHelp(entry); });
    }
    for (const api::Kind kind :
         {api::Kind::kPtahSchemaApproval, api::Kind::kPtahMigrationApproval}) {
      Each(kind, [this](const Entry& entry) { OfferOnApproval(entry); });
    }
    if (!Has(act::kRepublish) && !Has(act::kDeletePlan)) return;
    for (const api::Kind kind : {api::Kind::kPtahSchemaPlan, api::Kind::kPtahMigrationPlan}) {
      Each(kind, [this](const Entry& entry) {
        if (!IsCurrentPlan(world_, entry)) return;
        if (Has(act::kRepublish)) Add(act::kRepublish, entry, 1);
        if (Has(act::kDeletePlan)) Add(act::kDeletePlan, entry, 1);
      });
    }
  }

 private:
  void Each(api::Kind kind, absl::FunctionRef<void(const Entry&)> visit) {
    ForEachOfKind(world_, kind, [&](const Entry& entry) {
      visit(entry);
      return true;
    });
  }

  void OfferHelp(const Entry& entry) {
    for (const char* approve : {act::kApprove, act::kApproveAsAnother}) {
      if (Has(approve)) OfferCreate(approve, entry, ApprovalFor(world_, entry));
    }
    if (Has(act::kRepair) && IsRepairable(world_, entry)) Add(act::kRepair, entry, 0);
    if (Has(act::kAcknowledge)) {
      OfferCreate(act::kAcknowledge, entry, AcknowledgmentFor(world_, entry));
    }
    if (Has(act::kRestoreAcknowledgment) && OldAcknowledgmentFor(world_, entry) != nullptr) {
      Add(act::kRestoreAcknowledgment, entry, 1);
    }
  }

  void OfferCreate(const char* what, const Entry& entry,
                   std::shared_ptr<google::protobuf::Message> object) {
    if (object != nullptr && MayCreate(context_.server, world_, UserOf(what), std::move(object))) {
      Add(what, entry, 0);
    }
  }

  void OfferOnApproval(const Entry& entry) {
    if (Has(act::kRestoreApproval) && entry.object->key.kind == api::Kind::kPtahSchemaApproval &&
        IsBeingProven(world_, entry)) {
      Add(act::kRestoreApproval, entry, 1);
    }
    if (!IsUnspent(DecisionOf(entry))) {
      // A claim that spent it may still stand before its mark, and looks for it again there.
      if (Has(act::kDeleteApproval) && IsHeldByAClaim(entry)) Add(act::kDeleteApproval, entry, 1);
      return;
    }
    if (Has(act::kDeleteApproval)) Add(act::kDeleteApproval, entry, 1);
    if (Has(act::kReplaceApproval)) Add(act::kReplaceApproval, entry, 1);
  }

  bool IsHeldByAClaim(const Entry& approval) const {
    const std::string& uid = api::MetaOf(*approval.object->message).uid();
    bool held = false;
    const auto visit = [&](const Entry& entry) {
      held = held || (ApprovalUidOf(entry) == uid && !ClaimOf(entry).dispatch_started());
      return !held;
    };
    ForEachOfKind(world_, api::Kind::kPtahSchema, visit);
    ForEachOfKind(world_, api::Kind::kPtahMigration, visit);
    return held;
  }

  static std::string ApprovalUidOf(const Entry& entry) {
    if (ClaimOf(entry).type() != api::operation::kApply) return "";
    return entry.object->key.kind == api::Kind::kPtahSchema
               ? entry.object->As<api::PtahSchema>().status().plan().approval().uid()
               : ClaimOf(entry).approval_ref().uid();
  }

  bool Has(absl::string_view act) const { return PersonHasLeft(world_, act) > 0; }

  void Add(const char* what, const Entry& entry, int32_t cost) {
    OfferStep(steps_,
              {.kind = StepKind::kPerson, .what = what, .target = entry.object->key, .cost = cost},
              absl::StrCat(what, " ", api::ShortName(entry.object->key)));
  }

  const ActorContext& context_;
  const World& world_;
  std::vector<WorldStep>& steps_;
};

void TakeAct(const ApiServer& server, World& world, const WorldStep& step) {
  const Entry entry = *world.Find(step.target);
  if (step.what == act::kApprove || step.what == act::kApproveAsAnother) {
    Create(server, world, UserOf(step.what), ApprovalFor(world, entry));
  } else if (step.what == act::kAcknowledge) {
    Create(server, world, kPersonUser, AcknowledgmentFor(world, entry));
  } else if (step.what == act::kRestoreApproval) {
    Restore(server, world, SecondApproval(world, entry));
  } else if (step.what == act::kRestoreAcknowledgment) {
    Restore(server, world, OldAcknowledgmentFor(world, entry));
  } else if (step.what == act::kRepair) {
    Repair(world, entry.object->As<api::PtahMigration>());
  } else if (step.what == act::kDeleteApproval || step.what == act::kDeletePlan) {
    Delete(server, world, kPersonUser, step.target);
  } else if (step.target.kind == api::Kind::kPtahSchemaApproval) {
    BringBack<api::PtahSchemaApproval>(server, world, step.target);
  } else if (step.target.kind == api::Kind::kPtahMigrationApproval) {
    BringBack<api::PtahMigrationApproval>(server, world, step.target);
  } else if (step.target.kind == api::Kind::kPtahMigrationPlan) {
    BringBack<api::PtahMigrationPlan>(server, world, step.target);
  } else {
    RepublishSchemaPlan(server, world, step.target);
  }
}

}  // namespace

bool AwaitsApproval(const ApiServer& server, const World& world, const api::Key& resource) {
  const Entry* entry = world.Find(resource);
  if (entry == nullptr) return false;
  for (const char* user : {kPersonUser, kOtherUser}) {
    auto approval = ApprovalFor(world, *entry);
    if (approval != nullptr && MayCreate(server, world, user, std::move(approval))) return true;
  }
  return false;
}

void OfferPeople(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  if (world.person.empty()) return;
  PeopleOffers(context, world, steps).Offer();
  OfferEdits(context, world, steps);
  OfferMeddling(context, world, steps);
  OfferReleases(context, world, steps);
  OfferClusterActs(world, steps);
  if (!context.rules.slow_people) return;
  for (WorldStep& step : steps) {
    if (step.kind == StepKind::kPerson) step.patient = true;
  }
}

void TakePersonStep(const ActorContext& context, World& world, const WorldStep& step) {
  if (IsEdit(step.what)) {
    TakeEdit(context, world, step);
  } else if (IsMeddling(step.what)) {
    TakeMeddling(context, world, step);
  } else if (IsRelease(ReleaseAsked(step.what))) {
    TakeRelease(context, world, step);
  } else if (IsClusterAct(step.what)) {
    TakeClusterAct(context.server, world, step);
  } else {
    TakeAct(context.server, world, step);
  }
  if (step.what == act::kRetire) return;
  const std::string asked(ReleaseAsked(step.what));
  const std::string for_one = ActOn(asked, step.target.name);
  --world.person.Edit(PersonHasLeft(world, for_one) > 0 ? for_one : asked);
}

bool IsAct(absl::string_view what) {
  static constexpr const char* kDecisions[] = {
      act::kApprove,         act::kApproveAsAnother, act::kDeleteApproval,
      act::kReplaceApproval, act::kRepublish,        act::kDeletePlan,
      act::kRepair,          act::kAcknowledge,      act::kRestoreAcknowledgment,
      act::kRestoreApproval};
  return IsEdit(what) || IsMeddling(what) || IsClusterAct(what) ||
         (IsRelease(what) && what != act::kRetire) ||
         std::any_of(std::begin(kDecisions), std::end(kDecisions),
                     [what](const char* decision) { return what == decision; });
}

}  // namespace sim
