#include "sim/message_walk.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/time_fields.h"

namespace sim {
namespace {

namespace api = lifecycle::api;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kWordMin = 6;

// A message type's fields with the types below them, so that a walk looks nothing up.
struct Plan {
  struct Step {
    api::Field field;
    const Plan* below = nullptr;  // Of message fields.
  };
  std::vector<Step> steps;
};

class Plans {
 public:
  Plans() {
    for (const api::Kind kind : api::kAllKinds) Add(api::DescriptorOf(kind));
  }
  const Plan& Of(const Descriptor* descriptor) const {
    const auto found = plans_.find(descriptor);
    STOPGAP_CHECK(found != plans_.end(), descriptor->full_name());
    return *found->second;
  }

 private:
  const Plan* Add(const Descriptor* descriptor) {
    std::unique_ptr<Plan>& slot = plans_[descriptor];
    if (slot != nullptr) return slot.get();
    slot = std::make_unique<Plan>();
    Plan* const plan = slot.get();
    for (const api::Field& field : api::FieldsOf(descriptor)) {
      const bool has_below = field.shape != api::Shape::kMap &&
                             field.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      plan->steps.push_back({field, has_below ? Add(field.descriptor->message_type()) : nullptr});
    }
    return plan;
  }

  absl::flat_hash_map<const Descriptor*, std::unique_ptr<Plan>> plans_;  // Looked up only.
};

// A constant: what the types of our objects look like.
const Plan& PlanOf(const Descriptor* descriptor) {
  static const Plans* const plans = new Plans();
  return plans->Of(descriptor);
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == ':' || c == '/' || c == '_';
}

bool IsPunctuation(char c) { return c == '.' || c == ':' || c == '/' || c == '-' || c == '_'; }

void AddWord(absl::string_view word, std::vector<uint64_t>* words) {
  if (word.size() >= kWordMin) words->push_back(StoredObject::WordHash(word));
}

// Adds the words of a text. One that ends a sentence counts without its full stop as well.
void AddWords(absl::string_view text, std::vector<uint64_t>* words) {
  size_t at = 0;
  while (at < text.size()) {
    if (!IsWordCharacter(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    const absl::string_view word = text.substr(at, end - at);
    AddWord(word, words);
    absl::string_view bare = word;
    while (!bare.empty() && IsPunctuation(bare.back())) bare.remove_suffix(1);
    if (bare.size() != word.size()) AddWord(bare, words);
    at = end;
  }
}

TimeRole RoleOf(api::TimeRole role) {
  switch (role) {
    case api::DEADLINE:
      return TimeRole::kDeadline;
    case api::SINCE:
      return TimeRole::kSince;
    default:
      return TimeRole::kShown;
  }
}

// Absorbs a message field by field. A present field is its number and its value; 0, which is no
// field's number, ends the message.
class Walker {
 public:
  // Times are absorbed too when `times` is null; else they are collected there.
  Walker(Hasher& hasher, std::vector<TimeValue>* times, std::vector<uint64_t>* words)
      : hasher_(hasher), times_(times), words_(words) {}

  void Fields(const Message& message, const Plan& plan) {
    const Reflection* reflection = message.GetReflection();
    for (const Plan::Step& step : plan.steps) {
      if (step.field.descriptor->is_repeated()) {
        const int size = reflection->FieldSize(message, step.field.descriptor);
        if (size == 0) continue;
        hasher_.Int(step.field.descriptor->number());
        Repeated(message, step, size);
      } else if (reflection->HasField(message, step.field.descriptor)) {
        hasher_.Int(step.field.descriptor->number());
        Singular(message, step);
      }
    }
    hasher_.Int(0);
  }

  // The value of one present field.
  void Value(const Message& message, const Plan::Step& step) {
    if (step.field.descriptor->is_repeated()) {
      Repeated(message, step, message.GetReflection()->FieldSize(message, step.field.descriptor));
    } else {
      Singular(message, step);
    }
  }

 private:
  void Text(const FieldDescriptor* field, absl::string_view text) {
    hasher_.Text(text);
    if (words_ != nullptr && field->type() == FieldDescriptor::TYPE_STRING) AddWords(text, words_);
  }

  void Singular(const Message& message, const Plan::Step& step) {
    const Reflection* reflection = message.GetReflection();
    const FieldDescriptor* field = step.field.descriptor;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return Text(field, reflection->GetStringReference(message, field, &scratch_));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fields(reflection->GetMessage(message, field), *step.below);
      case FieldDescriptor::CPPTYPE_INT64:
        return Number(step.field, reflection->GetInt64(message, field));
      case FieldDescriptor::CPPTYPE_INT32:
        return Number(step.field, reflection->GetInt32(message, field));
      case FieldDescriptor::CPPTYPE_BOOL:
        return Number(step.field, reflection->GetBool(message, field) ? 1 : 0);
      default:
        STOPGAP_CHECK(false, field->full_name());
    }
  }

  void Number(const api::Field& field, int64_t value) {
    const bool apart = field.role != api::TIME_ROLE_UNSPECIFIED || field.is_shown_count;
    if (!apart || times_ == nullptr) {
      hasher_.Int(static_cast<uint64_t>(value));
    } else {
      times_->push_back(TimeValue{RoleOf(field.role), value, field.since_cap_ms});
    }
  }

  void Repeated(const Message& message, const Plan::Step& step, int size) {
    const Reflection* reflection = message.GetReflection();
    const FieldDescriptor* field = step.field.descriptor;
    hasher_.Int(size);
    if (step.field.shape == api::Shape::kMap) return Map(message, step.field);
    for (int i = 0; i < size; ++i) {
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_STRING:
          Text(field, reflection->GetRepeatedStringReference(message, field, i, &scratch_));
          break;
        case FieldDescriptor::CPPTYPE_MESSAGE:
          Fields(reflection->GetRepeatedMessage(message, field, i), *step.below);
          break;
        case FieldDescriptor::CPPTYPE_INT64:
          hasher_.Int(static_cast<uint64_t>(reflection->GetRepeatedInt64(message, field, i)));
          break;
        default:
          STOPGAP_CHECK(false, field->full_name());
      }
    }
  }

  void Map(const Message& message, const api::Field& field) {
    const FieldDescriptor* key = field.descriptor->message_type()->map_key();
    const FieldDescriptor* value = field.descriptor->message_type()->map_value();
    for (const api::MapEntry& entry : api::SortedEntries(message, field)) {
      Text(key, *entry.key);
      Text(value, *entry.value);
    }
  }

  Hasher& hasher_;
  std::vector<TimeValue>* times_;
  std::vector<uint64_t>* words_;
  std::string scratch_;
};

bool HasCopiedRun(const Message& object) {
  if (object.GetDescriptor() != api::PtahMigration::descriptor()) return false;
  const auto& annotations = static_cast<const api::PtahMigration&>(object).metadata().annotations();
  return annotations.find(api::annotation::kUnresolvedRun) != annotations.end();
}

// A migration that carries the copy of its unresolved run has a time inside a text. Rare enough to
// take the slow way that knows about it.
void SplitCopiedRun(const Message& object, Walked* walked) {
  api::Encoder encoder;
  api::EncodeWithoutTimes(object, encoder);
  walked->content = Hasher().Int(1).Text(encoder.bytes()).Finish();
  walked->times.clear();
  api::ForEachTime(object, [&](const api::TimeField& field, int64_t value_ms) {
    walked->times.push_back(TimeValue{RoleOf(field.role), value_ms, field.since_cap_ms});
  });
}

Hash128 WithTimes(const Hash128& content, const std::vector<TimeValue>& times) {
  Hasher hasher;
  hasher.Hash(content).Int(times.size());
  for (const TimeValue& time : times) hasher.Int(static_cast<uint64_t>(time.at_ms));
  return hasher.Finish();
}

void AbsorbPathValue(const api::FieldPath& path, const Message& values, Hasher& hasher) {
  const Message* message = &values;
  for (size_t i = 0; i + 1 < path.fields.size(); ++i) {
    const Reflection* reflection = message->GetReflection();
    if (!reflection->HasField(*message, path.fields[i])) {
      hasher.Int(0);
      return;
    }
    message = &reflection->GetMessage(*message, path.fields[i]);
  }
  const Plan& plan = PlanOf(message->GetDescriptor());
  for (const Plan::Step& step : plan.steps) {
    if (step.field.descriptor != path.fields.back()) continue;
    if (path.map_key.has_value()) {
      const std::string* value = api::FindEntry(*message, step.field, *path.map_key);
      hasher.Int(value == nullptr ? 0 : 1);
      if (value != nullptr) hasher.Text(*value);
    } else if (!api::IsPresent(*message, step.field)) {
      hasher.Int(0);
    } else {
      hasher.Int(1);
      Walker(hasher, nullptr, nullptr).Value(*message, step);
    }
    return;
  }
}

// `words` may be null. Leaves `mentions` empty.
Walked WalkTo(const Message& object, std::vector<uint64_t>* words) {
  const std::optional<api::Kind> kind = api::KindOfMessage(object);
  STOPGAP_CHECK(kind.has_value(), object.GetTypeName());
  Walked walked;
  Hasher hasher;
  hasher.Int(0).Int(static_cast<uint64_t>(*kind));
  Walker(hasher, &walked.times, words).Fields(object, PlanOf(object.GetDescriptor()));
  walked.content = hasher.Finish();
  if (HasCopiedRun(object)) SplitCopiedRun(object, &walked);
  walked.exact = WithTimes(walked.content, walked.times);
  return walked;
}

}  // namespace

Walked Walk(const Message& object) {
  std::vector<uint64_t> words;
  Walked walked = WalkTo(object, &words);
  walked.mentions = std::move(words);
  std::sort(walked.mentions.begin(), walked.mentions.end());
  walked.mentions.erase(std::unique(walked.mentions.begin(), walked.mentions.end()),
                        walked.mentions.end());
  return walked;
}

void AbsorbPatch(const std::vector<api::FieldPath>& paths, const Message& values, Hasher& hasher) {
  hasher.Int(paths.size());
  for (const api::FieldPath& path : paths) {
    hasher.Int(path.fields.size());
    for (const FieldDescriptor* field : path.fields) hasher.Int(field->number());
    hasher.Bool(path.map_key.has_value());
    if (path.map_key.has_value()) hasher.Text(*path.map_key);
    AbsorbPathValue(path, values, hasher);
  }
}

Hash128 ContentOf(const Message& message) { return WalkTo(message, nullptr).content; }

// Made of the library's own bytes, several times as fast as a walk: equal bytes of one type are
// equal messages, and this hash names only what a run has computed before (Interner::Recall), where
// bytes in another order would cost a second computation and nothing else.
Hash128 ExactHashOf(const Message& message) {
  // Only while the call lasts; kept so that a hash allocates nothing.
  static thread_local std::string bytes;
  bytes.resize(message.ByteSizeLong());
  google::protobuf::io::ArrayOutputStream array(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedOutputStream out(&array);
  out.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&out);
  out.Trim();
  const std::optional<api::Kind> kind = api::KindOfMessage(message);
  STOPGAP_CHECK(kind.has_value(), message.GetTypeName());
  return Hasher().Int(static_cast<uint64_t>(*kind)).Text(bytes).Finish();
}

std::vector<TimeValue> TimesOf(const Message& message) { return WalkTo(message, nullptr).times; }
std::vector<uint64_t> MentionsOf(const Message& message) { return Walk(message).mentions; }

}  // namespace sim
