#include "lifecycle/rules/job_claim.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/operation.pb.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/rules/names_rule.h"
#include "lifecycle/rules/pod_template_bytes.h"

namespace lifecycle::rules {
namespace {

using Texts = google::protobuf::Map<std::string, std::string>;
namespace annotation = api::annotation;
namespace label = api::label;

constexpr size_t kPodMetadataMax = 16;
constexpr size_t kVersionMax = 128;

// Label and annotation domains that podMetadata may not declare, with everything under them.
constexpr absl::string_view kReservedDomains[] = {"ptah.run", "kubernetes.io", "k8s.io"};

const char* OwnerKind(Family family) {
  return api::KindName(family == Family::kSchema ? api::Kind::kPtahSchema
                                                 : api::Kind::kPtahMigration);
}

// Returns the value, or nullptr.
const std::string* Find(const Texts& texts, absl::string_view key) {
  const auto found = texts.find(std::string_view(key.data(), key.size()));
  return found == texts.end() ? nullptr : &found->second;
}

bool Holds(const Texts& texts, absl::string_view key, absl::string_view value) {
  const std::string* found = Find(texts, key);
  return found != nullptr && *found == value;
}

bool SameTexts(const Texts& a, const Texts& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a) {
    if (!Holds(b, key, value)) return false;
  }
  return true;
}

// `live` less the labels a server generates is exactly `expected`.
bool SameLabels(const Texts& live, const Texts& expected) {
  size_t own = 0;
  for (const auto& [key, value] : live) {
    if (IsGeneratedLabel(key)) continue;
    if (!Holds(expected, key, value)) return false;
    ++own;
  }
  return own == expected.size();
}

bool IsReserved(absl::string_view key) {
  if (IsGeneratedLabel(key)) return true;
  const absl::string_view domain = key.substr(0, key.find('/'));
  if (domain.size() == key.size()) return false;
  for (const absl::string_view reserved : kReservedDomains) {
    if (domain == reserved || absl::EndsWith(domain, absl::StrCat(".", reserved))) return true;
  }
  return false;
}

bool OwnedBy(Family family, absl::string_view name, absl::string_view uid, const api::Job& job) {
  if (job.metadata().owner_references_size() != 1) return false;
  const api::OwnerReference& owner = job.metadata().owner_references(0);
  return owner.api_version() == api::kGroupVersion && owner.kind() == OwnerKind(family) &&
         owner.name() == name && owner.uid() == uid && owner.controller() &&
         owner.block_owner_deletion();
}

// A generated entry names the Job's own UID or name, whichever its key says.
bool BoundToJob(const api::Job& job, absl::string_view key, absl::string_view value) {
  const bool by_name = key == label::kJobName || key == label::kLegacyJobName;
  return value == (by_name ? job.metadata().name() : job.metadata().uid());
}

bool GeneratedIdentityHolds(const api::Job& job) {
  if (job.spec().has_selector()) {
    const Texts& selector = job.spec().selector().match_labels();
    if (selector.empty()) return false;  // Selects every Pod of the namespace.
    for (const auto& [key, value] : selector) {
      if (!IsGeneratedLabel(key) || !BoundToJob(job, key, value)) return false;
    }
  }
  for (const auto& [key, value] : job.spec().template_().metadata().labels()) {
    if (IsGeneratedLabel(key) && !BoundToJob(job, key, value)) return false;
  }
  return true;
}

bool IsCanonicalPositive(const std::string& text) {
  int64_t value = 0;
  return absl::SimpleAtoi(text, &value) && value > 0 && absl::StrCat(value) == text;
}

bool IsShortText(const std::string& text) {
  return !text.empty() && text.size() <= kVersionMax &&
         absl::StripAsciiWhitespace(text).size() == text.size();
}

// One call of Match. The checks run in the order of the table, and the first to fail is kept.
class Matcher {
 public:
  explicit Matcher(const MatchInputs& inputs)
      : claim_(inputs.claim),
        job_(inputs.job),
        meta_(inputs.job.metadata()),
        mode_(inputs.mode),
        built_(inputs.built),
        binding_(inputs.binding),
        mutating_(OperationOf(claim_.family, claim_.operation_type).mutating),
        schema_apply_(mutating_ && claim_.family == Family::kSchema) {}

  std::optional<Mismatch> Run() {
    const bool matches = ClaimJudges() && Identity() &&
                         (mode_ == MatchMode::kEnvelope ? Envelope() : Built()) && Template();
    if (matches) return std::nullopt;
    return Mismatch{check_, why_};
  }

 private:
  // Notes the failure; false, so that the checks after it are not run.
  bool Fail(int check, const char* why) {
    check_ = check;
    why_ = why;
    return false;
  }
  bool Require(bool holds, int check, const char* why) { return holds || Fail(check, why); }

