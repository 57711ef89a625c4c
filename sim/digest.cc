// The digests of a World: view, memory and truth.
//
// Each reads field by field in a fixed order, and never a handle. Times count by how far they are
// from now, so that a world and the same world an hour later are one state.

#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/api/time_fields.h"
#include "sim/message_walk.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }
uint64_t Remaining(int64_t at_ms, int64_t now_ms) {
  return Bits(std::max<int64_t>(0, at_ms - now_ms));
}

// ---- View ----

// Of several approvals or acknowledgments the oldest wins, so their order counts although their
// times do not.
void AbsorbCreationOrder(const World& world, Hasher& hasher) {
  for (size_t i = 0; i < world.objects.size(); ++i) {
    const StoredObject& object = *world.objects[i].object;
    if (!api::CreationOrderMatters(object.key.kind)) continue;
    uint64_t older = 0;
    for (const Entry& other : world.objects) {
      if (other.object->key.kind == object.key.kind &&
          other.object->created_ms < object.created_ms) {
        ++older;
      }
    }
    hasher.Int(older);
  }
}

void AbsorbObjects(const World& world, Hasher& hasher) {
  hasher.Int(world.objects.size());
  for (const Entry& entry : world.objects) hasher.Hash(entry.object->content);
  AbsorbCreationOrder(world, hasher);
}

void AbsorbLogs(const World& world, Hasher& hasher) {
  hasher.Int(world.logs.size());
  world.logs.ForEachDigest(
      [](const std::string& pod_uid, const PodLog& log) {
        return Hasher()
            .Text(pod_uid)
            .Bool(log.text != nullptr)
            .Hash(log.content)
            .Bool(log.lost)
            .Finish();
      },
      [&](const Hash128& digest, const PodLog&) { hasher.Hash(digest); });
}

// ---- Messages that are not stored ----

class Loose {
 public:
  Loose(int64_t now_ms, const DigestOptions& options, Hasher& hasher)
      : now_ms_(now_ms), options_(options), hasher_(hasher) {}

  void Message(const google::protobuf::Message& message) {
    const Walked walked = Walk(message);
    hasher_.Hash(walked.content);
    AbsorbTimes(walked.times, now_ms_, options_.exact, hasher_);
  }
  void Stored(const api::AnyStored& stored) {
    hasher_.Bool(stored.object != nullptr);
    if (stored.object == nullptr) return;
    hasher_.Int(Bits(stored.version));
    Message(*stored.object);
  }
  void Answer(const api::Answer& answer) {
    Status(answer.status);
    Stored(answer.stored);
    hasher_.Int(answer.list.size());
    for (const api::AnyStored& one : answer.list) Stored(one);
    hasher_.Text(answer.bytes);
    // A clock that was read: how long ago.
    hasher_.Int(
        Bits(answer.time_ms == 0 || options_.exact ? answer.time_ms : answer.time_ms - now_ms_));
  }
  void Request(const api::Request& request) {
    hasher_.Int(static_cast<uint64_t>(request.verb))
        .Int(static_cast<uint64_t>(request.key.kind))
        .Text(request.key.namespace_)
        .Text(request.key.name)
        .Int(static_cast<uint64_t>(request.subresource))
        .Int(Bits(request.version))
        .Text(request.uid)
        .Text(request.sender)
        .Int(request.changed.size());
    if (request.body == nullptr) return;
    if (request.verb != api::Verb::kPatch) return Message(*request.body);
    for (const api::FieldPath& path : request.changed) {
      for (const auto* field : path.fields) hasher_.Int(field->number());
      hasher_.Int(0).Text(path.map_key.value_or(""));
    }
    // Of a patch's body only the changed fields are sent.
    const std::unique_ptr<google::protobuf::Message> sent(request.body->New());
    api::ApplyPatch(request.changed, *request.body, sent.get());
    Message(*sent);
  }

 private:
  void Status(const absl::Status& status) {
    hasher_.Int(static_cast<uint64_t>(status.raw_code()));
    if (status.ok()) return;
    hasher_.Text(status.message());
    const std::optional<api::ApiError> error = api::ApiErrorOf(status);
    hasher_.Bool(error.has_value());
    if (error.has_value()) hasher_.Int(Bits(error->code)).Text(error->reason);
  }

  int64_t now_ms_;
  const DigestOptions& options_;
  Hasher& hasher_;
};

// ---- Memory ----

Hash128 ConfigurationDigest(const api::Configuration& configuration) {
  return Hasher()
      .Int(Bits(configuration.controller_state_version))
      .Text(configuration.ptah_version)
      .Text(configuration.executor_image)
      .Int(Bits(configuration.runner_protocol_version))
      .Text(configuration.controller_image)
      .Text(configuration.controller_revision)
      .Text(configuration.runner_image)
      .Text(configuration.coordination_namespace)
      .Text(configuration.user)
      .Finish();
}

