#include "lifecycle/api/time_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/rfc3339.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The way to the times of a message type: only fields that are times or lead to some.
struct Plan {
  struct Step {
    const FieldDescriptor* field = nullptr;
    std::optional<TimeField> time;      // The field is one...
    std::unique_ptr<const Plan> below;  // ...or leads to some.
  };
  std::vector<Step> steps;
};

std::unique_ptr<const Plan> MakePlan(const Descriptor* descriptor, const std::string& prefix,
                                     std::vector<TimeField>* all) {
  STOPGAP_CHECK(prefix.size() < 1000, "API objects do not contain themselves");
  auto plan = std::make_unique<Plan>();
  for (const Field& field : FieldsOf(descriptor)) {
    const std::string path = absl::StrCat(prefix, field.descriptor->json_name());
    if (field.role != TIME_ROLE_UNSPECIFIED) {
      plan->steps.push_back(
          {field.descriptor, TimeField{path, field.role, field.since_cap_ms}, nullptr});
      all->push_back(*plan->steps.back().time);
    } else if (field.shape != Shape::kMap &&
               field.descriptor->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      std::unique_ptr<const Plan> below =
          MakePlan(field.descriptor->message_type(), absl::StrCat(path, "."), all);
      if (!below->steps.empty()) {
        plan->steps.push_back({field.descriptor, std::nullopt, std::move(below)});
      }
    }
  }
  return plan;
}

struct Times {
  std::unique_ptr<const Plan> plan;
  std::vector<TimeField> all;
};

const TimeField& CopiedRecordedAt() {
  static const auto* const field = new TimeField{
      absl::StrCat("metadata.annotations[", annotation::kUnresolvedRun, "].recordedAt"), SHOWN, 0};
  return *field;
}

const Times& TimesOf(const Descriptor* descriptor) {
  // As in FieldsOf: looked up, never walked, and a function of the descriptor alone.
  static thread_local auto* const cache =
      new absl::flat_hash_map<const Descriptor*, std::unique_ptr<const Times>>();
  std::unique_ptr<const Times>& times = (*cache)[descriptor];
  if (times == nullptr) {
    auto made = std::make_unique<Times>();
    made->plan = MakePlan(descriptor, "", &made->all);
    if (descriptor == PtahMigration::descriptor()) made->all.push_back(CopiedRecordedAt());
    times = std::move(made);
  }
  return *times;
}

using Visit = absl::FunctionRef<void(const TimeField&, int64_t)>;

void Walk(const Plan& plan, const Message& message, Visit visit) {
  const Reflection* reflection = message.GetReflection();
  for (const Plan::Step& step : plan.steps) {
    if (step.time.has_value()) {
      const int64_t value = reflection->GetInt64(message, step.field);
      if (value != 0) visit(*step.time, value);
    } else if (!step.field->is_repeated()) {
      if (reflection->HasField(message, step.field)) {
        Walk(*step.below, reflection->GetMessage(message, step.field), visit);
      }
    } else {
      const int size = reflection->FieldSize(message, step.field);
      for (int i = 0; i < size; ++i) {
        Walk(*step.below, reflection->GetRepeatedMessage(message, step.field, i), visit);
      }
    }
  }
}

// Where the copy of an unresolved run says when the run was recorded.
struct CopiedTime {
  size_t begin = 0;  // Of the text between the quotes.
  size_t size = 0;
  int64_t value_ms = 0;
};

// Returns nullopt when there is none, or not exactly one of the form we write: then the text is
// left as it is, which tells more states apart than needed and never fewer.
std::optional<CopiedTime> FindCopiedTime(absl::string_view json) {
  constexpr absl::string_view kField = "\"recordedAt\":\"";
  const size_t at = json.find(kField);
  if (at == absl::string_view::npos) return std::nullopt;
  const size_t begin = at + kField.size();
  const size_t end = json.find('"', begin);
  if (end == absl::string_view::npos || json.find(kField, end) != absl::string_view::npos) {
    return std::nullopt;
  }
  const absl::string_view text = json.substr(begin, end - begin);
  const std::optional<int64_t> value = ParseRfc3339(text);
  // Only the one spelling that the value gives back, so that text and value are interchangeable.
  if (!value.has_value() || *value == 0 || FormatRfc3339(*value) != text) return std::nullopt;
  return CopiedTime{begin, end - begin, *value};
}

const std::string* CopyOf(const PtahMigration& migration) {
  const auto& annotations = migration.metadata().annotations();
  const auto found = annotations.find(annotation::kUnresolvedRun);
  return found == annotations.end() ? nullptr : &found->second;
}

// Returns a migration whose copy has a time, or null for anything else.
const PtahMigration* AsMigrationWithCopiedTime(const Message& message,
                                               std::optional<CopiedTime>* time) {
  if (message.GetDescriptor() != PtahMigration::descriptor()) return nullptr;
  const auto& migration = static_cast<const PtahMigration&>(message);
  const std::string* copy = CopyOf(migration);
  if (copy == nullptr) return nullptr;
  *time = FindCopiedTime(*copy);
  return time->has_value() ? &migration : nullptr;
}

}  // namespace

const std::vector<TimeField>& TimeFieldsOf(const Descriptor* descriptor) {
  return TimesOf(descriptor).all;
}

void ForEachTime(const Message& message, Visit visit) {
  Walk(*TimesOf(message.GetDescriptor()).plan, message, visit);
  std::optional<CopiedTime> copied;
  if (AsMigrationWithCopiedTime(message, &copied) != nullptr) {
    visit(CopiedRecordedAt(), copied->value_ms);
  }
}

void EncodeWithoutTimes(const Message& message, Encoder& out) {
  std::optional<CopiedTime> copied;
  const PtahMigration* migration = AsMigrationWithCopiedTime(message, &copied);
  if (migration == nullptr) {
    out.Bool(false).MessageWithoutTimes(message);
    return;
  }
  PtahMigration stripped = *migration;
  (*stripped.mutable_metadata()->mutable_annotations())[annotation::kUnresolvedRun].erase(
      copied->begin, copied->size);
  const bool is_the_records =
      migration->status().unresolved_run().recorded_at_ms() == copied->value_ms;
  out.Bool(true).Bool(is_the_records).MessageWithoutTimes(stripped);
}

bool CreationOrderMatters(Kind kind) {
  switch (kind) {
    case Kind::kPtahSchemaApproval:
    case Kind::kPtahMigrationApproval:
    case Kind::kPtahMigrationRunAcknowledgment:
      return true;
    case Kind::kPtahSchema:
    case Kind::kPtahMigration:
    case Kind::kPtahSchemaPlan:
    case Kind::kPtahSchemaPlanChunk:
    case Kind::kPtahMigrationPlan:
    case Kind::kPtahRealm:
    case Kind::kConfigMap:
    case Kind::kLease:
    case Kind::kJob:
    case Kind::kPod:
    case Kind::kServiceAccount:
    case Kind::kLimitRange:
    case Kind::kRuntimeClass:
    case Kind::kPriorityClass:
      return false;
  }
  STOPGAP_UNREACHABLE("no such kind");
}

}  // namespace lifecycle::api
