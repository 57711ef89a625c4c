#include "sim/rival.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/identity.h"
#include "lifecycle/api/names.h"
#include "sim/database.h"
#include "sim/names.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr int64_t kLeaseGraceMs = 60'000;
constexpr int64_t kLeaseSeconds = 960;
// Of a rival that vanishes: it lapses while a claim that waits for the realm may still dispatch.
constexpr int64_t kShortLeaseSeconds = 300;

// One coordination namespace is shared by everybody (spec 01, 8).
std::string CoordinationNamespace(const World& world) {
  return world.processes.empty() ? api::Configuration().coordination_namespace
                                 : world.processes.front().configuration->coordination_namespace;
}

api::Key LeaseKey(const World& world, const Rival& rival) {
  return {api::Kind::kLease, CoordinationNamespace(world), LeaseNameOf(rival.coordination_digest)};
}

const api::Lease* LeaseOf(const World& world, const Rival& rival) {
  const Entry* entry = world.Find(LeaseKey(world, rival));
  return entry == nullptr ? nullptr : &entry->object->As<api::Lease>();
}

bool Holds(const World& world, const Rival& rival) {
  const api::Lease* lease = LeaseOf(world, rival);
  return lease != nullptr && lease->spec().holder_identity() == rival.holder;
}

bool MayAcquire(const World& world, const Rival& rival) {
  if (rival.rounds_left == 0) return false;
  const api::Lease* lease = LeaseOf(world, rival);
  if (lease == nullptr || lease->spec().holder_identity().empty()) return true;
  return rival.lapse_at_ms != 0 && world.now_ms >= rival.lapse_at_ms;
}

// Whether an executor of somebody else could send SQL to the same database meanwhile.
bool CouldOverlap(const World& world, const Rival& rival) {
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.mutating && operation.type != kRivalType &&
        operation.coordination_digest == rival.coordination_digest && CanRun(world, operation)) {
      return true;
    }
  }
  return false;
}

// The database the rival shares, or -1.
int32_t DatabaseOfRival(const World& world, const Rival& rival) {
  for (size_t at = 0; at < world.truth.databases.size(); ++at) {
    if (world.truth.databases[at]->coordination_digest == rival.coordination_digest) {
      return static_cast<int32_t>(at);
    }
  }
  return -1;
}

bool HasNextMigration(const World& world, const Rival& rival) {
  const int32_t index = DatabaseOfRival(world, rival);
  if (index < 0) return false;
  const Database& database = *world.truth.databases[index];
  return !IsDirty(database) && !PendingFiles(database).empty();
}

std::shared_ptr<api::Lease> LeaseHeldBy(const World& world, const Rival& rival,
                                        int64_t lease_seconds) {
  const api::Lease* stored = LeaseOf(world, rival);
  auto lease =
      stored == nullptr ? std::make_shared<api::Lease>() : std::make_shared<api::Lease>(*stored);
  const api::Key key = LeaseKey(world, rival);
  lease->mutable_metadata()->set_namespace_(key.namespace_);
  lease->mutable_metadata()->set_name(key.name);
  (*lease->mutable_metadata()->mutable_labels())[api::label::kManagedBy] =
      api::label::kManagedByValue;
  (*lease->mutable_metadata()->mutable_labels())[api::label::kCoordination] =
      api::label::kDatabaseTarget;
  (*lease->mutable_metadata()->mutable_annotations())[api::annotation::kLeaseEpoch] =
      api::EpochOf(NextToken(world, "rival", rival.holder, api::kLeaseEpochPurpose, {}));
  api::LeaseSpec* spec = lease->mutable_spec();
  spec->set_holder_identity(rival.holder);
  spec->set_lease_duration_seconds(lease_seconds);
  spec->set_acquire_time_ms(std::max(spec->acquire_time_ms(), world.now_ms));
  spec->set_renew_time_ms(std::max(spec->renew_time_ms(), world.now_ms));
  spec->set_lease_transitions(stored == nullptr ? 0 : spec->lease_transitions() + 1);
  return lease;
}

void Acquire(const ActorContext& context, World& world, size_t index) {
  const ApiServer& server = context.server;
  const Rival& rival = world.rivals[index];
  const bool create = LeaseOf(world, rival) == nullptr;
  const int64_t lease_seconds = context.rules.rival_vanishes ? kShortLeaseSeconds : kLeaseSeconds;
  std::shared_ptr<api::Lease> lease = LeaseHeldBy(world, rival, lease_seconds);
  const api::Answer answer =
      create ? Create(server, world, kRivalUser, std::move(lease))
             : Update(server, world, kRivalUser, std::move(lease), api::Subresource::kMain);
  if (!answer.status.ok()) return;
  Rival& taken = world.rivals[index];
  OperationTruth& operation = world.truth.operations.Edit(RivalOperationId(index, taken));
  operation.id = RivalOperationId(index, taken);
  operation.resource = LeaseKey(world, taken);
  operation.type = kRivalType;
  operation.mutating = true;
  operation.marked = true;
  operation.holder = taken.holder;
  operation.coordination_digest = taken.coordination_digest;
  // Its executor works only as long as the Lease outlasts it by a minute.
  operation.dispatch_not_after_ms = world.now_ms + lease_seconds * 1000 - kLeaseGraceMs;
  operation.execution_not_after_ms = operation.dispatch_not_after_ms;
  taken.state = Rival::State::kHolding;
  taken.lapse_at_ms = 0;
}

