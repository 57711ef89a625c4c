#include "model/verdict.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/objects.h"
#include "sim/database.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

const OperationTruth* OperationById(const sim::World& world, const std::string& id) {
  const auto found = world.truth.operations.find(id);
  return found == world.truth.operations.end() ? nullptr : &found->second;
}

const OperationTruth* OperationByJobName(const sim::World& world, const std::string& name) {
  for (const auto& [id, operation] : world.truth.operations) {
    for (const std::string& one : operation.job_names) {
      if (one == name) return &operation;
    }
  }
  return nullptr;
}

const OperationTruth* OperationByHolder(const sim::World& world, const std::string& holder) {
  for (const auto& [id, operation] : world.truth.operations) {
    if (operation.holder == holder) return &operation;
  }
  return nullptr;
}

bool Contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

using Unsound = std::optional<std::string>;

// Collects the judgements of one write.
class WriteJudge {
 public:
  WriteJudge(const SentWrite& write, const PassTrace& trace)
      : write_(write), trace_(trace), world_(*write.world_before) {}

  std::vector<Judgement> All() {
    OfJobCreate();
    if (!write_.stored) return std::move(judgements_);
    const ResourceView before = ViewOf(write_.before);
    const ResourceView after = ViewOf(write_.after);
    if (before.key != nullptr && after.key != nullptr) OfResource(before, after);
    if (write_.writes.Has(30)) OfFinalizer();
    if (write_.request->key.kind == api::Kind::kLease && write_.after != nullptr) OfLease();
    return std::move(judgements_);
  }

 private:
  void Add(Verdict verdict, const OperationTruth* operation, Unsound unsound) {
    judgements_.push_back(
        {verdict, operation == nullptr ? std::string() : operation->id, std::move(unsound)});
  }

  // --- dispatch ---

  void OfJobCreate() {
    if (write_.request->verb != api::Verb::kCreate || write_.request->key.kind != api::Kind::kJob) {
      return;
    }
    // Nothing is dispatched by a create that comes too late, after its pass was left standing, and
    // that the webhook refuses (E-7).
    if (trace_.resumed && !write_.stored) return;
    const OperationTruth* operation = OperationByJobName(world_, write_.request->key.name);
    if (operation == nullptr) {
      Add(Verdict::kDispatch, nullptr, "no claim ever reserved this name");
    } else if (operation->mutating) {
      Add(Verdict::kDispatch, operation, UnsoundDispatch(*operation));
    } else {
      Add(Verdict::kDispatchReadOnly, operation, UnsoundReading(*operation));
    }
  }

  Unsound UnsoundDispatch(const OperationTruth& operation) const {
    if (operation.created != Count::kNone) return "a Job of this claim was stored before";
    if (operation.flying != Count::kNone) return "an earlier create may still be stored";
    const sim::Entry* entry = world_.Find(operation.resource);
    const ResourceView view = ViewOf(entry == nullptr ? nullptr : entry->object);
    if (view.claim == nullptr || view.claim->id() != operation.id) return "the claim is gone";
    if (!view.claim->dispatch_started()) return "the claim's mark is not stored";
    const api::Lease* lease = LeaseOf(world_, operation.coordination_digest);
    if (lease == nullptr || lease->spec().holder_identity() != operation.holder) {
      return "the stored Lease names another holder";
    }
    if (EpochOf(*lease) != view.claim->lease_epoch()) return "the stored Lease has another epoch";
    for (const auto& [id, other] : world_.truth.operations) {
      if (id != operation.id && other.mutating &&
          other.coordination_digest == operation.coordination_digest &&
          sim::CanRun(world_, other)) {
        return absl::StrCat("another operation of the realm can still run: ", id);
      }
    }
    const auto approval = world_.truth.approvals.find(operation.approval_uid);
    if (approval != world_.truth.approvals.end()) {
      for (const std::string& spender : approval->second.spent_by) {
        if (spender != operation.id) return "its approval authorized another operation's Job";
      }
    }
    return std::nullopt;
  }

