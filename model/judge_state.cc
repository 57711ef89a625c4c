// Properties of states.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "model/judge.h"
#include "model/judges.h"

namespace model {
namespace {

namespace api = lifecycle::api;
using sim::Count;
using sim::OperationTruth;

void S01S04(const sim::World& world, Findings& findings) {
  std::set<std::string> names;
  bool repeated = false;
  for (const auto& [id, operation] : world.truth.operations) {
    for (const std::string& name : operation.job_names) {
      repeated |= !names.insert(name).second;
    }
    if (!operation.mutating || operation.created == Count::kNone) continue;
    findings.Expect(Property::kS01, operation.created == Count::kOne, [&, id = id] {
      return absl::StrCat("more than one Job was stored for claim ", id);
    });
  }
  // Proved by its test; what a run shows is held to it all the same.
  if (repeated) {
    findings.Violate(Property::kS04,
                     [] { return std::string("two attempts reserved one Job name"); });
  }
}

void S07(const sim::World& world, Findings& findings) {
  for (const auto& [uid, approval] : world.truth.approvals) {
    if (approval.spent_by.empty()) continue;
    findings.Expect(Property::kS07, approval.spent_by.size() == 1, [&, uid = uid] {
      return absl::StrCat("approval ", uid, " authorized the Jobs of several claims");
    });
  }
}

// The properties of one claim as it is stored.
void OfClaim(const sim::World& world, const ResourceView& view, Findings& findings) {
  const std::string name = api::ShortName(*view.key);
  const api::ActiveOperation& claim = *view.claim;
  const char* finalizer = view.schema != nullptr ? api::kSchemaFinalizer : api::kMigrationFinalizer;
  bool held = false;
  for (const std::string& one : view.meta->finalizers()) held |= one == finalizer;
  findings.Expect(Property::kS03, held,
                  [&] { return absl::StrCat(name, ": a claim without the finalizer"); });
  findings.Premise(Property::kL01);
  const auto found = world.truth.operations.find(claim.id());
  if (!IsApply(claim) || found == world.truth.operations.end()) return;
  const OperationTruth& operation = found->second;
  if (MayHaveDispatched(claim)) {
    findings.Premise(Property::kL02);
    if (!operation.approval_uid.empty()) {
      const auto approval = world.truth.approvals.find(operation.approval_uid);
      const bool spent =
          approval != world.truth.approvals.end() && approval->second.consumed_by == operation.id;
      findings.Expect(Property::kS09, spent, [&] {
        return absl::StrCat(name, ": the claim is marked and its approval is not spent");
      });
    }
  } else {
    findings.Expect(Property::kS49, operation.created == Count::kNone, [&] {
      return absl::StrCat(name, ": a Job of a claim that does not say one may exist");
    });
  }
}

void S14S17(const ResourceView& view, Findings& findings) {
  const std::string name = api::ShortName(*view.key);
  const std::string& id = view.claim->id();
  const bool both = (view.proof != nullptr && view.proof->apply_operation_id() == id) ||
                    (view.unresolved != nullptr && view.unresolved->operation_id() == id);
  findings.Expect(Property::kS14, !both, [&] {
    return absl::StrCat(name, ": a live claim and its record, both are stored");
  });
  const bool result =
      both || (view.migration != nullptr && !view.claim->job_uid().empty() &&
               view.migration->status().last_run().job_uid() == view.claim->job_uid());
  findings.Expect(Property::kS17, !result, [&] {
    return absl::StrCat(name, ": a result is stored beside the claim it came from");
  });
}

// The record and its copy, field by field. They differ only inside a pass, between its two writes.
// What somebody else made of the copy stands until the next pass.
void S25(const sim::World& world, const ResourceView& view, Findings& findings) {
  if (view.unresolved == nullptr || world.truth.copy_tampered) return;
  const auto& annotations = view.meta->annotations();
  const auto copy = annotations.find(api::annotation::kUnresolvedRun);
  api::UnresolvedRun copied;
  const bool equal = copy != annotations.end() && api::FromJson(copy->second, &copied).ok() &&
                     SameMessage(copied, *view.unresolved);
  findings.Expect(Property::kS25, equal, [&] {
    return absl::StrCat(api::ShortName(*view.key), ": an unresolved run without an equal copy");
  });
}

// A migration whose unresolved run stands could not announce its deletion without the finalizer.
void S52(const ResourceView& view, Findings& findings) {
  if (view.unresolved == nullptr) return;
  bool held = false;
  for (const std::string& one : view.meta->finalizers()) held |= one == api::kMigrationFinalizer;
  findings.Expect(Property::kS52, held, [&] {
    return absl::StrCat(api::ShortName(*view.key),
                        ": an unresolved run would go with a deletion that nobody announces");
  });
}

void S53(const sim::World& world, Findings& findings) {
  if (!world.truth.status_tampering_tried) return;
  findings.Expect(Property::kS53, !world.truth.status_tampered,
                  [] { return std::string("somebody who is not the manager wrote a status"); });
}

// A child that may send SQL right now.
bool IsExecuting(const sim::World& world, const OperationTruth& operation) {
  for (const auto& run : world.runs) {
    if (run->operation_id == operation.id && run->state == sim::RunState::kRunning) return true;
  }
  for (const sim::Rival& rival : world.rivals) {
    if (operation.holder == rival.holder) return rival.state == sim::Rival::State::kRunning;
  }
  return false;
}

void S10(const sim::World& world, Findings& findings) {
  // By realm, the one that executes in it.
  std::map<std::string, const OperationTruth*> executing;
  for (const auto& [id, operation] : world.truth.operations) {
    if (!operation.mutating || !IsExecuting(world, operation)) continue;
    const auto [first, alone] = executing.emplace(operation.coordination_digest, &operation);
    findings.Expect(Property::kS10, alone, [&, first = first, id = operation.id] {
      return absl::StrCat("two executors in one realm: ", first->second->id, " and ", id);
    });
  }
}

// No statement of a file is committed twice: what all operations together committed of it is at
// most what it has.
void S42(const sim::World& world, Findings& findings) {
  std::map<std::string, int32_t> committed;
  for (const auto& [id, operation] : world.truth.operations) {
    for (const sim::FileEffect& file : operation.effect) committed[file.version] += file.committed;
  }
  for (const auto& database : world.truth.databases) {
    for (const sim::Database::File& file : database->files) {
      const auto found = committed.find(file.version);
      if (found == committed.end() || found->second == 0) continue;
      findings.Expect(Property::kS42, found->second <= file.statements, [&] {
        return absl::StrCat("file ", file.version, " was run again: ", found->second,
                            " statements of its ", file.statements, " were committed");
      });
    }
  }
}

// Nor is a file run after somebody recorded it, whoever that was.
void S42RunAgain(const sim::World& world, Findings& findings) {
  for (const auto& database : world.truth.databases) {
    for (const sim::Database::File& file : database->files) {
      if (!file.recorded) continue;
      findings.Expect(Property::kS42, !file.run_again, [&] {
        return absl::StrCat("file ", file.version, " was run again after it was recorded");
      });
    }
  }
}

// Why what the operation changed is not the beginning of the plan's sequence; empty when it is.
std::string OutOfSequence(const OperationTruth& operation, const api::PtahMigrationPlanSpec& plan) {
  bool open = false;  // A file before this one was not completed.
  size_t changed = 0;
  for (const api::PlannedMigration& planned : plan.migrations()) {
    const std::string version = absl::StrCat(planned.version());
    const auto found =
        std::find_if(operation.effect.begin(), operation.effect.end(),
                     [&](const sim::FileEffect& file) { return file.version == version; });
    const bool touched =
        found != operation.effect.end() && (found->committed > 0 || found->recorded);
    if (touched && open) return absl::StrCat("file ", version, " was run before its turn");
    changed += touched ? 1 : 0;
    open |= found == operation.effect.end() || !found->recorded;
  }
  for (const sim::FileEffect& file : operation.effect) {
    if (file.committed > 0 || file.recorded) {
      if (changed == 0) return absl::StrCat("file ", file.version, " was never planned");
      --changed;
    }
  }
  return "";
}

void S42Sequence(const sim::World& world, Findings& findings) {
  for (const auto& [id, operation] : world.truth.operations) {
    if (!operation.mutating || operation.family != sim::Family::kMigration) continue;
    if (operation.effect.empty() || operation.plan_uid.empty()) continue;
    for (const sim::Entry& entry : world.objects) {
      if (entry.object->key.kind != api::Kind::kPtahMigrationPlan) continue;
      const auto& plan = entry.object->As<api::PtahMigrationPlan>();
      if (plan.metadata().uid() != operation.plan_uid) continue;
      const std::string wrong = OutOfSequence(operation, plan.spec());
      findings.Expect(Property::kS42, wrong.empty(), [&, id = id] {
        return absl::StrCat(id, " did not run its plan's sequence: ", wrong);
      });
    }
  }
}

// What a schema Apply's Pod mounts is its plan, chunk by chunk.
void S50(const sim::World& world, const ResourceView& view, Findings& findings) {
  if (view.schema == nullptr || !IsApply(*view.claim) || view.claim->job_uid().empty()) return;
  const std::string& space = view.key->namespace_;
  const auto* plan = world.Get<api::PtahSchemaPlan>(space, view.schema->status().plan().name());
  // A plan republished under the name is another one: the Pod has mounted what is gone.
  if (plan == nullptr || plan->metadata().uid() != view.schema->status().plan().uid()) return;
  for (const auto& chunk : plan->spec().chunks()) {
    const auto* projection = world.Get<api::ConfigMap>(space, chunk.name());
    const auto* source = world.Get<api::PtahSchemaPlanChunk>(space, chunk.name());
    if (source == nullptr) continue;
    const bool equal = projection != nullptr && projection->binary_data_size() == 1 &&
                       projection->binary_data().begin()->second == source->spec().data();
    findings.Expect(Property::kS50, equal, [&] {
      return absl::StrCat(api::ShortName(*view.key), ": the Pod's projection ", chunk.name(),
                          " is not its plan");
    });
  }
}

// Whether some manager's pass over the resource is due at once: it has yet to look.
bool IsDueNow(const sim::World& world, const api::Key& resource) {
  for (const sim::Process& process : world.processes) {
    for (const sim::Work& work : process.work) {
      if (process.running && work.resource == resource && work.due.when == sim::Due::When::kNow) {
        return true;
      }
    }
  }
  return false;
}

// An approval that a claim spent and never used: once every pass that is due has looked, the
// resource asks for another one, visibly. One that a person suspended, or that is blocked, says so
// and has nothing to ask yet.
void L14(const sim::World& world, const ResourceView& view, Findings& findings) {
  if (view.claim != nullptr || view.proof != nullptr || view.unresolved != nullptr) return;
  if (view.meta->deletion_timestamp_ms() != 0) return;  // It asks for nothing any more.
  if (*view.phase == api::phase::kSuspended || *view.phase == api::phase::kBlocked) return;
  if (IsDueNow(world, *view.key)) return;
  bool spent_for_nothing = false;
  for (const auto& [uid, approval] : world.truth.approvals) {
    spent_for_nothing |= !approval.consumed_by.empty() && approval.spent_by.empty();
  }
  if (!spent_for_nothing) return;
  for (const auto& [id, operation] : world.truth.operations) {
    // A marked claim whose create never landed leaves a record instead.
    if (operation.mutating && operation.marked) return;
  }
  bool has_plan = false;
  bool asks = false;
  if (view.schema != nullptr) {
    has_plan = view.schema->status().has_plan();
    asks = IsTrue(view.schema->status().conditions(), api::condition::kApprovalRequired);
  } else {
    has_plan = view.migration->status().has_plan();
    asks = IsTrue(view.migration->status().conditions(), api::condition::kApprovalRequired);
  }
  const bool waits = *view.phase == api::phase::kAwaitingApproval && asks;
  findings.Expect(Property::kL14, !has_plan || waits, [&] {
    return absl::StrCat(api::ShortName(*view.key), ": an approval was spent for nothing and phase ",
                        *view.phase, " asks for no other");
  });
}

}  // namespace

void JudgeState(const sim::World& world, Findings& findings) {
  S01S04(world, findings);
  S07(world, findings);
  S10(world, findings);
  S42(world, findings);
  S42RunAgain(world, findings);
  S42Sequence(world, findings);
  S53(world, findings);
  JudgeRealmState(world, findings);
  for (const sim::Entry& entry : world.objects) {
    const ResourceView view = ViewOf(entry.object);
    if (view.key == nullptr) continue;
    if (view.claim != nullptr) {
      OfClaim(world, view, findings);
      S14S17(view, findings);
      S50(world, view, findings);
    }
    if (view.proof != nullptr) findings.Premise(Property::kL03);
    if (view.unresolved != nullptr) findings.Premise(Property::kL04);
    S25(world, view, findings);
    S52(view, findings);
    PremisesOfRecovery(world, view, findings);
    L14(world, view, findings);
  }
}

}  // namespace model
