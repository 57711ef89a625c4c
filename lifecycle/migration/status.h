// What a migration's status says to people: its phase, its conditions, when it is looked at next.
//
// Phases choose the next ordinary claim and open approval admission; nothing here is read for a
// safety decision. Every edit is one function, so that equal situations read equal.
//
// Answers: spec 01, 2.2; spec 02, A-5.

#ifndef LIFECYCLE_MIGRATION_STATUS_H_
#define LIFECYCLE_MIGRATION_STATUS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "lifecycle/api/migration.pb.h"

namespace lifecycle::migration {

// The instant and generation an edit is made at.
struct Moment {
  int64_t now_ms = 0;
  int64_t generation = 0;
};

// Sets one condition. Its transition time moves only when `value` differs from what stands there.
void SetCondition(absl::string_view type, bool value, absl::string_view reason,
                  absl::string_view message, const Moment& moment,
                  api::PtahMigrationStatus& status);

// A claim of this phase is at work.
void ShowProgress(const char* phase, const Moment& moment, api::PtahMigrationStatus& status);
// A claim is at work, and whether a Pod of its Job is refused (F-6).
void ShowRefusedPod(bool refused, const Moment& moment, api::PtahMigrationStatus& status);
// Nothing is at work and the next ordinary claim is chosen by `phase`.
void ShowPhase(const char* phase, const Moment& moment, api::PtahMigrationStatus& status);
// Blocked, with a reason for people.
void ShowBlocked(absl::string_view reason, absl::string_view message, const Moment& moment,
                 api::PtahMigrationStatus& status);
// Failed, looked at again at `retry_at_ms`.
void ShowFailed(absl::string_view message, int64_t retry_at_ms, const Moment& moment,
                api::PtahMigrationStatus& status);
void ShowInSync(const Moment& moment, api::PtahMigrationStatus& status);
// A published plan stands: AwaitingApproval where `approval_required`, else Planning, from which
// the next pass decides again.
void ShowPlan(bool approval_required, const Moment& moment, api::PtahMigrationStatus& status);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_STATUS_H_
