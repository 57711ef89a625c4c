// The modelled databases: a schema's declared state, a migration's files with their revision table,
// and everything a runner can say about them.
//
// What an executor reports is a function of the database and of what it was told, so that a
// scenario can lay down a published plan that is byte for byte the one the executor's Plan would
// have produced: PlanToDeclared and ReadHistory are what both use.
//
// Answers: spec 01, 11 (what a frame says); spec 02, U-4.

#ifndef SIM_DATABASE_H_
#define SIM_DATABASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lifecycle/api/frame.pb.h"
#include "sim/truth.h"

namespace sim {

// What an executor finds when it resolves a reference: the digest it pins, or one made of the
// reference, so that a tag means one artifact for as long as a world lasts.
std::string ArtifactDigestOf(absl::string_view reference);

// ---- Schema ----

// The plan that takes a database to the declared state, as the executor's Plan prints it.
struct SchemaPlan {
  std::string bytes;           // lifecycle/api/plan_content.h.
  std::string content_digest;  // Of `bytes`.
  std::string dialect;
  bool destructive = false;
  std::vector<std::string> privilege_changes;
  int64_t statement_count = 0;  // 0: nothing to change, and `bytes` is empty.
};
SchemaPlan PlanToDeclared(const Database& database, absl::string_view engine);

// True when the database is the declared one.
bool IsDeclared(const Database& database);
// The digest of what an Observe finds different; equal states give equal digests.
std::string DriftReportDigest(const Database& database);

// ---- Migration ----

// The numeric version of a file. Aborts when it is not a number.
int64_t VersionNumber(const Database::File& file);
// A file's checksum: a function of what it holds.
std::string ChecksumOf(const Database::File& file);
// The indexes of the files that are not recorded as applied, in order.
std::vector<int32_t> PendingFiles(const Database& database);
// What `ptah migrations up` would select now, as it is told to expect it: "version:checksum",
// joined by commas (runner_contract.h).
std::string PendingSequence(const Database& database);
// A reading of the revision table beside the artifact.
lifecycle::api::MigrationHistoryReport ReadHistory(const Database& database);
// True when a revision row is dirty.
bool IsDirty(const Database& database);

// What a read-only Job knows once it has read the database.
Reading ReadingOf(const Database& database);

}  // namespace sim

#endif  // SIM_DATABASE_H_
