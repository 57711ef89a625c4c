#include "lifecycle/migration/pass.h"

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/finalizer.h"
#include "lifecycle/dispatch/retire.h"

namespace lifecycle::migration {
namespace {

int64_t SecondsOr(int64_t declared_seconds, int64_t default_ms) {
  return declared_seconds > 0 ? declared_seconds * 1000 : default_ms;
}

}  // namespace

api::Key Pass::key() const {
  return api::Key{api::Kind::kPtahMigration, metadata().namespace_(), metadata().name()};
}

int64_t Pass::NowMs() {
  if (!now_ms_) now_ms_ = client().WallMs();
  return *now_ms_;
}

absl::Status Pass::WriteStatus(absl::FunctionRef<void(api::PtahMigrationStatus&)> edit,
                               api::Site site) {
  api::PtahMigration next = *resource_;
  edit(*next.mutable_status());
  auto stored = client().Patch(resource_, std::move(next), api::Subresource::kStatus, site);
  if (!stored.ok()) return stored.status();
  resource_ = *std::move(stored);
  return absl::OkStatus();
}

absl::Status Pass::WriteMetadata(absl::FunctionRef<void(api::ObjectMeta&)> edit, api::Site site) {
  api::PtahMigration next = *resource_;
  edit(*next.mutable_metadata());
  auto stored = client().Patch(resource_, std::move(next), api::Subresource::kMain, site);
  if (!stored.ok()) return stored.status();
  resource_ = *std::move(stored);
  return absl::OkStatus();
}

absl::Status Pass::ReadAgain() {
  auto read = client().Get<api::PtahMigration>(metadata().namespace_(), metadata().name());
  if (!read.ok()) return read.status();
  resource_ = *std::move(read);
  return absl::OkStatus();
}

bool Pass::HasFinalizer() const {
  return dispatch::HasFinalizer(metadata(), api::kMigrationFinalizer);
}

absl::Status Pass::AddFinalizer(api::Site site) {
  return WriteMetadata(
      [](api::ObjectMeta& metadata) { metadata.add_finalizers(api::kMigrationFinalizer); }, site);
}

absl::Status Pass::RemoveFinalizer(api::Site site) {
  if (has_claim() || status().has_pending_lock_release()) {
    return absl::FailedPreconditionError("a claim or an owed release still needs the finalizer");
  }
  return WriteMetadata(
      [](api::ObjectMeta& next) { dispatch::DropFinalizer(api::kMigrationFinalizer, next); }, site);
}

absl::Status Pass::PerformRelease() { return dispatch::PerformRelease(context_, resource_); }

int64_t Pass::IntervalMs() const {
  return SecondsOr(spec().interval_seconds(), timing().default_interval_ms);
}

int64_t Pass::FailureRetryMs() const {
  return SecondsOr(spec().execution().failure_retry_interval_seconds(),
                   timing().default_failure_retry_ms);
}

int64_t Pass::ApplyWindowMs() const {
  return SecondsOr(spec().execution().active_deadline_seconds(), timing().default_apply_window_ms);
}

void Pass::Event(bool warning, absl::string_view reason, absl::string_view message) {
  client().Event(key(), warning, reason, message);
}

absl::Status Pass::WriteClaim(dispatch::ClaimEdit edit) {
  return WriteStatus(
      [&](api::PtahMigrationStatus& status) { edit(*status.mutable_active_operation()); });
}

}  // namespace lifecycle::migration
