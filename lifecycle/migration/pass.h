// One pass over one migration: the resource as last stored, and the instant the pass reads.
//
// Every write goes through here, so that what the pass goes on with is always what is durable, and
// one write costs one copy of the resource.
//
// Answers: spec 01, 0.2; spec 02, E-0.

#ifndef LIFECYCLE_MIGRATION_PASS_H_
#define LIFECYCLE_MIGRATION_PASS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/migration.pb.h"
#include "lifecycle/dispatch/claim_holder.h"
#include "lifecycle/dispatch/context.h"

namespace lifecycle::migration {

class Pass final : public dispatch::ClaimHolder {
 public:
  Pass(const dispatch::Context& context, api::Stored<api::PtahMigration> resource)
      : context_(context), resource_(std::move(resource)) {}

  const dispatch::Context& context() const { return context_; }
  api::Client& client() const { return context_.client; }
  const api::Timing& timing() const { return context_.timing; }

  const api::PtahMigration& resource() const { return *resource_; }
  const api::PtahMigrationSpec& spec() const { return resource_->spec(); }
  const api::PtahMigrationStatus& status() const { return resource_->status(); }
  bool has_claim() const { return status().has_active_operation(); }
  api::Key key() const;

  // Milliseconds by this node's wall clock, read once a pass: one decision, one instant.
  int64_t NowMs();

  // One status patch. Errors: the API server's; the resource in memory is unchanged then.
  absl::Status WriteStatus(absl::FunctionRef<void(api::PtahMigrationStatus&)> edit,
                           api::Site site = api::Site::Here());
  // One metadata patch.
  absl::Status WriteMetadata(absl::FunctionRef<void(api::ObjectMeta&)> edit,
                             api::Site site = api::Site::Here());
  // Reads the resource again. Errors: NotFound when it is gone.
  absl::Status ReadAgain();
  bool HasFinalizer() const;
  // W-01, and W-30. Errors: FailedPrecondition while a claim or an owed release remains.
  absl::Status AddFinalizer(api::Site site = api::Site::Here());
  absl::Status RemoveFinalizer(api::Site site = api::Site::Here());
  // L-6, W-22 and W-23: performs the owed release, if there is one.
  absl::Status PerformRelease();

  // The resource's own figures, defaults filled in (spec 01, 14).
  int64_t IntervalMs() const;
  int64_t FailureRetryMs() const;
  int64_t ApplyWindowMs() const;

  void Event(bool warning, absl::string_view reason, absl::string_view message);

  // ClaimHolder.
  rules::Family family() const override { return rules::Family::kMigration; }
  const api::ObjectMeta& metadata() const override { return resource_->metadata(); }
  const api::ActiveOperation& claim() const override { return status().active_operation(); }
  const api::ExecutionBinding& binding() const override { return status().execution_binding(); }
  absl::Status WriteClaim(dispatch::ClaimEdit edit) override;

 private:
  const dispatch::Context& context_;
  api::Stored<api::PtahMigration> resource_;
  std::optional<int64_t> now_ms_;
};

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_PASS_H_
