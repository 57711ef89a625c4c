// The kinds of API object, and what is known of each without knowing its fields.
//
// A Kind is what a stored object is filed under, beside its namespace and name. Everything that
// does not care which kind it holds (the store, the door, the reports) works through the functions
// here.
//
// Answers: spec 01, sections 1 to 10.

#ifndef LIFECYCLE_API_KIND_H_
#define LIFECYCLE_API_KIND_H_

#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

namespace lifecycle::api {

class ConfigMap;
class Job;
class Lease;
class LimitRange;
class ObjectMeta;
class Pod;
class PriorityClass;
class PtahMigration;
class PtahMigrationApproval;
class PtahMigrationPlan;
class PtahMigrationRunAcknowledgment;
class PtahRealm;
class PtahSchema;
class PtahSchemaApproval;
class PtahSchemaPlan;
class PtahSchemaPlanChunk;
class RuntimeClass;
class ServiceAccount;

enum class Kind {
  kPtahSchema,
  kPtahMigration,
  kPtahSchemaPlan,
  kPtahSchemaPlanChunk,
  kPtahMigrationPlan,
  kPtahSchemaApproval,
  kPtahMigrationApproval,
  kPtahRealm,
  kPtahMigrationRunAcknowledgment,
  kConfigMap,
  kLease,
  kJob,
  kPod,
  kServiceAccount,
  kLimitRange,
  kRuntimeClass,
  kPriorityClass,
};

inline constexpr std::array<Kind, 17> kAllKinds = {Kind::kPtahSchema,
                                                   Kind::kPtahMigration,
                                                   Kind::kPtahSchemaPlan,
                                                   Kind::kPtahSchemaPlanChunk,
                                                   Kind::kPtahMigrationPlan,
                                                   Kind::kPtahSchemaApproval,
                                                   Kind::kPtahMigrationApproval,
                                                   Kind::kPtahRealm,
                                                   Kind::kPtahMigrationRunAcknowledgment,
                                                   Kind::kConfigMap,
                                                   Kind::kLease,
                                                   Kind::kJob,
                                                   Kind::kPod,
                                                   Kind::kServiceAccount,
                                                   Kind::kLimitRange,
                                                   Kind::kRuntimeClass,
                                                   Kind::kPriorityClass};

// Returns the kind as Kubernetes spells it, such as "PtahSchema".
const char* KindName(Kind kind);
// Inverse of KindName; nullopt for any other text.
std::optional<Kind> KindByName(absl::string_view name);
// Returns the group and version, such as "operator.ptah.run/v1alpha1" or "v1".
const char* ApiVersionOf(Kind kind);
// True when the kind's status is a resource of its own; for the others the server knows no /status.
bool HasStatusSubresource(Kind kind);
// False for PtahRealm and for the cluster's classes: their objects have no namespace.
bool IsNamespaced(Kind kind);
// True for the kinds of the group operator.ptah.run, false for Kubernetes' own.
bool IsCustom(Kind kind);
// True for what shapes a Pod at its admission, and what an admission snapshot binds therefore, by
// UID and version (spec 01, 12.1).
bool ShapesPods(Kind kind);

const google::protobuf::Descriptor* DescriptorOf(Kind kind);
// Returns an empty object of the kind.
std::unique_ptr<google::protobuf::Message> NewMessage(Kind kind);
// Returns the kind of an object, or nullopt for a message that is no object.
std::optional<Kind> KindOfMessage(const google::protobuf::Message& message);

// The object's metadata. `object` is of one of the kinds above; anything else aborts.
const ObjectMeta& MetaOf(const google::protobuf::Message& object);
ObjectMeta* MutableMetaOf(google::protobuf::Message* object);

// Where an object is stored. `namespace_` is empty for a cluster-scoped kind.
struct Key {
  Kind kind = Kind::kPtahSchema;
  std::string namespace_;
  std::string name;
  friend bool operator==(const Key&, const Key&) = default;
  friend std::strong_ordering operator<=>(const Key& a, const Key& b) {
    if (a.kind != b.kind) return a.kind <=> b.kind;
    if (const int c = a.namespace_.compare(b.namespace_); c != 0) return c <=> 0;
    return a.name.compare(b.name) <=> 0;
  }
};

// Returns the key `object` is stored under, read from its metadata.
Key KeyOf(const google::protobuf::Message& object);

// Returns a short label for people, such as "schema/a" or "job/x". The namespace is left out, since
// a scenario hardly ever has two; a report that needs it has the Key.
std::string ShortName(const Key& key);
// Returns the label's first half, such as "schema".
const char* ShortKindName(Kind kind);

namespace internal {
template <class T>
struct KindTrait;
#define STOPGAP_KIND(T)                       \
  template <>                                 \
  struct KindTrait<T> {                       \
    static constexpr Kind kKind = Kind::k##T; \
  }
STOPGAP_KIND(PtahSchema);
STOPGAP_KIND(PtahMigration);
STOPGAP_KIND(PtahSchemaPlan);
STOPGAP_KIND(PtahSchemaPlanChunk);
STOPGAP_KIND(PtahMigrationPlan);
STOPGAP_KIND(PtahSchemaApproval);
STOPGAP_KIND(PtahMigrationApproval);
STOPGAP_KIND(PtahRealm);
STOPGAP_KIND(PtahMigrationRunAcknowledgment);
STOPGAP_KIND(ConfigMap);
STOPGAP_KIND(Lease);
STOPGAP_KIND(Job);
STOPGAP_KIND(Pod);
STOPGAP_KIND(ServiceAccount);
STOPGAP_KIND(LimitRange);
STOPGAP_KIND(RuntimeClass);
STOPGAP_KIND(PriorityClass);
#undef STOPGAP_KIND
}  // namespace internal

// Returns the kind of a message type, at compile time.
template <class T>
constexpr Kind KindOf() {
  return internal::KindTrait<T>::kKind;
}

}  // namespace lifecycle::api

#endif  // LIFECYCLE_API_KIND_H_
