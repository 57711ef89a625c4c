#include "sim/names.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/match.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/identity.h"

namespace sim {
namespace {

namespace api = lifecycle::api;

// Whether one word stands anywhere in a world, part by part.
class Search {
 public:
  explicit Search(absl::string_view word) : word_(word), hash_(StoredObject::WordHash(word)) {}

  bool InStore(const World& world) const { return InEntries(world.objects); }

  bool InFlight(const World& world) const {
    return std::any_of(world.in_flight.begin(), world.in_flight.end(),
                       [&](const sim::InFlight& one) {
                         return one.request.uid == word_ || InMessage(one.request.body);
                       });
  }

  bool InProcesses(const World& world) const {
    return std::any_of(world.processes.begin(), world.processes.end(), [&](const Process& process) {
      return InMemory(*process.memory) || (process.cache != nullptr && InEntries(*process.cache)) ||
             std::any_of(process.work.begin(), process.work.end(), [&](const Work& work) {
               return work.paused != nullptr && InPaused(*work.paused);
             });
    });
  }

  bool InTruth(const World& world) const {
    const Truth& truth = world.truth;
    return std::any_of(truth.operations.begin(), truth.operations.end(),
                       [&](const auto& one) { return InOperation(one.second); }) ||
           truth.approvals.contains(word_) || world.logs.contains(word_) ||
           std::any_of(
               world.runs.begin(), world.runs.end(),
               [&](const Run& run) { return run.pod_uid == word_ || run.job_uid == word_; }) ||
           std::any_of(world.rivals.begin(), world.rivals.end(),
                       [&](const Rival& rival) { return rival.holder == word_; });
  }

 private:
  bool InEntries(const std::vector<Entry>& entries) const {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return entry.object->MentionsHash(hash_); });
  }

  bool InMessage(const api::MessagePtr& message) const {
    if (message == nullptr) return false;
    const std::vector<uint64_t> mentions = MentionsOf(*message);
    return std::binary_search(mentions.begin(), mentions.end(), hash_);
  }

  bool InMemory(const api::Memory& memory) const {
    for (const auto& [name, lease] : memory.leases) {
      if (lease.uid == word_ || lease.holder == word_) return true;
    }
    return memory.log_failures.find(std::string(word_)) != memory.log_failures.end();
  }

  bool InPaused(const PausedPass& paused) const {
    return std::any_of(
        paused.answers.begin(), paused.answers.end(), [&](const api::Answer& answer) {
          return InMessage(answer.stored.object) || absl::StrContains(answer.bytes, word_) ||
                 std::any_of(answer.list.begin(), answer.list.end(),
                             [&](const api::AnyStored& one) { return InMessage(one.object); });
        });
  }

  bool InList(const std::vector<std::string>& list) const {
    return std::find(list.begin(), list.end(), word_) != list.end();
  }

  bool InOperation(const OperationTruth& operation) const {
    return operation.id == word_ || operation.resource_uid == word_ || operation.holder == word_ ||
           operation.plan_uid == word_ || operation.approval_uid == word_ ||
           InList(operation.job_uids) || InList(operation.read_back) || InList(operation.job_names);
  }

  absl::string_view word_;
  uint64_t hash_;
};

bool NonceIsTaken(const World& world, absl::string_view resource_uid, uint32_t k) {
  return std::any_of(world.truth.operations.begin(), world.truth.operations.end(),
                     [&](const auto& one) {
                       return one.second.nonce == k && one.second.resource_uid == resource_uid;
                     });
}

void AppendBytes(uint64_t value, std::string* bytes) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(value >> shift));
}

}  // namespace

bool IsMentioned(const World& world, absl::string_view word) {
  return Search(word).InTruth(world) || IsNamedOutsideTruth(world, word);
}

bool IsNamedOutsideTruth(const World& world, absl::string_view word) {
  const Search search(word);
  return search.InStore(world) || search.InFlight(world) || search.InProcesses(world);
}

std::string MakeUid(const api::Key& key, uint32_t n) {
  const Hash128 hash = Hasher()
                           .Text("uid")
                           .Int(static_cast<uint64_t>(key.kind))
                           .Text(key.namespace_)
                           .Text(key.name)
                           .Int(n)
                           .Finish();
  // The form of a random UUID: version 4, variant 1.
  char text[37];
  std::snprintf(
      text, sizeof text, "%08x-%04x-4%03x-%x%03x-%012llx", static_cast<unsigned>(hash.hi >> 32),
      static_cast<unsigned>(hash.hi >> 16 & 0xFFFF), static_cast<unsigned>(hash.hi & 0xFFF),
      static_cast<unsigned>(8 | (hash.lo >> 60 & 3)), static_cast<unsigned>(hash.lo >> 48 & 0xFFF),
      static_cast<unsigned long long>(hash.lo & 0xFFFFFFFFFFFF));
  return text;
}

std::string MakeToken(absl::string_view process, absl::string_view resource_uid,
                      absl::string_view purpose, uint32_t k) {
  const Hash128 hash =
      Hasher().Text("token").Text(process).Text(resource_uid).Text(purpose).Int(k).Finish();
  std::string bytes;
  AppendBytes(hash.hi, &bytes);
  AppendBytes(hash.lo, &bytes);
  return bytes;
}

std::string NextUid(const World& world, const api::Key& key) {
  for (uint32_t n = 0;; ++n) {
    std::string uid = MakeUid(key, n);
    if (!IsMentioned(world, uid)) return uid;
  }
}

std::string NextToken(const World& world, absl::string_view process, absl::string_view resource_uid,
                      absl::string_view purpose, const std::vector<std::string>& drawn_this_pass) {
  const bool is_nonce = purpose == api::kOperationPurpose;
  for (uint32_t k = 0;; ++k) {
    std::string token = MakeToken(process, resource_uid, purpose, k);
    if (std::find(drawn_this_pass.begin(), drawn_this_pass.end(), token) != drawn_this_pass.end()) {
      continue;
    }
    // A nonce is seen in nothing but the digest it went into, an epoch is a text of its own.
    const bool taken =
        is_nonce ? NonceIsTaken(world, resource_uid, k) : IsMentioned(world, api::EpochOf(token));
    if (!taken) return token;
  }
}

}  // namespace sim