  Unsound UnsoundReading(const OperationTruth& operation) const {
    const sim::Entry* entry = world_.Find(operation.resource);
    const ResourceView view = ViewOf(entry == nullptr ? nullptr : entry->object);
    if (view.proof == nullptr) return std::nullopt;
    const OperationTruth* apply = OperationById(world_, view.proof->apply_operation_id());
    if (apply != nullptr && sim::CanRun(world_, *apply))
      return "the Apply to be proved can still run";
    return std::nullopt;
  }

  // --- changes of a resource ---

  void OfResource(const ResourceView& before, const ResourceView& after) {
    const OperationTruth* claimed =
        before.claim == nullptr ? nullptr : OperationById(world_, before.claim->id());
    if (before.claim != nullptr && after.claim != nullptr &&
        before.claim->id() == after.claim->id()) {
      OfKeptClaim(*before.claim, *after.claim, claimed);
    }
    if (before.claim != nullptr && after.claim == nullptr) OfRetiredClaim(before, after, claimed);
    if (after.release != nullptr && before.release == nullptr) OfStagedRelease(after);
    if (before.proof != nullptr && after.proof == nullptr) OfEndedProof(before, after);
    if (before.proof != nullptr && after.proof != nullptr &&
        before.proof->outcome() != after.proof->outcome()) {
      const OperationTruth* apply = OperationById(world_, after.proof->apply_operation_id());
      Add(Verdict::kUnaccounted, apply, UnsoundDoubt(apply));
    }
    if (before.unresolved != nullptr && after.unresolved == nullptr) OfSettledRun(before, after);
    if (before.unresolved == nullptr && after.unresolved != nullptr && before.claim == nullptr) {
      const OperationTruth* run = OperationById(world_, after.unresolved->operation_id());
      Add(Verdict::kRestore, run,
          run != nullptr && run->open ? Unsound() : Unsound("the run is settled"));
    }
    if (after.schema != nullptr) OfAttribution(*before.schema, *after.schema);
  }

  void OfKeptClaim(const api::ActiveOperation& before, const api::ActiveOperation& after,
                   const OperationTruth* operation) {
    if (after.attempt() > before.attempt()) {
      const bool read_only = operation != nullptr && !operation->mutating;
      Add(Verdict::kRetry, operation,
          read_only ? Unsound() : Unsound("a mutating claim gets no second attempt"));
      return;
    }
    if (before.dispatch_started() && !after.dispatch_started()) {
      Unsound unsound;
      if (operation == nullptr || operation->created != Count::kNone) {
        unsound = "a Job of this claim was stored";
      } else if (operation->flying != Count::kNone) {
        unsound = "a create of this claim may still be stored";
      }
      Add(Verdict::kWithdraw, operation, unsound);
    }
    if (before.job_uid().empty() && !after.job_uid().empty()) {
      Add(trace_.create_stored ? Verdict::kRecord : Verdict::kAdopt, operation,
          UnsoundUid(operation, after.job_uid()));
    }
  }

  Unsound UnsoundUid(const OperationTruth* operation, const std::string& uid) const {
    if (operation == nullptr) return "nobody knows the claim";
    // A read-only claim has a Job for each attempt, and the truth keeps the UIDs of two.
    if (operation->mutating || operation->created == Count::kOne) {
      if (!Contains(operation->job_uids, uid)) return "no Job of this claim has that UID";
      if (operation->created != Count::kOne) return "more than one Job of this claim was stored";
      if (!Contains(operation->read_back, uid)) return "nobody read the Job back";
    }
    if (trace_.resumed) return std::nullopt;  // It matched when it was read back.
    const absl::Status match = MatchesClaim(world_, operation->resource, uid);
    if (!match.ok()) return absl::StrCat("the Job does not match the claim: ", match.message());
    return std::nullopt;
  }

