// What the specification says of the objects as a whole, read off their descriptors.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/fields.h"
#include "lifecycle/api/frame.pb.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/meta.pb.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/api/realm.pb.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/api/time_fields.h"

namespace lifecycle::api {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

void AddReachable(const Descriptor* descriptor, std::map<std::string, const Descriptor*>* found) {
  if (!found->emplace(descriptor->full_name(), descriptor).second) return;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const Descriptor* type = descriptor->field(i)->message_type();
    if (type != nullptr && !descriptor->field(i)->is_map()) AddReachable(type, found);
  }
}

// Every message type, by name.
std::map<std::string, const Descriptor*> AllTypes() {
  std::map<std::string, const Descriptor*> found;
  for (Kind kind : kAllKinds) AddReachable(DescriptorOf(kind), &found);
  AddReachable(FramePayload::descriptor(), &found);
  AddReachable(TerminationSummary::descriptor(), &found);
  return found;
}

// Returns the field of a JSON path such as "status.activeOperation", or null.
const FieldDescriptor* Find(const Descriptor* descriptor, absl::string_view path) {
  const FieldDescriptor* found = nullptr;
  for (absl::string_view name : absl::StrSplit(path, '.')) {
    if (descriptor == nullptr) return nullptr;
    found = nullptr;
    for (const Field& field : FieldsOf(descriptor)) {
      if (field.descriptor->json_name() == name) found = field.descriptor;
    }
    if (found == nullptr) return nullptr;
    descriptor = found->message_type();
  }
  return found;
}

// The table of spec 01, 16.
TEST(ApiTypesTest, EachFamilyKeepsTheRecordsOfTheTable) {
  struct Row {
    const char* field;
    bool schema;
    bool migration;
  };
  const Row rows[] = {
      {"status.activeOperation", true, true},
      {"status.pendingLockRelease", true, true},
      {"status.pendingBindingRetirement", true, false},
      {"status.pendingObservation", true, false},
      {"status.unresolvedRun", false, true},
      {"status.resolvedRun", false, true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Find(PtahSchema::descriptor(), row.field) != nullptr, row.schema) << row.field;
    EXPECT_EQ(Find(PtahMigration::descriptor(), row.field) != nullptr, row.migration) << row.field;
  }
}

TEST(ApiTypesTest, EveryTimeHasARoleAndNothingElseHasOne) {
  for (const auto& [name, descriptor] : AllTypes()) {
    for (const Field& field : FieldsOf(descriptor)) {
      const std::string& full_name = field.descriptor->full_name();
      const bool is_time = absl::EndsWith(field.descriptor->name(), "_ms");
      EXPECT_EQ(field.role != TIME_ROLE_UNSPECIFIED, is_time) << full_name;
      EXPECT_EQ(field.since_cap_ms > 0, field.role == SINCE) << full_name;
      if (!is_time) continue;
      EXPECT_EQ(field.descriptor->type(), FieldDescriptor::TYPE_INT64) << full_name;
      EXPECT_FALSE(field.descriptor->has_presence() || field.descriptor->is_repeated())
          << full_name << ": 0 is absent";
      EXPECT_FALSE(absl::EndsWith(field.descriptor->json_name(), "Ms")) << full_name;
    }
  }
}

TEST(ApiTypesTest, LengthsOfTimeAreWholeSecondsUnderTheirPlainName) {
  for (const auto& [name, descriptor] : AllTypes()) {
    for (const Field& field : FieldsOf(descriptor)) {
      if (!field.is_duration) continue;
      EXPECT_TRUE(absl::EndsWith(field.descriptor->name(), "_seconds"));
      EXPECT_FALSE(absl::EndsWith(field.descriptor->json_name(), "Seconds"));
    }
  }
}

TEST(ApiTypesTest, NoTwoFieldsOfAMessageShareAJsonName) {
  for (const auto& [name, descriptor] : AllTypes()) {
    std::set<std::string> names;
    for (const Field& field : FieldsOf(descriptor)) {
      EXPECT_TRUE(names.insert(field.descriptor->json_name()).second)
          << field.descriptor->full_name();
    }
  }
}

// What the encoder, the differ and the JSON writer can carry.
TEST(ApiTypesTest, FieldsAreTextsNumbersFlagsMessagesListsAndMapsOfTexts) {
  for (const auto& [name, descriptor] : AllTypes()) {
    for (const Field& field : FieldsOf(descriptor)) {
      const FieldDescriptor* one = field.descriptor;
      if (field.shape == Shape::kMap) {
        EXPECT_EQ(one->message_type()->map_key()->type(), FieldDescriptor::TYPE_STRING);
        one = one->message_type()->map_value();
        EXPECT_EQ(one->cpp_type(), FieldDescriptor::CPPTYPE_STRING);
      }
      const std::set<FieldDescriptor::CppType> known = {
          FieldDescriptor::CPPTYPE_STRING, FieldDescriptor::CPPTYPE_BOOL,
          FieldDescriptor::CPPTYPE_INT32, FieldDescriptor::CPPTYPE_INT64,
          FieldDescriptor::CPPTYPE_MESSAGE};
      EXPECT_EQ(known.count(one->cpp_type()), 1u) << one->full_name();
      EXPECT_EQ(one->real_containing_oneof(), nullptr) << one->full_name();
    }
  }
}