// How long this process has watched a record, up to the duration it has to watch it for. The
// record's own times say only whether it changed, and so does its version.
void AbsorbMemory(const Process& process, int64_t now_ms, const DigestOptions& options,
                  Hasher& hasher) {
  const api::Memory& memory = *process.memory;
  const int64_t monotonic_ms = now_ms - process.started_ms;
  hasher.Int(memory.leases.size());
  for (const auto& [name, lease] : memory.leases) {
    hasher.Text(name).Int(Bits(lease.version)).Text(lease.uid).Text(lease.holder);
    hasher.Int(Bits(lease.duration_seconds)).Int(Bits(lease.transitions));
    if (options.exact) {
      hasher.Int(Bits(lease.acquire_time_ms)).Int(Bits(lease.renew_time_ms));
      hasher.Int(Bits(lease.first_seen_ms));
    } else {
      hasher.Int(Bits(std::min(monotonic_ms - lease.first_seen_ms, lease.duration_seconds * 1000)));
    }
  }
  hasher.Int(memory.log_failures.size());
  for (const auto& [pod_uid, failure] : memory.log_failures) {
    hasher.Text(pod_uid);
    hasher.Int(Bits(options.exact ? failure.first_failed_ms
                                  : std::min(monotonic_ms - failure.first_failed_ms,
                                             options.log_failure_cap_ms)));
  }
}

void AbsorbDue(const Due& due, int64_t now_ms, const DigestOptions& options, Hasher& hasher) {
  hasher.Int(static_cast<uint64_t>(due.when));
  if (due.when == Due::When::kNever || due.when == Due::When::kNow) return;
  hasher.Int(options.exact ? Bits(due.at_ms) : Remaining(due.at_ms, now_ms));
  // Between steps it is what is stored now, or zero (EndStep): whether anything happened since.
  hasher.Hash(due.seen);
}

void AbsorbProcess(const Process& process, int64_t now_ms, const DigestOptions& options,
                   Hasher& hasher) {
  hasher.Text(process.name).Bool(process.running).Int(Bits(process.wall_offset_ms));
  hasher.Hash(process.configuration.Digest(ConfigurationDigest));
  if (options.exact) hasher.Int(Bits(process.started_ms));
  AbsorbMemory(process, now_ms, options, hasher);
  hasher.Int(process.work.size());
  for (const Work& work : process.work) {
    hasher.Int(static_cast<uint64_t>(work.resource.kind))
        .Text(work.resource.namespace_)
        .Text(work.resource.name)
        .Int(Bits(work.backoff))
        .Bool(work.paused != nullptr);
    AbsorbDue(work.due, now_ms, options, hasher);
    if (work.paused == nullptr) continue;
    Loose loose(now_ms, options, hasher);
    hasher.Int(work.paused->answers.size());
    for (const api::Answer& answer : work.paused->answers) loose.Answer(answer);
    for (const std::string& token : work.paused->tokens) hasher.Text(token);
  }
}

// Versions are no part of the view, since all a reader can do with one is compare it with another
// that it holds; most are 1 (EndStep).
void AbsorbVersions(const World& world, Hasher& hasher) {
  for (size_t i = 0; i < world.objects.size(); ++i) {
    if (world.objects[i].version != 1) hasher.Int(i).Int(Bits(world.objects[i].version));
  }
  hasher.Int(Bits(world.removed_version));
}

// ---- Truth ----

void AbsorbTexts(const std::vector<std::string>& texts, Hasher& hasher) {
  hasher.Int(texts.size());
  for (const std::string& text : texts) hasher.Text(text);
}

void AbsorbReading(const Reading& reading, Hasher& hasher) {
  hasher.Bool(reading.declared).Bool(reading.dirty);
  AbsorbTexts(reading.recorded, hasher);
}

// Everything but its deadlines.
Hash128 OperationDigest(const std::string& id, const OperationTruth& operation) {
  Hasher hasher;
  hasher.Text(id)
      .Int(static_cast<uint64_t>(operation.family))
      .Int(static_cast<uint64_t>(operation.resource.kind))
      .Text(operation.resource.namespace_)
      .Text(operation.resource.name)
      .Text(operation.resource_uid)
      .Text(operation.type)
      .Bool(operation.mutating)
      .Int(operation.nonce)
      .Text(operation.holder)
      .Text(operation.coordination_digest)
      .Text(operation.plan_uid)
      .Text(operation.approval_uid)
      .Int(Bits(operation.grace_ms))
      .Int(static_cast<uint64_t>(operation.created))
      .Int(static_cast<uint64_t>(operation.flying));
  AbsorbTexts(operation.job_names, hasher);
  AbsorbTexts(operation.job_uids, hasher);
  AbsorbTexts(operation.read_back, hasher);
  hasher.Int(static_cast<uint64_t>(operation.pods))
      .Bool(operation.marked)
      .Bool(operation.read_by_harvest)
      .Int(operation.effect.size());
  for (const FileEffect& effect : operation.effect) {
    hasher.Int(Bits(effect.committed)).Bool(effect.recorded);
  }
  hasher.Bool(operation.finished_ok).Bool(operation.disturbed).Bool(operation.open);
  hasher.Bool(operation.reading.has_value());
  if (operation.reading.has_value()) AbsorbReading(*operation.reading, hasher);
  return hasher.Finish();
}