void ChangeDatabase(World& world, size_t rival, bool next_migration) {
  const int32_t index = DatabaseOfRival(world, world.rivals[rival]);
  if (index < 0) return;
  Database& database = world.truth.databases[index].Edit();
  database.last_changed_by = RivalOperationId(rival, world.rivals[rival]);
  if (!next_migration) return;
  Database::File& file = database.files[PendingFiles(database).front()];
  file.committed = file.statements;
  file.recorded = true;
}

// Hands the Lease back if it is still the rival's; either way the round is over.
void Release(const ApiServer& server, World& world, size_t index) {
  const Rival& rival = world.rivals[index];
  if (Holds(world, rival)) {
    auto lease = std::make_shared<api::Lease>(*LeaseOf(world, rival));
    lease->mutable_spec()->set_holder_identity("");
    lease->mutable_spec()->set_renew_time_ms(std::max(lease->spec().renew_time_ms(), world.now_ms));
    Update(server, world, kRivalUser, std::move(lease), api::Subresource::kMain);
  }
  Rival& done = world.rivals[index];
  if (OperationTruth* operation = EditOperation(world, RivalOperationId(index, done))) {
    operation->open = false;
  }
  done.state = Rival::State::kIdle;
  --done.rounds_left;
}

class RivalOffers {
 public:
  RivalOffers(const ActorContext& context, const World& world, std::vector<WorldStep>& steps)
      : context_(context), world_(world), steps_(steps) {}

  void Offer(size_t index) {
    index_ = index;
    const Rival& rival = world_.rivals[index];
    if (context_.rules.rival_vanishes && rival.state != Rival::State::kIdle) return;
    switch (rival.state) {
      case Rival::State::kIdle:
        if (MayAcquire(world_, rival)) Add("acquire", 1);
        return;
      case Rival::State::kHolding:
        if (!OfferWork(rival)) Add("release", 0);
        return;
      case Rival::State::kRunning:
        Add("end", 0);
        return;
      case Rival::State::kRan:
        Add("release", 0);
        return;
    }
  }

 private:
  // Returns whether the rival can work: it does not take a realm for nothing.
  bool OfferWork(const Rival& rival) {
    const OperationTruth* operation = OperationOf(world_, RivalOperationId(index_, rival));
    if (operation == nullptr || world_.now_ms >= operation->execution_not_after_ms) return false;
    if (!Holds(world_, rival)) return false;
    Add(CouldOverlap(world_, rival) ? "begin" : "run", 0);
    if (context_.rules.rival_moves_history && HasNextMigration(world_, rival)) {
      Add("move-history", 1);
    }
    return true;
  }

  void Add(const char* what, int32_t cost) {
    OfferStep(steps_,
              {.kind = StepKind::kRival,
               .what = what,
               .target = LeaseKey(world_, world_.rivals[index_]),
               .option = static_cast<int32_t>(index_),
               .cost = cost},
              absl::StrCat("rival ", index_, ": ", what));
  }

  const ActorContext& context_;
  const World& world_;
  std::vector<WorldStep>& steps_;
  size_t index_ = 0;
};

}  // namespace

std::string RivalOperationId(size_t rival, const Rival& state) {
  return absl::StrCat("rival/", rival, "/", state.rounds_left);
}

int64_t RivalTimeOf(const World& world, const Rival& rival) {
  if (rival.state == Rival::State::kIdle) return rival.lapse_at_ms;
  const size_t index = &rival - world.rivals.data();
  const OperationTruth* operation = OperationOf(world, RivalOperationId(index, rival));
  return operation == nullptr ? 0 : operation->execution_not_after_ms;
}

void EndOverdueRivals(World& world) {
  for (Rival& rival : world.rivals) {
    if (rival.state != Rival::State::kRunning) continue;
    if (world.now_ms >= RivalTimeOf(world, rival)) rival.state = Rival::State::kRan;
  }
}

void OfferRivals(const ActorContext& context, const World& world, std::vector<WorldStep>& steps) {
  RivalOffers offers(context, world, steps);
  for (size_t index = 0; index < world.rivals.size(); ++index) offers.Offer(index);
}

void TakeRivalStep(const ActorContext& context, World& world, const WorldStep& step) {
  const auto index = static_cast<size_t>(step.option);
  if (step.what == "acquire") return Acquire(context, world, index);
  if (step.what == "release") return Release(context.server, world, index);
  Rival& rival = world.rivals[index];
  rival.state = step.what == "begin" ? Rival::State::kRunning : Rival::State::kRan;
  ChangeDatabase(world, index, step.what == "move-history");
}

}  // namespace sim