  void OfRetiredClaim(const ResourceView& before, const ResourceView& after,
                      const OperationTruth* operation) {
    const api::ActiveOperation& claim = *before.claim;
    if (!IsApply(claim)) {
      if (DropsReading()) Add(Verdict::kDiscard, operation, std::nullopt);
      return;
    }
    if (after.proof != nullptr && after.proof->apply_operation_id() == claim.id()) {
      if (after.proof->outcome() == api::proof_outcome::kApplySucceeded) {
        Add(Verdict::kAccounted, operation, UnsoundSuccess(claim, operation));
      } else {
        Add(Verdict::kUnaccounted, operation, UnsoundDoubt(operation));
      }
      return;
    }
    if (after.unresolved != nullptr && after.unresolved->operation_id() == claim.id()) {
      const bool partial = after.unresolved->outcome() == api::run_outcome::kPartial;
      Add(partial ? Verdict::kPartial : Verdict::kUnaccounted, operation, UnsoundDoubt(operation));
      return;
    }
    if (write_.writes.Has(21)) {
      Add(Verdict::kAccounted, operation,
          UnsoundRun(claim, after.migration->status().last_run(), operation));
      return;
    }
    Unsound unsound;
    if (operation == nullptr || operation->created != Count::kNone) {
      unsound = "a Job of this claim was stored";
    } else if (operation->flying != Count::kNone) {
      unsound = "a create of this claim may still be stored";
    }
    Add(Verdict::kDiscard, operation, unsound);
  }

  // Whether the claim goes without a result: dropped, or with its binding, or at deletion.
  bool DropsReading() const {
    for (const int entry : {24, 39, 42, 46, 57, 58}) {
      if (write_.writes.Has(entry)) return true;
    }
    return false;
  }

  Unsound UnsoundDoubt(const OperationTruth* operation) const {
    if (operation != nullptr && (operation->marked || operation->created != Count::kNone)) {
      return std::nullopt;
    }
    // A Job that is not the claim's may have done anything under its name (spec 03, 3).
    if (operation != nullptr && AJobStandsFor(*operation)) return std::nullopt;
    return "nothing was ever marked or created";
  }

  bool AJobStandsFor(const OperationTruth& operation) const {
    return std::any_of(world_.objects.begin(), world_.objects.end(), [&](const sim::Entry& entry) {
      return entry.object->key.kind == api::Kind::kJob &&
             entry.object->key.namespace_ == operation.resource.namespace_ &&
             Contains(operation.job_names, entry.object->key.name);
    });
  }

  // What both accounts of a run ask: one Pod, ended, and the planned database.
  Unsound UnsoundAccount(const api::ActiveOperation& claim, const OperationTruth* operation) const {
    if (operation == nullptr) return "nobody knows the run";
    if (operation->pods != Count::kOne) return "not exactly one Pod ran";
    if (sim::CanRun(world_, *operation)) return "the run can still send SQL";
    for (const auto& database : world_.truth.databases) {
      if (database->coordination_digest == operation->coordination_digest &&
          database->identity_digest != claim.target_identity_digest()) {
        return "it ran against another database than the planned one";
      }
    }
    return std::nullopt;
  }

  Unsound UnsoundSuccess(const api::ActiveOperation& claim, const OperationTruth* operation) const {
    if (Unsound unsound = UnsoundAccount(claim, operation)) return unsound;
    if (!operation->finished_ok) return "the run did not do all it was to do";
    return std::nullopt;
  }

  Unsound UnsoundRun(const api::ActiveOperation& claim, const api::RunRecord& run,
                     const OperationTruth* operation) const {
    if (Unsound unsound = UnsoundAccount(claim, operation)) return unsound;
    bool applied_something = false;
    bool left_something = false;
    for (const sim::FileEffect& file : operation->effect) {
      applied_something |= file.recorded;
      left_something |= !file.recorded && file.committed > 0;
    }
    if (left_something) return "a file was left half done";
    const std::string& outcome = run.outcome();
    if (outcome == api::run_outcome::kUpToDate && applied_something) return "files were applied";
    if (outcome == api::run_outcome::kApplied && !operation->finished_ok) {
      return "not every file of the plan was applied";
    }
    return UnsoundVersions(run, *operation);
  }

