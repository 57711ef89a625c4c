#include "model/safety_records.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "model/objects.h"

namespace model {
namespace {

namespace api = lifecycle::api;
namespace protobuf = google::protobuf;

constexpr std::array<SafetyRecord, kSafetyRecordCount> kRecords = {{
    {"active_operation", "status.activeOperation",
     "the claim: which one Job may be this resource's, and whether it may exist"},
    {"pending_lock_release", "status.pendingLockRelease",
     "a realm that is owed back, until it has been given back"},
    {"pending_binding_retirement", "status.pendingBindingRetirement",
     "what a retired execution binding leaves to be worked off: its plan and its Job"},
    {"pending_observation", "status.pendingObservation",
     "an Apply whose outcome a fresh reading of the database has to prove"},
    {"unresolved_run", "status.unresolvedRun",
     "a run that ended Partial or Unknown, and refuses every further Apply"},
    {"resolved_run", "status.resolvedRun",
     "the run that was settled last: tells a left-over copy from a restored one"},
}};

const protobuf::Descriptor& StatusOf(sim::Family family) {
  return family == sim::Family::kSchema ? *api::PtahSchemaStatus::descriptor()
                                        : *api::PtahMigrationStatus::descriptor();
}

const protobuf::FieldDescriptor* FieldOf(sim::Family family, size_t record) {
  return StatusOf(family).FindFieldByName(std::string(kRecords[record].field));
}

// The status of an object of either family; null for anything else.
const protobuf::Message* StatusIn(sim::Handle object) {
  if (object == nullptr) return nullptr;
  const ResourceView view = ViewOf(object);
  if (view.schema != nullptr) return &view.schema->status();
  if (view.migration != nullptr) return &view.migration->status();
  return nullptr;
}

bool Differs(const protobuf::Message* before, const protobuf::Message* after,
             const protobuf::FieldDescriptor& field) {
  const bool was = before != nullptr && before->GetReflection()->HasField(*before, &field);
  const bool is = after != nullptr && after->GetReflection()->HasField(*after, &field);
  if (was != is) return true;
  return was && !SameMessage(before->GetReflection()->GetMessage(*before, &field),
                             after->GetReflection()->GetMessage(*after, &field));
}

}  // namespace

const std::array<SafetyRecord, kSafetyRecordCount>& SafetyRecords() { return kRecords; }

RecordKeepers KeepersOf(size_t record) {
  return {.schema = FieldOf(sim::Family::kSchema, record) != nullptr,
          .migration = FieldOf(sim::Family::kMigration, record) != nullptr};
}

std::vector<RecordWrite> RecordsWritten(sim::Family by, sim::Handle before, sim::Handle after) {
  std::vector<RecordWrite> written;
  const protobuf::Message* old = StatusIn(before);
  const protobuf::Message* now = StatusIn(after);
  if (old == nullptr && now == nullptr) return written;
  const sim::Family of = ViewOf(now != nullptr ? after : before).family;
  for (size_t record = 0; record < kSafetyRecordCount; ++record) {
    const protobuf::FieldDescriptor* field = FieldOf(of, record);
    if (field != nullptr && Differs(old, now, *field)) {
      written.push_back({.record = record, .of = of, .by = by});
    }
  }
  return written;
}

}  // namespace model
