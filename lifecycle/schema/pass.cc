#include "lifecycle/schema/pass.h"

#include "lifecycle/api/kind.h"
#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/claim.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/dispatch/fence.h"
#include "lifecycle/dispatch/finalizer.h"
#include "lifecycle/dispatch/retire.h"

namespace lifecycle::schema {
namespace {

int64_t OrDefault(int64_t seconds, int64_t default_ms) {
  return seconds > 0 ? seconds * 1000 : default_ms;
}

}  // namespace

api::Key Pass::key() const {
  return api::Key{api::Kind::kPtahSchema, metadata().namespace_(), metadata().name()};
}

bool Pass::HasFinalizer() const {
  return dispatch::HasFinalizer(metadata(), api::kSchemaFinalizer);
}

int64_t Pass::NowMs() {
  if (!now_ms_) now_ms_ = client().WallMs();
  return *now_ms_;
}

int64_t Pass::IntervalMs() const {
  return OrDefault(spec().interval_seconds(), timing().default_interval_ms);
}
int64_t Pass::RetryMs() const {
  return OrDefault(spec().execution().failure_retry_interval_seconds(),
                   timing().default_failure_retry_ms);
}
int64_t Pass::WindowMs() const {
  return OrDefault(spec().execution().active_deadline_seconds(), timing().default_apply_window_ms);
}

absl::Status Pass::Store(api::PtahSchema next, api::Subresource subresource, api::Site site) {
  absl::StatusOr<api::Stored<api::PtahSchema>> stored =
      client().Patch(schema_, std::move(next), subresource, site);
  if (!stored.ok()) return stored.status();
  schema_ = *std::move(stored);
  return absl::OkStatus();
}

absl::Status Pass::WriteStatus(StatusEdit edit, api::Site site) {
  api::PtahSchema next = *schema_;
  edit(*next.mutable_status());
  return Store(std::move(next), api::Subresource::kStatus, site);
}

absl::Status Pass::WriteMetadata(MetadataEdit edit, api::Site site) {
  api::PtahSchema next = *schema_;
  edit(*next.mutable_metadata());
  return Store(std::move(next), api::Subresource::kMain, site);
}

absl::Status Pass::RetireClaim(rules::Disposition disposition, StatusEdit edit, api::Site site) {
  client().Journal("L-1");
  const api::ActiveOperation& before = status().active_operation();
  if (disposition == rules::Disposition::kDiscard && operation().mutating &&
      dispatch::MayHaveDispatched(before)) {
    return absl::FailedPreconditionError(
        "a mutating claim that may have dispatched is never discarded");
  }
  api::PtahSchema next = *schema_;
  api::PtahSchemaStatus& after = *next.mutable_status();
  edit(after);
  after.clear_active_operation();
  if (after.has_pending_observation()) client().Journal("L-3");
  const std::optional<api::PendingLockRelease> owed =
      dispatch::OwedRelease({.family = rules::Family::kSchema,
                             .claim = before,
                             .proof = proof(),
                             .ends_proof = proof() != nullptr && !after.has_pending_observation(),
                             .disposition = disposition});
  if (owed) client().Journal("L-2");
  const absl::Status staged = dispatch::StageRelease(owed, after);
  if (!staged.ok()) return staged;
  return Store(std::move(next), api::Subresource::kStatus, site);
}

absl::Status Pass::StartNextAttempt(StatusEdit edit, api::Site site) {
  const api::ActiveOperation& before = status().active_operation();
  if (!operation().read_only) {
    return absl::FailedPreconditionError("only a claim known to be read-only is retried");
  }
  api::PtahSchema next = *schema_;
  api::PtahSchemaStatus& after = *next.mutable_status();
  edit(after);
  api::ActiveOperation& claim = *after.mutable_active_operation();
  dispatch::MakeNextAttempt(rules::Family::kSchema, metadata(), claim);
  const std::optional<api::PendingLockRelease> owed =
      dispatch::OwedRelease({.family = rules::Family::kSchema,
                             .claim = before,
                             .proof = proof(),
                             .disposition = rules::Disposition::kDiscard});
  if (owed) dispatch::ExpectLease(before.lease_duration_seconds(), claim);
  const absl::Status staged = dispatch::StageRelease(owed, after);
  if (!staged.ok()) return staged;
  return Store(std::move(next), api::Subresource::kStatus, site);
}

absl::Status Pass::AbandonProof(api::Site site) {
  api::PtahSchema next = *schema_;
  api::PtahSchemaStatus& after = *next.mutable_status();
  after.clear_pending_observation();
  const absl::Status staged = dispatch::StageRelease(dispatch::ReleaseOfProof(*proof()), after);
  if (!staged.ok()) return staged;
  return Store(std::move(next), api::Subresource::kStatus, site);
}

void Pass::SetCondition(const char* type, bool value, absl::string_view reason,
                        absl::string_view message, api::PtahSchemaStatus& next) {
  dispatch::SetCondition({.type = type,
                          .status = value,
                          .reason = reason,
                          .message = message,
                          .generation = metadata().generation(),
                          .now_ms = NowMs()},
                         *next.mutable_conditions());
}

absl::Status Pass::HandBack() {
  absl::Status released = PerformRelease();
  if (!released.ok() || proof() != nullptr || claim() != nullptr || !HasFinalizer()) {
    return released;
  }
  return RemoveFinalizer();
}

absl::Status Pass::PerformRelease() { return dispatch::PerformRelease(context_, schema_); }

absl::Status Pass::RemoveFinalizer() {
  absl::Status read = Reread();
  if (!read.ok()) return read;
  if (claim() != nullptr || proof() != nullptr || status().has_pending_lock_release()) {
    return absl::FailedPreconditionError("the finalizer stays while a record remains");
  }
  return WriteMetadata(
      [](api::ObjectMeta& next) { dispatch::DropFinalizer(api::kSchemaFinalizer, next); });
}

absl::Status Pass::Reread() {
  absl::StatusOr<api::Stored<api::PtahSchema>> read =
      client().Get<api::PtahSchema>(metadata().namespace_(), metadata().name());
  if (!read.ok()) return read.status();
  const absl::Status fenced = dispatch::FencePass(**read, context_);
  if (!fenced.ok()) return fenced;
  schema_ = *std::move(read);
  return absl::OkStatus();
}

}  // namespace lifecycle::schema
