#include "lifecycle/api/kind.h"

#include <google/protobuf/message.h>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

// One kind, with its accessors to metadata as plain functions: no lookup by name on the way.
struct Row {
  const char* name;
  const char* short_name;
  const char* api_version;
  bool has_status;
  bool namespaced;
  bool shapes_pods;
  const Descriptor* (*descriptor)();
  const Message& (*prototype)();
  const ObjectMeta& (*meta)(const Message&);
  ObjectMeta* (*mutable_meta)(Message*);
};

template <class T>
constexpr Row MakeRow(const char* name, const char* short_name, const char* api_version,
                      bool has_status, bool namespaced = true, bool shapes_pods = false) {
  return Row{
      name,
      short_name,
      api_version,
      has_status,
      namespaced,
      shapes_pods,
      [] { return T::descriptor(); },
      []() -> const Message& { return T::default_instance(); },
      [](const Message& object) -> const ObjectMeta& {
        return static_cast<const T&>(object).metadata();
      },
      [](Message* object) { return static_cast<T*>(object)->mutable_metadata(); },
  };
}

constexpr const char* kCustom = kGroupVersion;

constexpr Row kRows[] = {
    MakeRow<PtahSchema>("PtahSchema", "schema", kCustom, true),
    MakeRow<PtahMigration>("PtahMigration", "migration", kCustom, true),
    MakeRow<PtahSchemaPlan>("PtahSchemaPlan", "plan", kCustom, true),
    MakeRow<PtahSchemaPlanChunk>("PtahSchemaPlanChunk", "chunk", kCustom, false),
    MakeRow<PtahMigrationPlan>("PtahMigrationPlan", "migration-plan", kCustom, false),
    MakeRow<PtahSchemaApproval>("PtahSchemaApproval", "approval", kCustom, true),
    MakeRow<PtahMigrationApproval>("PtahMigrationApproval", "migration-approval", kCustom, true),
    MakeRow<PtahRealm>("PtahRealm", "realm", kCustom, false, false),
    MakeRow<PtahMigrationRunAcknowledgment>("PtahMigrationRunAcknowledgment", "acknowledgment",
                                            kCustom, true),
    MakeRow<ConfigMap>("ConfigMap", "configmap", "v1", false),
    MakeRow<Lease>("Lease", "lease", "coordination.k8s.io/v1", false),
    MakeRow<Job>("Job", "job", "batch/v1", true),
    MakeRow<Pod>("Pod", "pod", "v1", true),
    MakeRow<ServiceAccount>("ServiceAccount", "serviceaccount", "v1", false, true, true),
    MakeRow<LimitRange>("LimitRange", "limitrange", "v1", false, true, true),
    MakeRow<RuntimeClass>("RuntimeClass", "runtimeclass", "node.k8s.io/v1", false, false, true),
    MakeRow<PriorityClass>("PriorityClass", "priorityclass", "scheduling.k8s.io/v1", false, false,
                           true),
};

const Row& RowOf(Kind kind) { return kRows[static_cast<size_t>(kind)]; }

const Row& RowOf(const Message& object) {
  const std::optional<Kind> kind = KindOfMessage(object);
  STOPGAP_CHECK(kind.has_value(), object.GetTypeName());
  return RowOf(*kind);
}

}  // namespace

const char* KindName(Kind kind) { return RowOf(kind).name; }

std::optional<Kind> KindByName(absl::string_view name) {
  for (Kind kind : kAllKinds) {
    if (RowOf(kind).name == name) return kind;
  }
  return std::nullopt;
}

const char* ApiVersionOf(Kind kind) { return RowOf(kind).api_version; }

bool HasStatusSubresource(Kind kind) { return RowOf(kind).has_status; }

bool IsNamespaced(Kind kind) { return RowOf(kind).namespaced; }

bool IsCustom(Kind kind) { return RowOf(kind).api_version == kCustom; }

bool ShapesPods(Kind kind) { return RowOf(kind).shapes_pods; }

const Descriptor* DescriptorOf(Kind kind) { return RowOf(kind).descriptor(); }

std::unique_ptr<Message> NewMessage(Kind kind) {
  return std::unique_ptr<Message>(RowOf(kind).prototype().New());
}

std::optional<Kind> KindOfMessage(const Message& message) {
  static const std::array<const Descriptor*, kAllKinds.size()> descriptors = [] {
    std::array<const Descriptor*, kAllKinds.size()> all;
    for (Kind kind : kAllKinds) all[static_cast<size_t>(kind)] = DescriptorOf(kind);
    return all;
  }();
  const Descriptor* const wanted = message.GetDescriptor();
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i] == wanted) return kAllKinds[i];
  }
  return std::nullopt;
}

const ObjectMeta& MetaOf(const Message& object) { return RowOf(object).meta(object); }

ObjectMeta* MutableMetaOf(Message* object) { return RowOf(*object).mutable_meta(object); }

Key KeyOf(const Message& object) {
  const std::optional<Kind> kind = KindOfMessage(object);
  STOPGAP_CHECK(kind.has_value(), object.GetTypeName());
  const ObjectMeta& meta = MetaOf(object);
  return Key{*kind, meta.namespace_(), meta.name()};
}

const char* ShortKindName(Kind kind) { return RowOf(kind).short_name; }

std::string ShortName(const Key& key) {
  return absl::StrCat(ShortKindName(key.kind), "/", key.name);
}

}  // namespace lifecycle::api
