// The account of a migration's Apply: read, or uncertain.
//
// Either way the claim goes in one status patch with whatever record it leaves: never both, never
// neither. A run that ended Partial or Unknown leaves the latch that refuses every further Apply.
//
// Answers: spec 02, H-2, I-2, P-2; spec 03, 19; W-17, W-20, W-21.

#ifndef LIFECYCLE_MIGRATION_SETTLE_H_
#define LIFECYCLE_MIGRATION_SETTLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lifecycle/api/client.h"
#include "lifecycle/api/core.pb.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/migration/pass.h"
#include "lifecycle/rules/settle_rule.h"

namespace lifecycle::migration {

// A run's own account of itself, from its frame or the summary that stood in.
struct RunAccount {
  rules::RunOutcome outcome = rules::RunOutcome::kUnknown;
  std::vector<int64_t> applied_versions;
  std::string reported_target;  // Target identity digest; empty when the run named none.
  std::string message;          // For people; never SQL or rows.
};

// H-2: the outcome was read from the claim's one Pod after its Job ended, so nothing of it can
// write.
api::PassResult AccountRun(const api::Stored<api::Job>& job, const RunAccount& account, Pass& pass);

// I-2: nobody can say what the run did. `job` is the Job in hand, or null. `reported_target` is the
// database the run named, empty when it named none.
api::PassResult RecordUncertainRun(const api::Stored<api::Job>* job, absl::string_view why,
                                   absl::string_view reported_target, Pass& pass);

// I-2 where the caller has just proven that nothing the claim dispatched can still write: asking
// again could only lose the release (N-2.1b).
absl::Status RecordEndedRun(const api::Stored<api::Job>* job, absl::string_view why, Pass& pass);

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_SETTLE_H_
