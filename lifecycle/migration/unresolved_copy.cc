#include "lifecycle/migration/unresolved_copy.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lifecycle/api/digest.h"
#include "lifecycle/api/json.h"
#include "lifecycle/api/names.h"
#include "lifecycle/api/patch.h"
#include "lifecycle/migration/status.h"
#include "lifecycle/rules/copy_rule.h"

namespace lifecycle::migration {
namespace {

using api::PassResult;
using dispatch::StepResult;

constexpr size_t kJobNameMax = 253;
constexpr size_t kPtahVersionMax = 128;

const std::string* FindCopy(const Pass& pass) {
  const auto& annotations = pass.metadata().annotations();
  const auto found = annotations.find(api::annotation::kUnresolvedRun);
  return found == annotations.end() ? nullptr : &found->second;
}

bool IsWellFormed(const api::ManagerRecord& manager) {
  return api::IsPinnedImage(manager.controller_image()) && !manager.controller_revision().empty() &&
         manager.controller_state_version() > 0 && !manager.ptah_version().empty() &&
         manager.ptah_version().size() <= kPtahVersionMax;
}

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the unresolved run's copy ", what));
}

absl::Status Validate(const api::UnresolvedRun& record) {
  if (record.outcome() != api::run_outcome::kPartial &&
      record.outcome() != api::run_outcome::kUnknown) {
    return Refuse("has an outcome that is neither Partial nor Unknown");
  }
  if (!api::IsDigest(record.operation_id())) return Refuse("names no operation");
  if (record.plan_ref().name().empty() || record.plan_ref().uid().empty()) {
    return Refuse("names no plan");
  }
  if (!record.target_identity_digest().empty() && !api::IsDigest(record.target_identity_digest())) {
    return Refuse("has a malformed target");
  }
  if (record.job_name().size() > kJobNameMax) return Refuse("has a Job name that is too long");
  if (record.recorded_at_ms() == 0) return Refuse("does not say when it was recorded");
  if (record.has_dispatched_by() && !IsWellFormed(record.dispatched_by())) {
    return Refuse("has a malformed manager record");
  }
  return absl::OkStatus();
}

absl::Status RemoveCopy(Pass& pass) {
  pass.client().Journal("P-4");
  return pass.WriteMetadata([](api::ObjectMeta& metadata) {
    metadata.mutable_annotations()->erase(api::annotation::kUnresolvedRun);
  });
}

StepResult GoOnAfter(const absl::Status& written) {
  if (written.ok()) return std::nullopt;
  return PassResult::Error(written);
}

bool SameBlock(const api::PtahMigrationStatus& status, absl::string_view message) {
  if (status.phase() != api::phase::kBlocked) return false;
  for (const api::Condition& condition : status.conditions()) {
    if (condition.type() == api::condition::kBlocked) {
      return condition.status() == api::condition_status::kTrue && condition.message() == message;
    }
  }
  return false;
}

// Looked at again at the interval and not at once: nothing here changes until a person changes it
// (L-12). The refusal that stands is written once.
PassResult BlockOnUnreadable(const absl::Status& why, Pass& pass) {
  pass.client().Journal("P-3 unreadable");
  pass.client().Journal("R-3");
  if (SameBlock(pass.status(), why.message())) return PassResult::After(pass.IntervalMs());
  const int64_t now_ms = pass.NowMs();
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    ShowBlocked(api::reason::kApplyOutcomeUnknown, why.message(),
                {now_ms, pass.metadata().generation()}, status);
    status.set_next_reconciliation_time_ms(now_ms + pass.IntervalMs());
  });
  return written.ok() ? PassResult::After(pass.IntervalMs()) : PassResult::Error(written);
}

// W-48.
PassResult RestoreRecord(const api::UnresolvedRun& copy, Pass& pass) {
  pass.client().Journal("P-3 restore");
  const int64_t now_ms = pass.NowMs();
  const absl::Status written = pass.WriteStatus([&](api::PtahMigrationStatus& status) {
    *status.mutable_unresolved_run() = copy;
    status.clear_plan();
    ShowBlocked(api::reason::kApplyOutcomeUnknown, "an unresolved run was restored from its copy",
                {now_ms, pass.metadata().generation()}, status);
    status.set_next_reconciliation_time_ms(now_ms + pass.IntervalMs());
  });
  if (!written.ok()) return PassResult::Error(written);
  pass.Event(true, api::event::kUnresolvedRunRestored,
             absl::StrCat("the unresolved run ", copy.operation_id(),
                          " was restored from the resource's annotation"));
  return PassResult::Now();
}

// P-3's facts, and the copy as it could be read.
struct CopyReading {
  rules::CopyFacts facts;
  absl::StatusOr<api::UnresolvedRun> copy = absl::NotFoundError("no copy");
};

