// The controller of PtahSchema: one pass reads the resource, decides by its records, writes, ends.
//
// The order of a pass is the order of what is owed: a realm owed back comes before everything, a
// claim before a proof, a proof before anything ordinary, so that nothing ordinary can overtake
// what an Apply left open.
//
// Answers: spec 02, B.

#ifndef LIFECYCLE_SCHEMA_SCHEMA_RECONCILER_H_
#define LIFECYCLE_SCHEMA_SCHEMA_RECONCILER_H_

#include <string>

#include "lifecycle/api/client.h"
#include "lifecycle/api/configuration.h"
#include "lifecycle/api/memory.h"
#include "lifecycle/api/reconcile.h"
#include "lifecycle/api/timing.h"
#include "lifecycle/dispatch/context.h"
#include "lifecycle/dispatch/design.h"

namespace lifecycle::schema {

class SchemaReconciler final : public api::Reconciler {
 public:
  // Nothing is owned; everything outlives the reconciler, which holds nothing that changes.
  SchemaReconciler(api::Client& client, api::Memory& memory,
                   const api::Configuration& configuration, const api::Timing& timing,
                   const dispatch::Design& design)
      : context_{client, memory, configuration, timing, design} {}

  api::PassResult Reconcile(const std::string& namespace_, const std::string& name) override;

 private:
  dispatch::Context context_;
};

}  // namespace lifecycle::schema

#endif  // LIFECYCLE_SCHEMA_SCHEMA_RECONCILER_H_
