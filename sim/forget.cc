// What the truth forgets when a step ends.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "sim/names.h"
#include "sim/truth.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

bool Contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool ARunIsLeft(const World& world, const OperationTruth& operation) {
  return std::any_of(world.runs.begin(), world.runs.end(),
                     [&](const Run& run) { return run.operation_id == operation.id; });
}

bool IsWanted(const World& world, const OperationTruth& operation) {
  return operation.open || CanRun(world, operation) || ARunIsLeft(world, operation) ||
         IsNamedOutsideTruth(world, operation.id) || IsNamedOutsideTruth(world, operation.holder) ||
         std::any_of(operation.job_uids.begin(), operation.job_uids.end(),
                     [&](const std::string& uid) {
                       return std::any_of(
                           world.objects.begin(), world.objects.end(), [&](const Entry& entry) {
                             return entry.object->key.kind == api::Kind::kJob &&
                                    entry.object->As<api::Job>().metadata().uid() == uid;
                           });
                     });
}

bool IsNamedByApproval(const World& world, const std::string& id) {
  return std::any_of(world.truth.approvals.begin(), world.truth.approvals.end(),
                     [&](const auto& one) {
                       return one.second.consumed_by == id || Contains(one.second.spent_by, id);
                     });
}

// All that keeps the name of a forgotten operation taken.
OperationTruth NameAlone(const OperationTruth& operation) {
  OperationTruth name;
  name.id = operation.id;
  name.family = operation.family;
  name.resource = operation.resource;
  name.resource_uid = operation.resource_uid;
  name.type = operation.type;
  name.mutating = operation.mutating;
  name.nonce = operation.nonce;
  name.open = false;
  return name;
}

void ForgetOperations(World& world) {
  std::vector<std::string> settled;
  for (const auto& [id, operation] : world.truth.operations) {
    if (!IsWanted(world, operation)) settled.push_back(id);
  }
  for (const std::string& id : settled) {
    const OperationTruth& operation = *world.truth.operations.Get(id);
    OperationTruth name = NameAlone(operation);
    if (!IsNamedByApproval(world, id)) {
      world.truth.operations.Erase(id);
    } else if (!(name == operation)) {
      world.truth.operations.Edit(id) = std::move(name);
    }
  }
}

// Returns whether there was one to forget.
bool ForgetApprovals(World& world) {
  std::vector<std::string> unnamed;
  for (const auto& [uid, approval] : world.truth.approvals) {
    const bool grounds_one =
        std::any_of(world.truth.operations.begin(), world.truth.operations.end(),
                    [&uid = uid](const auto& one) { return one.second.approval_uid == uid; });
    if (!grounds_one && !IsNamedOutsideTruth(world, uid)) unnamed.push_back(uid);
  }
  for (const std::string& uid : unnamed) world.truth.approvals.Erase(uid);
  return !unnamed.empty();
}

}  // namespace

void ForgetSettled(World& world) {
  ForgetOperations(world);
  // An approval that goes lets go of the names it kept.
  if (ForgetApprovals(world)) ForgetOperations(world);
}

}  // namespace sim
