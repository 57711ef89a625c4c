#include "lifecycle/migration/status.h"

#include "lifecycle/api/names.h"
#include "lifecycle/dispatch/conditions.h"
#include "lifecycle/dispatch/refused_pods.h"

namespace lifecycle::migration {
namespace {

// Reasons that nothing but people read.
constexpr char kWorking[] = "OperationInFlight";
constexpr char kIdle[] = "NoOperation";
constexpr char kPlanPublished[] = "PlanPublished";
constexpr char kNoPlanWaiting[] = "NoPlanWaiting";
constexpr char kHistoryCurrent[] = "HistoryCurrent";
constexpr char kOperationFailed[] = "OperationFailed";
constexpr char kNotBlocked[] = "NotBlocked";

void SetReady(bool ready, absl::string_view reason, const Moment& moment,
              api::PtahMigrationStatus& status) {
  SetCondition(api::condition::kReady, ready, reason, "", moment, status);
}

void SetWorking(bool working, const Moment& moment, api::PtahMigrationStatus& status) {
  SetCondition(api::condition::kProgressing, working, working ? kWorking : kIdle, "", moment,
               status);
}

void SetApprovalRequired(bool required, const Moment& moment, api::PtahMigrationStatus& status) {
  SetCondition(api::condition::kApprovalRequired, required,
               required ? kPlanPublished : kNoPlanWaiting, "", moment, status);
}

void ClearBlocked(const Moment& moment, api::PtahMigrationStatus& status) {
  SetCondition(api::condition::kBlocked, false, kNotBlocked, "", moment, status);
}

}  // namespace

void SetCondition(absl::string_view type, bool value, absl::string_view reason,
                  absl::string_view message, const Moment& moment,
                  api::PtahMigrationStatus& status) {
  dispatch::SetCondition({.type = type,
                          .status = value,
                          .reason = reason,
                          .message = message,
                          .generation = moment.generation,
                          .now_ms = moment.now_ms},
                         *status.mutable_conditions());
}

void ShowProgress(const char* phase, const Moment& moment, api::PtahMigrationStatus& status) {
  status.set_phase(phase);
  SetWorking(true, moment, status);
  SetApprovalRequired(false, moment, status);
  ClearBlocked(moment, status);
}

void ShowRefusedPod(bool refused, const Moment& moment, api::PtahMigrationStatus& status) {
  SetCondition(api::condition::kProgressing, true, refused ? dispatch::kPodRefused : kWorking,
               dispatch::RefusedPodsMessage(refused), moment, status);
}

void ShowPhase(const char* phase, const Moment& moment, api::PtahMigrationStatus& status) {
  status.set_phase(phase);
  SetWorking(false, moment, status);
  SetApprovalRequired(false, moment, status);
  ClearBlocked(moment, status);
}

void ShowBlocked(absl::string_view reason, absl::string_view message, const Moment& moment,
                 api::PtahMigrationStatus& status) {
  status.set_phase(api::phase::kBlocked);
  SetWorking(false, moment, status);
  SetApprovalRequired(false, moment, status);
  SetReady(false, reason, moment, status);
  SetCondition(api::condition::kBlocked, true, reason, message, moment, status);
}

void ShowFailed(absl::string_view message, int64_t retry_at_ms, const Moment& moment,
                api::PtahMigrationStatus& status) {
  status.set_phase(api::phase::kFailed);
  status.set_next_reconciliation_time_ms(retry_at_ms);
  SetWorking(false, moment, status);
  SetApprovalRequired(false, moment, status);
  SetCondition(api::condition::kReady, false, kOperationFailed, message, moment, status);
  ClearBlocked(moment, status);
}

void ShowInSync(const Moment& moment, api::PtahMigrationStatus& status) {
  ShowPhase(api::phase::kInSync, moment, status);
  SetReady(true, kHistoryCurrent, moment, status);
}

void ShowPlan(bool approval_required, const Moment& moment, api::PtahMigrationStatus& status) {
  status.set_phase(approval_required ? api::phase::kAwaitingApproval : api::phase::kPlanning);
  SetWorking(false, moment, status);
  SetApprovalRequired(approval_required, moment, status);
  ClearBlocked(moment, status);
}

}  // namespace lifecycle::migration
