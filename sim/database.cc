#include "sim/database.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lifecycle/api/check.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/plan_content.h"

namespace sim {

namespace api = lifecycle::api;

namespace {

constexpr int64_t kHistoryContractVersion = 1;

// A fingerprint of what is recorded, dirty rows included: the premise a plan names.
std::string HistoryFingerprint(const Database& database) {
  api::Encoder encoder;
  encoder.Text("ptah-history-v1");
  for (const Database::File& file : database.files) {
    if (!file.recorded && !file.dirty) continue;
    encoder.Text(file.version).Text(ChecksumOf(file)).Bool(file.dirty);
  }
  return encoder.Digest();
}

api::PlannedMigration PlannedOf(const Database::File& file) {
  api::PlannedMigration planned;
  planned.set_version(VersionNumber(file));
  planned.set_version_key(file.version);
  planned.set_description(absl::StrCat("migration ", file.version));
  planned.set_checksum(ChecksumOf(file));
  planned.set_transaction_mode(file.transactional ? "file" : "none");
  return planned;
}

// The statements of a declared state, by index: most add a column, and a long plan has some that
// policies are about.
constexpr int32_t kGrants = 3;
constexpr int32_t kDrops = 4;
constexpr int32_t kAudits = 5;

std::string StatementAt(int32_t at) {
  switch (at) {
    case kGrants:
      return "GRANT SELECT ON declared TO readers";
    case kDrops:
      return "ALTER TABLE declared DROP COLUMN old";
    case kAudits:
      return "ALTER TABLE audit ADD COLUMN seen integer";
    default:
      return absl::StrCat("ALTER TABLE declared ADD COLUMN c", at + 1, " integer");
  }
}

}  // namespace

std::string ArtifactDigestOf(absl::string_view reference) {
  const size_t at = reference.rfind("@sha256:");
  if (at != absl::string_view::npos && api::IsDigest(reference.substr(at + 1))) {
    return std::string(reference.substr(at + 1));
  }
  return api::DigestOf(absl::StrCat("artifact:", reference));
}

SchemaPlan PlanToDeclared(const Database& database, absl::string_view engine) {
  SchemaPlan plan;
  plan.dialect = api::DialectOfEngine(engine);
  plan.statement_count = database.statements - database.in_force;
  if (plan.statement_count == 0) return plan;
  api::PlanContent content;
  content.dialect = plan.dialect;
  for (int32_t at = database.in_force; at < database.statements; ++at) {
    content.statements.push_back(StatementAt(at));
    if (at == kGrants) content.privilege_changes = {"grant"};
    if (at == kDrops) content.destructive = true;
  }
  plan.destructive = content.destructive;
  plan.privilege_changes = content.privilege_changes;
  plan.bytes = api::RenderPlanContent(content);
  plan.content_digest = api::DigestOf(plan.bytes);
  return plan;
}

bool IsDeclared(const Database& database) { return database.in_force == database.statements; }

std::string DriftReportDigest(const Database& database) {
  return api::Encoder()
      .Text("ptah-drift-v1")
      .Text(database.identity_digest)
      .Int(database.statements)
      .Int(database.in_force)
      .Digest();
}

int64_t VersionNumber(const Database::File& file) {
  int64_t version = 0;
  STOPGAP_CHECK(absl::SimpleAtoi(file.version, &version), "a migration's version is a number");
  return version;
}

std::string ChecksumOf(const Database::File& file) {
  return api::Encoder()
      .Text("ptah-migration-v1")
      .Text(file.version)
      .Int(file.statements)
      .Bool(file.transactional)
      .Digest();
}

std::vector<int32_t> PendingFiles(const Database& database) {
  std::vector<int32_t> pending;
  for (size_t at = 0; at < database.files.size(); ++at) {
    if (!database.files[at].recorded) pending.push_back(static_cast<int32_t>(at));
  }
  return pending;
}

std::string PendingSequence(const Database& database) {
  std::string sequence;
  for (const int32_t at : PendingFiles(database)) {
    const Database::File& file = database.files[at];
    absl::StrAppend(&sequence, sequence.empty() ? "" : ",", VersionNumber(file), ":",
                    ChecksumOf(file));
  }
  return sequence;
}

api::MigrationHistoryReport ReadHistory(const Database& database) {
  api::MigrationHistoryReport report;
  report.set_contract_version(kHistoryContractVersion);
  report.set_fingerprint(HistoryFingerprint(database));
  report.set_dirty(IsDirty(database));
  for (const Database::File& file : database.files) {
    report.set_artifact_version(std::max(report.artifact_version(), VersionNumber(file)));
    if (!file.recorded) continue;
    report.set_applied_count(report.applied_count() + 1);
    report.set_current_version(std::max(report.current_version(), VersionNumber(file)));
  }
  for (const int32_t at : PendingFiles(database)) {
    const Database::File& file = database.files[at];
    *report.add_pending() = PlannedOf(file);
    if (VersionNumber(file) < report.current_version()) {
      report.add_out_of_order_versions(VersionNumber(file));
    }
  }
  return report;
}

bool IsDirty(const Database& database) {
  return std::any_of(database.files.begin(), database.files.end(),
                     [](const Database::File& file) { return file.dirty; });
}

Reading ReadingOf(const Database& database) {
  Reading reading;
  // Families may share a database: it is nobody's declared one where no schema declares anything.
  reading.declared = (database.files.empty() || database.statements > 0) && IsDeclared(database);
  for (const Database::File& file : database.files) {
    if (file.recorded) reading.recorded.push_back(file.version);
  }
  reading.dirty = IsDirty(database);
  return reading;
}

}  // namespace sim
