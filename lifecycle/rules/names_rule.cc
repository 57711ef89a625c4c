#include "lifecycle/rules/names_rule.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/identity.h"
#include "lifecycle/rules/fingerprint.h"

namespace lifecycle::rules {
namespace {

constexpr size_t kDnsLabelMax = 63;
constexpr size_t kLabelValueMax = 63;
constexpr size_t kTypeMax = 16;
constexpr size_t kJobHashHex = 16;
constexpr size_t kPlanHashHex = 24;
constexpr size_t kTokenHex = 32;

// Lower case with everything that is not a letter or digit as '-', at most `max` long, no '-' at
// either end: a piece of a DNS label.
std::string LabelPiece(absl::string_view text, size_t max) {
  std::string piece;
  for (const char c : text) {
    if (piece.size() == max) break;
    const char lower = absl::ascii_tolower(c);
    const bool kept = absl::ascii_islower(lower) || absl::ascii_isdigit(lower);
    if (!kept && piece.empty()) continue;
    piece += kept ? lower : '-';
  }
  while (!piece.empty() && piece.back() == '-') piece.pop_back();
  return piece;
}

std::string JobHash(const JobNameInputs& inputs) {
  std::string joined;
  for (const absl::string_view part :
       {inputs.resource_uid, inputs.operation_type, inputs.operation_id, inputs.epoch,
        inputs.input_fingerprint}) {
    STOPGAP_CHECK(part.find('\0') == absl::string_view::npos, "a name's input holds a NUL");
    absl::StrAppend(&joined, part, absl::string_view("\0", 1));
  }
  absl::StrAppend(&joined, inputs.attempt);
  return api::HexLower(api::Sha256(joined).substr(0, kJobHashHex / 2));
}

// The hex digits of a digest.
absl::string_view HexOf(absl::string_view digest) {
  STOPGAP_CHECK(api::IsDigest(digest), digest);
  return absl::StripPrefix(digest, "sha256:");
}

}  // namespace

std::string NameFor(const JobNameInputs& inputs) {
  std::string name = "ptah";
  const std::string type = LabelPiece(inputs.operation_type, kTypeMax);
  if (!type.empty()) absl::StrAppend(&name, "-", type);
  const std::string resource =
      LabelPiece(inputs.resource_name, kDnsLabelMax - name.size() - kJobHashHex - 2);
  if (!resource.empty()) absl::StrAppend(&name, "-", resource);
  absl::StrAppend(&name, "-", JobHash(inputs));
  return name;
}

std::string OperationId(absl::string_view input_fingerprint, absl::string_view nonce) {
  STOPGAP_CHECK(nonce.size() == 16, "a nonce is 16 bytes");
  return api::OperationId(input_fingerprint, nonce);
}

std::string OperationLabel(absl::string_view operation_type) {
  return LabelPiece(operation_type, kLabelValueMax);
}

std::string ShortOperationHash(absl::string_view operation_id) {
  if (api::IsDigest(operation_id)) return std::string(HexOf(operation_id).substr(0, kJobHashHex));
  return api::Sha256Hex(operation_id).substr(0, kJobHashHex);
}

std::string LabelValue(absl::string_view resource_name) {
  absl::string_view value = resource_name.substr(0, kLabelValueMax);
  while (!value.empty() && !absl::ascii_isalnum(value.back())) value.remove_suffix(1);
  return std::string(value);
}

std::string CoordinationDigest(const RealmIdentity& realm) {
  const absl::string_view engine = CanonicalEngine(realm.engine);
  if (!realm.realm_name.empty()) {
    return Fingerprint("realm").Text(engine).Text(realm.realm_name).Digest();
  }
  return Fingerprint("realm key")
      .Text(engine)
      .Text(realm.namespace_)
      .Text(realm.coordination_key)
      .Digest();
}

absl::string_view CanonicalEngine(absl::string_view engine) {
  if (engine == "postgres" || engine == "postgresql" || engine == "pgx") return "postgresql";
  if (engine == "mysql" || engine == "mariadb") return "mysql";
  return engine;
}

bool IsSupportedEngine(absl::string_view engine) {
  const absl::string_view canonical = CanonicalEngine(engine);
  return canonical == "postgresql" || canonical == "mysql";
}

std::string LeaseName(absl::string_view coordination_digest) {
  return absl::StrCat("ptah-t-", api::Base32Lower(api::DigestBytes(coordination_digest)));
}

std::string HolderIdentity(absl::string_view resource_uid, absl::string_view operation_id) {
  return api::HolderIdentity(resource_uid, operation_id);
}

std::string ExpectedLeaseToken(absl::string_view operation_id) {
  return absl::StrCat("v1-", HexOf(operation_id).substr(0, kTokenHex));
}

std::string EpochFromRandom(absl::string_view sixteen_bytes) { return api::EpochOf(sixteen_bytes); }

std::string PlanName(absl::string_view fingerprint) {
  return absl::StrCat("ptah-plan-", HexOf(fingerprint).substr(0, kPlanHashHex));
}

std::string MigrationPlanName(absl::string_view fingerprint) {
  return absl::StrCat("ptah-migration-plan-", HexOf(fingerprint).substr(0, kPlanHashHex));
}

std::string ChunkName(absl::string_view plan_name, int64_t index) {
  STOPGAP_CHECK(index >= 0 && index <= 999, "a chunk's index has three digits");
  return absl::StrCat(plan_name, "-", absl::Dec(index, absl::kZeroPad3));
}

}  // namespace lifecycle::rules
