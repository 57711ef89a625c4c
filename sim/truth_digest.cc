// The digest of what really happened.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/truth.h"
#include "sim/world.h"

namespace sim {
namespace {

uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }
uint64_t Remaining(int64_t at_ms, int64_t now_ms) {
  return Bits(std::max<int64_t>(0, at_ms - now_ms));
}

void AbsorbTexts(const std::vector<std::string>& texts, Hasher& hasher) {
  hasher.Int(texts.size());
  for (const std::string& text : texts) hasher.Text(text);
}

void AbsorbEffects(const std::vector<FileEffect>& effects, Hasher& hasher) {
  hasher.Int(effects.size());
  for (const FileEffect& effect : effects) {
    const auto& [version, committed, recorded] = effect;
    hasher.Text(version).Int(Bits(committed)).Bool(recorded);
  }
}

void AbsorbReading(const std::optional<Reading>& reading, Hasher& hasher) {
  hasher.Bool(reading.has_value());
  if (!reading.has_value()) return;
  const auto& [declared, recorded, dirty] = *reading;
  hasher.Bool(declared).Bool(dirty);
  AbsorbTexts(recorded, hasher);
}

// Everything but its deadlines, which count by how far they are.
Hash128 OperationDigest(const std::string&, const OperationTruth& operation) {
  const auto& [id, family, resource, resource_uid, type, mutating, nonce, holder,
               coordination_digest, plan_uid, approval_uid, dispatch_not_after_ms,
               execution_not_after_ms, grace_ms, created, flying, job_names, job_uids, read_back,
               pods, marked, realm_moved, database, effect, finished_ok, disturbed, reading, open,
               lost] = operation;
  Hasher hasher;
  hasher.Text(id).Int(static_cast<uint64_t>(family));
  hasher.Int(static_cast<uint64_t>(resource.kind)).Text(resource.namespace_).Text(resource.name);
  hasher.Text(resource_uid).Text(type).Bool(mutating).Int(nonce).Text(holder);
  hasher.Text(coordination_digest).Text(plan_uid).Text(approval_uid).Int(Bits(grace_ms));
  hasher.Bool(dispatch_not_after_ms != 0).Bool(execution_not_after_ms != 0);
  hasher.Int(static_cast<uint64_t>(created)).Int(static_cast<uint64_t>(flying));
  AbsorbTexts(job_names, hasher);
  AbsorbTexts(job_uids, hasher);
  AbsorbTexts(read_back, hasher);
  hasher.Int(static_cast<uint64_t>(pods)).Bool(marked).Bool(realm_moved).Int(Bits(database));
  AbsorbEffects(effect, hasher);
  hasher.Bool(finished_ok).Bool(disturbed);
  AbsorbReading(reading, hasher);
  hasher.Bool(open).Bool(lost);
  return hasher.Finish();
}

Hash128 ApprovalDigest(const std::string& uid, const ApprovalTruth& approval) {
  const auto& [spent_by, consumed_by] = approval;
  Hasher hasher;
  hasher.Text(uid).Text(consumed_by);
  AbsorbTexts(spent_by, hasher);
  return hasher.Finish();
}

Hash128 DatabaseDigest(const Database& database) {
  const auto& [coordination_digest, identity_digest, secret, statements, in_force, files,
               last_changed_by] = database;
  Hasher hasher;
  hasher.Text(coordination_digest).Text(identity_digest).Text(secret);
  hasher.Int(Bits(statements)).Int(Bits(in_force)).Text(last_changed_by).Int(files.size());
  for (const Database::File& file : files) {
    const auto& [version, file_statements, transactional, fails_at, committed, recorded, dirty,
                 run_again] = file;
    hasher.Text(version).Int(Bits(file_statements)).Bool(transactional).Int(Bits(fails_at));
    hasher.Int(Bits(committed)).Bool(recorded).Bool(dirty).Bool(run_again);
  }
  return hasher.Finish();
}

// When it started is only shown; since when its node is lost counts by how far it is. The times a
// Pod was told are its operation's.
Hash128 RunDigest(const Run& run) {
  const auto& [pod_name, pod_uid, job_uid, namespace_, operation_id, pod, database, lost_at_ms,
               state, file, statement, started_ms] = run;
  static_cast<void>(started_ms);
  return Hasher()
      .Text(pod_name)
      .Text(pod_uid)
      .Text(job_uid)
      .Text(namespace_)
      .Text(operation_id)
      .Hash(pod == nullptr ? Hash128{} : pod->content)
      .Int(Bits(database))
      .Bool(lost_at_ms != 0)
      .Int(static_cast<uint64_t>(state))
      .Int(Bits(file))
      .Int(Bits(statement))
      .Finish();
}

void AbsorbOperations(const World& world, const DigestOptions& options, Hasher& hasher) {
  hasher.Int(world.truth.operations.size());
  world.truth.operations.ForEachDigest(
      OperationDigest, [&](const Hash128& digest, const OperationTruth& operation) {
        hasher.Hash(digest);
        if (options.exact) {
          hasher.Int(Bits(operation.dispatch_not_after_ms));
          hasher.Int(Bits(operation.execution_not_after_ms));
        } else {
          hasher.Int(Remaining(operation.dispatch_not_after_ms, world.now_ms));
          hasher.Int(Remaining(operation.execution_not_after_ms, world.now_ms));
          hasher.Int(Remaining(ExecutionHorizonMs(operation), world.now_ms));
        }
      });
}

void AbsorbRuns(const World& world, Hasher& hasher) {
  hasher.Int(world.runs.size());
  for (const Cow<Run>& run : world.runs) {
    hasher.Hash(run.Digest(RunDigest));
    if (run->lost_at_ms == 0) continue;
    hasher.Int(Remaining(NodeForgottenAtMs(*run), world.now_ms));
    // What the view does not show: a log that comes back with its node.
    const PodLog* log = world.logs.Get(run->pod_uid);
    if (log != nullptr) hasher.Hash(log->content);
  }
}

// A rival may take a Lease over once it has lapsed, so how long that takes counts for it, although
// the times a Lease shows count for nobody.
void AbsorbRivals(const World& world, Hasher& hasher) {
  hasher.Int(world.rivals.size());
  for (const Rival& rival : world.rivals) {
    const auto& [coordination_digest, holder, state, rounds_left, lapse_at_ms] = rival;
    hasher.Text(coordination_digest).Text(holder).Int(static_cast<uint64_t>(state));
    hasher.Int(Bits(rounds_left)).Bool(lapse_at_ms != 0);
    hasher.Int(Remaining(lapse_at_ms, world.now_ms));
  }
}

}  // namespace

Hash128 TruthDigest(const World& world, const DigestOptions& options) {
  Hasher hasher;
  AbsorbOperations(world, options, hasher);
  hasher.Int(world.truth.approvals.size());
  world.truth.approvals.ForEachDigest(
      ApprovalDigest, [&](const Hash128& digest, const ApprovalTruth&) { hasher.Hash(digest); });
  hasher.Int(world.truth.databases.size());
  for (const Cow<Database>& database : world.truth.databases) {
    hasher.Hash(database.Digest(DatabaseDigest));
  }
  hasher.Int(Bits(world.truth.apply_claims));
  hasher.Bool(world.truth.status_tampering_tried)
      .Bool(world.truth.status_tampered)
      .Bool(world.truth.copy_tampered);
  AbsorbRuns(world, hasher);
  AbsorbRivals(world, hasher);
  hasher.Int(world.person.size());
  for (const auto& [act, left] : world.person) hasher.Text(act).Int(Bits(left));
  return hasher.Finish();
}

}  // namespace sim
