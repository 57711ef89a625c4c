#include "model/objects.h"

#include "absl/container/flat_hash_map.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/dispatch/hold.h"
#include "lifecycle/rules/names_rule.h"

namespace model {

namespace api = lifecycle::api;

bool SameMessage(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  return api::Equal(a, b);
}

ResourceView ViewOf(sim::Handle object) {
  ResourceView view;
  if (object == nullptr) return view;
  if (object->key.kind == api::Kind::kPtahSchema) {
    const api::PtahSchema& schema = object->As<api::PtahSchema>();
    const api::PtahSchemaStatus& status = schema.status();
    view.family = sim::Family::kSchema;
    view.key = &object->key;
    view.meta = &schema.metadata();
    view.schema = &schema;
    view.phase = &status.phase();
    if (status.has_active_operation()) view.claim = &status.active_operation();
    if (status.has_pending_lock_release()) view.release = &status.pending_lock_release();
    if (status.has_pending_observation()) view.proof = &status.pending_observation();
  } else if (object->key.kind == api::Kind::kPtahMigration) {
    const api::PtahMigration& migration = object->As<api::PtahMigration>();
    const api::PtahMigrationStatus& status = migration.status();
    view.family = sim::Family::kMigration;
    view.key = &object->key;
    view.meta = &migration.metadata();
    view.migration = &migration;
    view.phase = &status.phase();
    if (status.has_active_operation()) view.claim = &status.active_operation();
    if (status.has_pending_lock_release()) view.release = &status.pending_lock_release();
    if (status.has_unresolved_run()) view.unresolved = &status.unresolved_run();
  }
  return view;
}

const api::Lease* LeaseOf(const sim::World& world, absl::string_view coordination_digest) {
  if (!api::IsDigest(coordination_digest)) return nullptr;
  const std::string name = lifecycle::rules::LeaseName(coordination_digest);
  for (const sim::Entry& entry : world.objects) {
    if (entry.object->key.kind == api::Kind::kLease && entry.object->key.name == name) {
      return &entry.object->As<api::Lease>();
    }
  }
  return nullptr;
}

namespace {

// The matcher's answer about a Job and the claim that `view` shows.
absl::Status MatchOf(const ResourceView& view, const api::Job& job) {
  const bool schema = view.schema != nullptr;
  // A claim that a rotation kept is held to what the rotation recorded of it.
  if (schema && view.schema->status().pending_binding_retirement().has_job()) {
    return lifecycle::dispatch::HoldRetiredReading(lifecycle::rules::JobAsker::kRotationCleanup,
                                                   *view.schema, job);
  }
  const api::ExecutionBinding& binding = schema ? view.schema->status().execution_binding()
                                                : view.migration->status().execution_binding();
  const lifecycle::dispatch::ClaimContext context{
      .family = schema ? lifecycle::rules::Family::kSchema : lifecycle::rules::Family::kMigration,
      .owner = *view.meta,
      .claim = *view.claim,
      .binding = binding,
      .plan = schema && IsApply(*view.claim) ? &view.schema->status().plan() : nullptr};
  return lifecycle::dispatch::HoldToEnvelope(lifecycle::rules::JobAsker::kInputsMoved, context,
                                             job);
}

// The hash is one already.
struct TakeLow {
  size_t operator()(const sim::Hash128& hash) const { return hash.lo; }
};
constexpr size_t kAnswersMax = 4096;

// The same, asked once of each pair: every write of a pass that has a Job is judged by it, and by
// several properties. The answer is a function of what the two objects hold, so worlds that share
// it share no state.
absl::Status MatchOnce(sim::Handle owner, const ResourceView& view, sim::Handle job) {
  // Looked up, never walked.
  static thread_local auto* const answers =
      new absl::flat_hash_map<sim::Hash128, absl::Status, TakeLow>();
  const sim::Hash128 pair = sim::Hasher().Hash(owner->exact).Hash(job->exact).Finish();
  const auto known = answers->find(pair);
  if (known != answers->end()) return known->second;
  if (answers->size() >= kAnswersMax) answers->clear();
  return answers->emplace(pair, MatchOf(view, job->As<api::Job>())).first->second;
}

}  // namespace

absl::Status MatchesClaim(const sim::World& world, const api::Key& resource,
                          absl::string_view job_uid) {
  const sim::Entry* owner = world.Find(resource);
  const ResourceView view = ViewOf(owner == nullptr ? nullptr : owner->object);
  if (view.claim == nullptr) return absl::NotFoundError("there is no claim");
  const sim::Entry* stored =
      world.Find(api::Key{api::Kind::kJob, resource.namespace_, view.claim->job_name()});
  if (stored == nullptr || stored->object->As<api::Job>().metadata().uid() != job_uid) {
    return absl::NotFoundError("there is no such Job");
  }
  return MatchOnce(owner->object, view, stored->object);
}

std::string WhyNotAcknowledged(const sim::World& world, const api::PtahMigration& before,
                               const api::ResolvedRun& resolved) {
  const auto* word = world.Get<api::PtahMigrationRunAcknowledgment>(
      before.metadata().namespace_(), resolved.acknowledgment_ref().name());
  if (word == nullptr || word->metadata().uid() != resolved.acknowledgment_ref().uid()) {
    return "it is not stored";
  }
  const api::PtahMigrationRunAcknowledgmentSpec& spec = word->spec();
  if (spec.operation_id() != before.status().unresolved_run().operation_id()) {
    return "it names another run";
  }
  if (spec.migration_ref().uid() != before.metadata().uid()) return "it names another migration";
  if (spec.acknowledged_by().username().empty() || spec.mutation_request_uid().empty()) {
    return "admission stamped nobody on it";
  }
  if (!SameMessage(spec.acknowledged_by(), resolved.acknowledged_by())) {
    return "it was somebody else's word";
  }
  if (IsTrue(word->status().conditions(), api::condition::kConsumed) ||
      IsTrue(word->status().conditions(), api::condition::kStale)) {
    return "it was judged before";
  }
  return "";
}

bool IsTerminal(const api::Job& job) {
  for (const auto& condition : job.status().conditions()) {
    if ((condition.type() == "Complete" || condition.type() == "Failed") &&
        condition.status() == "True") {
      return true;
    }
  }
  return false;
}

}  // namespace model
