#include "lifecycle/dispatch/cleanup.h"

#include <utility>

namespace lifecycle::dispatch {

absl::StatusOr<api::Stored<api::Job>> SetCleanupTtl(const api::Stored<api::Job>& job,
                                                    const Context& context, api::Site site) {
  if (job->spec().has_ttl_seconds_after_finished()) return job;
  api::Job next = *job;
  next.mutable_spec()->set_ttl_seconds_after_finished(
      static_cast<int32_t>(context.timing.cleanup_ttl_seconds));
  return context.client.Patch(job, std::move(next), api::Subresource::kMain, site);
}

}  // namespace lifecycle::dispatch