Hash128 ApprovalDigest(const std::string& uid, const ApprovalTruth& approval) {
  Hasher hasher;
  hasher.Text(uid).Text(approval.consumed_by);
  AbsorbTexts(approval.spent_by, hasher);
  return hasher.Finish();
}

Hash128 DatabaseDigest(const Database& database) {
  Hasher hasher;
  hasher.Text(database.coordination_digest)
      .Text(database.identity_digest)
      .Int(Bits(database.statements))
      .Int(Bits(database.in_force))
      .Text(database.last_changed_by)
      .Int(database.files.size());
  for (const Database::File& file : database.files) {
    hasher.Text(file.version)
        .Int(Bits(file.statements))
        .Bool(file.transactional)
        .Int(Bits(file.fails_at))
        .Int(Bits(file.committed))
        .Bool(file.recorded)
        .Bool(file.dirty);
  }
  return hasher.Finish();
}

Hash128 RunDigest(const Run& run) {
  return Hasher()
      .Text(run.pod_name)
      .Text(run.pod_uid)
      .Text(run.job_uid)
      .Text(run.namespace_)
      .Text(run.operation_id)
      .Int(static_cast<uint64_t>(run.state))
      .Int(Bits(run.file))
      .Int(Bits(run.statement))
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

// A rival may take a Lease over once it has lapsed, so how long that takes counts for it, although
// the times a Lease shows count for nobody.
void AbsorbRivals(const World& world, Hasher& hasher) {
  hasher.Int(world.rivals.size());
  if (world.rivals.empty()) return;
  for (const Rival& rival : world.rivals) {
    hasher.Text(rival.coordination_digest)
        .Text(rival.holder)
        .Int(static_cast<uint64_t>(rival.state))
        .Int(Bits(rival.rounds_left))
        .Bool(rival.lapse_at_ms != 0)
        .Int(Remaining(rival.lapse_at_ms, world.now_ms));
  }
}

}  // namespace

Hash128 ContentDigest(const World& world) {
  Hasher hasher;
  AbsorbObjects(world, hasher);
  AbsorbLogs(world, hasher);
  return hasher.Finish();
}

Hash128 ViewDigest(const World& world, const DigestOptions& options) {
  Hasher hasher;
  AbsorbObjects(world, hasher);
  AbsorbLogs(world, hasher);
  for (const Entry& entry : world.objects) {
    if (entry.object->times_matter || options.exact) {
      AbsorbTimes(entry.object->times, world.now_ms, options.exact, hasher);
    }
  }
  if (options.exact) hasher.Int(Bits(world.now_ms));
  return hasher.Finish();
}

Hash128 MemoryDigest(const World& world, const DigestOptions& options) {
  Hasher hasher;
  hasher.Int(world.processes.size());
  for (const Process& process : world.processes) {
    AbsorbProcess(process, world.now_ms, options, hasher);
  }
  hasher.Int(world.in_flight.size());
  Loose loose(world.now_ms, options, hasher);
  for (const InFlight& one : world.in_flight) {
    hasher.Bool(one.admitted).Bool(one.sender_gone);
    loose.Request(one.request);
  }
  AbsorbVersions(world, hasher);
  return hasher.Finish();
}

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
  hasher.Int(world.runs.size());
  for (const Cow<Run>& run : world.runs) hasher.Hash(run.Digest(RunDigest));
  AbsorbRivals(world, hasher);
  hasher.Int(world.person.size());
  for (const auto& [act, left] : world.person) hasher.Text(act).Int(Bits(left));
  return hasher.Finish();
}

Hash128 StateKey(const World& world, const DigestOptions& options) {
  return Hasher()
      .Hash(ViewDigest(world, options))
      .Hash(MemoryDigest(world, options))
      .Hash(TruthDigest(world, options))
      .Finish();
}

Hash128 RequestDigest(const InFlight& one, int64_t now_ms, const DigestOptions& options) {
  Hasher hasher;
  hasher.Bool(one.admitted).Bool(one.sender_gone);
  Loose(now_ms, options, hasher).Request(one.request);
  return hasher.Finish();
}

}  // namespace sim