  // The versions that the record names are those the run recorded. A termination summary has room
  // for the first and the last alone, so a record made from one names none when there were more.
  Unsound UnsoundVersions(const api::RunRecord& run, const OperationTruth& operation) const {
    std::vector<int64_t> recorded;
    for (const auto& database : world_.truth.databases) {
      if (database->coordination_digest != operation.coordination_digest) continue;
      for (const sim::Database::File& file : database->files) {
        const bool by_it = std::any_of(operation.effect.begin(), operation.effect.end(),
                                       [&](const sim::FileEffect& effect) {
                                         return effect.recorded && effect.version == file.version;
                                       });
        if (by_it) recorded.push_back(sim::VersionNumber(file));
      }
    }
    const std::vector<int64_t> named(run.applied_versions().begin(), run.applied_versions().end());
    if (named.empty() && recorded.size() > 2) return std::nullopt;
    if (named == recorded) return std::nullopt;
    return absl::StrCat("the record names ", absl::StrJoin(named, ", "),
                        " as applied, the run applied ", absl::StrJoin(recorded, ", "));
  }

  void OfStagedRelease(const ResourceView& after) {
    const OperationTruth* operation = OperationById(world_, after.release->operation_id());
    Unsound unsound;
    if (operation != nullptr && sim::CanRun(world_, *operation)) {
      unsound = "what held the realm can still run";
    } else if (after.proof != nullptr) {
      unsound = "a proof still needs the realm";
    }
    Add(Verdict::kStageRelease, operation, unsound);
  }

  void OfEndedProof(const ResourceView& before, const ResourceView& after) {
    const OperationTruth* apply = OperationById(world_, before.proof->apply_operation_id());
    if (before.claim == nullptr) return;  // Abandoned at deletion: no reading is claimed.
    const OperationTruth* reading = OperationById(world_, before.claim->id());
    Unsound unsound;
    if (apply != nullptr && sim::CanRun(world_, *apply)) {
      unsound = "the Apply can still run";
    } else if (before.claim->type() != api::operation::kPlan) {
      unsound = "no Plan ended the proof";
    } else if (*after.phase == api::phase::kInSync &&
               (reading == nullptr || !reading->reading || !reading->reading->declared)) {
      unsound = "the database was not the declared one when it was read";
    }
    Add(Verdict::kSettleSchema, apply, unsound);
  }

  void OfSettledRun(const ResourceView& before, const ResourceView& after) {
    const OperationTruth* run = OperationById(world_, before.unresolved->operation_id());
    const bool read = before.claim != nullptr && after.claim == nullptr &&
                      before.claim->type() == api::operation::kHistory;
    if (!read) {
      const std::string wrong =
          WhyNotAcknowledged(world_, *before.migration, after.migration->status().resolved_run());
      Add(Verdict::kAcknowledge, run, wrong.empty() ? Unsound() : Unsound(wrong));
      return;
    }
    const OperationTruth* reading = OperationById(world_, before.claim->id());
    Unsound unsound;
    if (run != nullptr && sim::CanRun(world_, *run) && !AllRecorded(reading)) {
      unsound = "the run can still change something the reading did not see applied";
    } else if (reading == nullptr || !reading->reading) {
      unsound = "nothing was read";
    } else if (!AllRecorded(reading)) {
      unsound = "the reading saw files that are not recorded applied";
    }
    Add(Verdict::kSettleMigration, run, unsound);
  }

  // Whether the reading saw every file of the database's artifact recorded applied.
  bool AllRecorded(const OperationTruth* reading) const {
    if (reading == nullptr || !reading->reading) return false;
    for (const auto& database : world_.truth.databases) {
      if (database->coordination_digest != reading->coordination_digest &&
          !reading->coordination_digest.empty()) {
        continue;
      }
      if (reading->reading->recorded.size() < database->files.size()) return false;
    }
    return !reading->reading->dirty;
  }

  void OfAttribution(const api::PtahSchema& before, const api::PtahSchema& after) {
    if (!after.status().has_applied()) return;
    if (before.status().has_applied() &&
        SameMessage(before.status().applied(), after.status().applied())) {
      return;
    }
    const OperationTruth* apply =
        before.status().has_pending_observation()
            ? OperationById(world_, before.status().pending_observation().apply_operation_id())
            : nullptr;
    Unsound unsound;
    if (apply == nullptr || !apply->finished_ok) {
      unsound = "no Apply did what is attributed to it";
    } else {
      for (const auto& database : world_.truth.databases) {
        if (database->coordination_digest == apply->coordination_digest &&
            database->last_changed_by != apply->id) {
          unsound = absl::StrCat("the database was changed since by ", database->last_changed_by);
        }
      }
    }
    Add(Verdict::kAttribute, apply, unsound);
  }