  // 7.1
  bool ClaimJudges() {
    const bool named =
        !claim_.owner_namespace.empty() && !claim_.owner_name.empty() && !claim_.owner_uid.empty();
    return Require(named, 0, "the claim's owner is not named") &&
           Require(!claim_.operation_type.empty() && !claim_.operation_id.empty() &&
                       !claim_.job_name.empty(),
                   0, "the claim has no operation, id or Job name") &&
           Require(api::IsEpoch(claim_.epoch), 0, "the claim's epoch is malformed") &&
           Require(claim_.snapshot != nullptr && ValidateSnapshot(*claim_.snapshot).ok(), 0,
                   "the claim has no valid admission snapshot");
  }

  // 1 to 7
  bool Identity() {
    return Require(!meta_.uid().empty(), 1, "the Job has no UID") &&
           Require(meta_.namespace_() == claim_.owner_namespace && meta_.name() == claim_.job_name,
                   2, "the Job stands under another name") &&
           Require(claim_.recorded_uid.empty() || meta_.uid() == claim_.recorded_uid, 3,
                   "the Job has another UID than the recorded one") &&
           Require(OwnedBy(claim_.family, claim_.owner_name, claim_.owner_uid, job_), 4,
                   "the Job is not owned by exactly this resource") &&
           Require(binding_ == nullptr || binding_->epoch() == claim_.epoch, 5,
                   "the claim's epoch is not the one in force") &&
           Require(Annotated(annotation::kExecutionBindingId, claim_.epoch), 6,
                   "the Job was made under another epoch") &&
           Require(GeneratedIdentityHolds(job_), 7,
                   "the generated selector or labels are not bound to this Job");
  }

  // 8 to 10
  bool Built() {
    STOPGAP_CHECK(built_ != nullptr, "built mode needs the rebuilt Job");
    return Require(SameTexts(meta_.labels(), built_->metadata().labels()) &&
                       SameTexts(meta_.annotations(), built_->metadata().annotations()),
                   8, "labels or annotations are not the built ones") &&
           Require(mode_ == MatchMode::kBuiltStored || SameOtherMetadata(), 9,
                   "metadata is not the built one") &&
           Require(SameSpec(), 10, "the spec is not the built one");
  }

  // Server-assigned fields, and what the other checks hold, are left out.
  bool SameOtherMetadata() const {
    using Meta = api::ObjectMeta;
    return api::EqualApartFrom(meta_, built_->metadata(),
                               {Meta::kUidFieldNumber, Meta::kResourceVersionFieldNumber,
                                Meta::kGenerationFieldNumber, Meta::kCreationTimestampMsFieldNumber,
                                Meta::kLabelsFieldNumber, Meta::kAnnotationsFieldNumber});
  }

  bool SameSpec() {
    using Spec = api::JobSpec;
    const api::JobSpec& live = job_.spec();
    const api::JobSpec& built = built_->spec();
    return job_.has_spec() == built_->has_spec() && SameTtl(live, built) &&
           live.has_template_() == built.has_template_() &&
           api::EqualApartFrom(live, built,
                               {Spec::kTtlSecondsAfterFinishedFieldNumber,
                                Spec::kSelectorFieldNumber, Spec::kTemplateFieldNumber}) &&
           SameTemplate();
  }

  // The one field the manager may add to a stored Job.
  bool SameTtl(const api::JobSpec& live, const api::JobSpec& built) const {
    if (live.has_ttl_seconds_after_finished() == built.has_ttl_seconds_after_finished()) {
      return live.ttl_seconds_after_finished() == built.ttl_seconds_after_finished();
    }
    return mode_ == MatchMode::kBuiltStored && !built.has_ttl_seconds_after_finished() &&
           live.ttl_seconds_after_finished() == kCleanupTtlSeconds;
  }

  // Equal bytes are an equal template, apart from what the server and the snapshot add.
  bool SameTemplate() {
    const api::PodTemplateSpec& built = built_->spec().template_();
    return SameTexts(job_.spec().template_().metadata().annotations(),
                     built.metadata().annotations()) &&
           TemplateBytes() == PodTemplateBytes(built, StartedAtMs());
  }

  // 8 to 16
  bool Envelope() {
    return Require(FixedLabels() && FixedAnnotations(), 8,
                   "labels or annotations are not those the claim fixes") &&
           Require(ManagerRecordWellFormed(), 11, "the manager record is malformed") &&
           Require(VersionsInForce(), 12, "the versions are not those in force") &&
           Require(InputFingerprintHolds(), 13, "the input fingerprint is another") &&
           Require(!schema_apply_ || PlanHolds(), 14, "the plan is another") &&
           Require(!mutating_ || Annotated(annotation::kSafeToEvict, "false"), 15,
                   "a mark of mutating Jobs is missing") &&
           Require(TemplateCarriesTheSame(), 16,
                   "the Pod template does not carry the Job's labels and annotations");
  }

  // Every fixed label has its value, and the rest are what podMetadata may declare.
  bool FixedLabels() const {
    const bool schema = claim_.family == Family::kSchema;
    const Texts& labels = meta_.labels();
    if (!Holds(labels, label::kManagedBy, label::kManagedByValue) ||
        !Holds(labels, label::kComponent,
               schema ? label::kSchemaOperation : label::kMigrationOperation) ||
        !Holds(labels, schema ? label::kSchema : label::kMigration,
               LabelValue(claim_.owner_name)) ||
        !Holds(labels, label::kOperation, OperationLabel(claim_.operation_type)) ||
        !Holds(labels, label::kOperationHash, ShortOperationHash(claim_.operation_id))) {
      return false;
    }
    return OnlyDeclarable(labels, [schema](absl::string_view key) {
      return key == label::kManagedBy || key == label::kComponent || key == label::kOperation ||
             key == label::kOperationHash || key == (schema ? label::kSchema : label::kMigration);
    });
  }