TEST(ApiTypesTest, JsonNamesAreSpelledAsTheSpecificationSpellsThem) {
  const std::vector<std::pair<const Descriptor*, std::set<std::string>>> samples = {
      {PtahSchema::descriptor(),
       {"spec.target.coordinationKey",
        "spec.target.realmRef.name",
        "spec.target.urlFrom",
        "spec.desired.ociRef",
        "spec.desired.verificationPolicyFrom",
        "spec.policy.allowDestructive",
        "spec.execution.activeDeadlineSeconds",
        "spec.execution.failureRetryInterval",
        "status.activeOperation.jobUID",
        "status.activeOperation.executionBindingID",
        "status.activeOperation.verificationPolicyUID",
        "status.activeOperation.dispatchNotAfter",
        "status.activeOperation.planSealPublicKeyDigest",
        "status.source.verificationPolicyUID",
        "status.pendingObservation.applyJobUID",
        "status.pendingObservation.applyPodUIDs",
        "status.pendingObservation.applyOperationID",
        "status.pendingObservation.observeAfter",
        "status.pendingLockRelease.operationID",
        "status.pendingBindingRetirement.retiredEpoch",
        "status.plan.approval.approvedAt",
        "status.applied.planRef",
        "status.lastAttemptTime",
        "status.lastSuccessfulReconciliation",
        "status.nextReconciliationTime",
        "status.conditions.observedGeneration"}},
      {PtahMigration::descriptor(),
       {"status.activeOperation.planRef", "status.activeOperation.approvalRef",
        "status.activeOperation.retryNotBefore", "status.unresolvedRun.operationID",
        "status.unresolvedRun.jobUID", "status.resolvedRun.acknowledgmentRef",
        "status.lastRun.appliedVersions", "status.history.outOfOrderVersions",
        "spec.policy.requireDistinctApprover"}},
      {PtahSchemaPlan::descriptor(),
       {"spec.executionBindingID", "spec.contractVersion", "spec.chunks.digest",
        "status.publishedChunks.uid"}},
      {PtahMigrationPlan::descriptor(),
       {"spec.migrations.versionKey", "spec.historyFingerprint", "spec.createdAt"}},
      {PtahSchemaApproval::descriptor(), {"spec.mutationRequestUID", "spec.planFingerprint"}},
      {PtahMigrationRunAcknowledgment::descriptor(), {"spec.operationID", "spec.acknowledgedBy"}},
      {PtahRealm::descriptor(), {"spec.namespaces", "spec.sharing"}},
      {ConfigMap::descriptor(), {"binaryData", "immutable"}},
      {Lease::descriptor(), {"spec.holderIdentity", "spec.renewTime", "spec.leaseTransitions"}},
      {Job::descriptor(),
       {"spec.ttlSecondsAfterFinished", "spec.podReplacementPolicy", "spec.selector.matchLabels",
        "spec.template.metadata.annotations", "spec.template.spec.automountServiceAccountToken",
        "status.conditions.lastTransitionTime"}},
      {Pod::descriptor(),
       {"status.containerStatuses.state.terminated.exitCode",
        "status.containerStatuses.state.terminated.message"}},
      {FramePayload::descriptor(), {"operationId", "childExitCode", "migrationRun.outcome"}},
      {TerminationSummary::descriptor(), {"frameDigest", "migration.firstApplied"}},
  };
  for (const auto& [descriptor, paths] : samples) {
    for (const std::string& path : paths) {
      EXPECT_NE(Find(descriptor, path), nullptr) << descriptor->name() << " " << path;
    }
  }
}

TEST(KindTest, EveryKindKnowsItselfByTypeNameAndMessage) {
  std::set<std::string> short_names;
  for (Kind kind : kAllKinds) {
    EXPECT_EQ(KindByName(KindName(kind)), kind);
    EXPECT_EQ(DescriptorOf(kind)->name(), KindName(kind));
    EXPECT_EQ(KindOfMessage(*NewMessage(kind)), kind);
    EXPECT_TRUE(short_names.insert(ShortKindName(kind)).second) << KindName(kind);
    const bool has_status = Find(DescriptorOf(kind), "status") != nullptr;
    EXPECT_EQ(HasStatusSubresource(kind), has_status) << KindName(kind);
    EXPECT_EQ(DescriptorOf(kind)->field(0)->message_type(), ObjectMeta::descriptor());
  }
  EXPECT_EQ(KindOf<PtahSchema>(), Kind::kPtahSchema);
  EXPECT_EQ(KindOf<Pod>(), Kind::kPod);
  EXPECT_EQ(KindByName("Secret"), std::nullopt);
  EXPECT_EQ(KindOfMessage(ObjectMeta()), std::nullopt);
}

TEST(KindTest, MetadataAndKeysAreReadWithoutKnowingTheKind) {
  for (Kind kind : kAllKinds) {
    const std::unique_ptr<google::protobuf::Message> object = NewMessage(kind);
    MutableMetaOf(object.get())->set_name("a");
    MutableMetaOf(object.get())->set_namespace_("n");
    EXPECT_EQ(MetaOf(*object).name(), "a");
    EXPECT_EQ(KeyOf(*object), (Key{kind, "n", "a"}));
  }
  EXPECT_EQ(ShortName(Key{Kind::kPtahSchema, "n", "a"}), "schema/a");
  EXPECT_EQ(ShortName(Key{Kind::kJob, "n", "x"}), "job/x");
  EXPECT_LT((Key{Kind::kPtahSchema, "z", "z"}), (Key{Kind::kJob, "a", "a"}));
  EXPECT_LT((Key{Kind::kJob, "a", "z"}), (Key{Kind::kJob, "b", "a"}));
}

}  // namespace
}  // namespace lifecycle::api
