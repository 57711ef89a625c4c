#include "sim/interner.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "sim/message_walk.h"
#include "sim/object_rules.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using google::protobuf::Message;

bool IsFinished(const api::Job& job) {
  for (const api::JobCondition& condition : job.status().conditions()) {
    if (condition.type() == api::condition::kJobComplete ||
        condition.type() == api::condition::kJobFailed) {
      return true;
    }
  }
  return false;
}

// Nothing is compared with when a Pod began, nor, once a Job has finished, with when that did: what
// counts from then on is its end. A start that stayed in the key would keep apart states that do
// not differ, for as long as the Job is kept.
void ForgetStarts(api::Kind kind, const Message& message, std::vector<TimeValue>& times) {
  int64_t start_ms = 0;
  if (kind == api::Kind::kPod) {
    start_ms = static_cast<const api::Pod&>(message).status().start_time_ms();
  } else if (kind == api::Kind::kJob && IsFinished(static_cast<const api::Job&>(message))) {
    start_ms = static_cast<const api::Job&>(message).status().start_time_ms();
  }
  if (start_ms == 0) return;
  // The start is the one that is counted longest.
  TimeValue* start = nullptr;
  for (TimeValue& time : times) {
    if (time.role != TimeRole::kSince || time.at_ms != start_ms) continue;
    if (start == nullptr || time.cap_ms > start->cap_ms) start = &time;
  }
  if (start != nullptr) start->role = TimeRole::kShown;
}

// The hash is one already.
struct TakeLow {
  size_t operator()(const Hash128& hash) const { return hash.lo; }
};

}  // namespace

struct Interner::State {
  std::deque<StoredObject> objects;
  // Looked up, never walked.
  absl::flat_hash_map<Hash128, Handle, TakeLow> by_value;
  absl::flat_hash_map<Hash128, Handle, TakeLow> by_recipe;
};

Interner::Interner() : state_(std::make_unique<State>()) {}
Interner::~Interner() = default;

Handle Interner::Intern(api::Kind kind, api::MessagePtr message) {
  Walked walked = Walk(*message);
  const auto [slot, is_new] = state_->by_value.try_emplace(walked.exact, nullptr);
  if (!is_new) return slot->second;
  StoredObject object;
  object.key = api::KeyOf(*message);
  STOPGAP_CHECK(object.key.kind == kind, api::KindName(kind));
  object.content = walked.content;
  object.exact = walked.exact;
  object.times = std::move(walked.times);
  ForgetStarts(kind, *message, object.times);
  object.times_matter =
      std::any_of(object.times.begin(), object.times.end(),
                  [](const TimeValue& time) { return time.role != TimeRole::kShown; });
  object.created_ms = api::MetaOf(*message).creation_timestamp_ms();
  object.mentions = std::move(walked.mentions);
  object.message = std::move(message);
  state_->objects.push_back(std::move(object));
  slot->second = &state_->objects.back();
  return slot->second;
}

Handle Interner::Patched(Handle base, const api::Request& request) {
  Hasher hasher;
  hasher.Int(1).Hash(base->exact).Int(static_cast<uint64_t>(request.subresource));
  AbsorbPatch(request.changed, *request.body, hasher);
  const Hash128 recipe = hasher.Finish();
  Handle& result = state_->by_recipe[recipe];
  if (result == nullptr) {
    const Handle made = Intern(base->key.kind, PatchedObject(*base->message, request));
    state_->by_recipe[recipe] = made;
    return made;
  }
  return result;
}

Handle Interner::Recall(const Hash128& recipe) const {
  const auto found = state_->by_recipe.find(recipe);
  return found == state_->by_recipe.end() ? nullptr : found->second;
}

void Interner::Remember(const Hash128& recipe, Handle result) {
  state_->by_recipe[recipe] = result;
}

size_t Interner::size() const { return state_->objects.size(); }

bool StoredObject::MentionsHash(uint64_t word) const {
  return std::binary_search(mentions.begin(), mentions.end(), word);
}

uint64_t StoredObject::WordHash(absl::string_view word) { return Hasher().Text(word).Finish().lo; }

void AbsorbTimes(const std::vector<TimeValue>& times, int64_t now_ms, bool exact, Hasher& hasher) {
  for (const TimeValue& time : times) {
    if (exact) {
      hasher.Int(static_cast<uint64_t>(time.at_ms));
      continue;
    }
    switch (time.role) {
      case TimeRole::kDeadline:
        hasher.Int(static_cast<uint64_t>(std::max<int64_t>(0, time.at_ms - now_ms)));
        break;
      case TimeRole::kSince:
        hasher.Int(static_cast<uint64_t>(std::min(now_ms - time.at_ms, time.cap_ms)));
        break;
      case TimeRole::kShown:
        break;
    }
  }
}

bool HasGeneration(api::Kind kind) { return api::IsCustom(kind) || kind == api::Kind::kJob; }

}  // namespace sim