  bool FixedAnnotations() const {
    if (!Annotated(annotation::kOperationId, claim_.operation_id) ||
        !Annotated(annotation::kAdmissionSnapshotDigest, claim_.snapshot->digest())) {
      return false;
    }
    return OnlyDeclarable(meta_.annotations(), [this](absl::string_view key) {
      if (key == annotation::kPlanFingerprint || key == annotation::kPlanContentDigest) {
        return schema_apply_;
      }
      if (key == annotation::kSafeToEvict) return mutating_;
      return key == annotation::kOperationId || key == annotation::kInputFingerprint ||
             key == annotation::kPtahVersion || key == annotation::kExecutionBindingId ||
             key == annotation::kControllerImage || key == annotation::kControllerRevision ||
             key == annotation::kControllerStateVersion ||
             key == annotation::kAdmissionSnapshotDigest;
    });
  }

  template <class IsFixed>
  static bool OnlyDeclarable(const Texts& texts, IsFixed is_fixed) {
    size_t declared = 0;
    for (const auto& [key, value] : texts) {
      if (is_fixed(key)) continue;
      if (IsReserved(key) || ++declared > kPodMetadataMax) return false;
    }
    return true;
  }

  bool ManagerRecordWellFormed() const {
    const std::string* image = Annotation(annotation::kControllerImage);
    const std::string* revision = Annotation(annotation::kControllerRevision);
    const std::string* state = Annotation(annotation::kControllerStateVersion);
    const std::string* ptah = Annotation(annotation::kPtahVersion);
    return image && api::IsPinnedImage(*image) && revision && IsShortText(*revision) && state &&
           IsCanonicalPositive(*state) && ptah && IsShortText(*ptah);
  }

  bool VersionsInForce() const {
    return binding_ == nullptr ||
           VersionsAre(binding_->controller_state_version(), binding_->ptah_version());
  }

  bool VersionsAre(int64_t state_version, absl::string_view ptah_version) const {
    return Annotated(annotation::kControllerStateVersion, absl::StrCat(state_version)) &&
           Annotated(annotation::kPtahVersion, ptah_version);
  }

  bool InputFingerprintHolds() const {
    const std::string* found = Annotation(annotation::kInputFingerprint);
    if (found == nullptr) return false;
    return claim_.input_fingerprint.empty() ? api::IsDigest(*found)
                                            : *found == claim_.input_fingerprint;
  }

  bool PlanHolds() const {
    const PlanIdentity* plan = claim_.plan;
    return plan != nullptr && !plan->name.empty() && !plan->uid.empty() &&
           api::IsDigest(plan->fingerprint) && api::IsDigest(plan->content_digest) &&
           plan->epoch == claim_.epoch &&
           VersionsAre(plan->controller_state_version, plan->ptah_version) &&
           Annotated(annotation::kPlanFingerprint, plan->fingerprint) &&
           Annotated(annotation::kPlanContentDigest, plan->content_digest);
  }

  bool TemplateCarriesTheSame() const {
    const api::PodTemplateMeta& pod = job_.spec().template_().metadata();
    return SameTexts(pod.annotations(), meta_.annotations()) &&
           SameLabels(pod.labels(), meta_.labels());
  }

  // 17
  bool Template() {
    return Require(api::DigestOf(TemplateBytes()) == claim_.snapshot->template_digest(), 17,
                   "the Pod template is not the one the admission snapshot recorded");
  }

  // The live template, written once.
  const std::string& TemplateBytes() {
    if (template_bytes_.empty()) {
      template_bytes_ = PodTemplateBytes(job_.spec().template_(), StartedAtMs());
    }
    return template_bytes_;
  }
  int64_t StartedAtMs() const {
    return claim_.started_at_ms ? *claim_.started_at_ms : StartedAtOf(job_.spec().template_());
  }

  const std::string* Annotation(absl::string_view key) const {
    return Find(meta_.annotations(), key);
  }
  bool Annotated(absl::string_view key, absl::string_view value) const {
    return Holds(meta_.annotations(), key, value);
  }

  const ClaimIdentity& claim_;
  const api::Job& job_;
  const api::ObjectMeta& meta_;
  const MatchMode mode_;
  const api::Job* const built_;
  const api::ExecutionBinding* const binding_;
  const bool mutating_;
  const bool schema_apply_;
  std::string template_bytes_;
  int check_ = 0;
  const char* why_ = "";
};

}  // namespace

std::optional<Mismatch> Match(const MatchInputs& inputs) { return Matcher(inputs).Run(); }

bool OwnedExactly(Family family, const api::ObjectMeta& resource, const api::Job& job) {
  return OwnedBy(family, resource.name(), resource.uid(), job);
}

}  // namespace lifecycle::rules
