// The controller of PtahMigration: one pass, in the order of the specification.
//
// Answers: spec 02, C.

#ifndef LIFECYCLE_MIGRATION_RECONCILER_H_
#define LIFECYCLE_MIGRATION_RECONCILER_H_

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/context.h"
#include "lifecycle/dispatch/design.h"

namespace lifecycle::migration {

class MigrationReconciler final : public api::Reconciler {
 public:
  // Nothing is owned; everything outlives the reconciler.
  MigrationReconciler(api::Client& client, api::Memory& memory,
                      const api::Configuration& configuration, const api::Timing& timing,
                      const dispatch::Design& design)
      : context_{client, memory, configuration, timing, design} {}

  api::PassResult Reconcile(const std::string& namespace_, const std::string& name) override;

 private:
  dispatch::Context context_;
};

}  // namespace lifecycle::migration

#endif  // LIFECYCLE_MIGRATION_RECONCILER_H_
