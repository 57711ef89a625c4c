// One pass over one PtahSchema: the resource as last stored, and the writes every part of it makes.
//
// Each write leaves what the API server answered here, so whatever follows in the same pass decides
// from what is durable. A write that fails leaves everything as it was read.
//
// Answers: spec 01, 0.2; spec 02, L-1, L-2; W-22 to W-24, W-30.

#ifndef LIFECYCLE_SCHEMA_PASS_H_
#define LIFECYCLE_SCHEMA_PASS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/schema.pb.h"
#include "lifecycle/dispatch/context.h"
#include "lifecycle/rules/operation.h"
#include "lifecycle/rules/retirement.h"

namespace lifecycle::schema {

using api::PassResult;
using StatusEdit = absl::FunctionRef<void(api::PtahSchemaStatus&)>;
using MetadataEdit = absl::FunctionRef<void(api::ObjectMeta&)>;

class Pass {
 public:
  // `context` outlives the pass.
  Pass(const dispatch::Context& context, api::Stored<api::PtahSchema> schema)
      : context_(context), schema_(std::move(schema)) {}

  const dispatch::Context& context() const { return context_; }
  api::Client& client() const { return context_.client; }
  const api::Timing& timing() const { return context_.timing; }

  const api::PtahSchema& schema() const { return *schema_; }
  const api::ObjectMeta& metadata() const { return schema_->metadata(); }
  const api::PtahSchemaSpec& spec() const { return schema_->spec(); }
  const api::PtahSchemaStatus& status() const { return schema_->status(); }
  api::Key key() const;

  // Null when there is none. Either is invalid after the next write.
  const api::ActiveOperation* claim() const {
    return status().has_active_operation() ? &status().active_operation() : nullptr;
  }
  const api::PendingObservation* proof() const {
    return status().has_pending_observation() ? &status().pending_observation() : nullptr;
  }
  const api::PlanRecord* plan() const { return status().has_plan() ? &status().plan() : nullptr; }
  bool HasFinalizer() const;

  // The table row of the claim's type. Only called while there is a claim.
  const rules::OperationTraits& operation() const {
    return rules::SchemaOperation(status().active_operation().type());
  }
  bool ClaimServesProof() const {
    return claim() != nullptr && operation().ServesOutstandingProof(proof() != nullptr);
  }

  // This node's wall clock, read once a pass.
  int64_t NowMs();
  // Full refresh cadence, read-only retry delay and Apply window, in milliseconds.
  int64_t IntervalMs() const;
  int64_t RetryMs() const;
  int64_t WindowMs() const;

  // One status patch.
  absl::Status WriteStatus(StatusEdit edit, api::Site site = api::Site::Here());
  // One metadata patch.
  absl::Status WriteMetadata(MetadataEdit edit, api::Site site = api::Site::Here());

  // The one function that drops a claim (L-1). One status patch: what `edit` does, the claim
  // cleared, and the release it owes staged. Performs nothing yet.
  // Errors: FailedPrecondition for a discard of a mutating claim that may have dispatched (S-15)
  // and while another release is pending (L-5); the API server's.
  absl::Status RetireClaim(rules::Disposition disposition, StatusEdit edit,
                           api::Site site = api::Site::Here());

  // What follows a retiring write: the owed release is performed (L-6), and the finalizer goes when
  // no record needs it any more (W-30).
  absl::Status HandBack();

  // L-6. Does nothing when no release is pending.
  absl::Status PerformRelease();

  // W-56: a proof that no reading will settle any more goes, and with it the realm, in one status
  // patch that stages the release. Performs nothing yet. `pass` has a proof and no claim.
  absl::Status AbandonProof(api::Site site = api::Site::Here());

  // W-30, after a fresh direct read. Errors: FailedPrecondition while a record remains.
  absl::Status RemoveFinalizer();

  // F-8, W-25: the read-only claim's next attempt in one status patch, with what `edit` does. The
  // realm an ordinary claim held is staged for release, and it expects a new acquisition; a proof
  // keeps its realm. Errors: as RetireClaim.
  absl::Status StartNextAttempt(StatusEdit edit, api::Site site = api::Site::Here());

  // Sets a condition in a status about to be written.
  void SetCondition(const char* type, bool value, absl::string_view reason,
                    absl::string_view message, api::PtahSchemaStatus& next);

  // Reads the resource again, directly, and fences it again. Errors: NotFound when it is
  // gone; FailedPrecondition when a newer manager has written it.
  absl::Status Reread();

 private:
  absl::Status Store(api::PtahSchema next, api::Subresource subresource, api::Site site);

  const dispatch::Context& context_;
  api::Stored<api::PtahSchema> schema_;
  std::optional<int64_t> now_ms_;
};

// Ends the pass now when `written` is OK, with its error otherwise.
inline PassResult NowOr(const absl::Status& written) {
  return written.ok() ? PassResult::Now() : PassResult::Error(written);
}

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_PASS_H_