CopyReading ReadStanding(const std::string* value, const Pass& pass) {
  const api::PtahMigrationStatus& status = pass.status();
  CopyReading reading;
  if (value != nullptr) reading.copy = ReadCopy(*value);
  const absl::StatusOr<api::UnresolvedRun>& copy = reading.copy;
  rules::CopyFacts& facts = reading.facts;
  facts.record_present = status.has_unresolved_run();
  facts.copy = value == nullptr ? rules::CopyState::kAbsent
               : copy.ok()      ? rules::CopyState::kReadable
                                : rules::CopyState::kUnreadable;
  if (copy.ok()) {
    facts.copy_equals_record =
        status.has_unresolved_run() && api::Equal(*copy, status.unresolved_run());
    facts.names_resolved_run =
        status.has_resolved_run() && copy->operation_id() == status.resolved_run().operation_id();
    facts.names_live_claim = pass.has_claim() && copy->operation_id() == pass.claim().id();
  }
  return reading;
}

}  // namespace

std::string WriteCopy(const api::UnresolvedRun& record) { return api::ToJson(record); }

absl::StatusOr<api::UnresolvedRun> ReadCopy(absl::string_view value) {
  api::UnresolvedRun record;
  if (absl::Status read = api::FromJson(value, &record); !read.ok()) return read;
  if (absl::Status valid = Validate(record); !valid.ok()) return valid;
  return record;
}

StepResult HoldCopyToRecord(Pass& pass) {
  const std::string* value = FindCopy(pass);
  const api::PtahMigrationStatus& status = pass.status();
  if (value == nullptr && !status.has_unresolved_run()) return std::nullopt;
  // The text is a function of the record, so the usual case compares texts and reads no JSON.
  if (value != nullptr && status.has_unresolved_run() &&
      *value == WriteCopy(status.unresolved_run())) {
    return std::nullopt;
  }
  pass.client().Journal("C-5");
  pass.client().Journal("P-3");
  const CopyReading standing = ReadStanding(value, pass);
  switch (rules::DecideCopy(standing.facts)) {
    case rules::CopyAction::kNothing:
      pass.client().Journal("P-3 live claim");
      return std::nullopt;
    case rules::CopyAction::kRewriteCopy:
      pass.client().Journal("P-3 rewrite");
      return GoOnAfter(PutCopy(status.unresolved_run(), pass));
    case rules::CopyAction::kBlocked:
      return BlockOnUnreadable(standing.copy.status(), pass);
    case rules::CopyAction::kRemoveCopy:
      pass.client().Journal("P-3 removal");
      return GoOnAfter(RemoveCopy(pass));
    case rules::CopyAction::kRestoreRecord:
      return RestoreRecord(*standing.copy, pass);
  }
  return std::nullopt;
}

std::optional<absl::StatusOr<api::UnresolvedRun>> HeldUnresolvedRun(const Pass& pass) {
  if (pass.status().has_unresolved_run()) return pass.status().unresolved_run();
  CopyReading standing = ReadStanding(FindCopy(pass), pass);
  switch (rules::DecideCopy(standing.facts)) {
    case rules::CopyAction::kRestoreRecord:
    case rules::CopyAction::kBlocked:
      return std::move(standing.copy);
    case rules::CopyAction::kNothing:
    case rules::CopyAction::kRewriteCopy:
    case rules::CopyAction::kRemoveCopy:
      break;
  }
  return std::nullopt;
}

absl::Status PutCopy(const api::UnresolvedRun& record, Pass& pass) {
  std::string value = WriteCopy(record);
  const std::string* standing = FindCopy(pass);
  if (standing != nullptr && *standing == value) return absl::OkStatus();
  pass.client().Journal("P-2 copy");
  return pass.WriteMetadata([&value](api::ObjectMeta& metadata) {
    (*metadata.mutable_annotations())[api::annotation::kUnresolvedRun] = std::move(value);
  });
}

absl::Status RemoveSettledCopy(Pass& pass) {
  if (pass.status().has_unresolved_run() || !pass.status().has_resolved_run()) {
    return absl::OkStatus();
  }
  return RemoveCopyOf(pass.status().resolved_run().operation_id(), pass);
}

absl::Status RemoveCopyOf(absl::string_view operation_id, Pass& pass) {
  const std::string* value = FindCopy(pass);
  if (value == nullptr) return absl::OkStatus();
  const absl::StatusOr<api::UnresolvedRun> copy = ReadCopy(*value);
  // An unreadable copy is left to P-3, which holds the resource at the next pass.
  if (!copy.ok() || copy->operation_id() != operation_id) return absl::OkStatus();
  return RemoveCopy(pass);
}

}  // namespace lifecycle::migration