  // --- the realm ---

  void OfLease() {
    const std::string before = write_.before == nullptr
                                   ? std::string()
                                   : write_.before->As<api::Lease>().spec().holder_identity();
    const std::string& after = write_.after->As<api::Lease>().spec().holder_identity();
    if (before.empty() || before == after) return;
    const OperationTruth* holder = OperationByHolder(world_, before);
    const bool can_run = holder != nullptr && sim::CanRun(world_, *holder);
    if (!after.empty()) {
      Add(Verdict::kTakeOver, holder,
          can_run ? Unsound("what held the realm can still run") : Unsound());
      return;
    }
    Unsound unsound;
    if (can_run) {
      unsound = "what held the realm can still run";
    } else if (!OwedByRecord(holder, EpochOf(write_.before->As<api::Lease>()))) {
      unsound = "no stored record owes this holder's release";
    }
    Add(Verdict::kRelease, holder, unsound);
  }

  bool OwedByRecord(const OperationTruth* holder, const std::string& epoch) const {
    for (const sim::Entry& entry : world_.objects) {
      const ResourceView view = ViewOf(entry.object);
      if (view.release != nullptr && view.release->lease_epoch() == epoch &&
          (holder == nullptr || view.release->operation_id() == holder->id)) {
        return true;
      }
    }
    return false;
  }

  void OfFinalizer() {
    Unsound unsound;
    for (const auto& [id, operation] : world_.truth.operations) {
      if (operation.resource != write_.request->key || !operation.mutating) continue;
      if (operation.open && !IsAnnounced(operation)) {
        unsound = "an account of the resource is open";
      } else if (operation.family == sim::Family::kSchema && !operation.lost &&
                 sim::CanRun(world_, operation)) {
        unsound = "an Apply of the resource can still run";
      }
    }
    Add(Verdict::kFinalizerOff, nullptr, unsound);
  }

  // An unresolved run deliberately does not hold a migration's finalizer (spec 01, 2.8), although
  // it may still run: its deletion says that the account goes with it, from the record or from the
  // record's copy. So may one that a person's word settled. Of a schema's Apply that a restore lost
  // nothing is left to tell.
  bool IsAnnounced(const OperationTruth& operation) const {
    const ResourceView before = ViewOf(write_.before);
    if (before.migration == nullptr || before.claim != nullptr) return false;
    if (before.unresolved != nullptr) return before.unresolved->operation_id() == operation.id;
    return before.meta->annotations().contains(api::annotation::kUnresolvedRun);
  }

  const SentWrite& write_;
  const PassTrace& trace_;
  const sim::World& world_;
  std::vector<Judgement> judgements_;
};

}  // namespace

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kDispatch:
      return "dispatch";
    case Verdict::kDispatchReadOnly:
      return "dispatch, read-only";
    case Verdict::kWithdraw:
      return "withdraw";
    case Verdict::kAdopt:
      return "adopt";
    case Verdict::kRecord:
      return "record";
    case Verdict::kAccounted:
      return "accounted";
    case Verdict::kPartial:
      return "partial";
    case Verdict::kUnaccounted:
      return "unaccounted";
    case Verdict::kRetry:
      return "retry";
    case Verdict::kDiscard:
      return "discard";
    case Verdict::kStageRelease:
      return "stage a release";
    case Verdict::kRelease:
      return "release";
    case Verdict::kTakeOver:
      return "take over";
    case Verdict::kAttribute:
      return "attribute";
    case Verdict::kSettleSchema:
      return "settle";
    case Verdict::kSettleMigration:
      return "settle by reading";
    case Verdict::kAcknowledge:
      return "acknowledge";
    case Verdict::kRestore:
      return "restore";
    case Verdict::kFinalizerOff:
      return "finalizer off";
  }
  return "";
}

std::vector<Judgement> Judge(const SentWrite& write, const PassTrace& trace) {
  return WriteJudge(write, trace).All();
}

}  // namespace model
