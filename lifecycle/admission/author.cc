#include "lifecycle/admission/author.h"

#include <memory>
#include <utility>

#include "lifecycle/admission/reading.h"
#include "lifecycle/api/patch.h"

namespace lifecycle::admission {
namespace {

// The stamp; empty when there is none. No user has an empty name.
std::string AuthorOf(const api::PtahMigration& migration) {
  const auto& annotations = migration.metadata().annotations();
  const auto found = annotations.find(kSpecAuthor);
  return found == annotations.end() ? "" : found->second;
}

// What the stamp has to be once the request is stored.
std::string AuthorAfter(const api::AdmissionRequest& request) {
  const auto& after = As<api::PtahMigration>(request.after);
  const auto* before =
      request.before == nullptr ? nullptr : &As<api::PtahMigration>(request.before);
  const bool written = before == nullptr || !api::Equal(before->spec(), after.spec());
  if (written && after.spec().policy().require_distinct_approver()) return request.sender;
  return before == nullptr ? "" : AuthorOf(*before);
}

}  // namespace

api::AdmissionAnswer StampAuthor(const api::AdmissionRequest& request) {
  const auto& after = As<api::PtahMigration>(request.after);
  const std::string author = AuthorAfter(request);
  if (AuthorOf(after) == author) return {};
  auto stamped = std::make_shared<api::PtahMigration>(after);
  auto& annotations = *stamped->mutable_metadata()->mutable_annotations();
  if (author.empty()) {
    annotations.erase(kSpecAuthor);
  } else {
    annotations[kSpecAuthor] = author;
  }
  return {absl::OkStatus(), std::move(stamped)};
}

absl::Status FenceDistinctApprover(const api::PtahMigration& migration,
                                   const std::string& approver) {
  if (!migration.spec().policy().require_distinct_approver()) return absl::OkStatus();
  const std::string author = AuthorOf(migration);
  if (author.empty()) return Refused("a distinct approver is required, and no author is known");
  if (author == approver) return Refused("a distinct approver is required");
  return absl::OkStatus();
}

}  // namespace lifecycle::admission
