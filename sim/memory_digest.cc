// The digest of what processes remember, of passes that stand still, and of writes that are under
// way.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "lifecycle/api/errors.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/patch.h"
#include "sim/message_walk.h"
#include "sim/world.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }

void AbsorbKey(const api::Key& key, Hasher& hasher) {
  hasher.Int(static_cast<uint64_t>(key.kind)).Text(key.namespace_).Text(key.name);
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
    const auto& [status, stored, list, bytes, time_ms] = answer;
    Status(status);
    Stored(stored);
    hasher_.Int(list.size());
    for (const api::AnyStored& one : list) Stored(one);
    hasher_.Text(bytes);
    // A clock that was read: how long ago.
    hasher_.Int(Bits(time_ms == 0 || options_.exact ? time_ms : time_ms - now_ms_));
  }
  void Request(const api::Request& request) {
    const auto& [verb, key, subresource, body, changed, version, uid, sender] = request;
    hasher_.Int(static_cast<uint64_t>(verb))
        .Int(static_cast<uint64_t>(subresource))
        .Int(Bits(version))
        .Text(uid)
        .Text(sender)
        .Int(changed.size());
    AbsorbKey(key, hasher_);
    if (body == nullptr) return;
    if (verb != api::Verb::kPatch) return Message(*body);
    for (const api::FieldPath& path : changed) {
      for (const auto* field : path.fields) hasher_.Int(field->number());
      hasher_.Int(0).Text(path.map_key.value_or(""));
    }
    // Of a patch's body only the changed fields are sent.
    const std::unique_ptr<google::protobuf::Message> sent(body->New());
    api::ApplyPatch(changed, *body, sent.get());
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
  const auto& [state_version, ptah_version, executor_image, protocol_version, controller_image,
               controller_revision, runner_image, builder_revision, coordination_namespace, user] =
      configuration;
  return Hasher()
      .Int(Bits(state_version))
      .Text(ptah_version)
      .Text(executor_image)
      .Int(Bits(protocol_version))
      .Text(controller_image)
      .Text(controller_revision)
      .Text(runner_image)
      .Int(Bits(builder_revision))
      .Text(coordination_namespace)
      .Text(user)
      .Finish();
}

// How long this process has watched a record, up to the duration it has to watch it for. The
// record's own times say only whether it changed, and so does its version.
void AbsorbMemory(const api::Memory& memory, int64_t monotonic_ms, const DigestOptions& options,
                  Hasher& hasher) {
  const auto& [leases, log_failures] = memory;
  hasher.Int(leases.size());
  for (const auto& [name, observation] : leases) {
    const auto& [version, uid, holder, duration_seconds, acquire_ms, renew_ms, transitions,
                 first_seen_ms] = observation;
    hasher.Text(name).Int(Bits(version)).Text(uid).Text(holder);
    hasher.Int(Bits(duration_seconds));
    if (options.exact) {
      hasher.Int(Bits(acquire_ms)).Int(Bits(renew_ms)).Int(Bits(first_seen_ms));
      hasher.Int(Bits(transitions));
    } else {
      hasher.Int(Bits(std::min(monotonic_ms - first_seen_ms, duration_seconds * 1000)));
    }
  }
  hasher.Int(log_failures.size());
  for (const auto& [pod_uid, failure] : log_failures) {
    const auto& [first_failed_ms] = failure;
    hasher.Text(pod_uid);
    hasher.Int(Bits(options.exact
                        ? first_failed_ms
                        : std::min(monotonic_ms - first_failed_ms, options.log_failure_cap_ms)));
  }
}

void AbsorbDue(const Due& due, int64_t now_ms, const DigestOptions& options, Hasher& hasher) {
  const auto& [when, at_ms, seen] = due;
  hasher.Int(static_cast<uint64_t>(when));
  if (when == Due::When::kNever) return;
  if (when != Due::When::kNow) {
    hasher.Int(Bits(options.exact ? at_ms : std::max<int64_t>(0, at_ms - now_ms)));
  }
  // Between steps it is what is stored now, or zero (EndStep): whether anything happened since.
  hasher.Hash(seen);
}

void AbsorbProcess(const Process& process, int64_t now_ms, const DigestOptions& options,
                   Hasher& hasher) {
  const auto& [name, running, configuration, memory, started_ms, wall_offset_ms, works, cache] =
      process;
  hasher.Text(name).Bool(running).Int(Bits(wall_offset_ms));
  hasher.Hash(configuration.Digest(ConfigurationDigest));
  if (options.exact) hasher.Int(Bits(started_ms));
  AbsorbMemory(*memory, now_ms - started_ms, options, hasher);
  hasher.Int(works.size());
  for (const Work& work : works) {
    const auto& [resource, due, paused] = work;
    AbsorbKey(resource, hasher);
    hasher.Bool(paused != nullptr);
    AbsorbDue(due, now_ms, options, hasher);
    if (paused == nullptr) continue;
    const auto& [answers, tokens] = *paused;
    Loose loose(now_ms, options, hasher);
    hasher.Int(answers.size());
    for (const api::Answer& answer : answers) loose.Answer(answer);
    for (const std::string& token : tokens) hasher.Text(token);
  }
  if (cache != nullptr) hasher.Hash(EntriesDigest(*cache, now_ms, options));
}

// Versions are no part of the view, since all a reader can do with one is compare it with another
// that it holds; most are 1 (EndStep).
void AbsorbVersions(const World& world, Hasher& hasher) {
  for (size_t i = 0; i < world.objects.size(); ++i) {
    if (world.objects[i].version != 1) hasher.Int(i).Int(Bits(world.objects[i].version));
  }
  hasher.Int(Bits(world.removed_version));
}

void AbsorbInFlight(const InFlight& one, int64_t now_ms, const DigestOptions& options,
                    Hasher& hasher) {
  const auto& [request, admitted, sender_gone] = one;
  hasher.Bool(admitted).Bool(sender_gone);
  Loose(now_ms, options, hasher).Request(request);
}

}  // namespace

Hash128 MemoryDigest(const World& world, const DigestOptions& options) {
  Hasher hasher;
  hasher.Int(world.processes.size());
  for (const Process& process : world.processes) {
    AbsorbProcess(process, world.now_ms, options, hasher);
  }
  hasher.Int(world.in_flight.size());
  for (const InFlight& one : world.in_flight) {
    AbsorbInFlight(one, world.now_ms, options, hasher);
  }
  AbsorbVersions(world, hasher);
  return hasher.Finish();
}

Hash128 RequestDigest(const InFlight& one, int64_t now_ms, const DigestOptions& options) {
  Hasher hasher;
  AbsorbInFlight(one, now_ms, options, hasher);
  return hasher.Finish();
}

}  // namespace sim
